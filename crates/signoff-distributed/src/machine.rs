//! A process that takes part: it works for roles, drives runs, or both.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dbos::sysdb::types::{WorkflowFilter, WorkflowStatus};
use dbos::{
    Client, ClientConfig, Config, DBOS, EngineOnly, Enqueue, EnqueueOptions, QueueConflict,
    QueueOptions, ResumeOptions,
};
use signoff_runtime::project::ProcessContext;
use signoff_store::config::EngineSettings;

use crate::database::{Database, NewMachine, PROTOCOL, now_ms};
use crate::driving::{DriveOutcome, drive};
use crate::error::EngineError;
use crate::hosting::Hosts;
use crate::keys::MachineKey;
use crate::lease::{Lease, dead_machines};
use crate::mirror::MirrorOptions;

/// Whose queues these are, for DBOS.
pub(crate) const APPLICATION: &str = "signoff";

/// Where DBOS has its tables.
pub(crate) const DBOS_SCHEMA: &str = "signoff_dbos";

/// Runs that wait for a process that drives them.
const PLANS: &str = "plans";
const PLAN_RUN: &str = "plan_run";
const ATTEMPT: &str = "attempt";

/// How often queues are looked at.
const POLL: Duration = Duration::from_millis(100);

/// How long leaving the queues may take.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// How often it is looked whether somebody wants this process to leave.
const LOOK: Duration = Duration::from_secs(1);

/// What recovery goes by: the protocol, not the build.
pub(crate) fn version() -> String {
    format!("protocol-{PROTOCOL}")
}

/// What a process does.
#[derive(Debug, Clone)]
pub struct MachineOptions {
    /// What the process was started with.
    pub process: ProcessContext,
    /// The person's own settings about other machines.
    pub settings: EngineSettings,
    /// The roles whose work it does.
    pub roles: Vec<String>,
    /// How much of it at once.
    pub jobs: u32,
    /// Does it drive runs?
    pub orchestrates: bool,
    /// Where its copies of projects are.
    pub directory: PathBuf,
    /// Where its key is; no agent can read there.
    pub key_directory: PathBuf,
    /// How long a process may be silent before it counts as dead.
    pub lease: Duration,
}

/// A process that takes part.
pub struct Machine {
    database: Database,
    engine: DBOS,
    lease: Lease,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine")
            .field("executor", &self.shared.executor)
            .finish_non_exhaustive()
    }
}

/// What the parts of a process share.
pub(crate) struct Shared {
    pub(crate) executor: String,
    pub(crate) name: String,
    pub(crate) key: Arc<MachineKey>,
    pub(crate) settings: EngineSettings,
    pub(crate) mirrors: MirrorOptions,
    pub(crate) queues: Queues,
    pub(crate) lease: Duration,
    jobs: usize,
    orchestrates: bool,
    draining: AtomicBool,
    /// What is under way here.
    busy: AtomicUsize,
    pub(crate) hosts: Hosts,
    trouble: Mutex<Vec<String>>,
}

impl Shared {
    /// Keys whose orders are followed: its own, and those that its user lists.
    pub(crate) fn orchestrators(&self) -> &[String] {
        &self.mirrors.orchestrators
    }

    /// Keys whose reports are believed.
    pub(crate) fn workers(&self) -> Vec<String> {
        let own = self.key.public().to_owned();
        let listed = self.settings.workers.value.iter().cloned();
        listed.chain([own]).collect()
    }

    /// The repository that carries a project's runs, if this machine takes part in it.
    pub(crate) fn remote_of(&self, project: &str) -> Result<String, EngineError> {
        let listed = self.settings.projects.value.get(project).cloned();
        listed.ok_or_else(|| {
            EngineError::Untrusted(format!(
                "`[engine.projects]` of this machine does not list the project `{project}`"
            ))
        })
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// Says something to whoever watches the process.
    pub(crate) fn say(&self, what: String) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.push(what);
    }
}

/// Counts what is under way, for as long as it lives.
struct Busy<'a>(&'a AtomicUsize);

impl<'a> Busy<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The queues, as a client of DBOS.
#[derive(Clone)]
pub(crate) struct Queues(Client);

impl Queues {
    pub(crate) fn connect(database: &Database) -> Result<Self, EngineError> {
        let mut config = ClientConfig::new(database.url());
        config.app_name = Some(APPLICATION.to_owned());
        DBOS_SCHEMA.clone_into(&mut config.schema);
        config.max_connections = 4;
        Ok(Self(database.wait(Client::connect(config))?))
    }

    pub(crate) fn enqueue_order(
        &self,
        database: &Database,
        order: &str,
        role: &str,
        priority: i32,
    ) -> Result<(), EngineError> {
        self.enqueue(
            database,
            ATTEMPT,
            order,
            order,
            &queue_of(role),
            Some(priority),
            None,
        )
    }

    /// Puts an order back for another machine.
    pub(crate) fn enqueue_again(
        &self,
        database: &Database,
        order: &str,
        role: &str,
        executor: &str,
    ) -> Result<(), EngineError> {
        let id = format!("{order}@{executor}-{}", now_ms());
        self.enqueue(
            database,
            ATTEMPT,
            &id,
            order,
            &queue_of(role),
            Some(1),
            None,
        )
    }

    /// Has some process drive a run, after whichever drives it now.
    pub(crate) fn activate(&self, database: &Database, run: &str) -> Result<(), EngineError> {
        let number = database.next_activation(run)?;
        let id = format!("{run}/drive/{number}");
        self.enqueue(database, PLAN_RUN, &id, run, PLANS, None, Some(run))
    }

    #[expect(clippy::too_many_arguments, reason = "all of it names one row")]
    fn enqueue(
        &self,
        database: &Database,
        workflow: &str,
        id: &str,
        input: &str,
        queue: &str,
        priority: Option<i32>,
        partition: Option<&str>,
    ) -> Result<(), EngineError> {
        let version = version();
        let options = EnqueueOptions {
            workflow_id: Some(id),
            app_version: Some(&version),
            ..EnqueueOptions::on(Enqueue {
                priority: priority.and_then(|priority| u32::try_from(priority.max(1)).ok()),
                partition_key: partition,
                ..Enqueue::new(queue)
            })
        };
        database.wait(async {
            let queued =
                self.0
                    .enqueue_with::<_, String, EngineOnly>(workflow, input.to_owned(), options);
            queued.await.map(drop)
        })
    }

    /// Puts back into their queues what these processes left.
    fn reenqueue(&self, database: &Database, dead: &[String]) -> Result<usize, EngineError> {
        let executors: Vec<&str> = dead.iter().map(String::as_str).collect();
        database.wait(async {
            let filter = WorkflowFilter {
                executor_ids: executors,
                status: vec![WorkflowStatus::Pending],
                ..WorkflowFilter::default()
            };
            let left = self.0.list_workflows(&filter).await?;
            for record in &left {
                let options = ResumeOptions {
                    queue: record.queue_name.as_deref(),
                };
                // It counts its attempts anew: a machine that dies is no fault of what it did.
                let resumed = self
                    .0
                    .resume_with::<String, EngineOnly>(&record.workflow_id, options);
                resumed.await.map(drop)?;
            }
            Ok::<_, dbos::Error>(left.len())
        })
    }
}

fn queue_of(role: &str) -> String {
    format!("role-{role}")
}

impl Machine {
    /// Comes up: connects, says who it is, takes its lock, and listens to its queues.
    pub fn start(database: Database, options: MachineOptions) -> Result<Self, EngineError> {
        database.require_migrated()?;
        let key = Arc::new(MachineKey::of_directory(&options.key_directory)?);
        let name = host_name(&options.process);
        let executor = format!("{name}-{}-{}", std::process::id(), now_ms());
        clear_remains(&options.directory, &name);
        let mut orchestrators = options.settings.orchestrators.value.clone();
        // Whoever has it is this machine's user.
        orchestrators.push(key.public().to_owned());
        let jobs = usize::try_from(options.jobs).unwrap_or(1).max(1);
        let shared = Arc::new(Shared {
            mirrors: MirrorOptions {
                directory: options.directory.join(&executor),
                process: options.process.clone(),
                orchestrators,
            },
            executor: executor.clone(),
            name: name.clone(),
            key: Arc::clone(&key),
            settings: options.settings,
            queues: Queues::connect(&database)?,
            lease: options.lease,
            jobs,
            orchestrates: options.orchestrates,
            draining: AtomicBool::new(false),
            busy: AtomicUsize::new(0),
            hosts: Hosts::default(),
            trouble: Mutex::default(),
        });
        database.add_machine(
            &NewMachine {
                executor: executor.clone(),
                name,
                key: key.public().to_owned(),
                roles: options.roles.clone(),
                orchestrates: options.orchestrates,
                jobs: i32::try_from(jobs).unwrap_or(i32::MAX),
            },
            now_ms(),
        )?;
        let lease = Lease::take(&database, &executor, options.lease)?;
        let engine = launch(&database, &shared, &options.roles)?;
        Ok(Self {
            database,
            engine,
            lease,
            shared,
        })
    }

    /// How others call this process.
    pub fn executor(&self) -> &str {
        &self.shared.executor
    }

    /// Its public key.
    pub fn public_key(&self) -> &str {
        self.shared.key.public()
    }

    /// What is under way here.
    pub fn busy(&self) -> usize {
        self.shared.busy.load(Ordering::Acquire)
    }

    /// Takes nothing new from now on.
    pub fn drain(&self) {
        self.shared.draining.store(true, Ordering::Release);
        // It ends soon anyway.
        drop(self.database.note_draining(&self.shared.executor));
    }

    /// Does its part until `goes_on` says no, or it has drained, or it has lost its lock. Hands what a person should know to
    /// `say`.
    pub fn serve(
        &self,
        mut goes_on: impl FnMut(&Self) -> bool,
        mut say: impl FnMut(&str),
    ) -> Result<(), EngineError> {
        let (mut swept, mut looked) = (Instant::now(), Instant::now());
        loop {
            std::thread::sleep(POLL);
            for line in std::mem::take(
                &mut *self
                    .shared
                    .trouble
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner),
            ) {
                say(&line);
            }
            if self.lease.is_lost() {
                return Err(EngineError::Machine {
                    what: "this process lost its lease and ended its agents",
                    why: "the database could not be reached".to_owned(),
                });
            }
            if !goes_on(self) || (self.shared.is_draining() && self.busy() == 0) {
                return Ok(());
            }
            if looked.elapsed() > LOOK {
                looked = Instant::now();
                // Without the database nobody can have asked.
                if self
                    .database
                    .is_draining(&self.shared.executor)
                    .unwrap_or(false)
                {
                    self.shared.draining.store(true, Ordering::Release);
                }
            }
            if self.shared.orchestrates && swept.elapsed() > self.shared.lease / 2 {
                swept = Instant::now();
                if let Err(error) = self.sweep() {
                    say(&format!("could not look for machines that died: {error}"));
                }
            }
        }
    }

    /// Puts back what dead processes left.
    fn sweep(&self) -> Result<(), EngineError> {
        let dead = dead_machines(&self.database, self.shared.lease)?;
        if dead.is_empty() {
            return Ok(());
        }
        let count = self.shared.queues.reenqueue(&self.database, &dead)?;
        for executor in &dead {
            self.database.remove_machine(executor)?;
            self.shared.say(format!(
                "`{executor}` is gone; {count} tasks it had were queued again"
            ));
        }
        Ok(())
    }

    /// Leaves: ends what is still under way, and lets others have it at once.
    pub fn stop(self) {
        // First: what ends now has not been done, and must not be recorded as if it had.
        let done = async {
            let shutdown = self.engine.shutdown();
            drop(tokio::time::timeout(SHUTDOWN, shutdown).await);
            Ok::<_, EngineError>(())
        };
        drop(self.database.wait(done));
        self.shared.hosts.stop_all();
        if self.shared.is_draining() && self.busy() == 0 {
            drop(self.database.remove_machine(&self.shared.executor));
        }
        drop(std::fs::remove_dir_all(&self.shared.mirrors.directory));
    }
}

/// Removes the copies of projects that killed processes of this machine left.
fn clear_remains(directory: &std::path::Path, name: &str) {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let file = entry.file_name();
        let file = file.to_string_lossy();
        let rest = file
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('-'));
        let pid = rest
            .and_then(|rest| rest.split_once('-'))
            .and_then(|(pid, _)| pid.parse::<u32>().ok());
        let is_dead = |pid: u32| !std::path::Path::new(&format!("/proc/{pid}")).exists();
        if pid.is_some_and(is_dead) {
            // What cannot be removed takes space, and nothing else.
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
}

fn host_name(process: &ProcessContext) -> String {
    let given = process.variables.get(std::ffi::OsStr::new("HOSTNAME"));
    let given = given.map(|name| name.to_string_lossy().into_owned());
    let read = || std::fs::read_to_string("/etc/hostname").ok();
    let name = given.or_else(read).unwrap_or_default();
    let name: String = name
        .trim()
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
        .collect();
    if name.is_empty() {
        "machine".to_owned()
    } else {
        name
    }
}

fn launch(
    database: &Database,
    shared: &Arc<Shared>,
    roles: &[String],
) -> Result<DBOS, EngineError> {
    let mut config = Config::new(APPLICATION, database.url());
    DBOS_SCHEMA.clone_into(&mut config.schema);
    config.executor_id = Some(shared.executor.clone());
    config.app_version = Some(version());
    config.migrate = false;
    let mut queues: Vec<String> = roles.iter().map(|role| queue_of(role)).collect();
    if shared.orchestrates {
        queues.push(PLANS.to_owned());
    }
    config.listen_queues = Some(queues.clone());
    let engine = DBOS::new(config);
    register(&engine, database, shared)?;
    database.wait(async {
        engine.launch().await?;
        for name in queues {
            let is_plans = name == PLANS;
            let options = QueueOptions {
                polling_interval: POLL,
                priority_enabled: !is_plans,
                // One process at a time drives a run.
                partition_concurrency: is_plans.then_some(1),
                worker_concurrency: (!is_plans)
                    .then(|| i32::try_from(shared.jobs).unwrap_or(i32::MAX)),
                ..QueueOptions::default()
            };
            let queue = engine.register_queue(&name, options, QueueConflict::AlwaysUpdate);
            queue.await?;
        }
        Ok::<_, dbos::Error>(())
    })?;
    Ok(engine)
}

/// Every process knows both workflows; which it is given depends on its queues.
fn register(engine: &DBOS, database: &Database, shared: &Arc<Shared>) -> Result<(), EngineError> {
    let (driving, of_database) = (Arc::clone(shared), database.clone());
    engine.register_workflow(PLAN_RUN, move |run: String| {
        let (shared, database) = (Arc::clone(&driving), of_database.clone());
        let body = move || {
            let _busy = Busy::new(&shared.busy);
            plan_run(&database, &shared, &run)
        };
        durably("drive", body)
    })?;
    let (working, of_database) = (Arc::clone(shared), database.clone());
    engine.register_workflow(ATTEMPT, move |order: String| {
        let (shared, database) = (Arc::clone(&working), of_database.clone());
        let body = move || attempt(&database, &shared, &order);
        durably("work", body)
    })?;
    Ok(())
}

/// Runs a body on a thread that may wait, as the one durable step of a workflow.
async fn durably(
    name: &'static str,
    body: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> Result<String, dbos::Error<EngineOnly>> {
    dbos::step(name, move || {
        let body = body.clone();
        async move {
            let done = tokio::task::spawn_blocking(body).await;
            Ok(done.unwrap_or_else(|_| "the thread ended early".to_owned()))
        }
    })
    .await
}

fn plan_run(database: &Database, shared: &Arc<Shared>, run: &str) -> String {
    match drive(database, shared, run) {
        Ok(DriveOutcome::Stopped(state)) => state,
        // Somebody has to drive it again, if whoever does now may be done with another activation.
        Ok(DriveOutcome::Lost) => go_on(database, shared, run, "another process drives it"),
        Err(error @ EngineError::Database(_)) => go_on(database, shared, run, &error.to_string()),
        Err(error) => {
            shared.say(format!("{run}: {error}"));
            error.to_string()
        }
    }
}

/// Has a run driven again, as soon as the database can be told. Its lease bounds how long this process tries.
fn go_on(database: &Database, shared: &Arc<Shared>, run: &str, why: &str) -> String {
    shared.say(format!("{run}: {why}"));
    while shared.queues.activate(database, run).is_err() && !shared.hosts.is_stopping() {
        std::thread::sleep(LOOK);
    }
    why.to_owned()
}

fn attempt(database: &Database, shared: &Arc<Shared>, order: &str) -> String {
    let busy = Busy::new(&shared.busy);
    let is_taken = !shared.is_draining();
    let outcome = is_taken.then(|| shared.hosts.perform(database, shared, order));
    drop(busy);
    match outcome {
        Some(Ok(done)) => done,
        // It is for another machine, or for another time.
        refused => {
            if let Some(Err(error)) = refused
                && !shared.is_draining()
            {
                shared.say(format!("{order}: {error}"));
            }
            while !shared.hosts.is_stopping() {
                let passed_on = database.role_of_order(order).and_then(|role| match role {
                    Some(role) => {
                        let queues = &shared.queues;
                        queues.enqueue_again(database, order, &role, &shared.executor)
                    }
                    None => Ok(()),
                });
                if passed_on.is_ok() {
                    break;
                }
                std::thread::sleep(LOOK);
            }
            "passed on".to_owned()
        }
    }
}

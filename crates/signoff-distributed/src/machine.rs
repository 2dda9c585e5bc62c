//! A process that takes part: it works for roles, drives runs, or both.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dbos::DBOS;
use signoff_runtime::project::ProcessContext;
use signoff_store::config::ClusterSettings;

use crate::database::{Database, NewMachine, now_ms};
use crate::error::ClusterError;
use crate::keys::MachineKey;
use crate::lease::{Lease, dead_machines};
use crate::mirror::MirrorOptions;
use crate::queues::Queues;
use crate::slots::Slots;
use crate::wakes::Wakes;
use crate::worker::RunWorkers;
use crate::workflows::launch_dbos;

/// How often it is looked whether something is to be said, or the process is to end.
const TICK: Duration = Duration::from_millis(100);

/// How long leaving the queues may take.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// How often it is looked whether somebody wants this process to leave.
const LOOK: Duration = Duration::from_secs(1);

/// What a process does.
#[derive(Debug, Clone)]
pub struct MachineOptions {
    /// What the process was started with.
    pub process: ProcessContext,
    /// The person's own settings about other machines.
    pub settings: ClusterSettings,
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
    dbos: DBOS,
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
    pub(crate) settings: ClusterSettings,
    pub(crate) mirrors: MirrorOptions,
    pub(crate) lease: Duration,
    queues: Queues,
    pub(crate) slots: Slots,
    pub(crate) wakes: Arc<Wakes>,
    pub(crate) orchestrates: bool,
    draining: AtomicBool,
    /// What is under way here.
    pub(crate) busy: AtomicUsize,
    pub(crate) run_workers: RunWorkers,
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
    pub(crate) fn remote_of(&self, project: &str) -> Result<String, ClusterError> {
        let listed = self.settings.projects.value.get(project).cloned();
        listed.ok_or_else(|| {
            ClusterError::Untrusted(format!(
                "`[engine.projects]` of this machine does not list the project `{project}`"
            ))
        })
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// Prints a line for the person who watches the process.
    pub(crate) fn announce(&self, what: String) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.push(what);
    }
}

/// Counts what is under way, for as long as it lives.
pub(crate) struct CountDownOnDrop<'a>(&'a AtomicUsize);

impl<'a> CountDownOnDrop<'a> {
    pub(crate) fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for CountDownOnDrop<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Machine {
    /// Comes up: connects, says who it is, takes its lock, and listens to its queues.
    pub fn start(database: Database, options: MachineOptions) -> Result<Self, ClusterError> {
        database.require_migrated()?;
        let key = Arc::new(MachineKey::of_directory(&options.key_directory)?);
        let name = host_name(&options.process);
        let executor = format!("{name}-{}-{}", std::process::id(), now_ms());
        remove_abandoned_copies(&options.directory, &name);
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
            slots: Slots::new(jobs),
            wakes: Arc::default(),
            orchestrates: options.orchestrates,
            draining: AtomicBool::new(false),
            busy: AtomicUsize::new(0),
            run_workers: RunWorkers::default(),
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
        if options.orchestrates {
            shared.wakes.listen(&database);
        }
        let dbos = launch_dbos(&database, &shared, &options.roles)?;
        Ok(Self {
            database,
            dbos,
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
    pub fn jobs_under_way(&self) -> usize {
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
    ) -> Result<(), ClusterError> {
        let (mut swept, mut looked) = (Instant::now(), Instant::now());
        loop {
            std::thread::sleep(TICK);
            // What git leaves in the background when it pushes to a repository of this machine.
            signoff_sandbox::reap_adopted_orphans();
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
                return Err(ClusterError::Machine {
                    what: "this process lost its lease and ended its agents",
                    why: "the database could not be reached".to_owned(),
                });
            }
            if !goes_on(self) || (self.shared.is_draining() && self.jobs_under_way() == 0) {
                return Ok(());
            }
            if looked.elapsed() > LOOK {
                looked = Instant::now();
                if let Err(error @ ClusterError::Machine { .. }) = self.database.require_version() {
                    // Somebody brought the tables to another version: nothing here may touch them.
                    return Err(error);
                }
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
                if let Err(error) = self.requeue_abandoned_work() {
                    say(&format!("could not look for machines that died: {error}"));
                }
                self.report_queue_depths();
            }
        }
    }

    /// Tells the system that watches runs how much waits.
    fn report_queue_depths(&self) {
        let telemetry = &self.shared.mirrors.process.services.telemetry;
        // Without the database this is unknown.
        if let Some(telemetry) = telemetry
            && let Ok(depths) = self.database.waiting_orders()
        {
            telemetry.queue_depths(&depths);
        }
    }

    /// Puts back what dead processes left.
    fn requeue_abandoned_work(&self) -> Result<(), ClusterError> {
        let dead = dead_machines(&self.database, self.shared.lease)?;
        if dead.is_empty() {
            return Ok(());
        }
        let count = self
            .shared
            .queues
            .requeue_orders_of(&self.database, &dead)?;
        for executor in &dead {
            self.database.remove_machine(executor)?;
            self.shared.announce(format!(
                "`{executor}` is gone; {count} tasks it had were queued again"
            ));
        }
        Ok(())
    }

    /// Leaves: ends what is still under way, and lets others have it at once.
    pub fn stop(self) {
        // First: what ends now has not been done, and must not be recorded as if it had.
        let done = async {
            let shutdown = self.dbos.shutdown();
            drop(tokio::time::timeout(SHUTDOWN, shutdown).await);
            Ok::<_, ClusterError>(())
        };
        drop(self.database.wait(done));
        self.shared.run_workers.stop_all();
        if self.shared.is_draining() && self.jobs_under_way() == 0 {
            drop(self.database.remove_machine(&self.shared.executor));
        }
        drop(std::fs::remove_dir_all(&self.shared.mirrors.directory));
    }
}

/// Removes the copies of projects that killed processes of this machine left.
fn remove_abandoned_copies(directory: &std::path::Path, name: &str) {
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

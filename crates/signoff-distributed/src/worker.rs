//! Carries out orders: one thread for each run that this machine works for, with a copy of its project.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use signoff_engine::CallEnd;
use signoff_runtime::SystemClock;
use signoff_runtime::cluster::{OrderedTask, Report, ReportedEnd};
use signoff_runtime::live::hand_over::work_reference;
use signoff_runtime::live::{CatchUpOutcome, WorkerRun};
use signoff_runtime::project::Project;
use signoff_sandbox::start_thread;
use signoff_store::failpoint;

use crate::cluster::Worker;
use crate::database::{ClaimedReport, Database};
use crate::error::ClusterError;
use crate::machine::Shared;
use crate::mirror::{Mirror, MirrorOptions};
use crate::orders::{SignedOrder, SignedReport, WorkOrderBody};
use crate::run_files;

/// How long the end of the threads is waited for at a time.
const TICK: Duration = Duration::from_millis(20);

/// How often it is asked whether what is under way is still wanted.
const LOOK: Duration = Duration::from_millis(500);

/// How long a copy of a project is kept without work.
const IDLE: Duration = Duration::from_mins(1);

/// The runs that this machine works for.
#[derive(Debug, Default)]
pub(crate) struct RunWorkers {
    runs: Mutex<BTreeMap<String, RunHandle>>,
    stopping: Arc<AtomicBool>,
    /// Threads that may have agents.
    alive: Arc<AtomicUsize>,
    /// Threads that were started.
    started: AtomicUsize,
}

/// How a run's thread is reached.
#[derive(Debug)]
struct RunHandle {
    jobs: Sender<Job>,
    worker: Arc<Worker>,
}

/// An order that this machine has taken.
#[derive(Debug)]
struct Job {
    order: SignedOrder,
    body: WorkOrderBody,
    claim: i32,
    done: Sender<Result<String, ClusterError>>,
}

impl RunWorkers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, RunHandle>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries out an order, and says what became of it.
    pub(crate) fn perform(
        &self,
        database: &Database,
        shared: &Arc<Shared>,
        id: &str,
    ) -> Result<String, ClusterError> {
        let Some((order, claim)) = database.claim_order(id, &shared.executor)? else {
            return Ok("not wanted any more".to_owned());
        };
        failpoint::reach("order.claimed");
        let body = match order.verify(shared.orchestrators()) {
            Ok(body) => body,
            Err(error) => return report_untrusted_order(database, shared, &order, claim, &error),
        };
        let (done, result) = channel();
        self.send(
            database,
            shared,
            Job {
                order,
                body,
                claim,
                done,
            },
        )?;
        result.recv().unwrap_or_else(|_| {
            Err(ClusterError::Machine {
                what: "the work was given up",
                why: "this process ends".to_owned(),
            })
        })
    }

    fn send(
        &self,
        database: &Database,
        shared: &Arc<Shared>,
        job: Job,
    ) -> Result<(), ClusterError> {
        let run = job.order.run.clone();
        let mut runs = self.lock();
        let job = match runs.get(&run) {
            Some(host) => match host.jobs.send(job) {
                Ok(()) => {
                    host.worker.wake();
                    return Ok(());
                }
                Err(unsent) => unsent.0,
            },
            None => job,
        };
        let (sender, jobs) = channel();
        let host = RunWorker {
            database: database.clone(),
            shared: Arc::clone(shared),
            run: run.clone(),
            stopping: Arc::clone(&self.stopping),
            worker: Arc::default(),
            number: self.started.fetch_add(1, Ordering::Relaxed),
        };
        let worker = Arc::clone(&host.worker);
        let alive = Arc::clone(&self.alive);
        alive.fetch_add(1, Ordering::AcqRel);
        let started = start_thread("signoff-host", move || {
            host.work(&jobs);
            alive.fetch_sub(1, Ordering::AcqRel);
        });
        started.map_err(ClusterError::machine("a thread cannot be started"))?;
        // The thread has just begun to listen.
        drop(sender.send(job));
        runs.insert(
            run,
            RunHandle {
                jobs: sender,
                worker,
            },
        );
        Ok(())
    }

    /// Does this process end?
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Ends every agent, and waits until they are gone.
    pub(crate) fn stop_all(&self) {
        self.stopping.store(true, Ordering::Release);
        for host in self.lock().values() {
            host.worker.wake();
        }
        let begun = Instant::now();
        while self.alive.load(Ordering::Acquire) > 0 && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(TICK);
        }
    }
}

/// Works for one run.
struct RunWorker {
    database: Database,
    shared: Arc<Shared>,
    run: String,
    stopping: Arc<AtomicBool>,
    worker: Arc<Worker>,
    /// Its number among those of this process: the next one for the run may begin before it has removed its copy.
    number: usize,
}

impl RunWorker {
    fn work(&self, jobs: &Receiver<Job>) {
        let mut first: Vec<Job> = Vec::new();
        loop {
            if first.is_empty() {
                first.extend(self.next_job(jobs));
            }
            let Some(job) = first.first() else {
                break;
            };
            let opened = self.open_copy(&job.body);
            let (mut mirror, project) = match opened {
                Ok(opened) => opened,
                Err(error) => {
                    for job in first.drain(..) {
                        self.refuse(job, &error);
                    }
                    continue;
                }
            };
            match self.work_in(&mut mirror, &project, std::mem::take(&mut first), jobs) {
                // The plan has another version: everything is opened again for it.
                NextJob::Jobs(jobs) => first = jobs,
                NextJob::Idle => {}
                NextJob::Stopped => break,
            }
        }
        self.mirror_options().remove(&self.run);
    }

    /// The next order, or nothing if there was none for long.
    fn next_job(&self, jobs: &Receiver<Job>) -> Option<Job> {
        if let Ok(job) = jobs.recv_timeout(IDLE) {
            return Some(job);
        }
        // Under the lock, so that nobody sends one to a thread that ends.
        let mut runs = self.shared.run_workers.lock();
        let late = jobs.try_recv().ok();
        if late.is_none() {
            runs.remove(&self.run);
        }
        late
    }

    fn mirror_options(&self) -> MirrorOptions {
        let name = format!("hosted-{}", self.number);
        self.shared.mirrors.with_subdirectory(&name)
    }

    fn open_copy(&self, body: &WorkOrderBody) -> Result<(Mirror, Project), ClusterError> {
        let remote = self.shared.remote_of(&body.project)?;
        let mut mirror = Mirror::fetch(&self.database, &self.mirror_options(), &self.run, &remote)?;
        mirror.fetched = body.pushed;
        let project = mirror.project(Arc::clone(&self.worker) as _)?;
        if project.store.project_id().ok().flatten().as_deref() != Some(body.project.as_str()) {
            return Err(ClusterError::Untrusted(format!(
                "the run `{}` is of another project than its order says",
                self.run
            )));
        }
        Ok((mirror, project))
    }

    fn work_in(
        &self,
        mirror: &mut Mirror,
        project: &Project,
        first: Vec<Job>,
        jobs: &Receiver<Job>,
    ) -> NextJob {
        let clock = SystemClock::new();
        let short: String = self.shared.key.public().chars().take(20).collect();
        let machine = format!("{} ({short})", self.shared.name);
        let mut worker_run = match WorkerRun::open(project, &self.run, &machine, &clock) {
            Ok(worker_run) => worker_run,
            Err(error) => {
                let error = error.into();
                for job in first {
                    self.refuse(job, &error);
                }
                return NextJob::Idle;
            }
        };
        let mut under_way = Vec::new();
        let mut waiting = first;
        let (mut looked, mut worked) = (Instant::now(), Instant::now());
        loop {
            if self.stopping.load(Ordering::Acquire) {
                return NextJob::Stopped;
            }
            waiting.extend(jobs.try_iter());
            if let Some(jobs) =
                self.begin_order(mirror, &mut worker_run, &mut waiting, &mut under_way)
            {
                // What is under way was begun under the old version, and is not wanted any more.
                return NextJob::Jobs(jobs);
            }
            let (ended, trouble) = next_reports(&mut worker_run, &mut under_way);
            self.report(mirror, project, &worker_run, ended);
            if let Some(error) = trouble {
                let error = ClusterError::Machine {
                    what: "the work was given up",
                    why: error.to_string(),
                };
                for job in under_way.drain(..) {
                    self.report_trouble(job, &error, ReportedEnd::Trouble);
                }
                return NextJob::Idle;
            }
            if !under_way.is_empty() {
                worked = Instant::now();
            } else if worked.elapsed() > IDLE {
                return NextJob::Idle;
            }
            if looked.elapsed() > LOOK {
                looked = Instant::now();
                self.give_up_unwanted(&mut worker_run, &mut under_way);
            }
        }
    }

    /// Begins what waits. Returns it if the run goes on under another version of its plan.
    fn begin_order(
        &self,
        mirror: &mut Mirror,
        worker_run: &mut WorkerRun<'_>,
        waiting: &mut Vec<Job>,
        under_way: &mut Vec<Job>,
    ) -> Option<Vec<Job>> {
        if waiting.is_empty() {
            return None;
        }
        match self.catch_up(mirror, worker_run, waiting) {
            Ok(CatchUpOutcome::Here) => {}
            Ok(CatchUpOutcome::OtherVersion) => return Some(std::mem::take(waiting)),
            Err(error) => {
                for job in waiting.drain(..) {
                    self.refuse(job, &error);
                }
                return None;
            }
        }
        for job in waiting.drain(..) {
            let is_it = |known: &&mut Job| known.order.id == job.order.id;
            if let Some(known) = under_way.iter_mut().find(is_it) {
                // It was given again, and goes on under the newer claim.
                let older = std::mem::replace(known, job);
                drop(older.done.send(Ok("taken again".to_owned())));
                continue;
            }
            match self.begin_one(mirror, worker_run, &job) {
                Ok(true) => under_way.push(job),
                Ok(false) => self.report_unknown_call(job),
                Err(error) => self.refuse(job, &error),
            }
        }
        None
    }

    /// Brings here what these orders rest on, as far as it is not here yet.
    fn catch_up(
        &self,
        mirror: &mut Mirror,
        worker_run: &mut WorkerRun<'_>,
        jobs: &[Job],
    ) -> Result<CatchUpOutcome, ClusterError> {
        // A prompt is no line of the journal.
        let is_new =
            |job: &Job| job.body.seq > mirror.journal.seq || job.body.task == OrderedTask::Work;
        if jobs.iter().any(is_new) {
            mirror.catch_up(&self.database)?;
        }
        let caught_up = worker_run.catch_up()?;
        if let Some(pushed) = jobs.iter().map(|job| job.body.pushed).max() {
            mirror.fetch_commits(pushed)?;
        }
        Ok(caught_up)
    }

    /// Begins what is ordered. `false`: it is a call that must not be made twice, and it may have been made.
    fn begin_one(
        &self,
        mirror: &Mirror,
        worker_run: &mut WorkerRun<'_>,
        job: &Job,
    ) -> Result<bool, ClusterError> {
        if mirror.hash_of(job.body.seq)?.as_deref() != Some(job.body.hash.as_str()) {
            return Err(ClusterError::Untrusted(format!(
                "the journal of {} is not the one that the order was given for",
                self.run
            )));
        }
        let (order, step) = (&job.order.id, &job.body.step);
        let is_call = job.body.task == OrderedTask::Call;
        if is_call
            && !worker_run.is_repeatable(step)
            && !self.database.begin_call(order, job.claim)?
        {
            return Ok(false);
        }
        if is_call {
            failpoint::reach("call.noted");
        }
        worker_run.begin(job.body.order())?;
        Ok(true)
    }

    /// Shares what was done and its logs with the reports about it.
    fn report(
        &self,
        mirror: &Mirror,
        project: &Project,
        worker_run: &WorkerRun<'_>,
        ended: Vec<(Job, Report)>,
    ) {
        let mut files = BTreeMap::new();
        let mut reports = Vec::new();
        for (job, report) in ended {
            let (step, attempt, task) = (report.step.clone(), report.attempt, report.task);
            let shared =
                self.publish_results(mirror, project, worker_run, &job, report, &mut files);
            let report = shared.unwrap_or_else(|error| Report {
                step,
                attempt,
                task,
                commit: None,
                end: ReportedEnd::Trouble(format!("on {}: {error}", self.shared.name)),
            });
            reports.push((job, report));
        }
        self.send_reports(reports, &files);
    }

    /// Shares what a report is about: the commit of the work, and the ends of its logs.
    fn publish_results(
        &self,
        mirror: &Mirror,
        project: &Project,
        worker_run: &WorkerRun<'_>,
        job: &Job,
        mut report: Report,
        files: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<Report, ClusterError> {
        let dir = worker_run.attempt_dir(&report.step, report.attempt);
        let leaves_work = match report.task {
            OrderedTask::Work => true,
            OrderedTask::Call => worker_run.leaves_work(&report.step),
            OrderedTask::Baseline | OrderedTask::Evaluate { .. } | OrderedTask::Recheck { .. } => {
                false
            }
        };
        if leaves_work {
            report.commit = self.push_work(mirror, job, &report)?;
        }
        let logs = match report.task {
            OrderedTask::Work => vec![dir.agent_log(), dir.progress()],
            OrderedTask::Call => vec![dir.tool_log()],
            OrderedTask::Baseline => vec![worker_run.attempt_dir(&report.step, 0).baseline_log()],
            OrderedTask::Evaluate { .. } | OrderedTask::Recheck { .. } => vec![dir.contract_log()],
        };
        let secrets = project.secrets();
        for log in logs {
            let hide = |text: &str| secrets.hide(text).into_owned();
            files.extend(run_files::shared_log(&mirror.dir, &log, hide)?);
        }
        Ok(report)
    }

    /// Takes what an agent or a call left to the remote.
    fn push_work(
        &self,
        mirror: &Mirror,
        job: &Job,
        report: &Report,
    ) -> Result<Option<String>, ClusterError> {
        let reference = work_reference(&self.run, &report.step, report.attempt);
        let Some(commit) = mirror.git.commit_at(&reference)? else {
            return match &report.end {
                // Whoever drives the run would merge nothing.
                ReportedEnd::Call(end) if matches!(**end, CallEnd::Done(_)) => {
                    Err(ClusterError::Machine {
                        what: "what the call did to the files was not recorded",
                        why: format!("there is no {reference}"),
                    })
                }
                _ => Ok(None),
            };
        };
        // Under a name of this claim: whoever has an older one cannot put other work in its place.
        let name = format!("{}{}", job.order.claims(), job.claim);
        mirror.git.push_commit(&self.run, &commit, &name)?;
        failpoint::reach("work.pushed");
        Ok(Some(commit))
    }

    /// Sends reports for as long as this process may take to hear of the database again.
    fn send_reports(&self, reports: Vec<(Job, Report)>, files: &BTreeMap<String, Vec<u8>>) {
        let mut signed = Vec::new();
        let mut jobs = Vec::new();
        for (job, report) in reports {
            match SignedReport::new(&job.order, report, &self.shared.key) {
                Ok(report) => {
                    signed.push(ClaimedReport {
                        order: job.order.id.clone(),
                        claim: job.claim,
                        signed: report,
                    });
                    jobs.push(job);
                }
                Err(error) => drop(job.done.send(Err(error))),
            }
        }
        if signed.is_empty() {
            return;
        }
        let begun = Instant::now();
        failpoint::reach("report.before");
        let counted = loop {
            match self.database.report(&self.run, &signed, files) {
                Err(_)
                    if begun.elapsed() < self.shared.lease
                        && !self.stopping.load(Ordering::Acquire) =>
                {
                    std::thread::sleep(LOOK);
                }
                counted => break counted,
            }
        };
        if counted.is_ok() {
            failpoint::reach("report.after");
            self.database.wake(&self.run);
        }
        for job in jobs {
            let done = match &counted {
                Ok(counted) if counted.contains(&job.order.id) => Ok("reported".to_owned()),
                Ok(_) => Ok("not wanted any more".to_owned()),
                Err(error) => Err(ClusterError::Machine {
                    what: "a report cannot be sent",
                    why: error.to_string(),
                }),
            };
            drop(job.done.send(done));
        }
    }

    /// Says that this machine does not, or cannot, carry out an order. It has not begun.
    fn refuse(&self, job: Job, error: &ClusterError) {
        let end = refusal(job.body.task);
        self.report_trouble(job, error, end);
    }

    fn report_trouble(&self, job: Job, error: &ClusterError, end: fn(String) -> ReportedEnd) {
        let why = format!("{} on {}: {error}", job.body.task.name(), self.shared.name);
        self.shared.announce(format!("{}: {error}", job.order.id));
        self.report_end(job, end(why));
    }

    /// Whoever took the order before may have called: a person is asked.
    fn report_unknown_call(&self, job: Job) {
        let unknown = CallEnd::Failed {
            message: "the machine that was to call is gone".to_owned(),
            transient: true,
            unknown: true,
        };
        self.report_end(job, ReportedEnd::Call(Box::new(unknown)));
    }

    fn report_end(&self, job: Job, end: ReportedEnd) {
        let report = Report {
            step: job.body.step.clone(),
            attempt: job.body.attempt,
            task: job.body.task,
            commit: None,
            end,
        };
        self.send_reports(vec![(job, report)], &BTreeMap::new());
    }

    /// Gives up what was withdrawn, or what another machine has taken since.
    fn give_up_unwanted(&self, worker_run: &mut WorkerRun<'_>, under_way: &mut Vec<Job>) {
        if under_way.is_empty() {
            return;
        }
        let claims: Vec<(String, i32)> = under_way
            .iter()
            .map(|job| (job.order.id.clone(), job.claim))
            .collect();
        // Without the database this is unknown; the lease ends it then.
        let Ok(held) = self.database.held_claims(&claims) else {
            return;
        };
        under_way.retain(|job| {
            let is_held = held.contains(&job.order.id);
            if !is_held {
                worker_run.give_up_order(&job.body.step, job.body.attempt, job.body.task);
                drop(job.done.send(Ok("not wanted any more".to_owned())));
            }
            is_held
        });
    }
}

/// Waits for what ends next, and takes with it what has ended by then. The error says why nothing more can end.
fn next_reports(
    worker_run: &mut WorkerRun<'_>,
    under_way: &mut Vec<Job>,
) -> (Vec<(Job, Report)>, Option<signoff_runtime::Error>) {
    let mut ended = Vec::new();
    let mut patience = LOOK;
    loop {
        match worker_run.next_report(patience) {
            Ok(Some(report)) => {
                let is_it = |job: &Job| {
                    job.body.step == report.step
                        && job.body.attempt == report.attempt
                        && job.body.task == report.task
                };
                if let Some(at) = under_way.iter().position(is_it) {
                    ended.push((under_way.swap_remove(at), report));
                }
                patience = Duration::ZERO;
            }
            Ok(None) => return (ended, None),
            Err(error) => return (ended, Some(error)),
        }
    }
}

/// Says that this machine does not believe an order, so that the run does not wait for it.
fn report_untrusted_order(
    database: &Database,
    shared: &Shared,
    order: &SignedOrder,
    claim: i32,
    error: &ClusterError,
) -> Result<String, ClusterError> {
    shared.announce(error.to_string());
    let Some(body) = order.unverified_body() else {
        return Ok(error.to_string());
    };
    let end = refusal(body.task);
    let report = Report {
        step: body.step,
        attempt: body.attempt,
        task: body.task,
        commit: None,
        end: end(format!("on {}: {error}", shared.name)),
    };
    let report = ClaimedReport {
        order: order.id.clone(),
        claim,
        signed: SignedReport::new(order, report, &shared.key)?,
    };
    database.report(&order.run, &[report], &BTreeMap::new())?;
    database.wake(&order.run);
    Ok(error.to_string())
}

/// How it is reported that something has not begun.
fn refusal(task: OrderedTask) -> fn(String) -> ReportedEnd {
    match task {
        OrderedTask::Call => ReportedEnd::NotCalled,
        OrderedTask::Work
        | OrderedTask::Baseline
        | OrderedTask::Evaluate { .. }
        | OrderedTask::Recheck { .. } => ReportedEnd::Trouble,
    }
}

/// What a host does next.
enum NextJob {
    Jobs(Vec<Job>),
    Idle,
    Stopped,
}

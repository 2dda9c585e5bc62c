//! What the loop is given of the other machines.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use signoff_runtime::cluster::{Cluster, News, Order, OrderedTask};
use signoff_store::failpoint;
use signoff_store::runs::RunDir;

use crate::database::{Database, PROTOCOL, PublishedLines};
use crate::error::EngineError;
use crate::git::RemoteGit;
use crate::journal_lines::{JournalState, Line};
use crate::keys::MachineKey;
use crate::machine::Queues;
use crate::mirror::{HEAD, head_text};
use crate::orders::{OrderBody, SignedOrder};
use crate::run_files;

/// What a worker has of the cluster: it follows a run, and gives no orders.
#[derive(Debug)]
pub(crate) struct Worker;

const FOLLOWS: &str = "this machine only works for the run";

impl Cluster for Worker {
    fn publish(&self, _lines: &[u8]) -> Result<(), String> {
        Err(FOLLOWS.to_owned())
    }

    fn connect(&self, _news: News) {}

    fn hand_over(&self, _order: Order) -> Result<(), String> {
        Err(FOLLOWS.to_owned())
    }

    fn withdraw(&self) {}

    fn drives(&self) -> bool {
        false
    }

    fn take_lock(&self, _lock: &str) -> Result<Option<String>, String> {
        Err(FOLLOWS.to_owned())
    }

    fn release_lock(&self, _lock: &str) -> Result<(), String> {
        Err(FOLLOWS.to_owned())
    }

    fn note_cost(&self, _day: &str, _usd_e6: u64) -> Result<(), String> {
        Err(FOLLOWS.to_owned())
    }

    fn costs_of(&self, _day: &str) -> Result<u64, String> {
        Err(FOLLOWS.to_owned())
    }
}

/// A run that this process drives.
pub(crate) struct DrivenRun {
    pub(crate) database: Database,
    pub(crate) run: String,
    pub(crate) project: String,
    /// The number of this process among those that drove the run.
    pub(crate) epoch: i64,
    pub(crate) dir: RunDir,
    pub(crate) git: RemoteGit,
    pub(crate) key: Arc<MachineKey>,
    pub(crate) queues: Queues,
    pub(crate) priority: i32,
    /// How long the database may be away.
    pub(crate) patience: Duration,
    state: Mutex<DrivenState>,
    lost: AtomicBool,
}

#[derive(Default)]
struct DrivenState {
    journal: JournalState,
    /// The references of the run that the remote has.
    pushed: String,
    /// Orders that nobody has reported about, with the repository that has their commits.
    open: BTreeMap<String, PathBuf>,
    news: Option<News>,
}

impl std::fmt::Debug for DrivenRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DrivenRun")
            .field("run", &self.run)
            .field("epoch", &self.epoch)
            .finish_non_exhaustive()
    }
}

/// What a run that is driven begins with.
pub(crate) struct DrivenSetup {
    pub(crate) database: Database,
    pub(crate) run: String,
    pub(crate) project: String,
    pub(crate) epoch: i64,
    pub(crate) dir: RunDir,
    pub(crate) git: RemoteGit,
    pub(crate) key: Arc<MachineKey>,
    pub(crate) queues: Queues,
    pub(crate) priority: i32,
    pub(crate) patience: Duration,
    pub(crate) journal: JournalState,
}

impl DrivenRun {
    pub(crate) fn new(setup: DrivenSetup) -> Self {
        Self {
            database: setup.database,
            run: setup.run,
            project: setup.project,
            epoch: setup.epoch,
            dir: setup.dir,
            git: setup.git,
            key: setup.key,
            queues: setup.queues,
            priority: setup.priority,
            patience: setup.patience,
            state: Mutex::new(DrivenState {
                journal: setup.journal,
                ..DrivenState::default()
            }),
            lost: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, DrivenState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Orders that nobody has reported about.
    pub(crate) fn open_orders(&self) -> Vec<String> {
        self.lock().open.keys().cloned().collect()
    }

    /// An order was reported about: its report goes to the loop.
    pub(crate) fn deliver(&self, order: &str, report: signoff_runtime::cluster::Report) {
        let mut state = self.lock();
        if state.open.remove(order).is_some()
            && let Some(news) = &state.news
        {
            news(report);
        }
    }

    fn publish_lines(&self, text: &str) -> Result<(), EngineError> {
        let mut journal = self.lock().journal.clone();
        let mut lines = Vec::new();
        let mut names_commit = false;
        for line in text.lines() {
            let parsed = Line::parse(line)?;
            names_commit |= parsed.names_commit();
            if let Some((step, attempt)) = parsed.prompted_attempt() {
                // Whoever drives the run next gives the order again, and has no prompt but this.
                self.share_prompt(step, attempt)?;
            }
            journal.note(&parsed, &self.dir.blobs())?;
            lines.push((parsed.seq, line.to_owned()));
        }
        if names_commit {
            // Whoever reads the line has to find the commit.
            self.push()?;
        }
        if text.contains("\"blob\":\"") || text.contains("plan_replanned") {
            let names = run_files::first_files(&self.dir)?;
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            run_files::share(&self.database, &self.run, &self.dir, &names)?;
        }
        let signed = head_text(&self.run, journal.seq, &journal.hash);
        let published = PublishedLines {
            lines,
            hash: journal.hash.clone(),
            key: Some(self.key.public().to_owned()),
            signature: Some(self.key.sign(HEAD, &signed)),
        };
        if !self.database.publish(&self.run, self.epoch, &published)? {
            self.lost.store(true, Ordering::Relaxed);
            return Err(EngineError::TakenOver);
        }
        failpoint::reached("journal.published");
        self.lock().journal = journal;
        Ok(())
    }

    fn share_prompt(&self, step: &str, attempt: u32) -> Result<(), EngineError> {
        let prompt = self.dir.attempt(step, attempt).prompt();
        let name = prompt.strip_prefix(self.dir.path()).unwrap_or(&prompt);
        let names = [&*name.to_string_lossy()];
        run_files::share(&self.database, &self.run, &self.dir, &names)
    }

    /// Takes the run's references to the remote, if they differ from what it has.
    fn push(&self) -> Result<(), EngineError> {
        let references = self.git.references(&self.run)?;
        if self.lock().pushed == references {
            return Ok(());
        }
        self.git.push(&self.run)?;
        self.lock().pushed = references;
        Ok(())
    }

    /// Does something again as long as the database may be away. What it refuses, it refuses for good.
    fn patiently<T>(&self, attempt: impl Fn() -> Result<T, EngineError>) -> Result<T, String> {
        let begun = Instant::now();
        loop {
            match attempt() {
                Err(EngineError::Database(_))
                    if begun.elapsed() < self.patience && !self.lost.load(Ordering::Relaxed) =>
                {
                    std::thread::sleep(Duration::from_millis(200));
                }
                done => return done.map_err(|error| error.to_string()),
            }
        }
    }

    fn give(&self, order: &Order) -> Result<(), EngineError> {
        self.push()?;
        if order.task == OrderedTask::Work {
            // The line of a large event did not name the step.
            self.share_prompt(&order.step, order.attempt)?;
        }
        let body = {
            let state = self.lock();
            let begun = state.journal.begun(&order.step).ok_or_else(|| {
                EngineError::Untrusted(format!("nothing began for step `{}`", order.step))
            })?;
            OrderBody {
                protocol: PROTOCOL,
                run: self.run.clone(),
                project: self.project.clone(),
                step: order.step.clone(),
                attempt: order.attempt,
                role: order.role.clone(),
                task: order.task,
                begun,
                seq: state.journal.seq,
                hash: state.journal.hash.clone(),
            }
        };
        let signed = SignedOrder::new(&body, &self.key)?;
        if !self.database.add_order(self.epoch, &signed, &order.role)? {
            return Err(EngineError::TakenOver);
        }
        failpoint::reached("order.added");
        self.queues
            .enqueue_order(&self.database, &signed.id, &order.role, self.priority)?;
        failpoint::reached("order.queued");
        self.lock().open.insert(signed.id, order.repository.clone());
        Ok(())
    }
}

impl Cluster for DrivenRun {
    fn publish(&self, lines: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(lines).map_err(|why| why.to_string())?;
        self.patiently(|| self.publish_lines(text))
    }

    fn connect(&self, news: News) {
        self.lock().news = Some(news);
    }

    fn hand_over(&self, order: Order) -> Result<(), String> {
        self.patiently(|| self.give(&order))
    }

    fn withdraw(&self) {
        self.lock().open.clear();
        if !self.lost.load(Ordering::Relaxed) {
            // Where that fails, another process drives the run, or nobody can be told.
            drop(self.database.withdraw(&self.run, self.epoch));
        }
    }

    fn drives(&self) -> bool {
        true
    }

    fn take_lock(&self, lock: &str) -> Result<Option<String>, String> {
        self.patiently(|| self.database.take_lock(&self.run, self.epoch, lock))
    }

    fn release_lock(&self, lock: &str) -> Result<(), String> {
        let released = self.database.release_lock(&self.run, lock);
        released.map_err(|error| error.to_string())
    }

    fn note_cost(&self, day: &str, usd_e6: u64) -> Result<(), String> {
        self.patiently(|| self.database.note_cost(&self.run, day, usd_e6))
    }

    fn costs_of(&self, day: &str) -> Result<u64, String> {
        self.patiently(|| self.database.costs_of(day))
    }
}

//! What the loop is given of the other machines.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use signoff_runtime::cluster::{
    Cluster, ClusterMessage, ClusterMessageSender, OrderedTask, Report, WorkOrder,
};
use signoff_store::failpoint;
use signoff_store::runs::RunDir;

use crate::database::{Database, PROTOCOL, PublishedLines};
use crate::error::ClusterError;
use crate::git::RemoteGit;
use crate::journal_lines::{JournalState, Line};
use crate::keys::MachineKey;
use crate::mirror::{HEAD, head_text};
use crate::orders::{PushCount, SignedOrder, WorkOrderBody};
use crate::run_files;

/// What a worker has of the cluster: it follows a run, and gives no orders.
#[derive(Default)]
pub(crate) struct Worker(Mutex<Option<ClusterMessageSender>>);

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

impl Worker {
    /// Whoever waits for what the run's processes here do has something else to do.
    pub(crate) fn wake(&self) {
        if let Some(news) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            news(ClusterMessage::Wake);
        }
    }
}

const FOLLOWS: &str = "this machine only works for the run";

impl Cluster for Worker {
    fn publish(&self, _lines: &[u8]) -> Result<(), String> {
        Err(FOLLOWS.to_owned())
    }

    fn connect(&self, news: ClusterMessageSender) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(news);
    }

    fn note_reference(&self, _name: &str, _object: &str) {}

    fn hand_over(&self, _orders: Vec<WorkOrder>) -> Result<(), String> {
        Err(FOLLOWS.to_owned())
    }

    fn withdraw(&self) -> Vec<(String, u32)> {
        Vec::new()
    }

    fn is_driving(&self) -> bool {
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
    pub(crate) priority: i32,
    /// How long the database may be away.
    pub(crate) patience: Duration,
    state: Mutex<DrivenState>,
    lost: AtomicBool,
}

#[derive(Default)]
struct DrivenState {
    journal: JournalState,
    /// References of the run that the remote does not have yet, with what they name.
    unpushed: BTreeMap<String, String>,
    /// How often some were taken there.
    pushes: u64,
    /// Orders that nobody has reported about, by name.
    open: BTreeMap<String, WorkOrder>,
    news: Option<ClusterMessageSender>,
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
    pub(crate) fn deliver_report(&self, order: &str, report: Report) {
        let mut state = self.lock();
        if state.open.remove(order).is_some()
            && let Some(news) = &state.news
        {
            news(ClusterMessage::Report(Box::new(report)));
        }
    }

    fn publish_lines(&self, text: &str) -> Result<(), ClusterError> {
        let mut parsed = Vec::new();
        let mut lines = Vec::new();
        for line in text.lines() {
            let new = Line::parse(line)?;
            if let Some((step, attempt)) = new.prompted_attempt() {
                // Whoever drives the run next gives the order again, and has no prompt but this.
                self.share_prompts([(step, attempt)])?;
            }
            lines.push((new.seq, line.to_owned()));
            parsed.push(new);
        }
        let Some(last) = parsed.last() else {
            return Ok(());
        };
        if parsed.iter().any(Line::names_commit) {
            // A reader of the line has to find the commit.
            self.push()?;
        }
        if text.contains("\"blob\":\"") || text.contains("\"snapshot\":\"") {
            let names = run_files::first_files(&self.dir)?;
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            run_files::share(&self.database, &self.run, &self.dir, &names)?;
        }
        let signed = head_text(&self.run, last.seq, &last.hash);
        let published = PublishedLines {
            lines,
            hash: last.hash.clone(),
            key: Some(self.key.public().to_owned()),
            signature: Some(self.key.sign(HEAD, &signed)),
        };
        if !self.database.publish(&self.run, self.epoch, &published)? {
            self.lost.store(true, Ordering::Relaxed);
            return Err(ClusterError::TakenOver);
        }
        failpoint::reach("journal.published");
        let mut state = self.lock();
        let mut lines = parsed.iter();
        lines.try_for_each(|line| state.journal.take_line(line, &self.dir.blobs()))
    }

    fn share_prompts<'s>(
        &self,
        attempts: impl IntoIterator<Item = (&'s str, u32)>,
    ) -> Result<(), ClusterError> {
        let names = attempts.into_iter().map(|(step, attempt)| {
            let prompt = self.dir.attempt(step, attempt).prompt();
            let name = prompt.strip_prefix(self.dir.path()).unwrap_or(&prompt);
            name.to_string_lossy().into_owned()
        });
        let names: Vec<String> = names.collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        run_files::share(&self.database, &self.run, &self.dir, &names)
    }

    /// Takes the run's references to the remote that it does not have yet.
    fn push(&self) -> Result<(), ClusterError> {
        let references = std::mem::take(&mut self.lock().unpushed);
        if references.is_empty() {
            return Ok(());
        }
        let pushed = self.git.push_references(&references);
        let mut state = self.lock();
        if pushed.is_ok() {
            state.pushes += 1;
        } else {
            for (name, object) in references {
                // What was named so meanwhile is newer.
                state.unpushed.entry(name).or_insert(object);
            }
        }
        pushed
    }

    /// Does something again as long as the database may be away. What it refuses, it refuses for good.
    fn retry_while_unreachable<T>(
        &self,
        attempt: impl Fn() -> Result<T, ClusterError>,
    ) -> Result<T, String> {
        let begun = Instant::now();
        loop {
            match attempt() {
                Err(ClusterError::Database(_))
                    if begun.elapsed() < self.patience && !self.lost.load(Ordering::Relaxed) =>
                {
                    std::thread::sleep(Duration::from_millis(200));
                }
                done => return done.map_err(|error| error.to_string()),
            }
        }
    }

    fn queue_order(&self, orders: &[WorkOrder]) -> Result<(), ClusterError> {
        self.push()?;
        // The line of a large event did not name the step.
        let works = orders
            .iter()
            .filter(|order| order.task == OrderedTask::Work);
        self.share_prompts(works.map(|order| (order.step.as_str(), order.attempt)))?;
        let signed = orders.iter().map(|order| self.sign(order));
        let signed = signed.collect::<Result<Vec<SignedOrder>, _>>()?;
        failpoint::reach("orders.before");
        let (run, epoch) = (&self.run, self.epoch);
        let added = self
            .database
            .add_orders(run, epoch, self.priority, &signed)?;
        if !added {
            return Err(ClusterError::TakenOver);
        }
        failpoint::reach("orders.given");
        let names = signed.into_iter().map(|order| order.id);
        let open = names.zip(orders.iter().cloned());
        self.lock().open.extend(open);
        Ok(())
    }

    fn sign(&self, order: &WorkOrder) -> Result<SignedOrder, ClusterError> {
        let body = {
            let state = self.lock();
            let begun = state.journal.start_of_work(&order.step).ok_or_else(|| {
                ClusterError::Untrusted(format!("nothing began for step `{}`", order.step))
            })?;
            WorkOrderBody {
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
                pushed: PushCount {
                    epoch: self.epoch,
                    count: state.pushes,
                },
            }
        };
        SignedOrder::new(&body, &self.key)
    }
}

impl Cluster for DrivenRun {
    fn publish(&self, lines: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(lines).map_err(|why| why.to_string())?;
        self.retry_while_unreachable(|| self.publish_lines(text))
    }

    fn connect(&self, news: ClusterMessageSender) {
        self.lock().news = Some(news);
    }

    fn note_reference(&self, name: &str, object: &str) {
        let mut state = self.lock();
        state.unpushed.insert(name.to_owned(), object.to_owned());
    }

    fn hand_over(&self, orders: Vec<WorkOrder>) -> Result<(), String> {
        self.retry_while_unreachable(|| self.queue_order(&orders))
    }

    fn withdraw(&self) -> Vec<(String, u32)> {
        let mut open = std::mem::take(&mut self.lock().open);
        if self.lost.load(Ordering::Relaxed) {
            return Vec::new();
        }
        // Where that fails, another process drives the run, or nobody can be told.
        let uncalled = self.database.withdraw(&self.run, self.epoch);
        let uncalled = uncalled.unwrap_or_default().into_iter();
        let uncalled = uncalled.filter_map(|name| open.remove(&name));
        let calls = uncalled.filter(|order| order.task == OrderedTask::Call);
        calls.map(|order| (order.step, order.attempt)).collect()
    }

    fn is_driving(&self) -> bool {
        true
    }

    fn take_lock(&self, lock: &str) -> Result<Option<String>, String> {
        self.retry_while_unreachable(|| self.database.take_lock(&self.run, self.epoch, lock))
    }

    fn release_lock(&self, lock: &str) -> Result<(), String> {
        let released = self.database.release_lock(&self.run, lock);
        released.map_err(|error| error.to_string())
    }

    fn note_cost(&self, day: &str, usd_e6: u64) -> Result<(), String> {
        self.retry_while_unreachable(|| self.database.note_cost(&self.run, day, usd_e6))
    }

    fn costs_of(&self, day: &str) -> Result<u64, String> {
        self.retry_while_unreachable(|| self.database.costs_of(day))
    }
}

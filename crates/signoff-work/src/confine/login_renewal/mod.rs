//! Logins that agents renew: what changes in an agent's copy is written back to the person's file, and what changes in the
//! person's file reaches the agents that run.
//!
//! A service that replaces a refresh token at each use makes every other copy void. So a renewed login has to reach the
//! person and all other agents before they need it. Each file is written as a whole, under a lock that all processes of
//! the harness share, only if it is still what was compared, and only by a file of the shape that is known for it.
//!
//! Start reading at [`LoginKeeper`], then at `kept.rs`, which compares the two files.

mod copy;
mod kept_login;
mod leftover_copies;
mod lock;
mod shape;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

pub(super) use self::copy::CopyLocation;
pub use self::copy::LoginCopy;
use self::kept_login::{KeptLogin, SyncMoment, SyncOutcome};
pub(super) use self::shape::Shape;

/// How often the files are looked at while agents work.
const INTERVAL: Duration = Duration::from_millis(250);

/// How long an agent's end waits for another process that holds a lock.
const PATIENCE: Duration = Duration::from_secs(5);

/// Keeps the logins of all agents of one run.
#[derive(Debug)]
pub struct LoginKeeper {
    shared: Arc<SharedLogins>,
    /// Started with the first agent that has a login.
    watcher: OnceLock<Option<Watcher>>,
}

/// The logins of one agent. Dropping it writes back what the agent renewed: its processes must have ended, and its copies
/// must still be there.
#[derive(Debug)]
pub struct KeptLogins {
    shared: Arc<SharedLogins>,
    number: u64,
}

#[derive(Debug)]
struct SharedLogins {
    /// Where the locks are.
    locks: Option<PathBuf>,
    patience: Duration,
    agents: Mutex<Agents>,
    notes: Mutex<BTreeSet<String>>,
}

#[derive(Debug, Default)]
struct Agents {
    kept: BTreeMap<u64, Vec<KeptLogin>>,
    /// How many there were so far.
    count: u64,
}

#[derive(Debug)]
struct Watcher {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl LoginKeeper {
    /// `locks` is a directory of the harness's own, which all its processes share. Without one nothing is written back.
    pub fn new(locks: Option<PathBuf>) -> Self {
        Self::with_patience(locks, PATIENCE)
    }

    fn with_patience(locks: Option<PathBuf>, patience: Duration) -> Self {
        Self {
            shared: Arc::new(SharedLogins {
                locks,
                patience,
                agents: Mutex::default(),
                notes: Mutex::default(),
            }),
            watcher: OnceLock::new(),
        }
    }

    /// Keeps the logins of an agent from before its start.
    pub fn keep(&self, copies: &[LoginCopy]) -> KeptLogins {
        let kept: Vec<KeptLogin> = copies.iter().filter_map(KeptLogin::open).collect();
        let is_empty = kept.is_empty();
        let mut agents = self.shared.agents();
        agents.count += 1;
        let number = agents.count;
        agents.kept.insert(number, kept);
        drop(agents);
        if !is_empty {
            // Without a thread logins are still written back at the end of their agent.
            self.watcher
                .get_or_init(|| Watcher::start(Arc::clone(&self.shared)).ok());
        }
        KeptLogins {
            shared: Arc::clone(&self.shared),
            number,
        }
    }

    /// What could not be written back and why, a sentence for each file.
    pub fn notes(&self) -> Vec<String> {
        let notes = &self.shared.notes;
        let notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.iter().cloned().collect()
    }
}

impl Drop for LoginKeeper {
    fn drop(&mut self) {
        if let Some(Watcher { stop, thread }) = self.watcher.take().flatten() {
            drop(stop);
            // If it panicked, the agents' ends did its work.
            thread.join().ok();
        }
    }
}

impl Drop for KeptLogins {
    fn drop(&mut self) {
        let kept = self.shared.agents().kept.remove(&self.number);
        let mut is_written = false;
        for mut login in kept.into_iter().flatten() {
            let moment = SyncMoment::End(self.shared.patience);
            match login.synchronize(self.shared.locks.as_deref(), moment) {
                Ok(done) => is_written |= done == SyncOutcome::WrittenBack,
                Err(why) => self.shared.add_note(login.warning_text(&why)),
            }
        }
        if is_written {
            self.shared.synchronize_all();
        }
    }
}

impl Watcher {
    fn start(shared: Arc<SharedLogins>) -> std::io::Result<Self> {
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new().name("logins".to_owned());
        let thread = thread.spawn(move || {
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                shared.synchronize_all();
            }
        })?;
        Ok(Self { stop, thread })
    }
}

impl SharedLogins {
    /// Looks at all files once; if one was written back, once more, so that the other agents get it at once.
    fn synchronize_all(&self) {
        let mut agents = self.agents();
        for _ in 0..2 {
            let mut is_written = false;
            for login in agents.kept.values_mut().flatten() {
                // A failure is told if it is still one when the agent has ended.
                let done = login.synchronize(self.locks.as_deref(), SyncMoment::Work);
                is_written |= matches!(done, Ok(SyncOutcome::WrittenBack));
            }
            if !is_written {
                return;
            }
        }
    }

    fn agents(&self) -> MutexGuard<'_, Agents> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_note(&self, note: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.insert(note);
    }
}

#[cfg(test)]
mod tests;

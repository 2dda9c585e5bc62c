//! Syncs a journal on its own thread, so that a writer need not wait.
//!
//! At most one sync is under way. What is appended meanwhile shares the next one, however many events that are.

use std::fs::File;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::head::Head;
use crate::files::failpoint;

/// The thread and what it is asked for. Dropping it ends the thread once it has done so.
#[derive(Debug)]
pub(super) struct Syncer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    wanted: Head,
    done: Head,
    /// After one failure nothing is tried again: the kernel may call pages clean that never reached the disk.
    failed: Option<io::Error>,
    closing: bool,
}

impl Syncer {
    /// Starts the thread. `done` is known to be on disk.
    pub(super) fn start(file: &File, done: &Head) -> io::Result<Self> {
        let file = file.try_clone()?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                wanted: done.clone(),
                done: done.clone(),
                failed: None,
                closing: false,
            }),
            changed: Condvar::new(),
        });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("signoff-sync".to_owned())
            .stack_size(128 * 1024)
            .spawn(move || theirs.serve(&file))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Asks for everything up to here, and returns at once.
    pub(super) fn request(&self, head: &Head) {
        let mut state = self.shared.lock();
        if state.wanted.seq < head.seq {
            state.wanted = head.clone();
            self.shared.changed.notify_all();
        }
    }

    /// How far the journal is on disk; fails if syncing did.
    pub(super) fn synced_head(&self) -> io::Result<Head> {
        let state = self.shared.lock();
        state.refuse_if_failed()?;
        Ok(state.done.clone())
    }

    /// Waits until everything up to here is on disk.
    pub(super) fn wait(&self, head: &Head) -> io::Result<()> {
        self.request(head);
        let mut state = self.shared.lock();
        while state.done.seq < head.seq && state.failed.is_none() {
            state = self.shared.wait(state);
        }
        state.refuse_if_failed()
    }
}

impl State {
    fn refuse_if_failed(&self) -> io::Result<()> {
        match &self.failed {
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
            None => Ok(()),
        }
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic there has nothing left to report.
            drop(thread.join());
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let waited = self.changed.wait(state);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, file: &File) {
        let mut state = self.lock();
        loop {
            if state.wanted.seq > state.done.seq {
                let target = state.wanted.clone();
                drop(state);
                let synced = failpoint::change().and_then(|()| file.sync_data());
                state = self.lock();
                match synced {
                    Ok(()) => state.done = target,
                    Err(error) => {
                        state.failed = Some(error);
                        self.changed.notify_all();
                        return;
                    }
                }
                self.changed.notify_all();
            } else if state.closing {
                return;
            } else {
                state = self.wait(state);
            }
        }
    }
}

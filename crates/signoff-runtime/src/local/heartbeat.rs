//! Shows other processes that the driving process is alive, even while it only waits.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

/// How often the lock is touched: well below the shortest time after which a run counts as stalled.
pub(super) const INTERVAL: Duration = Duration::from_secs(20);

/// Touches the run's lock at intervals.
#[derive(Debug)]
pub(super) struct Heartbeat {
    lock: PathBuf,
    last: Instant,
}

impl Heartbeat {
    pub(super) fn new(lock: PathBuf) -> Self {
        let last = Instant::now();
        Self { lock, last }
    }

    /// Touches the lock if it is time. If that fails, the run may count as stalled, but goes on.
    pub(super) fn touch_lock_if_due(&mut self) {
        if self.last.elapsed() >= INTERVAL {
            self.touch_lock();
        }
    }

    pub(super) fn touch_lock(&mut self) {
        self.last = Instant::now();
        let lock = std::fs::OpenOptions::new().write(true).open(&self.lock);
        if let Ok(lock) = lock {
            let _unseen = lock.set_modified(SystemTime::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beat_makes_the_lock_new() {
        let dir = tempfile::tempdir().unwrap();
        let lock = dir.path().join("lock");
        let file = std::fs::File::create(&lock).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        Heartbeat::new(lock.clone()).touch_lock();
        let modified = std::fs::metadata(&lock).unwrap().modified().unwrap();
        assert!(modified > SystemTime::UNIX_EPOCH);
    }
}

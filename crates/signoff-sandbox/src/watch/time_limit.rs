//! How long a command may take.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time that a command may take; clones share it. It can be paused while the command waits for something that is not its
/// own work.
#[derive(Debug, Clone)]
pub struct TimeLimit(Arc<Mutex<TimeLimitState>>);

#[derive(Debug)]
struct TimeLimitState {
    /// Nothing if there is no limit.
    deadline: Option<Instant>,
    paused_at: Option<Instant>,
}

impl TimeLimit {
    pub(crate) fn new(started: Instant, limit: Option<Duration>) -> Self {
        Self(Arc::new(Mutex::new(TimeLimitState {
            deadline: limit.and_then(|limit| started.checked_add(limit)),
            paused_at: None,
        })))
    }

    /// Stops counting. Does nothing if it is paused.
    pub fn pause(&self) {
        self.lock().paused_at.get_or_insert_with(Instant::now);
    }

    /// Counts again. A command that waits notices it within a few seconds.
    pub fn go_on(&self) {
        let mut state = self.lock();
        if let Some(since) = state.paused_at.take() {
            let deadline = state.deadline;
            state.deadline = deadline.and_then(|deadline| deadline.checked_add(since.elapsed()));
        }
    }

    /// When the command is ended; never while it is paused.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let state = self.lock();
        state.deadline.filter(|_| state.paused_at.is_none())
    }

    fn lock(&self) -> MutexGuard<'_, TimeLimitState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_moves_the_deadline() {
        let started = Instant::now();
        let limit = TimeLimit::new(started, Some(Duration::from_secs(5)));
        let first = limit.deadline().unwrap();
        assert_eq!(first, started + Duration::from_secs(5));
        let same = limit.clone();
        same.pause();
        assert_eq!(limit.deadline(), None);
        limit.pause();
        limit.go_on();
        assert!(limit.deadline().unwrap() > first);
        let moved = limit.deadline();
        limit.go_on();
        assert_eq!(limit.deadline(), moved);
        assert_eq!(TimeLimit::new(started, None).deadline(), None);
    }
}

//! How much a process does at once: what its person said, however the queues are set up.
//!
//! A queue of DBOS has one limit for every process that listens to it, and a process may listen to several. So each process
//! counts for itself, and what it was given beyond that goes back.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The places for work of one process.
#[derive(Debug)]
pub(crate) struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Slots {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            free: Mutex::new(count),
            freed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place, if one is or becomes free in this time.
    pub(crate) fn take(&self, patience: Duration) -> Option<Slot<'_>> {
        let waited = self
            .freed
            .wait_timeout_while(self.lock(), patience, |free| *free == 0);
        let (mut free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *free = free.checked_sub(1)?;
        Some(Slot(self))
    }
}

/// A place that is taken until this is dropped.
#[derive(Debug)]
pub(crate) struct Slot<'s>(&'s Slots);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.lock() += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_its_places_are_taken() {
        let slots = Slots::new(2);
        let one = slots.take(Duration::ZERO);
        let two = slots.take(Duration::ZERO);
        assert!(one.is_some() && two.is_some());
        assert!(slots.take(Duration::ZERO).is_none());
        drop(one);
        assert!(slots.take(Duration::ZERO).is_some());
    }
}

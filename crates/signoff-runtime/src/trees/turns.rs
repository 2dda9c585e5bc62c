//! Turns at making many files: side by side beyond the number of processors nobody is ready sooner, and the first would
//! be ready as late as the last.

use std::sync::{Condvar, Mutex, PoisonError};

/// As many turns at once as there are processors.
pub(super) struct Turns {
    free: Mutex<usize>,
    given_back: Condvar,
}

impl Default for Turns {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            free: Mutex::new(processors),
            given_back: Condvar::new(),
        }
    }
}

impl Turns {
    /// Waits for a turn, which ends when it is dropped.
    pub(super) fn wait(&self) -> Turn<'_> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = (self.given_back.wait(free)).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Turn(self)
    }
}

/// A turn that somebody has.
pub(super) struct Turn<'a>(&'a Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.given_back.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Turns;

    #[test]
    fn there_are_never_more_than_allowed_and_everybody_gets_one() {
        let turns = Turns {
            free: 2.into(),
            ..Turns::default()
        };
        let (now, most, all) = (
            AtomicUsize::new(0),
            AtomicUsize::new(0),
            AtomicUsize::new(0),
        );
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let _turn = turns.wait();
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        all.fetch_add(1, Ordering::SeqCst);
                        now.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(all.into_inner(), 800);
        assert_eq!(most.into_inner(), 2);
    }
}

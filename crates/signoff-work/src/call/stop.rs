//! A flag that stops a run, which ends calls that are under way.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Raised once, when a run is being stopped; clones are the same flag.
#[derive(Clone, Default)]
pub struct StopFlag {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    raised: bool,
    next: u64,
    /// Callbacks of calls that are under way.
    listeners: BTreeMap<u64, Box<dyn Fn() + Send>>,
}

/// Somebody listens for as long as this lives.
pub(crate) struct Listening {
    shared: Arc<Mutex<Shared>>,
    number: u64,
}

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises it. Calls under way notice at once.
    pub fn set(&self) {
        let mut shared = lock(&self.shared);
        shared.raised = true;
        for sender in shared.listeners.values() {
            sender();
        }
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        lock(&self.shared).raised
    }

    /// Calls this when the flag is raised; at once if it already is. It must not use the flag.
    pub(crate) fn when_raised(&self, sender: impl Fn() + Send + 'static) -> Listening {
        let mut shared = lock(&self.shared);
        if shared.raised {
            sender();
        }
        let number = shared.next;
        shared.next += 1;
        shared.listeners.insert(number, Box::new(sender));
        Listening {
            shared: Arc::clone(&self.shared),
            number,
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        lock(&self.shared).listeners.remove(&self.number);
    }
}

impl fmt::Debug for StopFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopFlag")
            .field("raised", &self.is_raised())
            .finish_non_exhaustive()
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn who_listens_hears_it_and_nobody_else() {
        let flag = StopFlag::new();
        let (sender, receiver) = channel();
        let (early, late) = (sender.clone(), sender.clone());
        let gone = flag.when_raised(move || sender.send("gone").unwrap());
        drop(gone);
        let _early = flag.when_raised(move || early.send("early").unwrap());
        assert!(!flag.is_raised() && receiver.try_recv().is_err());
        let same = flag.clone();
        same.set();
        let _late = flag.when_raised(move || late.send("late").unwrap());
        assert!(flag.is_raised());
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), ["early", "late"]);
    }
}

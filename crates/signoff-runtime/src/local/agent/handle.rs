//! Ends one agent, from the loop's thread.

use std::sync::{Arc, Mutex, PoisonError};

use signoff_sandbox::Stopper;

/// A handle to an agent at work; clones share it.
#[derive(Debug, Clone, Default)]
pub(in crate::local) struct AgentHandle(Arc<Mutex<HandleState>>);

#[derive(Debug, Default)]
struct HandleState {
    /// Once it runs.
    stopper: Option<Stopper>,
    reason: Option<EndReason>,
}

/// Why the harness ended an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::local) enum EndReason {
    /// It used up what it may use.
    OverBudget,
    /// It said that it is done, and a process that waits for more has nothing to wait for.
    Done,
}

impl AgentHandle {
    /// The agent runs. One that was ended before is ended now.
    pub(super) fn started(&self, stopper: Stopper) {
        let mut state = self.lock();
        if state.reason.is_some() {
            stopper.stop();
        }
        state.stopper = Some(stopper);
    }

    /// Ends it. The first reason holds.
    pub(in crate::local) fn end(&self, reason: EndReason) {
        let mut state = self.lock();
        state.reason.get_or_insert(reason);
        if let Some(stopper) = &state.stopper {
            stopper.stop();
        }
    }

    /// Why it was ended, if it was.
    pub(super) fn end_reason(&self) -> Option<EndReason> {
        self.lock().reason
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HandleState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

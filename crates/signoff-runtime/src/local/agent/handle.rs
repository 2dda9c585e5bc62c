//! Ends one agent, or answers it, from another thread than the one that listens to it.

use std::sync::{Arc, Mutex, PoisonError};

use signoff_sandbox::Stopper;

use super::dialogue::Dialogue;
use super::questions::Questions;

/// A handle to an agent at work; clones share it.
#[derive(Debug, Clone)]
pub(in crate::local) struct AgentHandle {
    state: Arc<Mutex<HandleState>>,
    questions: Questions,
    /// With an agent that is spoken with.
    dialogue: Option<Dialogue>,
}

#[derive(Debug, Default)]
struct HandleState {
    /// Once it runs.
    stopper: Option<Stopper>,
    reason: Option<EndReason>,
}

/// Why the harness ended an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::local) enum EndReason {
    /// The run is stopped.
    Stopped,
    /// It used up what it may use.
    OverBudget,
    /// It said that it is done, and a process that waits for more has nothing to wait for.
    Done,
}

impl AgentHandle {
    pub(super) fn new(questions: Questions, dialogue: Option<Dialogue>) -> Self {
        Self {
            state: Arc::default(),
            questions,
            dialogue,
        }
    }

    /// A question of it is journaled as this item.
    pub(in crate::local) fn on_journaled(&self, item: &str) {
        self.questions.on_journaled(item);
    }

    /// Is this item a question of it that is open?
    pub(in crate::local) fn has_open(&self, item: &str) -> bool {
        self.questions.has_open(item)
    }

    /// Tells it a person's answer, if it asked this.
    pub(in crate::local) fn answer(&self, item: &str, allow: bool) {
        self.questions.answer(item, allow);
    }

    /// Nobody answers it any more: it is about to be ended. It is told so, if it can be.
    fn cancel(&self) {
        self.questions.withdraw();
        if let Some(dialogue) = &self.dialogue {
            dialogue.cancel();
        }
    }

    /// The agent runs. One that was ended before is ended now.
    pub(super) fn on_started(&self, stopper: Stopper) {
        let mut state = self.lock();
        if state.reason.is_some() {
            stopper.stop();
        }
        state.stopper = Some(stopper);
    }

    /// Ends it. The first reason holds, and is known before the agent hears of its end: it may end by itself then.
    pub(in crate::local) fn end(&self, reason: EndReason) {
        self.lock().reason.get_or_insert(reason);
        match reason {
            EndReason::Stopped | EndReason::OverBudget => self.cancel(),
            EndReason::Done => {}
        }
        if let Some(stopper) = &self.lock().stopper {
            stopper.stop();
        }
    }

    /// Why it was ended, if it was.
    pub(super) fn end_reason(&self) -> Option<EndReason> {
        self.lock().reason
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HandleState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

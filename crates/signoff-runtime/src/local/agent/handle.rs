//! Ends or answers one agent from a thread other than the one that reads its stream.

use std::sync::{Arc, Mutex, PoisonError};

use signoff_sandbox::Stopper;

use super::dialogue::Dialogue;
use super::questions::Questions;

/// A handle to an agent at work; clones share it.
#[derive(Debug, Clone)]
pub(in crate::local) struct AgentHandle {
    state: Arc<Mutex<HandleState>>,
    questions: Questions,
    /// For an agent that takes messages.
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
    /// It used up its budget.
    OverBudget,
    /// It said that it is done, but its process waits for more input.
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

    /// Passes on a person's answer, if this agent asked.
    pub(in crate::local) fn answer(&self, item: &str, allow: bool) {
        self.questions.answer(item, allow);
    }

    /// Its questions are answered no more: it is about to be ended, and is told so if it can be.
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

    /// Ends it. The first reason counts; it is set before the agent is told to end, because the agent may then end by
    /// itself.
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

//! What one agent asks a person, from the moment it asks until it is answered.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_sandbox::TimeLimit;

/// Passes a person's answer to the waiting agent.
type PassOn = Box<dyn FnOnce(bool) + Send>;

/// The questions of one agent; clones share them.
#[derive(Clone, Default)]
pub(in crate::local) struct Questions(Arc<Mutex<QuestionsState>>);

#[derive(Default)]
struct QuestionsState {
    /// Those that are not journaled yet, oldest first.
    asked: VecDeque<PassOn>,
    /// Those that are open in the inbox, by its items.
    open: BTreeMap<String, PassOn>,
    /// The agent's time limit, which stands still while it waits for a person.
    time: Option<TimeLimit>,
}

impl fmt::Debug for Questions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Questions").finish_non_exhaustive()
    }
}

impl Questions {
    /// The agent runs.
    pub(super) fn begin(&self, time: TimeLimit) {
        self.lock().time = Some(time);
    }

    /// Asks. `tell` has the question journaled: questions are journaled in the order in which they are here.
    pub(in crate::local) fn ask(
        &self,
        tell: impl FnOnce(),
        pass_on: impl FnOnce(bool) + Send + 'static,
    ) {
        let mut state = self.lock();
        state.asked.push_back(Box::new(pass_on));
        state.update_time();
        tell();
    }

    /// The oldest question that was not journaled is this item now.
    pub(super) fn on_journaled(&self, item: &str) {
        let mut state = self.lock();
        if let Some(pass_on) = state.asked.pop_front() {
            state.open.insert(item.to_owned(), pass_on);
        }
    }

    /// Is this item one of them, and open?
    pub(super) fn has_open(&self, item: &str) -> bool {
        self.lock().open.contains_key(item)
    }

    /// Passes a person's answer on, if this item is one of them.
    pub(super) fn answer(&self, item: &str, allow: bool) {
        let pass_on = {
            let mut state = self.lock();
            let pass_on = state.open.remove(item);
            state.update_time();
            pass_on
        };
        if let Some(pass_on) = pass_on {
            pass_on(allow);
        }
    }

    /// Nobody answers them any more.
    pub(super) fn withdraw(&self) {
        let mut state = self.lock();
        state.asked.clear();
        state.open.clear();
        state.update_time();
    }

    fn lock(&self) -> MutexGuard<'_, QuestionsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QuestionsState {
    fn update_time(&self) {
        let waits = !self.asked.is_empty() || !self.open.is_empty();
        match &self.time {
            Some(time) if waits => time.pause(),
            Some(time) => time.go_on(),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn an_answer_reaches_the_question_that_became_its_item() {
        let questions = Questions::default();
        let (sender, answers) = channel();
        for name in ["first", "second", "third"] {
            let sender = sender.clone();
            questions.ask(|| {}, move |allow| sender.send((name, allow)).unwrap());
        }
        questions.on_journaled("a-1");
        questions.on_journaled("a-2");
        assert!(questions.has_open("a-2") && !questions.has_open("a-3"));
        questions.answer("a-2", true);
        questions.answer("a-1", false);
        questions.answer("a-1", true);
        questions.withdraw();
        questions.on_journaled("a-3");
        questions.answer("a-3", true);
        drop(sender);
        let answers: Vec<_> = answers.iter().collect();
        assert_eq!(answers, [("second", true), ("first", false)]);
    }
}

//! Asks the person who is there, while the run waits.

use signoff_engine::{InboxItem, InboxKind};

use super::{Loop, PersonAnswer, StopReason};
use crate::error::Error;

/// The outcome of asking.
pub(super) enum AskOutcome {
    /// The run may go on, or has stopped.
    Went(Option<StopReason>),
    /// Every open item is left for later.
    Later,
}

impl Loop<'_, '_> {
    /// Asks about the open items, one after the other, until one is answered.
    pub(super) fn ask(&mut self) -> Result<AskOutcome, Error> {
        let open: Vec<InboxItem> = self.run.state().items().cloned().collect();
        self.perform.on_idle(self.run.state());
        self.ask_about(open)
    }

    /// Asks the person what agents at work ask.
    pub(super) fn ask_for_agents(&mut self) -> Result<AskOutcome, Error> {
        let items = self.run.state().items();
        let asked = items.filter(|item| item.kind == InboxKind::Permission);
        let asked: Vec<InboxItem> = asked.cloned().collect();
        self.ask_about(asked)
    }

    fn ask_about(&mut self, open: Vec<InboxItem>) -> Result<AskOutcome, Error> {
        let now = self.run.now();
        for observer in &mut self.observers {
            observer.catch_up(self.run.state(), now);
        }
        for item in open {
            let perform = &mut *self.perform;
            let said = (self.person).answer(self.run.state(), &item, &mut || perform.has_news());
            match said {
                PersonAnswer::Later => continue,
                PersonAnswer::Nothing => {
                    let happened = self.perform.next(self.run.state(), self.run.now(), None)?;
                    return self.handle(happened).map(AskOutcome::Went);
                }
                PersonAnswer::Answer(input) => match self.record((*input).clone()) {
                    Err(Error::Refused(refusal)) => self.person.note_refusal(&refusal),
                    recorded => {
                        recorded?;
                        self.perform.input_recorded(self.run.state(), &input);
                    }
                },
            }
            return Ok(AskOutcome::Went(None));
        }
        Ok(AskOutcome::Later)
    }
}

//! An agent at work asks whether it may use a tool. It waits for the answer, with its process: the step stays under way.

use super::person::{Question, open_item};
use super::{Refusal, with_step};
use crate::event::{Choice, Event, InboxKind};
use crate::state::{Run, Stage};

pub(super) fn permission_asked(
    run: &Run,
    at: usize,
    attempt: u32,
    what: &str,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        if state.stage != (Stage::Working { attempt }) {
            return Vec::new();
        }
        let question = format!("may the agent of step `{}` do this: {what}", definition.id);
        let choices = vec![Choice::Allow, Choice::Deny];
        let question = Question::new(InboxKind::Permission, question, choices);
        open_item(run, definition, question)
    })
}

//! Agent steps without a contract, at the end of a run: one question about all of them.

use super::Refusal;
use crate::event::{Choice, Event, InboxKind};
use crate::state::Run;

pub(super) fn ask_for_acceptance(run: &Run) -> Result<Vec<Event>, Refusal> {
    let steps = run
        .schedule
        .provisional
        .iter()
        .filter_map(|&at| run.step(at));
    let ids: Vec<String> = steps.map(|(step, _)| step.id.clone()).collect();
    let asked = acceptance(run, ids).ok_or(Refusal::OutOfPlace {
        what: "a question about no step",
    })?;
    Ok(vec![asked])
}

/// The question whether these steps are done.
pub(super) fn acceptance(run: &Run, ids: Vec<String>) -> Option<Event> {
    let first = ids.first()?.clone();
    let question = match ids.len() {
        1 => format!("step `{first}` has no contract: is it done?"),
        _ => format!(
            "{} steps have no contract: are they done? `{}`",
            ids.len(),
            ids.join("`, `")
        ),
    };
    Some(Event::InboxOpened {
        item: run.inbox.next_id("acceptance"),
        kind: InboxKind::Acceptance,
        step: first,
        question,
        // No `retry`: a refused step also takes down what was built on it.
        choices: vec![Choice::Accept, Choice::Refuse],
        options: Vec::new(),
        steps: ids,
    })
}

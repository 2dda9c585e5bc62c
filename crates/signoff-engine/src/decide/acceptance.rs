//! Agent steps without a contract, at the end of a run: one question about all of them.

use super::Refusal;
use crate::event::{Event, ItemKind};
use crate::input::Choice;
use crate::state::Run;

pub(super) fn ask_for_acceptance(run: &Run) -> Result<Vec<Event>, Refusal> {
    let steps = run.provisional.iter().filter_map(|&at| run.step(at));
    let ids: Vec<String> = steps.map(|(step, _)| step.id.clone()).collect();
    let Some(first) = ids.first() else {
        return Err(Refusal::OutOfPlace {
            what: "a question about no step",
        });
    };
    let question = match ids.len() {
        1 => format!("step `{first}` has no contract: is it done?"),
        _ => format!(
            "{} steps have no contract: are they done? `{}`",
            ids.len(),
            ids.join("`, `")
        ),
    };
    Ok(vec![Event::InboxOpened {
        item: format!("acceptance-{}", run.items_opened + 1),
        kind: ItemKind::Acceptance,
        step: first.clone(),
        question,
        // A step that should be tried again is refused: what was built on it has to go as well.
        choices: vec![Choice::Accept, Choice::Refuse],
        options: Vec::new(),
        steps: ids,
    }])
}

//! What is asked of a person, and what an answer leads to.

use signoff_plan::model::{Step, Work};

use super::attempt::facts;
use super::policy::failed;
use super::{Refusal, begin, with_step};
use crate::Millis;
use crate::budget::exceeded;
use crate::event::{Event, ItemKind};
use crate::evidence::{Facts, Grade};
use crate::input::Choice;
use crate::state::{Run, StepState};

pub(super) fn escalate(
    run: &Run,
    definition: &Step,
    state: &StepState,
    reason: &str,
) -> Vec<Event> {
    let attempts = state.attempts;
    let plural = if attempts == 1 { "" } else { "s" };
    let question = format!(
        "step `{}` is not done after {attempts} attempt{plural}: {reason}",
        definition.id
    );
    ask(run, definition, ItemKind::Escalation, question)
}

pub(super) fn over_budget(run: &Run, now: Millis, at: usize) -> Result<Vec<Event>, Refusal> {
    let question = exceeded(run, now).ok_or(Refusal::OutOfPlace {
        what: "an exceeded budget",
    })?;
    let mut events = begin(run, at, |_| Vec::new())?;
    events.extend(with_step(run, at, |definition, _| {
        ask(run, definition, ItemKind::Budget, question)
    })?);
    Ok(events)
}

pub(super) fn ask(run: &Run, definition: &Step, kind: ItemKind, question: String) -> Vec<Event> {
    let item = format!("{}-{}", definition.id, run.items_opened + 1);
    let choices = match (&definition.contract, &definition.work) {
        _ if kind == ItemKind::Budget => vec![Choice::Allow, Choice::Skip, Choice::Abort],
        (None, _) => vec![Choice::Accept, Choice::Retry, Choice::Skip, Choice::Abort],
        // Evaluating again is all that a retry of a check could mean.
        (Some(_), Work::Check) => vec![Choice::Fixed, Choice::Skip, Choice::Abort],
        (Some(_), _) => vec![Choice::Retry, Choice::Fixed, Choice::Skip, Choice::Abort],
    };
    vec![
        Event::InboxOpened {
            item: item.clone(),
            kind,
            step: definition.id.clone(),
            question,
            choices,
        },
        Event::StepWaiting {
            step: definition.id.clone(),
            item,
        },
    ]
}

pub(super) fn answer(
    run: &Run,
    item: &str,
    choice: Choice,
    note: Option<String>,
    by: String,
) -> Result<Vec<Event>, Refusal> {
    let open = run.items.get(item).ok_or_else(|| Refusal::UnknownItem {
        item: item.to_owned(),
    })?;
    if !open.choices.contains(&choice) {
        return Err(Refusal::UnknownChoice {
            item: item.to_owned(),
            choices: open.choices.clone(),
        });
    }
    with_step(run, open.step, |definition, state| {
        let mut events = vec![Event::InboxAnswered {
            item: item.to_owned(),
            step: definition.id.clone(),
            choice,
            note,
            by: by.clone(),
        }];
        events.extend(consequence(run, definition, state, choice, &by));
        events
    })
}

/// What an answer leads to beyond its own event.
pub(super) fn consequence(
    run: &Run,
    definition: &Step,
    state: &StepState,
    choice: Choice,
    by: &str,
) -> Vec<Event> {
    match choice {
        Choice::Retry | Choice::Fixed | Choice::Allow => Vec::new(),
        Choice::Accept => vec![Event::StepCompleted {
            step: definition.id.clone(),
            attempts: state.attempts,
            evidence: Grade::Accepted,
            facts: Facts {
                accepted_by: Some(by.to_owned()),
                ..facts(run, definition, state)
            },
        }],
        Choice::Skip => vec![Event::StepSkipped {
            step: definition.id.clone(),
            reason: format!("skipped by {by}"),
            satisfies: true,
        }],
        Choice::Abort => failed(run, definition, state, &format!("aborted by {by}")),
    }
}

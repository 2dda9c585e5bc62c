//! What stands before a step's work and needs no hands: its condition, a person's leave, and the
//! question that an `ask` step is.

use signoff_plan::expression::{Scope, StepRead, evaluate_condition, read};
use signoff_plan::model::{Step, Work};

use super::person::open;
use super::policy::block_dependents;
use super::{Refusal, begin, with_step};
use crate::event::{Event, ItemKind};
use crate::input::Choice;
use crate::state::{Run, StepStatus};

pub(super) fn gate(run: &Run, at: usize) -> Result<Vec<Event>, Refusal> {
    let Some((definition, state)) = run.step(at) else {
        return with_step(run, at, |_, _| Vec::new());
    };
    if let Some(when) = definition.when.as_ref().filter(|_| !state.condition_held) {
        return condition(run, at, definition, when);
    }
    if definition.approval && !state.approved {
        let question = format!("may step `{}` start? {}", definition.id, definition.title);
        let choices = vec![Choice::Approve, Choice::Deny];
        return asked(run, at, ItemKind::Approval, question, (choices, Vec::new()));
    }
    match &definition.work {
        Work::Ask { question, choices } => {
            let words = vec![Choice::Reply, Choice::Skip, Choice::Abort];
            let offered = (words, choices.clone());
            asked(run, at, ItemKind::Question, question.clone(), offered)
        }
        Work::Agent { .. } | Work::Tool { .. } | Work::Check => Err(Refusal::OutOfPlace {
            what: "a gate that is open",
        }),
    }
}

/// Runs the step, skips it, or lets a person decide where the condition has no value.
fn condition(run: &Run, at: usize, definition: &Step, when: &str) -> Result<Vec<Event>, Refusal> {
    let reads = read(when).map(|reads| reads.steps).unwrap_or_default();
    if let Some(cause) = skipped_among(run, &reads) {
        // It was to read what now nobody will say.
        let mut events = vec![Event::StepBlocked {
            step: definition.id.clone(),
            by: cause.to_owned(),
        }];
        events.extend(block_dependents(run, definition));
        return Ok(events);
    }
    let step = definition.id.clone();
    match evaluate_condition(when, &scope(run, &reads)) {
        Ok(true) => Ok(vec![Event::ConditionHeld { step }]),
        Ok(false) => Ok(vec![Event::StepSkipped {
            step,
            reason: format!("`when` is false: {when}"),
            satisfies: true,
        }]),
        Err(why) => {
            let question = format!("the condition of step `{step}` has no value: {why} (`{when}`)");
            let choices = vec![Choice::Skip, Choice::Abort];
            asked(
                run,
                at,
                ItemKind::Escalation,
                question,
                (choices, Vec::new()),
            )
        }
    }
}

fn skipped_among<'r>(run: &Run, reads: &[StepRead<'r>]) -> Option<&'r str> {
    let skipped = |id: &str| {
        let step = run.position(id).and_then(|at| run.step(at));
        step.is_some_and(|(_, state)| state.status == StepStatus::Skipped)
    };
    reads.iter().map(|read| read.id).find(|id| skipped(id))
}

/// The values that an expression reads, and no others.
fn scope(run: &Run, reads: &[StepRead<'_>]) -> Scope {
    let read = reads.iter().filter_map(|read| {
        let (step, state) = run.step(run.position(read.id)?)?;
        Some((step.id.clone(), state.values.clone()))
    });
    Scope {
        params: run.plan().params.clone(),
        steps: read.collect(),
        ..Scope::default()
    }
}

fn asked(
    run: &Run,
    at: usize,
    kind: ItemKind,
    question: String,
    offered: (Vec<Choice>, Vec<String>),
) -> Result<Vec<Event>, Refusal> {
    let mut events = begin(run, at, |_| Vec::new())?;
    events.extend(with_step(run, at, |definition, _| {
        open(run, definition, kind, question, offered)
    })?);
    Ok(events)
}

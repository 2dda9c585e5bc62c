//! What comes before a step's work and needs no process: its condition, its items, a person's
//! approval, and the question of an `ask` step.

use signoff_plan::expression::{Scope, StepRead, StepValues, evaluate_condition};
use signoff_plan::model::{Step, Work};

use super::call::call_text;
use super::evidence::kept_completion;
use super::loops::expand;
use super::person::{Question, escalate, open_item};
use super::policy::{block_dependents, retries_exhausted};
use super::{Refusal, begin, with_step};
use crate::arguments::{resolved_arguments, skipped_reference};
use crate::event::{Choice, Event, InboxKind, RedoReason, ToolCall};
use crate::state::{KeptResult, Run, StepState, StepStatus, steps_read};
use crate::template::reads_item;

pub(super) fn pass_gate(run: &Run, at: usize) -> Result<Vec<Event>, Refusal> {
    let Some((definition, state)) = run.step(at) else {
        return with_step(run, at, |_, _| Vec::new());
    };
    let of_items = definition.for_each.is_some();
    let when = definition.when.as_ref();
    let settled = |when: &String| state.activation.condition_held || (of_items && reads_item(when));
    let when = when.filter(|when| !settled(when));
    if let Some(when) = when {
        return check_condition(run, at, definition, when);
    }
    if let Some(number) = &definition.unexpanded {
        return ask_for_expansion(run, at, definition, number);
    }
    if let Some(list) = &definition.for_each {
        return expand(run, at, definition, list);
    }
    if let KeptResult::Done(kept) = run.kept_step_result(at) {
        return begin(run, at, |_| vec![kept_completion(definition, kept, None)]);
    }
    // Before an approval: who approves must know that it is the second time.
    if let Some(call) = run.made_call(at) {
        return ask_about_made_call(run, at, definition, state, call);
    }
    if let Some(cause) = skipped_reference(run, at) {
        return Ok(block_step(run, definition, &cause));
    }
    if definition.approval && !state.activation.approved {
        return ask_for_approval(run, at, definition, state);
    }
    if let Some(missing) = run.missing_before_work(at) {
        return ask_about_missing(run, at, definition, &missing.line);
    }
    match &definition.work {
        Work::Ask { question, choices } => {
            let words = vec![Choice::Reply, Choice::Skip, Choice::Abort];
            let question = Question::new(InboxKind::Question, question.clone(), words);
            ask_at_gate(run, at, question.with_options(choices))
        }
        Work::Agent { .. } | Work::Tool { .. } | Work::Check => Err(Refusal::OutOfPlace {
            what: "a gate that is open",
        }),
    }
}

/// Nobody has written the steps that this one stands for, so nobody has signed them.
fn ask_for_expansion(
    run: &Run,
    at: usize,
    definition: &Step,
    number: &str,
) -> Result<Vec<Event>, Refusal> {
    let question = format!(
        "step `{}` (`{number}. {}`) stands for steps that are not written yet: `signoff plan --expand {}` has them \
         drafted from what was produced, for you to sign",
        definition.id, definition.title, run.id
    );
    let choices = vec![Choice::Skip, Choice::Abort];
    ask_at_gate(
        run,
        at,
        Question::new(InboxKind::Escalation, question, choices),
    )
}

/// Asks whether a call that took place is to be made again.
fn ask_about_made_call(
    run: &Run,
    at: usize,
    definition: &Step,
    state: &StepState,
    call: &ToolCall,
) -> Result<Vec<Event>, Refusal> {
    let Some(earlier) = run.earlier_step(at).filter(|_| state.attempts == 0) else {
        let mut events = begin(run, at, |_| Vec::new())?;
        events.extend(escalate(run, definition, state, "it is to start again"));
        return Ok(events);
    };
    let (keep, meaning) = match definition.contract {
        Some(_) => (Choice::Fixed, "runs its contract"),
        None => (Choice::Accept, "keeps its result"),
    };
    let question = format!(
        "shall step `{}` call {} again? Run {} did, and {}; `approve` calls it again, `{}` {meaning}",
        definition.id,
        call_text(definition, &call.args),
        earlier.run,
        redo_text(earlier.again, run.rests_on_redone(at)),
        keep.name()
    );
    let choices = vec![Choice::Approve, keep, Choice::Skip, Choice::Abort];
    ask_at_gate(
        run,
        at,
        Question::new(InboxKind::Approval, question, choices),
    )
}

/// Why a step that an earlier run worked on is not kept.
fn redo_text(reason: Option<RedoReason>, rests_on_redone: bool) -> &'static str {
    match reason {
        Some(RedoReason::Everything) => "everything is to be done again",
        Some(RedoReason::NotInCheckout) => "what that changed is not in the checkout",
        Some(RedoReason::Unfinished) => "the step was not finished",
        Some(RedoReason::ValueUnknown) => "its result was not recorded and is needed now",
        Some(RedoReason::Changed) => "the step was changed since",
        Some(RedoReason::Outdated) => "what it depends on was done again",
        Some(RedoReason::Superseded) => "a later run did something else in its place",
        None if rests_on_redone => "what it depends on was done again",
        None => "its contract does not hold any more",
    }
}

/// Asks for approval; for a tool step, with the resolved arguments.
fn ask_for_approval(
    run: &Run,
    at: usize,
    definition: &Step,
    state: &StepState,
) -> Result<Vec<Event>, Refusal> {
    let what = match resolved_arguments(run, at) {
        None => definition.title.clone(),
        Some(Ok(args)) => format!("It calls {}", call_text(definition, &args)),
        Some(Err(why)) => {
            let mut events = begin(run, at, |_| Vec::new())?;
            events.extend(retries_exhausted(run, definition, state, &why));
            return Ok(events);
        }
    };
    let question = format!("may step `{}` start? {what}", definition.id);
    let choices = vec![Choice::Approve, Choice::Deny];
    ask_at_gate(
        run,
        at,
        Question::new(InboxKind::Approval, question, choices),
    )
}

/// Asks whether the agent may work although the contract cannot judge it: a program that the contract needs is missing.
fn ask_about_missing(
    run: &Run,
    at: usize,
    definition: &Step,
    line: &str,
) -> Result<Vec<Event>, Refusal> {
    let question = format!(
        "the contract of step `{}` could not run before the work: {line}. It searches PATH without entries inside the \
         project; shall its agent work all the same?",
        definition.id
    );
    let choices = vec![
        Choice::Retry,
        Choice::Approve,
        Choice::Revise,
        Choice::Skip,
        Choice::Abort,
    ];
    let question = Question::new(InboxKind::Approval, question, choices);
    ask_at_gate(run, at, question)
}

/// Lets the step run, skips it, or asks a person if the condition has no value.
fn check_condition(
    run: &Run,
    at: usize,
    definition: &Step,
    when: &str,
) -> Result<Vec<Event>, Refusal> {
    let reads = steps_read(when);
    if let Some(events) = blocked_by_skip(run, definition, &reads) {
        return Ok(events);
    }
    let step = definition.id.clone();
    match evaluate_condition(when, &scope(run, at, &reads)) {
        Ok(true) => Ok(vec![Event::ConditionHeld { step }]),
        Ok(false) => Ok(vec![Event::StepSkipped {
            step,
            reason: format!("`when` is false: {when}"),
            satisfies: true,
        }]),
        Err(why) => {
            let question = format!("the condition of step `{step}` has no value: {why} (`{when}`)");
            let choices = vec![Choice::Skip, Choice::Abort];
            ask_at_gate(
                run,
                at,
                Question::new(InboxKind::Escalation, question, choices),
            )
        }
    }
}

/// Blocks a step that reads the value of a skipped step.
pub(super) fn blocked_by_skip(
    run: &Run,
    definition: &Step,
    reads: &[StepRead<'_>],
) -> Option<Vec<Event>> {
    let skipped = |id: &str| {
        let step = run.position(id).and_then(|at| run.step(at));
        step.is_some_and(|(_, state)| state.status == StepStatus::Skipped)
    };
    let cause = reads.iter().map(|read| read.id).find(|id| skipped(id))?;
    Some(block_step(run, definition, cause))
}

/// Blocks the step and everything that depends on it.
pub(super) fn block_step(run: &Run, definition: &Step, by: &str) -> Vec<Event> {
    let mut events = vec![Event::StepBlocked {
        step: definition.id.clone(),
        by: by.to_owned(),
    }];
    events.extend(block_dependents(run, definition));
    events
}

/// The values that an expression reads, and no others.
pub(super) fn scope(run: &Run, at: usize, reads: &[StepRead<'_>]) -> Scope {
    let read = reads.iter().filter_map(|read| {
        let (step, state) = run.step(run.position(read.id)?)?;
        Some((step.id.clone(), StepValues::clone(&state.values)))
    });
    let item = run.steps.get(at).and_then(|step| step.item.clone());
    let (item, index) = item.map(|item| (item.value, item.number)).unzip();
    Scope {
        params: run.plan().params.clone(),
        steps: read.collect(),
        item,
        index,
    }
}

pub(super) fn ask_at_gate(run: &Run, at: usize, question: Question) -> Result<Vec<Event>, Refusal> {
    let mut events = begin(run, at, |_| Vec::new())?;
    events.extend(with_step(run, at, |definition, _| {
        open_item(run, definition, question)
    })?);
    Ok(events)
}

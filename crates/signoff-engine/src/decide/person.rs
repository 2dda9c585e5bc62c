//! What is asked of a person, and what an answer leads to.

use signoff_plan::model::{Step, Work};
use signoff_plan::tools::{built_in, schema_problems};

use super::acceptance::acceptance;
use super::call::call_text;
use super::evidence::facts;
use super::policy::{fail_step, skip_and_block};
use super::replan::{ask_for_draft_budget, drop_replan, no_replan_offered, reason_against_version};
use super::{Refusal, begin, with_step};
use crate::Millis;
use crate::apply::refusal_text;
use crate::budget::{BudgetQuestion, budget_question};
use crate::event::{Choice, Event, InboxKind};
use crate::evidence::{EvidenceFacts, Grade};
use crate::state::{InboxItem, Run, StepState};

pub(super) fn escalate(
    run: &Run,
    definition: &Step,
    state: &StepState,
    reason: &str,
) -> Vec<Event> {
    let attempts = state.attempts;
    let plural = if attempts == 1 { "" } else { "s" };
    let question = format!(
        "step `{}` is not done after {attempts} attempt{plural}: {reason}{}",
        definition.id,
        made_call_suffix(definition, state)
    );
    ask(run, definition, InboxKind::Escalation, question)
}

/// What a person has to know before they let a step start again: its call took place.
fn made_call_suffix(definition: &Step, state: &StepState) -> String {
    state.made_call.get().map_or_else(String::new, |call| {
        format!(
            "; its call of {} took place, and only `retry` makes it again",
            call_text(definition, &call.args)
        )
    })
}

pub(super) fn over_budget(run: &Run, now: Millis, at: usize) -> Result<Vec<Event>, Refusal> {
    if run.is_replanning() {
        let asked = ask_for_draft_budget(run);
        return asked.ok_or(Refusal::OutOfPlace {
            what: "an exceeded budget",
        });
    }
    let question = budget_question(run, at, now).ok_or(Refusal::OutOfPlace {
        what: "an exceeded budget",
    })?;
    let BudgetQuestion { text, limit } = question;
    let mut events = begin(run, at, |step| {
        let question = text.clone();
        let limit = Some(limit);
        vec![Event::BudgetExceeded {
            step,
            question,
            limit,
        }]
    })?;
    events.extend(with_step(run, at, |definition, _| {
        ask(run, definition, InboxKind::Budget, text)
    })?);
    Ok(events)
}

pub(super) fn ask(run: &Run, definition: &Step, kind: InboxKind, question: String) -> Vec<Event> {
    let mut choices = match (&definition.contract, &definition.work) {
        _ if kind == InboxKind::Budget => vec![Choice::Allow, Choice::Skip, Choice::Abort],
        (None, _) if kind == InboxKind::Acceptance => vec![
            Choice::Accept,
            Choice::Refuse,
            Choice::Retry,
            Choice::Skip,
            Choice::Abort,
        ],
        (None, _) => vec![Choice::Accept, Choice::Retry, Choice::Skip, Choice::Abort],
        // A check has no work to retry: `fixed` evaluates it again.
        (Some(_), Work::Check) => vec![Choice::Fixed, Choice::Skip, Choice::Abort],
        (Some(_), _) => vec![Choice::Retry, Choice::Fixed, Choice::Skip, Choice::Abort],
    };
    if kind == InboxKind::Escalation {
        choices.insert(choices.len() - 1, Choice::Revise);
        if no_replan_offered(run).is_none() {
            choices.insert(choices.len() - 1, Choice::Replan);
        }
    }
    open_item(run, definition, Question::new(kind, question, choices))
}

/// A question to a person, with the answers that it offers.
pub(super) struct Question {
    kind: InboxKind,
    text: String,
    choices: Vec<Choice>,
    options: Vec<String>,
}

impl Question {
    pub(super) fn new(kind: InboxKind, text: String, choices: Vec<Choice>) -> Self {
        Self {
            kind,
            text,
            choices,
            options: Vec::new(),
        }
    }

    /// The same with replies that the plan offers.
    pub(super) fn with_options(self, options: &[String]) -> Self {
        let options = options.to_vec();
        Self { options, ..self }
    }
}

/// An item about a step that does not wait for the answer itself.
pub(super) fn open_item_about(run: &Run, definition: &Step, question: Question) -> Event {
    Event::InboxOpened {
        item: run.inbox.next_id(&definition.id),
        kind: question.kind,
        step: definition.id.clone(),
        steps: vec![definition.id.clone()],
        question: question.text,
        choices: question.choices,
        options: question.options,
    }
}

/// Opens an item about one step, which waits for the answer.
pub(super) fn open_item(run: &Run, definition: &Step, question: Question) -> Vec<Event> {
    let item = run.inbox.next_id(&definition.id);
    vec![
        Event::InboxOpened {
            item: item.clone(),
            kind: question.kind,
            step: definition.id.clone(),
            steps: Vec::new(),
            question: question.text,
            choices: question.choices,
            options: question.options,
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
    named: &[String],
    answer: Answer<'_>,
) -> Result<Vec<Event>, Refusal> {
    let open = run
        .inbox
        .items
        .get(item)
        .ok_or_else(|| Refusal::UnknownItem {
            item: item.to_owned(),
        })?;
    if open.kind == InboxKind::Escalation
        && answer.choice == Choice::Replan
        && !open.choices.contains(&Choice::Replan)
        && let Some(why) = no_replan_offered(run)
    {
        return Err(Refusal::NoReplan { why });
    }
    check_choice(open, answer)?;
    let steps = steps_of_answer(run, open, named)?;
    let call = match steps[..] {
        [(step, _)] => called_tool(step),
        _ => None,
    };
    check_arguments(answer, call)?;
    let mut events = vec![answer_event(open, &steps, answer)?];
    if open.kind == InboxKind::Permission {
        // The answer goes to the agent; the step is under way as before.
        return Ok(events);
    }
    if open.is_about_draft() && answer.choice == Choice::Allow {
        return Ok(events);
    }
    if open.kind == InboxKind::NewVersion || open.is_about_draft() {
        let why = refusal_text(answer.note, answer.by);
        let replan = run.replan.as_ref();
        events.extend(replan.map_or_else(Vec::new, |replan| drop_replan(run, replan, &why)));
        return Ok(events);
    }
    if answer.choice == Choice::Replan
        && let Some(why) = reason_against_version(run)
    {
        return Err(Refusal::NoReplan { why });
    }
    for (definition, state) in steps {
        for event in events_of_answer(run, definition, state, answer) {
            push_once(&mut events, event);
        }
    }
    events.extend(remaining_question(run, open, &events));
    Ok(events)
}

/// Is this one of the answers that the item offers?
fn check_choice(open: &InboxItem, answer: Answer<'_>) -> Result<(), Refusal> {
    let is_offered = |text: &str| {
        let mut options = open.options.iter();
        open.options.is_empty() || options.any(|option| option == text)
    };
    let reply = answer.note.filter(|text| !text.trim().is_empty());
    let wrong_reply = answer.choice == Choice::Reply && !reply.is_some_and(is_offered);
    if wrong_reply || !open.choices.contains(&answer.choice) {
        return Err(Refusal::UnknownChoice {
            item: open.id.clone(),
            words: open.answer_words().into_iter().map(str::to_owned).collect(),
        });
    }
    Ok(())
}

/// Refuses a note that looks like arguments but is not a JSON object (the call would run with the plan's arguments),
/// and arguments that do not fit the tool.
fn check_arguments(answer: Answer<'_>, tool: Option<&str>) -> Result<(), Refusal> {
    let takes =
        answer.choice == Choice::Approve || (answer.choice == Choice::Retry && tool.is_some());
    let note = answer.note.filter(|_| takes);
    let Some(note) = note.filter(|note| note.trim_start().starts_with('{')) else {
        return Ok(());
    };
    let bad = |why: String| Refusal::BadArguments { why };
    let args: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(note).map_err(|error| bad(error.to_string()))?;
    // What a server's tool takes is known when it is called.
    let tool = tool.and_then(built_in);
    let Some(tool) = tool else {
        return Ok(());
    };
    let problems = schema_problems(&args.into(), &tool.input_schema());
    if problems.is_empty() {
        return Ok(());
    }
    Err(Refusal::UnfitArguments {
        tool: tool.name.to_owned(),
        why: problems.join("; "),
    })
}

/// The tool that a step calls.
fn called_tool(step: &Step) -> Option<&str> {
    match &step.work {
        Work::Tool { tool, .. } => Some(tool),
        Work::Agent { .. } | Work::Ask { .. } | Work::Check => None,
    }
}

/// The event that records the answer.
fn answer_event(
    open: &InboxItem,
    steps: &[(&Step, &StepState)],
    answer: Answer<'_>,
) -> Result<Event, Refusal> {
    let ids = steps.iter().map(|(definition, _)| definition.id.clone());
    let ids: Vec<String> = ids.collect();
    let first = ids.first().cloned().ok_or(Refusal::OutOfPlace {
        what: "an answer about no step",
    })?;
    Ok(Event::InboxAnswered {
        item: open.id.clone(),
        step: first,
        steps: if open.steps.is_empty() {
            Vec::new()
        } else {
            ids
        },
        choice: answer.choice,
        note: answer.note.map(str::to_owned),
        by: answer.by.to_owned(),
    })
}

/// Asks again about the steps that the answer did not cover.
fn remaining_question(run: &Run, open: &InboxItem, events: &[Event]) -> Option<Event> {
    let settled = |id: &str| {
        events.iter().any(|event| {
            if let Event::InboxAnswered { steps, .. } = event {
                return steps.iter().any(|step| step == id);
            }
            ends_step_badly(event) && event.step() == Some(id)
        })
    };
    let about = open.steps.iter().filter_map(|&at| run.definition(at));
    let left = about.map(|step| step.id.clone()).filter(|id| !settled(id));
    let left: Vec<String> = left.collect();
    // Also if the run is about to fail: the person need not answer about the others twice.
    acceptance(run, left)
}

/// The steps that an answer covers, in plan order: those it names, otherwise all of the item's.
fn steps_of_answer<'a>(
    run: &'a Run,
    open: &InboxItem,
    named: &[String],
) -> Result<Vec<(&'a Step, &'a StepState)>, Refusal> {
    let about = open.steps_concerned().iter().filter_map(|&at| run.step(at));
    let about: Vec<_> = about.collect();
    let is_known = |id: &&String| about.iter().any(|(step, _)| step.id == **id);
    if let Some(unknown) = named.iter().find(|id| !is_known(id)) {
        return Err(Refusal::UnknownStep {
            item: open.id.clone(),
            step: unknown.clone(),
            known: about.iter().map(|(step, _)| step.id.clone()).collect(),
        });
    }
    let mut steps = about;
    steps.retain(|(step, _)| named.is_empty() || named.contains(&step.id));
    Ok(steps)
}

/// Makes the step wait for another version of the plan. The person can still choose another answer.
fn wait_for_revision(run: &Run, definition: &Step, note: Option<&str>) -> Vec<Event> {
    let why = note.map(|note| format!(" ({note})")).unwrap_or_default();
    let question = format!(
        "step `{}` waits for another version of the plan{why}: edit it, sign it and resume",
        definition.id
    );
    ask(run, definition, InboxKind::Revision, question)
}

/// Does this event end its step as failed or blocked?
fn ends_step_badly(event: &Event) -> bool {
    matches!(event, Event::StepFailed { .. } | Event::StepBlocked { .. })
}

/// Adds an event unless it would end a step twice: if a refused step depends on another refused one, it
/// either fails or is blocked, not both.
pub(super) fn push_once(events: &mut Vec<Event>, event: Event) {
    let known = |known: &Event| ends_step_badly(known) && known.step() == event.step();
    if !ends_step_badly(&event) || !events.iter().any(known) {
        events.push(event);
    }
}

/// A person's answer.
#[derive(Clone, Copy)]
pub(super) struct Answer<'a> {
    choice: Choice,
    note: Option<&'a str>,
    by: &'a str,
}

impl<'a> Answer<'a> {
    pub(super) fn new(choice: Choice, note: Option<&'a str>, by: &'a str) -> Self {
        Self { choice, note, by }
    }
}

/// The events that follow from an answer.
pub(super) fn events_of_answer(
    run: &Run,
    definition: &Step,
    state: &StepState,
    answer: Answer<'_>,
) -> Vec<Event> {
    let by = answer.by;
    match answer.choice {
        Choice::Retry | Choice::Fixed | Choice::Allow | Choice::Approve => Vec::new(),
        // The contract judges what the person said.
        Choice::Reply | Choice::Happened if definition.contract.is_some() => Vec::new(),
        // The work counts once it is merged.
        Choice::Accept | Choice::Reply | Choice::Happened if is_unmerged(run, definition) => {
            Vec::new()
        }
        Choice::Accept | Choice::Reply | Choice::Happened => vec![Event::StepCompleted {
            step: definition.id.clone(),
            attempts: state.attempts,
            evidence: Grade::Accepted,
            facts: EvidenceFacts {
                accepted_by: Some(by.to_owned()),
                kept_from: kept_call(run, definition, state),
                ..facts(run, definition, state)
            },
        }],
        Choice::Refuse => {
            let reason = format!("refused by {by}{}", note_suffix(answer.note));
            fail_step(run, definition, state, &reason)
        }
        Choice::Revise => wait_for_revision(run, definition, answer.note),
        Choice::Replan => vec![requested_replan(definition, state, answer)],
        Choice::Deny => {
            let reason = format!("User denied approval{}", note_suffix(answer.note));
            skip_and_block(run, definition, &reason)
        }
        Choice::Skip => vec![Event::StepSkipped {
            step: definition.id.clone(),
            reason: format!("skipped by {by}"),
            satisfies: true,
        }],
        Choice::Abort => fail_step(run, definition, state, &format!("aborted by {by}")),
    }
}

/// A person wants another version of the plan instead of what the step offers.
fn requested_replan(definition: &Step, state: &StepState, answer: Answer<'_>) -> Event {
    let failure = state.advice.failure.as_ref();
    let failure = failure.map(|failure| failure.unmet.join("; "));
    let failure = failure.filter(|failure| !failure.is_empty());
    let note = answer.note.map(str::trim).filter(|note| !note.is_empty());
    let because = note.map(str::to_owned).or_else(|| failure.clone());
    Event::ReplanRequested {
        step: definition.id.clone(),
        because: because.unwrap_or_else(|| format!("{} wants it", answer.by)),
        discoveries: failure.filter(|_| note.is_some()).into_iter().collect(),
        by: answer.by.to_owned(),
        holds: true,
        expands: false,
    }
}

/// The run that made the call whose result a person accepts, if this one did not.
fn kept_call(run: &Run, definition: &Step, state: &StepState) -> Option<String> {
    let is_kept = state.attempts == 0 && state.made_call.get().is_some();
    let at = run.position(&definition.id).filter(|_| is_kept)?;
    Some(run.earlier_step(at)?.run.clone())
}

fn is_unmerged(run: &Run, definition: &Step) -> bool {
    let at = run.position(&definition.id);
    at.is_some_and(|at| run.is_unmerged(at))
}

/// A person's note, appended to a reason.
fn note_suffix(note: Option<&str>) -> String {
    let note = note.map(str::trim).filter(|note| !note.is_empty());
    note.map_or_else(String::new, |note| format!(": {note}"))
}

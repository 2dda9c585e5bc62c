//! The text of each event that a person should see.

use signoff_engine::{
    CallEnd, Choice, Event, EvidenceFacts, Grade, Outcome, PauseReason, RecordedEvent, Run, Stage,
};
use signoff_store::runs::RunDir;

use crate::report::columns::cut;
use crate::report::run::contract_text::{baseline, contract_finished, rerun_reason};
use crate::report::run::evidence::first_names;
use crate::report::run::short_text::{SHOWN, one_line, short_commit, short_value};
use crate::report::run::totals::NOTHING;
use crate::report::step_name::{name_of, role};
use crate::style::{CARE, DIM, ERROR, GOOD, TITLE, escape_file_name, paint, sanitize};

/// The text for an event; most events have none.
pub(crate) fn text(run: &Run, recorded: &RecordedEvent) -> Option<String> {
    let text = match &recorded.event {
        Event::StepStarted { step } => {
            format!("{} {}", paint(DIM, "▸"), paint(TITLE, name_of(run, step)))
        }
        Event::BaselineFinished {
            step,
            verdict,
            observed,
        } => {
            let again = rerun_reason(run, step, observed);
            let text = again.unwrap_or_else(|| baseline(*verdict, observed));
            format!("  {}", paint(DIM, text))
        }
        Event::AttemptStarted { step, attempt, .. } if is_agent(run, step) => {
            format!(
                "  {}",
                paint(
                    DIM,
                    format!("attempt {attempt}: {} at work", role_of(run, step))
                )
            )
        }
        Event::WorkFinished {
            ended,
            output,
            step,
            attempt,
            ..
        } => {
            let log = log_of(run, step, *attempt);
            work_finished(&ended.to_string(), ended.succeeded(), &output.text, &log)
        }
        Event::ContractFinished {
            verdict,
            unmet,
            observed,
            step,
            ..
        } => {
            let text = match rerun_reason(run, step, observed) {
                Some(again) => format!("  {} {again}", paint(CARE, "?")),
                None => contract_finished(*verdict, unmet, observed),
            };
            if is_over(run, step) {
                format!(
                    "  at the end, {}: {}",
                    name_of(run, step),
                    text.trim_start()
                )
            } else {
                text
            }
        }
        Event::Expanded { items, .. } => {
            format!("  {}", paint(DIM, format!("{} items", items.len())))
        }
        Event::CallStarted { call, .. } => {
            let what = format!(
                "calling {} {}",
                sanitize(&call.tool),
                short_value(&call.args)
            );
            format!("  {}", paint(DIM, what))
        }
        Event::CallFinished { end, .. } => call_finished(end),
        Event::StepRetried { step, by, .. } => {
            format!(
                "  {} `{step}` is tried again, as {by} asked",
                paint(CARE, "↻")
            )
        }
        Event::PauseRequested { reason, by } => pause_requested(*reason, by),
        Event::RetryScheduled {
            counted: true,
            step,
            ..
        } if !is_agent(run, step) => {
            format!("  {} trying again", paint(CARE, "↻"))
        }
        Event::RetryScheduled { counted: true, .. } => format!(
            "  {} trying again, with that in its prompt",
            paint(CARE, "↻")
        ),
        Event::RetryScheduled { reason, .. } => {
            format!("  {} starting over: {}", paint(CARE, "↻"), one_line(reason))
        }
        Event::AttemptInterrupted { attempt, .. } => {
            format!("  {} attempt {attempt} was interrupted", paint(CARE, "!"))
        }
        Event::StepCompleted { step, .. } if has_nothing_to_do(run, step) => {
            format!("  {} {}", paint(DIM, "–"), NOTHING.1)
        }
        Event::StepCompleted {
            evidence, facts, ..
        } => step_completed(*evidence, facts),
        Event::StepConfirmed {
            evidence, facts, ..
        } => format!(
            "  at the end, without what earlier contracts built: {}",
            grade_with_facts(*evidence, facts)
        ),
        Event::StepProvisional { .. } => format!(
            "  {} no contract: the run continues, and a person decides at the end",
            paint(CARE, "?")
        ),
        Event::StepFailed { step, reason, .. } => {
            let reason = one_line(reason);
            format!("  {} `{step}` failed: {reason}", paint(ERROR, "✗"))
        }
        Event::StepSkipped { step, reason, .. } => {
            let reason = one_line(reason);
            format!("  {} `{step}` skipped: {reason}", paint(CARE, "–"))
        }
        Event::StepBlocked { step, by } => {
            format!("  {} `{step}` blocked by `{by}`", paint(CARE, "–"))
        }
        Event::InboxOpened { item, question, .. } => {
            let open = run.items().find(|open| open.id == *item);
            let words = open
                .map(signoff_engine::InboxItem::words)
                .unwrap_or_default();
            format!(
                "  {} {}\n    answer `{}/{item}` with {}",
                paint(CARE, "?"),
                sanitize(question),
                run.id(),
                sanitize(&words.join(", "))
            )
        }
        Event::InboxAnswered {
            item,
            choice,
            note,
            by,
            ..
        } => {
            let answer = answer(*choice, note.as_deref());
            format!("  {} {by} answered `{item}`: {answer}", paint(DIM, "·"))
        }
        Event::RunResumed { reopened, .. } => paint(
            DIM,
            if *reopened {
                "retrying the failed steps"
            } else {
                "continuing"
            },
        )
        .to_string(),
        Event::PlanReplanned { kept, reset, .. } => plan_replanned(run, kept, reset),
        Event::MergeConflicted { files, text, .. } => {
            format!("  {} {}", paint(CARE, "✗"), conflict(files, text))
        }
        // A step that lands at once is reported by its files.
        Event::Merged { .. } if run.lands_files() => return None,
        Event::Merged { commit, .. } => {
            let what = format!("merged as {}", short_commit(commit));
            format!("  {}", paint(DIM, what))
        }
        Event::CheckoutJoined {
            files,
            conflicts,
            deleted,
            ..
        } => return checkout_joined(files, deleted, conflicts),
        Event::FilesLanded { files, held, .. } => return files_landed(files, held),
        Event::RunLanded { commit, .. } => {
            format!("landed as {}", short_commit(commit))
        }
        Event::RunUndone { by } => format!("undone by {by}"),
        Event::RunPaused { reason } => run_paused(*reason),
        Event::RunFinished { outcome } => run_finished(*outcome),
        Event::RunStarted { .. }
        | Event::ConditionHeld { .. }
        | Event::BaselineStarted { .. }
        | Event::AttemptStarted { .. }
        | Event::WorkItem { .. }
        | Event::ProcessStarted { .. }
        | Event::BudgetReserved { .. }
        | Event::BudgetSpent { .. }
        | Event::BudgetExceeded { .. }
        | Event::TreePrepared { .. }
        | Event::CandidateStarted { .. }
        | Event::CandidateBuilt { .. }
        | Event::MergeStarted { .. }
        | Event::LandingStarted { .. }
        | Event::ContractStarted { .. }
        | Event::StepWaiting { .. } => return None,
    };
    Some(text)
}

/// Why the work could not be merged.
pub(crate) fn conflict(files: &[String], text: &str) -> String {
    if files.is_empty() {
        return one_line(text);
    }
    let files = sanitize(&first_names(files));
    format!("conflict with what was merged meanwhile: {files}")
}

/// An answer with its note.
pub(crate) fn answer(choice: Choice, note: Option<&str>) -> String {
    let said = note.map(str::trim).filter(|note| !note.is_empty());
    let said = said.map(|note| cut(&sanitize(note), SHOWN));
    match (choice, said) {
        (Choice::Reply, Some(said)) => format!("`{said}`"),
        (choice, Some(said)) => format!("{} ({said})", choice.name()),
        (choice, None) => choice.name().to_owned(),
    }
}

/// Is it a loop over nothing?
pub(crate) fn has_nothing_to_do(run: &Run, id: &str) -> bool {
    run.position(id).is_some_and(|at| run.is_empty_loop(at))
}

fn call_finished(end: &CallEnd) -> String {
    match end {
        CallEnd::Done(value) => {
            let result = format!("result: {}", short_value(value));
            format!("  {}", paint(DIM, result))
        }
        CallEnd::Failed { message, .. } => {
            format!(
                "  {} the call failed: {}",
                paint(ERROR, "✗"),
                one_line(message)
            )
        }
    }
}

fn plan_replanned(run: &Run, kept: &[String], reset: &[String]) -> String {
    let listed = |ids: &[String]| match ids {
        [] => "nothing".to_owned(),
        ids => format!("`{}`", sanitize(&ids.join("`, `"))),
    };
    let digest = run.signed().digest().short();
    let text = format!(
        "new version of the plan, digest {digest}: {} stays done, {} starts over",
        listed(kept),
        listed(reset)
    );
    paint(CARE, text).to_string()
}

fn pause_requested(reason: PauseReason, by: &str) -> String {
    let why = match reason {
        PauseReason::Changed => "the plan or its terms have changed".to_owned(),
        _ => format!("{} asked for a pause", sanitize(by)),
    };
    paint(CARE, format!("{why}: nothing new starts")).to_string()
}

fn step<'a>(run: &'a Run, id: &str) -> Option<&'a signoff_plan::model::Step> {
    Some(run.step(run.position(id)?)?.0)
}

fn role_of(run: &Run, id: &str) -> String {
    step(run, id).map_or_else(String::new, |step| sanitize(role(step)))
}

/// The path of an agent's output.
pub(crate) fn log_of(run: &Run, step: &str, attempt: u32) -> String {
    let dir = RunDir::seen_from_workspace(run.id()).attempt(step, attempt);
    dir.agent_log().display().to_string()
}

/// Had the step ended before its contract ran once more?
pub(crate) fn is_over(run: &Run, id: &str) -> bool {
    let step = run.position(id).and_then(|at| run.step(at));
    step.is_some_and(|(_, state)| state.stage == Stage::Ended)
}

fn is_agent(run: &Run, id: &str) -> bool {
    step(run, id).is_some_and(|step| matches!(step.work, signoff_plan::model::Work::Agent { .. }))
}

fn work_finished(ended: &str, well: bool, text: &str, log: &str) -> String {
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    match (well, last) {
        (true, Some(last)) => format!("  {} {}", paint(DIM, "agent says:"), sanitize(last)),
        (true, None) => format!("  {}", paint(DIM, "the agent ended without a message")),
        (false, _) => format!(
            "  {} the agent ended: {ended} {}",
            paint(CARE, "!"),
            paint(DIM, format!("(its output: {log})"))
        ),
    }
}

fn step_completed(evidence: Grade, facts: &EvidenceFacts) -> String {
    format!(
        "  {} {}",
        paint(GOOD, "done:"),
        grade_with_facts(evidence, facts)
    )
}

/// A grade with its facts.
fn grade_with_facts(evidence: Grade, facts: &EvidenceFacts) -> String {
    let qualifiers = crate::report::run::evidence::facts(facts);
    let tail = if qualifiers.is_empty() {
        String::new()
    } else {
        format!(" ({qualifiers})")
    };
    format!("{}{tail}", crate::report::run::evidence::grade(evidence))
}

fn run_paused(reason: PauseReason) -> String {
    match reason {
        PauseReason::Waiting => paint(CARE, "waiting on a person").to_string(),
        PauseReason::Interrupted => paint(CARE, "stopped").to_string(),
        PauseReason::Changed => paint(
            CARE,
            "stopped: the plan or its terms no longer match the signature",
        )
        .to_string(),
        PauseReason::Requested => paint(CARE, "paused").to_string(),
        PauseReason::Limited => paint(CARE, "paused at the requested step").to_string(),
    }
}

fn run_finished(outcome: Outcome) -> String {
    match outcome {
        Outcome::Completed => paint(GOOD, "completed").to_string(),
        Outcome::Partial => paint(CARE, "partly completed").to_string(),
        Outcome::Failed => paint(ERROR, "failed").to_string(),
    }
}

/// The changes that a person made in the checkout during the run.
fn checkout_joined(files: &[String], deleted: &[String], conflicts: &[String]) -> Option<String> {
    let mut lines = Vec::new();
    if !files.is_empty() {
        let name = |file: &String| {
            if deleted.contains(file) {
                format!("deleted {file}")
            } else {
                file.clone()
            }
        };
        let names: Vec<String> = files.iter().map(name).collect();
        let text = format!("your changes joined: {}", first_names(&names));
        lines.push(paint(DIM, text).to_string());
    }
    if !conflicts.is_empty() {
        let both = format!(
            "both you and the run changed these files, and each keeps its own version: {}",
            first_names(conflicts)
        );
        lines.push(format!("{} {both}", paint(CARE, "!")));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn files_landed(files: &[String], held: &[String]) -> Option<String> {
    let mut lines = Vec::new();
    if !files.is_empty() {
        let text = format!("  landed {}", first_names(files));
        lines.push(paint(DIM, text).to_string());
    }
    lines.extend(
        held.iter()
            .map(|why| format!("  {} held: {}", paint(CARE, "!"), escape_file_name(why))),
    );
    (!lines.is_empty()).then(|| lines.join("\n"))
}

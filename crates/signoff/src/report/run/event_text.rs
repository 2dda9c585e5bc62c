//! The text of each event that a person should see.

use std::fmt::Display;

use anstyle::Style;
use signoff_engine::{
    AgentReport, CallEnd, Choice, Event, EvidenceFacts, Grade, InboxItem, ModelAnswer, ModelTask,
    Observation, Outcome, PauseReason, PlanDraft, RecordedEvent, Remark, RoleDecision, Run, Stage,
    TokenUsage, ToolCall, Verdict, work_failure,
};
use signoff_runtime::timestamp;
use signoff_store::runs::RunDir;

use crate::report::columns::truncate;
use crate::report::run::contract_text::{baseline, contract_finished, may_be_kept, rerun_reason};
use crate::report::run::evidence::first_names;
use crate::report::run::short_text::{SHOWN, one_line, short_commit, short_value};
use crate::report::run::totals::NOTHING;
use crate::report::step_name::{DEFAULT_ROLE, name_of};
use crate::style::{CARE, DIM, ERROR, GOOD, TITLE, escape_file_name, paint, sanitize};

/// What is said of a step that a person has to accept at the end.
pub(crate) const PROVISIONAL: &str =
    "no contract: the run continues, and a person decides at the end";

/// The text for an event; most events have none.
pub(crate) fn event_text(run: &Run, recorded: &RecordedEvent) -> Option<String> {
    Some(match &recorded.event {
        Event::StepStarted { step } => {
            format!("{} {}", paint(DIM, "▸"), paint(TITLE, name_of(run, step)))
        }
        Event::BaselineFinished {
            step,
            verdict,
            observed,
        } => {
            let again = rerun_reason(run, step, observed);
            let holds = *verdict == Verdict::Pass && may_be_kept(run, step);
            let again = again.or_else(|| holds.then(|| "its contract still holds".to_owned()));
            dim_line(again.unwrap_or_else(|| baseline(*verdict, observed)))
        }
        Event::AttemptStarted { step, attempt, .. } if is_agent(run, step) => {
            dim_line(format!("attempt {attempt}: {} at work", role_of(run, step)))
        }
        Event::WorkFinished {
            ended,
            output,
            step,
            attempt,
            report,
            ..
        } => {
            let failure = work_failure(ended, report.as_deref());
            let log = log_of(run, step, *attempt);
            let text = work_finished(
                failure.as_deref().map(sanitize).as_deref(),
                &output.text,
                &log,
            );
            text + &usage_suffix(report.as_deref())
        }
        Event::ContractFinished {
            verdict,
            unmet,
            observed,
            step,
            ..
        } => contract_text(run, step, *verdict, unmet, observed),
        Event::Expanded { items, .. } => dim_line(format!("{} items", items.len())),
        Event::CallStarted { call, .. } => call_started(call),
        Event::CallFinished { end, .. } => call_finished(end),
        Event::AgentCallStarted { call, .. } => agent_call_started(call),
        Event::AgentCallFinished { end, .. } => return agent_call_finished(end),
        Event::StepRetried { step, by, .. } => {
            step_line(CARE, "↻", format!("`{step}` is tried again, as {by} asked"))
        }
        Event::ReplanRequested {
            step, because, by, ..
        } => {
            let because = one_line(because);
            let text = format!("`{step}`: {by} wants a new version of the plan: {because}");
            step_line(CARE, "↻", text)
        }
        Event::VersionHandedIn { draft, by, .. } => handed_in(draft, by),
        Event::ReplanDropped { reason, .. } => step_line(
            CARE,
            "–",
            format!("no new version of the plan: {}", one_line(reason)),
        ),
        Event::RecoveryRequested { because, .. } => step_line(
            CARE,
            "↻",
            format!("{}; a model is asked how to go on", one_line(because)),
        ),
        Event::ModelAsked { task, .. } => dim_line(asking_text(*task)),
        Event::ModelAnswered {
            answer,
            refused,
            by,
            ..
        } => model_answered(answer, refused.as_deref(), by),
        Event::PauseRequested { reason, by } => pause_requested(*reason, by),
        Event::LockAwaited {
            step,
            lock,
            held_by,
        } => {
            let text = format!("`{step}` waits for the lock `{lock}`, held by {held_by}");
            step_line(CARE, "·", text)
        }
        Event::DayLimitReached { .. } => day_limit(run),
        Event::RetryScheduled {
            counted,
            step,
            reason,
            ..
        } => retry_scheduled(is_agent(run, step), *counted, reason),
        Event::AttemptInterrupted { attempt, .. } => {
            step_line(CARE, "!", format!("attempt {attempt} was interrupted"))
        }
        Event::StepCompleted { step, .. } if has_nothing_to_do(run, step) => {
            step_line(DIM, "–", NOTHING.1)
        }
        Event::StepCompleted {
            evidence, facts, ..
        } => step_completed(*evidence, facts),
        Event::StepConfirmed {
            evidence, facts, ..
        } => step_confirmed(*evidence, facts),
        Event::StepProvisional { .. } => step_line(CARE, "?", PROVISIONAL),
        Event::StepFailed { step, reason, .. } => {
            step_line(ERROR, "✗", format!("`{step}` failed: {}", one_line(reason)))
        }
        Event::StepSkipped { step, reason, .. } => {
            step_line(CARE, "–", format!("`{step}` skipped: {}", one_line(reason)))
        }
        Event::StepBlocked { step, by } => {
            step_line(CARE, "–", format!("`{step}` blocked by `{by}`"))
        }
        Event::InboxOpened { item, question, .. } => inbox_opened(run, item, question),
        Event::InboxAnswered {
            item,
            choice,
            note,
            by,
            ..
        } => {
            let answer = answer(*choice, note.as_deref());
            step_line(DIM, "·", format!("{by} answered `{item}`: {answer}"))
        }
        Event::RunResumed { reopened: true, .. } => {
            paint(DIM, "retrying the failed steps").to_string()
        }
        Event::RunResumed { .. } => paint(DIM, "continuing").to_string(),
        Event::PlanReplanned { kept, reset, .. } => plan_replanned(run, kept, reset),
        Event::MergeConflicted { files, text, .. } => step_line(CARE, "✗", conflict(files, text)),
        // A step that lands at once is reported by its files.
        Event::Merged { .. } if run.lands_files() => return None,
        Event::Merged { commit, .. } => dim_line(format!("merged as {}", short_commit(commit))),
        Event::CheckoutJoined {
            files,
            conflicts,
            deleted,
            ..
        } => return checkout_joined(files, deleted, conflicts),
        Event::FilesLanded { files, held, .. } => return files_landed(files, held),
        Event::RunLanded { commit, .. } => format!("landed as {}", short_commit(commit)),
        Event::RunUndone { by } => format!("undone by {by}"),
        Event::RunPaused { reason, trouble } => run_paused(*reason, trouble.as_deref()),
        Event::RunFinished { outcome } => run_finished(*outcome),
        Event::RunStarted { .. }
        | Event::PlanningSpent { .. }
        | Event::LockFreed { .. }
        | Event::EarlierStep { .. }
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
    })
}

fn day_limit(run: &Run) -> String {
    // The event has just made it so.
    let (used, until) = run.day_limit(0).map_or_else(Default::default, |day| {
        (day.used_text(), timestamp(day.until))
    });
    step_line(
        CARE,
        "·",
        format!("{used}: no agent is started before {until}"),
    )
}

/// What a model is asked, while it is asked.
pub(crate) fn asking_text(task: ModelTask) -> &'static str {
    match task {
        ModelTask::Replan => "a planner drafts a new version of the plan",
        ModelTask::Recovery => "a model decides how to go on",
        ModelTask::Role => "the arbiter chooses who does it",
        ModelTask::Review => "a reviewer reads the work",
    }
}

fn handed_in(draft: &PlanDraft, by: &str) -> String {
    let text = format!(
        "{} handed in `{}`:{}",
        sanitize(by),
        sanitize(&draft.plan),
        change_lines(draft)
    );
    step_line(CARE, "↻", text)
}

fn change_lines(draft: &PlanDraft) -> String {
    let changes = draft.changes.iter();
    let lines: Vec<String> = changes
        .map(|change| format!("\n      {}", sanitize(change)))
        .collect();
    lines.concat()
}

fn model_answered(answer: &ModelAnswer, refused: Option<&str>, by: &str) -> String {
    let text = match answer {
        ModelAnswer::Draft(draft) => {
            let changes = change_lines(draft);
            format!("{by} drafted `{}`:{changes}", sanitize(&draft.plan))
        }
        ModelAnswer::Recovery(decision) => {
            let reason = one_line(decision.reason());
            format!("{by} decides: {} ({reason})", decision.name())
        }
        ModelAnswer::Role(RoleDecision::Select { role, reason }) => {
            format!("{by} chooses `{}`: {}", sanitize(role), one_line(reason))
        }
        ModelAnswer::Role(RoleDecision::Complete { .. }) => {
            format!("{by} thinks that the task is done; only contracts decide that")
        }
        ModelAnswer::Role(RoleDecision::Continue { .. } | RoleDecision::Retry { .. }) => {
            format!("{by} leaves the role as it is")
        }
        ModelAnswer::Review(remarks) => {
            let remarks: Vec<String> = remarks.iter().map(remark_line).collect();
            if remarks.is_empty() {
                format!("{by} has nothing to remark on it")
            } else {
                format!("{by} remarks (advice only):{}", remarks.concat())
            }
        }
        ModelAnswer::Nothing(why) => format!("no usable answer from {by}: {}", one_line(why)),
    };
    match refused {
        Some(why) => step_line(
            CARE,
            "✗",
            format!("{text}; not followed: {}", one_line(why)),
        ),
        None => step_line(DIM, "·", text),
    }
}

fn remark_line(remark: &Remark) -> String {
    let file = remark.file.as_deref().map(one_line);
    let file = file.map_or_else(String::new, |file| format!(" {file}:"));
    let (severity, text) = (remark.severity.name(), one_line(&remark.text));
    format!("\n      {severity}:{file} {text}")
}

/// A line below the step's name, with a sign.
fn step_line(style: Style, sign: &str, text: impl Display) -> String {
    format!("  {} {text}", paint(style, sign))
}

/// The same for what matters less.
fn dim_line(text: impl Display) -> String {
    format!("  {}", paint(DIM, text))
}

fn contract_text(
    run: &Run,
    step: &str,
    verdict: Verdict,
    unmet: &[String],
    observed: &Observation,
) -> String {
    let text = match rerun_reason(run, step, observed) {
        Some(again) => step_line(CARE, "?", again),
        None => contract_finished(verdict, unmet, observed),
    };
    if is_over(run, step) {
        let name = name_of(run, step);
        format!("  at the end, {name}: {}", text.trim_start())
    } else {
        text
    }
}

fn call_started(call: &ToolCall) -> String {
    let tool = sanitize(&call.tool);
    dim_line(format!("calling {tool} {}", short_value(&call.args)))
}

fn agent_call_started(call: &ToolCall) -> String {
    let tool = sanitize(&call.tool);
    dim_line(format!(
        "its agent calls {tool} {}",
        short_value(&call.args)
    ))
}

fn agent_call_finished(end: &CallEnd) -> Option<String> {
    match end {
        CallEnd::Done(_) => None,
        CallEnd::Failed { message, .. } => {
            Some(dim_line(format!("that call failed: {}", one_line(message))))
        }
    }
}

fn retry_scheduled(is_agent: bool, counted: bool, reason: &str) -> String {
    match (counted, is_agent) {
        (true, false) => step_line(CARE, "↻", "trying again"),
        (true, true) => step_line(CARE, "↻", "trying again, with that in its prompt"),
        (false, _) => step_line(CARE, "↻", format!("starting over: {}", one_line(reason))),
    }
}

fn step_confirmed(evidence: Grade, facts: &EvidenceFacts) -> String {
    let grade = grade_with_facts(evidence, facts);
    format!("  at the end, without what earlier contracts built: {grade}")
}

fn inbox_opened(run: &Run, item: &str, question: &str) -> String {
    let open = run.items().find(|open| open.id == *item);
    let words = open.map(InboxItem::answer_words).unwrap_or_default();
    format!(
        "{}\n    answer `{}/{item}` with {}",
        step_line(CARE, "?", sanitize(question)),
        run.id(),
        sanitize(&words.join(", "))
    )
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
    let said = said.map(|note| truncate(&sanitize(note), SHOWN));
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
    let digest = run.signed_plan().digest().short();
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
    let role = run.position(id).and_then(|at| run.role_of(at));
    sanitize(role.unwrap_or(DEFAULT_ROLE))
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

/// What an agent used, after what is said of its end.
fn usage_suffix(report: Option<&AgentReport>) -> String {
    let used = report.map(TokenUsage::of).filter(TokenUsage::is_counted);
    used.map_or_else(String::new, |used| {
        format!(" {}", paint(DIM, format!("({used})")))
    })
}

fn work_finished(failure: Option<&str>, text: &str, log: &str) -> String {
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    match (failure, last) {
        (None, Some(last)) => format!("  {} {}", paint(DIM, "agent says:"), sanitize(last)),
        (None, None) => format!("  {}", paint(DIM, "the agent ended without a message")),
        (Some(failure), _) => format!(
            "  {} {failure} {}",
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

fn run_paused(reason: PauseReason, trouble: Option<&str>) -> String {
    match reason {
        PauseReason::Trouble => {
            let why = one_line(trouble.unwrap_or("the harness was in trouble"));
            paint(CARE, format!("stopped: {why}")).to_string()
        }
        PauseReason::Waiting => paint(CARE, "waiting on a person").to_string(),
        PauseReason::Interrupted => paint(CARE, "stopped").to_string(),
        PauseReason::Changed => paint(
            CARE,
            "stopped: the plan or its terms no longer match the signature",
        )
        .to_string(),
        PauseReason::Requested => paint(CARE, "paused").to_string(),
        PauseReason::Replanned => paint(DIM, "the new version of the plan is signed").to_string(),
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

//! One line for each event that a person wants to hear of.

use signoff_engine::{CallEnd, Event, Facts, Grade, Outcome, PauseReason, Recorded, Run, Verdict};

use crate::report::style::{CARE, DIM, ERROR, GOOD, TITLE, harmless, paint};

/// The line for an event; most events have none.
pub(crate) fn line(run: &Run, recorded: &Recorded) -> Option<String> {
    let text = match &recorded.event {
        Event::StepStarted { step } => {
            format!("{} {}", paint(DIM, "▸"), paint(TITLE, title(run, step)))
        }
        Event::BaselineFinished { verdict, .. } => format!("  {}", paint(DIM, baseline(*verdict))),
        Event::AttemptStarted { step, attempt } if is_agent(run, step) => {
            format!(
                "  {}",
                paint(
                    DIM,
                    format!("attempt {attempt}: {} at work", role(run, step))
                )
            )
        }
        Event::WorkFinished {
            ended,
            text,
            step,
            attempt,
            ..
        } => {
            let log = format!(
                ".signoff/runs/{}/steps/{step}/{attempt}/agent.log",
                run.id()
            );
            said(&ended.to_string(), ended.succeeded(), text, &log)
        }
        Event::ContractFinished {
            verdict,
            unmet,
            observed,
            ..
        } => contract(*verdict, unmet, &observed.stderr),
        Event::Expanded { items, .. } => {
            format!("  {}", paint(DIM, format!("{} items", items.len())))
        }
        Event::CallStarted { call, .. } => {
            let call = format!("calling {} {}", call.tool, short(&call.args.to_string()));
            format!("  {}", paint(DIM, harmless(&call)))
        }
        Event::CallFinished { end, .. } => called(end),
        Event::StepRetried { step, by, .. } => {
            format!("  {} `{step}` is tried again, says {by}", paint(CARE, "↻"))
        }
        Event::PauseRequested { reason, by } => pausing(reason, by),
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
            format!("  {} starting over: {reason}", paint(CARE, "↻"))
        }
        Event::AttemptInterrupted { attempt, .. } => {
            format!("  {} attempt {attempt} was cut off", paint(CARE, "!"))
        }
        Event::StepCompleted {
            evidence, facts, ..
        } => completed(*evidence, facts),
        Event::StepProvisional { .. } => format!(
            "  {} no contract: going on, and a person decides at the end",
            paint(CARE, "?")
        ),
        Event::StepFailed { step, reason, .. } => {
            format!("  {} `{step}` failed: {reason}", paint(ERROR, "✗"))
        }
        Event::StepSkipped { step, reason, .. } => {
            format!("  {} `{step}` skipped: {reason}", paint(CARE, "–"))
        }
        Event::StepBlocked { step, by } => {
            format!("  {} `{step}` blocked by `{by}`", paint(CARE, "–"))
        }
        Event::InboxOpened { item, question, .. } => {
            let open = run.items().find(|open| open.id == *item);
            let words = open.map(signoff_engine::Item::words).unwrap_or_default();
            format!(
                "  {} {}\n    answer `{}/{item}` with {}",
                paint(CARE, "?"),
                harmless(question),
                run.id(),
                harmless(&words.join(", "))
            )
        }
        Event::InboxAnswered {
            item, choice, by, ..
        } => format!(
            "  {} {by} answered `{item}`: {}",
            paint(DIM, "·"),
            choice.name()
        ),
        Event::RunResumed { reopened, .. } => paint(
            DIM,
            if *reopened {
                "failed steps run again"
            } else {
                "going on"
            },
        )
        .to_string(),
        Event::PlanReplanned { kept, reset, .. } => replanned(run, kept, reset),
        Event::RunPaused { reason } => paused(reason),
        Event::RunFinished { outcome } => finished(*outcome),
        Event::RunStarted { .. }
        | Event::ConditionHeld { .. }
        | Event::BaselineStarted { .. }
        | Event::AttemptStarted { .. }
        | Event::WorkItem { .. }
        | Event::ProcessStarted { .. }
        | Event::BudgetReserved { .. }
        | Event::BudgetSpent { .. }
        | Event::BudgetExceeded { .. }
        | Event::ContractStarted { .. }
        | Event::StepWaiting { .. } => return None,
    };
    Some(text)
}

/// The beginning of a long text.
fn short(text: &str) -> String {
    const SHOWN: usize = 100;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn called(end: &CallEnd) -> String {
    match end {
        CallEnd::Done(value) => {
            let result = format!("result: {}", short(&value.to_string()));
            format!("  {}", paint(DIM, harmless(&result)))
        }
        CallEnd::Failed { message, .. } => {
            format!(
                "  {} the call failed: {}",
                paint(ERROR, "✗"),
                harmless(message)
            )
        }
    }
}

fn replanned(run: &Run, kept: &[String], reset: &[String]) -> String {
    let listed = |ids: &[String]| match ids {
        [] => "nothing".to_owned(),
        ids => format!("`{}`", harmless(&ids.join("`, `"))),
    };
    let digest = run.signed().digest().short();
    let text = format!(
        "another version of the plan, digest {digest}: {} stays done, {} starts over",
        listed(kept),
        listed(reset)
    );
    paint(CARE, text).to_string()
}

fn pausing(reason: &PauseReason, by: &str) -> String {
    let why = match reason {
        PauseReason::Changed => "the plan or its terms have changed".to_owned(),
        _ => format!("{} asked for a pause", harmless(by)),
    };
    paint(CARE, format!("{why}: nothing new starts")).to_string()
}

fn step<'a>(run: &'a Run, id: &str) -> Option<&'a signoff_plan::model::Step> {
    Some(run.step(run.position(id)?)?.0)
}

fn title(run: &Run, id: &str) -> String {
    step(run, id).map_or_else(
        || id.to_owned(),
        |step| format!("{}. {}", step.number, harmless(&step.title)),
    )
}

fn role(run: &Run, id: &str) -> String {
    match step(run, id).map(|step| &step.work) {
        Some(signoff_plan::model::Work::Agent {
            role: Some(role), ..
        }) => role.clone(),
        _ => "default".to_owned(),
    }
}

fn is_agent(run: &Run, id: &str) -> bool {
    step(run, id).is_some_and(|step| matches!(step.work, signoff_plan::model::Work::Agent { .. }))
}

fn baseline(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fail => "contract before the work: red, as it should be",
        Verdict::Pass => "contract before the work: already green, so it can prove nothing",
        Verdict::Inconclusive => "contract before the work: no answer",
    }
}

fn said(ended: &str, well: bool, text: &str, log: &str) -> String {
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    match (well, last) {
        (true, Some(last)) => format!("  {} {}", paint(DIM, "agent says:"), harmless(last)),
        (true, None) => format!("  {}", paint(DIM, "the agent ended without a word")),
        (false, _) => format!(
            "  {} the agent ended: {ended} {}",
            paint(CARE, "!"),
            paint(DIM, format!("(its output: {log})"))
        ),
    }
}

fn contract(verdict: Verdict, unmet: &[String], stderr: &str) -> String {
    match verdict {
        Verdict::Pass => format!("  {} contract holds", paint(GOOD, "✓")),
        Verdict::Inconclusive => format!(
            "  {} contract gave no answer: {}",
            paint(CARE, "?"),
            unmet.join("; ")
        ),
        Verdict::Fail => {
            let mut text = format!(
                "  {} contract does not hold: {}",
                paint(ERROR, "✗"),
                unmet.join("; ")
            );
            let lines: Vec<&str> = stderr
                .lines()
                .filter(|line| !line.trim().is_empty())
                .collect();
            for last in lines.iter().skip(lines.len().saturating_sub(3)) {
                text.push_str("\n    ");
                text.push_str(&paint(DIM, harmless(last)).to_string());
            }
            text
        }
    }
}

fn completed(evidence: Grade, facts: &Facts) -> String {
    let qualifiers = crate::report::evidence::facts(facts);
    let tail = if qualifiers.is_empty() {
        String::new()
    } else {
        format!(" ({qualifiers})")
    };
    format!(
        "  {} {}{tail}",
        paint(GOOD, "done:"),
        crate::report::evidence::grade(evidence)
    )
}

fn paused(reason: &PauseReason) -> String {
    match reason {
        PauseReason::Waiting => paint(CARE, "waiting on a person").to_string(),
        PauseReason::Interrupted => paint(CARE, "stopped").to_string(),
        PauseReason::Changed => paint(
            CARE,
            "stopped: the plan or its terms are not what was signed",
        )
        .to_string(),
        PauseReason::Requested => paint(CARE, "paused").to_string(),
        PauseReason::Limited => paint(CARE, "as far as it was to go").to_string(),
    }
}

fn finished(outcome: Outcome) -> String {
    match outcome {
        Outcome::Completed => paint(GOOD, "completed").to_string(),
        Outcome::Partial => paint(CARE, "completed in part").to_string(),
        Outcome::Failed => paint(ERROR, "failed").to_string(),
    }
}

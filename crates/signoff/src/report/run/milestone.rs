//! The lines that stay in the scrollback of a terminal. The live lines show the rest, so a successful step leaves only
//! a line or two with its evidence.

use std::fmt::Display;

use anstyle::Style;
use signoff_engine::{
    Event, EvidenceFacts, Grade, Observation, RecordedEvent, Run, StepState, TokenUsage, Verdict,
    work_failure,
};
use signoff_plan::model::Work;

use crate::report::columns::truncate;
use crate::report::run::contract_text::{
    complaint, last_words, may_be_kept, no_answer, quoted_tail, rerun_reason,
};
use crate::report::run::event_text::{
    PROVISIONAL, conflict, event_text, has_nothing_to_do, is_over, log_of,
};
use crate::report::run::evidence::{grade, qualified_meaning};
use crate::report::run::short_text::{one_line, short_value};
use crate::report::run::totals::NOTHING;
use crate::report::step_name::name_of;
use crate::report::time::short_duration;
use crate::style::{CARE, DIM, ERROR, GOOD, TITLE, paint, sanitize};

/// Columns of a step's name.
const NAMED: usize = 40;

/// The text for an event; most events have none.
pub(crate) fn milestone(run: &Run, recorded: &RecordedEvent) -> Option<String> {
    let event = &recorded.event;
    let said = match event {
        Event::BaselineFinished {
            step,
            verdict,
            observed,
        } => match rerun_reason(run, step, observed) {
            Some(again) => with_sign(CARE, "?", again),
            // What follows from that comes at once.
            None if *verdict == Verdict::Pass && may_be_kept(run, step) => return None,
            None => baseline_text(*verdict, observed)?,
        },
        Event::WorkFinished {
            ended,
            attempt,
            step,
            report,
            ..
        } => {
            let failure = work_failure(ended, report.as_deref())?;
            agent_failure(&sanitize(&failure), &log_of(run, step, *attempt))
        }
        Event::ContractFinished {
            verdict,
            unmet,
            observed,
            attempt,
            step,
        } => contract_text(run, step, *attempt, *verdict, unmet, observed)?,
        Event::RetryScheduled {
            counted: false,
            reason,
            ..
        } => with_sign(CARE, "↻", format!("starting over: {}", one_line(reason))),
        Event::AttemptInterrupted { attempt, .. } => {
            with_sign(CARE, "!", format!("attempt {attempt} was interrupted"))
        }
        Event::Expanded { items, .. } => with_sign(DIM, "·", format!("{} items", items.len())),
        Event::StepCompleted { step, .. } if has_nothing_to_do(run, step) => {
            with_sign(DIM, "–", NOTHING.1)
        }
        Event::StepCompleted {
            step,
            evidence,
            facts,
            attempts,
        } => return Some(step_completed(run, step, *evidence, facts, *attempts)),
        Event::StepConfirmed {
            step,
            evidence,
            facts,
        } => return Some(step_completed(run, step, *evidence, facts, 1)),
        Event::StepFailed { reason, .. } => {
            with_sign(ERROR, "✗", format!("failed: {}", one_line(reason)))
        }
        Event::StepSkipped { reason, .. } => {
            with_sign(CARE, "–", format!("skipped: {}", one_line(reason)))
        }
        Event::StepBlocked { by, .. } => with_sign(CARE, "–", format!("blocked by `{}`", sanitize(by))),
        Event::StepProvisional { .. } => with_sign(CARE, "?", PROVISIONAL),
        Event::MergeConflicted { files, text, .. } => with_sign(ERROR, "✗", conflict(files, text)),
        Event::StepStarted { .. }
        // Its evidence follows at once.
        | Event::Merged { .. }
        | Event::AttemptStarted { .. }
        | Event::CallStarted { .. }
        | Event::CallFinished { .. }
        | Event::AgentCallStarted { .. }
        | Event::AgentCallFinished { .. }
        | Event::RetryScheduled { counted: true, .. }
        | Event::RunPaused { .. } => return None,
        _ => return event_text(run, recorded),
    };
    let step = event.step().expect("every event above is about a step");
    Some(with_step_name(&truncate(&name_of(run, step), NAMED), &said))
}

/// A text after a sign.
fn with_sign(style: Style, sign: &str, text: impl Display) -> String {
    format!("{} {text}", paint(style, sign))
}

fn contract_text(
    run: &Run,
    step: &str,
    attempt: u32,
    verdict: Verdict,
    unmet: &[String],
    observed: &Observation,
) -> Option<String> {
    let when = if is_over(run, step) {
        "at the end".to_owned()
    } else {
        format!("attempt {attempt}")
    };
    match rerun_reason(run, step, observed) {
        Some(again) => Some(with_sign(CARE, "?", format!("{when}: {again}"))),
        None => contract_failure(verdict, &when, unmet, complaint(observed)),
    }
}

/// Puts the step's name after the sign.
fn with_step_name(name: &str, said: &str) -> String {
    let (sign, rest) = said.split_once(' ').unwrap_or((said, ""));
    format!("{sign} {}  {rest}", paint(TITLE, name))
}

/// What to know before an agent costs money: why the contract is red, that it is green, or that it gave no answer.
fn baseline_text(verdict: Verdict, observed: &Observation) -> Option<String> {
    Some(match verdict {
        // What it misses tells whether it is red for the right reason.
        Verdict::Fail => {
            observed.last_words()?;
            with_sign(
                DIM,
                "·",
                format!("red before the work{}", last_words(observed)),
            )
        }
        Verdict::Pass => format!(
            "{} contract already green before the work, so it cannot prove anything",
            paint(CARE, "!")
        ),
        Verdict::Inconclusive => format!(
            "{} contract gave no answer before the work: {}",
            paint(CARE, "!"),
            no_answer(observed)
        ),
    })
}

fn agent_failure(failure: &str, log: &str) -> String {
    let log = paint(DIM, format!("(its output: {log})"));
    format!("{} {failure} {log}", paint(CARE, "!"))
}

fn contract_failure(
    verdict: Verdict,
    when: &str,
    unmet: &[String],
    stderr: &str,
) -> Option<String> {
    let unmet = one_line(&unmet.join("; "));
    Some(match verdict {
        Verdict::Pass => return None,
        Verdict::Inconclusive => {
            format!("{} contract gave no answer: {unmet}", paint(CARE, "?"))
        }
        Verdict::Fail => {
            let head = format!(
                "{} {when}: contract does not hold: {unmet}",
                paint(ERROR, "✗")
            );
            head + &quoted_tail(stderr)
        }
    })
}

fn step_completed(
    run: &Run,
    id: &str,
    found: Grade,
    facts: &EvidenceFacts,
    attempts: u32,
) -> String {
    let step = run.position(id).and_then(|at| run.step(at));
    let mut aside = qualified_meaning(found, facts);
    if attempts > 1 {
        aside = format!("{aside}; {attempts} attempts");
    }
    if let Some(took) = step.and_then(|(_, state)| state.duration()) {
        aside = format!("{aside}; {}", short_duration(took));
    }
    let used = step.map(|(_, state)| state.usage.total);
    if let Some(used) = used.filter(TokenUsage::is_counted) {
        aside = format!("{aside}; {used}");
    }
    let mut text = format!(
        "{} {}  {} {}",
        paint(GOOD, "✓"),
        paint(TITLE, truncate(&name_of(run, id), NAMED)),
        paint(
            if found == Grade::Proved { GOOD } else { CARE },
            grade(found)
        ),
        paint(DIM, sanitize(&format!("({aside})")))
    );
    if let Some(last) = step.and_then(|(step, state)| last_word(&step.work, state)) {
        text = format!("{text}\n  {}", paint(DIM, last));
    }
    text
}

/// The agent's last message, or the tool's result.
fn last_word(work: &Work, state: &StepState) -> Option<String> {
    match work {
        Work::Agent { .. } => {
            let said = state.history.said.as_deref()?;
            let last = said.lines().rev().find(|line| !line.trim().is_empty())?;
            Some(format!("agent says: {}", sanitize(last)))
        }
        Work::Tool { .. } => {
            let result = state.values.output.as_ref()?;
            Some(format!("result: {}", short_value(result)))
        }
        Work::Ask { .. } | Work::Check => None,
    }
}

#[cfg(test)]
mod tests {
    use signoff_engine::ProcessEnd;

    use super::*;
    use crate::report::run::sample::{
        AGENT, CHECK, apply_events, completed, run, started, work_finished,
    };

    fn said(run: &Run, event: Event) -> Option<String> {
        let recorded = RecordedEvent {
            seq: 9,
            at: 9000,
            event,
        };
        let text = milestone(run, &recorded)?;
        Some(anstream::adapter::strip_str(&text).to_string())
    }

    #[test]
    fn a_step_that_goes_well_leaves_its_evidence() {
        let mut run = run(&[("A \u{7}step", AGENT), ("B", CHECK)]);
        assert_eq!(said(&run, started("step-1")), None);
        let spoken = Event::WorkFinished {
            step: "step-1".to_owned(),
            attempt: 1,
            ended: ProcessEnd::Exited(0),
            output: signoff_engine::AgentOutput {
                text: "thinking\nI made it.\n\n".to_owned(),
            },
            changes: signoff_engine::Changes::default(),
            report: None,
        };
        assert_eq!(said(&run, spoken.clone()), None);
        let done = completed("step-1", Grade::Proved, EvidenceFacts::default());
        apply_events(&mut run, [started("step-1"), spoken, done.clone()]);
        assert_eq!(
            said(&run, done).as_deref(),
            Some("✓ 1. A step  proved (red before, green after; 2.0s)\n  agent says: I made it.")
        );
    }

    #[test]
    fn what_goes_wrong_is_told_at_once_with_its_step() {
        let run = run(&[("A", AGENT)]);
        let step = || "step-1".to_owned();
        let ended = Event::WorkFinished {
            step: step(),
            attempt: 2,
            ended: ProcessEnd::TimedOut,
            output: signoff_engine::AgentOutput::default(),
            changes: signoff_engine::Changes::default(),
            report: None,
        };
        let (reason, by) = ("no\u{1b}pe".to_owned(), "x".to_owned());
        let baseline = |verdict: Verdict, stderr: &str| Event::BaselineFinished {
            step: step(),
            verdict,
            observed: Observation {
                stderr: stderr.to_owned(),
                ..Observation::new(ProcessEnd::Exited(1))
            },
        };
        assert_eq!(said(&run, baseline(Verdict::Fail, "")), None);
        for (event, expected) in [
            (
                baseline(Verdict::Fail, "a\nout is missing\n"),
                "· 1. A  red before the work (out is missing)",
            ),
            (
                baseline(Verdict::Inconclusive, "python3: No module named pytest"),
                "! 1. A  contract gave no answer before the work: exit code 1 (python3: No module named pytest)",
            ),
            (
                ended,
                "! 1. A  the agent ended: time limit reached (its output: .signoff/runs/steps/step-1/2/agent.log)",
            ),
            (
                Event::StepFailed {
                    step: step(),
                    attempts: 1,
                    reason,
                },
                "✗ 1. A  failed: nope",
            ),
            (
                Event::StepBlocked { step: step(), by },
                "– 1. A  blocked by `x`",
            ),
            (
                Event::MergeConflicted {
                    step: step(),
                    attempt: 1,
                    onto: "c1".to_owned(),
                    files: vec!["a.rs".to_owned()],
                    text: String::new(),
                },
                "✗ 1. A  conflict with what was merged meanwhile: a.rs",
            ),
        ] {
            assert_eq!(said(&run, event).as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_an_agent_used_and_reported_is_told() {
        let mut run = run(&[("A", AGENT)]);
        let stopped = work_finished("step-1", ProcessEnd::OverBudget, 14_000, Some(90_000));
        let log = "(its output: .signoff/runs/steps/step-1/1/agent.log)";
        assert_eq!(
            said(&run, stopped.clone()),
            Some(format!(
                "! 1. A  the agent ended: stopped at its budget {log}"
            ))
        );
        let mut login = work_finished("step-1", ProcessEnd::Exited(0), 0, None);
        if let Event::WorkFinished { report, .. } = &mut login {
            let report = report.as_mut().expect("it has a report");
            report.problem = Some("log \u{1b}in".to_owned());
        }
        assert_eq!(
            said(&run, login),
            Some(format!("! 1. A  the agent reported: log in {log}"))
        );
        let recorded = RecordedEvent {
            seq: 1,
            at: 1,
            event: work_finished("step-1", ProcessEnd::Exited(0), 14_000, None),
        };
        let whole = event_text(&run, &recorded).expect("it is told");
        let whole = anstream::adapter::strip_str(&whole).to_string();
        assert_eq!(whole, "  agent says: Done. (14k tokens · cost unknown)");
        let done = completed("step-1", Grade::Proved, EvidenceFacts::default());
        apply_events(&mut run, [started("step-1"), stopped, done.clone()]);
        let told = said(&run, done).expect("it is told");
        assert!(told.contains("; 2.0s; 14k tokens · $0.09)"), "{told}");
    }
}

//! Turns the observation of a contract run into a verdict.

mod missing;
mod observation;
mod overlay_mode;
mod test_counts;

use serde::{Deserialize, Serialize};
use signoff_plan::model::Condition;

pub use self::missing::{HARNESS_NOTE, Missing};
pub use self::observation::{Observation, ProcessEnd, TestsRun};
pub(crate) use self::observation::{readable, tail};
pub use self::overlay_mode::SHARED;
pub(crate) use self::overlay_mode::weaker_mode;
pub(crate) use self::test_counts::{
    count_after, count_before, missing_tests, reasons_for_doubt, red_summary, reported_tests,
};
use crate::Millis;

/// Only `Pass` advances a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Verdict {
    Pass,
    Fail,
    Inconclusive,
}

/// What one run of a contract says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    /// The conditions that did not hold, or why there is no answer.
    pub(crate) unmet: Vec<String>,
}

impl Judgement {
    fn inconclusive(reason: String) -> Self {
        Self {
            verdict: Verdict::Inconclusive,
            unmet: vec![reason],
        }
    }
}

/// What a contract says by itself: it belongs to no run yet.
pub fn contract_verdict(expect: &[Condition], observed: &Observation) -> Verdict {
    judge(expect, observed).verdict
}

/// Judges a contract run after the work.
///
/// Inconclusive only for the harness's own reasons: a command that ran and crashed has failed.
pub(crate) fn judge(expect: &[Condition], observed: &Observation) -> Judgement {
    match (&observed.ended, &observed.void) {
        (ProcessEnd::NotStarted(_), _) | (ProcessEnd::TimedOut | ProcessEnd::OverBudget, None) => {
            Judgement::inconclusive(observed.ended.to_string())
        }
        (_, Some(void)) => Judgement::inconclusive(void.clone()),
        (ProcessEnd::Exited(_) | ProcessEnd::Signaled(_), None) => judge_end(expect, observed),
    }
}

/// Judges a contract whose command ran to its end.
fn judge_end(expect: &[Condition], observed: &Observation) -> Judgement {
    let unmet = expect
        .iter()
        .filter(|condition| !is_met(condition, observed));
    let unmet: Vec<&Condition> = unmet.collect();
    let is_exit_code = |condition: &&Condition| matches!(condition, Condition::ExitCode(_));
    let mut described: Vec<String> = (unmet.iter())
        .map(|condition| describe(condition, observed))
        .collect();
    let verdict = if unmet.is_empty() {
        Verdict::Pass
    } else if observed.cut && !unmet.iter().any(is_exit_code) {
        // The part that was not kept might meet the condition.
        return Judgement::inconclusive("the output is too long to be judged".to_owned());
    } else if !observed.left_out.is_empty() {
        // The left-out files may be the only cause, and that is not the agent's fault.
        described.extend(observed.inconclusive_reason());
        Verdict::Inconclusive
    } else {
        Verdict::Fail
    };
    Judgement {
        verdict,
        unmet: described,
    }
}

/// Judges a contract run before the work. A failure counts only if the command ran to its end: a missing
/// command or a signal says nothing about the work.
pub(crate) fn baseline_verdict(expect: &[Condition], observed: &Observation) -> Verdict {
    match observed.ended {
        ProcessEnd::Exited(126 | 127) | ProcessEnd::Signaled(_) => Verdict::Inconclusive,
        // Unless it holds all the same: it may want the failure.
        ProcessEnd::Exited(_)
            if observed
                .missing_program_or_module()
                .is_some_and(|one| one.is_program()) =>
        {
            match judge(expect, observed).verdict {
                Verdict::Pass => Verdict::Pass,
                Verdict::Fail | Verdict::Inconclusive => Verdict::Inconclusive,
            }
        }
        ProcessEnd::Exited(_)
        | ProcessEnd::TimedOut
        | ProcessEnd::OverBudget
        | ProcessEnd::NotStarted(_) => judge(expect, observed).verdict,
    }
}

fn is_met(condition: &Condition, observed: &Observation) -> bool {
    match condition {
        Condition::ExitCode(code) => observed.ended == ProcessEnd::Exited(*code),
        Condition::StdoutContains(text) => observed.stdout.contains(text),
        Condition::StdoutEquals(text) => {
            observed.stdout.trim_end_matches(['\n', '\r']) == text.trim_end_matches(['\n', '\r'])
        }
        Condition::StderrContains(text) => observed.stderr.contains(text),
        Condition::TestsRunAtLeast(least) => {
            (observed.tests.as_ref()).is_some_and(|tests| tests.run >= *least)
        }
    }
}

fn describe(condition: &Condition, observed: &Observation) -> String {
    match condition {
        Condition::ExitCode(_) => format!("{condition} (was: {})", observed.ended),
        Condition::StdoutEquals(_) => {
            let short: String = observed.stdout.chars().take(80).collect();
            format!("{condition} (was: {short:?})")
        }
        Condition::TestsRunAtLeast(_) => match &observed.tests {
            Some(tests) => format!("{condition} (was: {})", tests.run),
            None => format!("{condition} (no test runner was recognised in its output)"),
        },
        Condition::StdoutContains(_) | Condition::StderrContains(_) => condition.to_string(),
    }
}

/// Void evaluations in a row before the contract counts as inconclusive.
const MOST_VOID: u32 = 5;

/// Is a contract run again after this many void evaluations?
pub(crate) fn is_repeated(void: u32) -> bool {
    void < MOST_VOID
}

/// How long to wait after so many void evaluations: at first not at all, then longer each time. Whatever goes on in the
/// checkout may be over soon.
pub(crate) fn pause_after_void(void: u32) -> Millis {
    match void.checked_sub(2) {
        None => 0,
        Some(more) => 1000 << more.min(MOST_VOID),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(ended: ProcessEnd, stdout: &str) -> Observation {
        Observation {
            stdout: stdout.to_owned(),
            ..Observation::new(ended)
        }
    }

    #[test]
    fn output_that_was_not_kept_gives_no_answer() {
        let cut = Observation {
            cut: true,
            ..observed(ProcessEnd::Exited(0), "head tail")
        };
        let middle = [Condition::StdoutContains("middle".to_owned())];
        assert_eq!(judge(&middle, &cut).verdict, Verdict::Inconclusive);
        let head = [Condition::StdoutContains("head".to_owned())];
        assert_eq!(judge(&head, &cut).verdict, Verdict::Pass);
        let both = [
            Condition::ExitCode(1),
            Condition::StdoutContains("middle".to_owned()),
        ];
        assert_eq!(judge(&both, &cut).verdict, Verdict::Fail);
    }

    #[test]
    fn every_condition_must_hold() {
        let expect = [
            Condition::ExitCode(0),
            Condition::StdoutContains("3 passed".to_owned()),
        ];
        assert_eq!(
            judge(&expect, &observed(ProcessEnd::Exited(0), "3 passed\n")).verdict,
            Verdict::Pass
        );
        let Judgement { verdict, unmet } =
            judge(&expect, &observed(ProcessEnd::Exited(1), "2 passed\n"));
        assert_eq!(verdict, Verdict::Fail);
        assert_eq!(
            unmet,
            [
                "exit_code == 0 (was: exit code 1)",
                "stdout contains \"3 passed\""
            ]
        );
    }

    #[test]
    fn equality_ignores_the_last_newline_only() {
        let expect = [Condition::StdoutEquals("ok".to_owned())];
        assert_eq!(
            judge(&expect, &observed(ProcessEnd::Exited(0), "ok\n")).verdict,
            Verdict::Pass
        );
        assert_eq!(
            judge(&expect, &observed(ProcessEnd::Exited(0), " ok\n")).verdict,
            Verdict::Fail
        );
    }

    #[test]
    fn the_harness_reasons_are_inconclusive() {
        let expect = [Condition::ExitCode(0)];
        assert_eq!(
            judge(&expect, &observed(ProcessEnd::TimedOut, "")).verdict,
            Verdict::Inconclusive
        );
        let not_started = ProcessEnd::NotStarted("no bash".to_owned());
        assert_eq!(
            judge(&expect, &observed(not_started, "")).verdict,
            Verdict::Inconclusive
        );
        assert_eq!(
            judge(&expect, &observed(ProcessEnd::Signaled(11), "")).verdict,
            Verdict::Fail
        );
    }

    #[test]
    fn what_ran_while_something_changed_gives_no_answer() {
        let expect = [Condition::ExitCode(0)];
        for code in [0, 1] {
            let void = Observation {
                void: Some("`a` changed".to_owned()),
                ..observed(ProcessEnd::Exited(code), "")
            };
            let Judgement { verdict, unmet } = judge(&expect, &void);
            assert_eq!(verdict, Verdict::Inconclusive);
            assert_eq!(unmet, ["`a` changed"]);
            assert_eq!(baseline_verdict(&expect, &void), Verdict::Inconclusive);
        }
    }

    #[test]
    fn red_without_what_a_person_changed_is_no_red() {
        let expect = [Condition::ExitCode(0)];
        let without = |code| Observation {
            left_out: vec![".venv".to_owned()],
            ..observed(ProcessEnd::Exited(code), "")
        };
        assert_eq!(judge(&expect, &without(0)).verdict, Verdict::Pass);
        let Judgement { verdict, unmet } = judge(&expect, &without(1));
        assert_eq!(verdict, Verdict::Inconclusive);
        assert!(unmet.join("; ").contains("`.venv` changed"), "{unmet:?}");
        assert_eq!(
            baseline_verdict(&expect, &without(1)),
            Verdict::Inconclusive
        );
    }

    #[test]
    fn the_wait_after_void_evaluations_grows() {
        let pauses: Vec<Millis> = (1..=4).map(pause_after_void).collect();
        assert_eq!(pauses, [0, 1000, 2000, 4000]);
    }

    #[test]
    fn a_missing_program_is_no_red_baseline_whatever_the_exit_code() {
        let said = |stderr: &str| Observation {
            stderr: stderr.to_owned(),
            ..observed(ProcessEnd::Exited(1), "")
        };
        let runner = said("/usr/bin/python3: No module named pytest\n");
        let import = said("ModuleNotFoundError: No module named 'calc'\n");
        let green = [Condition::ExitCode(0)];
        assert_eq!(baseline_verdict(&green, &runner), Verdict::Inconclusive);
        assert_eq!(baseline_verdict(&green, &import), Verdict::Fail);
        let wanted = [Condition::ExitCode(1)];
        assert_eq!(baseline_verdict(&wanted, &runner), Verdict::Pass);
    }

    #[test]
    fn a_missing_command_is_no_red_baseline() {
        let expect = [Condition::ExitCode(0)];
        for (code, verdict) in [
            (0, Verdict::Pass),
            (1, Verdict::Fail),
            (126, Verdict::Inconclusive),
            (127, Verdict::Inconclusive),
        ] {
            assert_eq!(
                baseline_verdict(&expect, &observed(ProcessEnd::Exited(code), "")),
                verdict
            );
        }
        assert_eq!(
            baseline_verdict(&expect, &observed(ProcessEnd::Signaled(9), "")),
            Verdict::Inconclusive
        );
    }
}

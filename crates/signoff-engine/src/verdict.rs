//! From what a contract run showed to a verdict.

mod room;
mod test_counts;

use serde::{Deserialize, Serialize};
use signoff_plan::model::Condition;

pub use self::room::SHARED;
pub(crate) use self::room::weaker_room;
pub(crate) use self::test_counts::{
    count_after, count_before, doubts, missing_tests, red_summary, reported_tests,
};
use crate::Millis;
use crate::changes::Changes;

/// How a process ended: `{"exit_code": 1}`, `{"signal": 9}`, `"timed_out"` or
/// `{"not_started": "why"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Ended")
)]
pub enum ProcessEnd {
    #[serde(rename = "exit_code")]
    Exited(i32),
    #[serde(rename = "signal")]
    Signaled(i32),
    TimedOut,
    /// It could not be started; the reason.
    NotStarted(String),
}

impl ProcessEnd {
    pub fn succeeded(&self) -> bool {
        *self == Self::Exited(0)
    }
}

impl std::fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit code {code}"),
            Self::Signaled(signal) => write!(f, "ended by signal {signal}"),
            Self::TimedOut => write!(f, "time limit reached"),
            Self::NotStarted(reason) => write!(f, "not started: {reason}"),
        }
    }
}

/// What the harness saw when it ran a contract; in the journal, the texts are the last part of long
/// output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Observed")
)]
pub struct Observation {
    pub ended: ProcessEnd,
    pub stdout: String,
    pub stderr: String,
    /// Output so long that its middle was not kept.
    #[serde(default)]
    pub cut: bool,
    pub duration_ms: u64,
    /// Files that the command changed; they were thrown away with its layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrote: Vec<String>,
    /// Tests that ran, as far as the output tells; found out when the observation is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestsRun>,
    /// The git tree it was made on, if there is git.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// What the step had changed when it ran, where that was looked at once more: after an attempt
    /// that was cut off, and after a person's repair.
    // Boxed: it is rarely there, and elsewhere costs a pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Box<Changes>>,
    /// How the tree was shown to the command: `overlay`, `copy` or `shared`; absent = nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
    /// It reused what an earlier evaluation had built.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warm: bool,
    /// It found in ignored directories what attempts had left there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignored_work: bool,
    /// Why nobody knows what it saw: something changed in the checkout while it ran. It is run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
    /// Ignored paths that were kept from it because a person changed them since the run began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// How many tests ran, and which runner says so: numbers of different runners cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestsRun {
    /// Before the work those that passed or failed; after it those that passed.
    pub run: u64,
    /// Those that failed, and what could not even be loaded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u32,
    /// Those that were skipped, ignored or expected to fail.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u32,
    pub runner: String,
    /// The names of those that count in `run`, where all of them were told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Text kept in the journal of each stream, from its end.
const JOURNALED: usize = 4000;

/// Output that a condition may read.
const READABLE: usize = 64 * 1024;

impl Observation {
    /// One of which nothing is known but how the command ended.
    pub fn new(ended: ProcessEnd) -> Self {
        Self {
            ended,
            stdout: String::new(),
            stderr: String::new(),
            cut: false,
            duration_ms: 0,
            wrote: Vec::new(),
            tests: None,
            tree: None,
            changes: None,
            room: None,
            warm: false,
            ignored_work: false,
            void: None,
            left_out: Vec::new(),
        }
    }

    /// Why an answer that it gave does not count, or counts only if it is a good one.
    pub fn inconclusive_reason(&self) -> Option<String> {
        let left_out = || {
            let names: Vec<String> = self
                .left_out
                .iter()
                .map(|name| format!("`{name}`"))
                .collect();
            (!names.is_empty()).then(|| {
                format!(
                    "{} changed in the checkout since the run began and was left out of this contract: let `[run] prepare` or the contract make it, or leave it alone and answer `retry`",
                    names.join(", ")
                )
            })
        };
        self.void.clone().or_else(left_out)
    }

    /// What is recorded: conditions were judged on the whole, people and retries need the end.
    pub(crate) fn shortened(self) -> Self {
        Self {
            stdout: tail(self.stdout),
            stderr: tail(self.stderr),
            ..self
        }
    }

    /// What is recorded where a condition reads the output: all of it, or `cut`.
    pub(crate) fn readable(self) -> Self {
        Self {
            cut: self.cut || self.stdout.len() > READABLE,
            stdout: readable(self.stdout),
            stderr: tail(self.stderr),
            ..self
        }
    }
}

/// The last part of a text that is too long to record.
pub(crate) fn tail(text: String) -> String {
    last(text, JOURNALED)
}

/// As much of a text as conditions and references may read.
pub(crate) fn readable(text: String) -> String {
    last(text, READABLE)
}

fn last(text: String, limit: usize) -> String {
    let mut from = text.len().saturating_sub(limit);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    match text.get(from..) {
        Some(end) if from > 0 => end.to_owned(),
        Some(_) | None => text,
    }
}

/// Only `Pass` advances a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Verdict {
    Pass,
    Fail,
    Inconclusive,
}

/// Judges a contract run after the work, with the conditions that did not hold.
///
/// Inconclusive only for the harness's own reasons: a command that ran and crashed has failed.
pub fn judge(expect: &[Condition], seen: &Observation) -> (Verdict, Vec<String>) {
    match (&seen.ended, &seen.void) {
        (ProcessEnd::NotStarted(_), _) | (ProcessEnd::TimedOut, None) => {
            (Verdict::Inconclusive, vec![seen.ended.to_string()])
        }
        (_, Some(void)) => (Verdict::Inconclusive, vec![void.clone()]),
        (ProcessEnd::Exited(_) | ProcessEnd::Signaled(_), None) => {
            let mut unmet: Vec<String> = expect
                .iter()
                .filter(|condition| !holds(condition, seen))
                .map(|condition| describe(condition, seen))
                .collect();
            let only_output = expect
                .iter()
                .filter(|condition| !holds(condition, seen))
                .all(|condition| !matches!(condition, Condition::ExitCode(_)));
            match unmet.is_empty() {
                true => (Verdict::Pass, unmet),
                // What was not kept might have met it.
                false if seen.cut && only_output => (
                    Verdict::Inconclusive,
                    vec!["the output is too long to be judged".to_owned()],
                ),
                // The left-out files may be the only cause, and that is not the agent's fault.
                false if !seen.left_out.is_empty() => {
                    unmet.extend(seen.inconclusive_reason());
                    (Verdict::Inconclusive, unmet)
                }
                false => (Verdict::Fail, unmet),
            }
        }
    }
}

/// Judges a contract run before the work. Red counts only if the command really ran to its end: a
/// missing command or a signal shows nothing about the work to come.
pub fn baseline_verdict(expect: &[Condition], seen: &Observation) -> Verdict {
    match seen.ended {
        ProcessEnd::Exited(126 | 127) | ProcessEnd::Signaled(_) => Verdict::Inconclusive,
        ProcessEnd::Exited(_) | ProcessEnd::TimedOut | ProcessEnd::NotStarted(_) => {
            judge(expect, seen).0
        }
    }
}

fn holds(condition: &Condition, seen: &Observation) -> bool {
    match condition {
        Condition::ExitCode(code) => seen.ended == ProcessEnd::Exited(*code),
        Condition::StdoutContains(text) => seen.stdout.contains(text),
        Condition::StdoutEquals(text) => {
            seen.stdout.trim_end_matches(['\n', '\r']) == text.trim_end_matches(['\n', '\r'])
        }
        Condition::StderrContains(text) => seen.stderr.contains(text),
        Condition::TestsRunAtLeast(least) => {
            (seen.tests.as_ref()).is_some_and(|tests| tests.run >= *least)
        }
    }
}

fn describe(condition: &Condition, seen: &Observation) -> String {
    match condition {
        Condition::ExitCode(_) => format!("{condition} (was: {})", seen.ended),
        Condition::StdoutEquals(_) => {
            let short: String = seen.stdout.chars().take(80).collect();
            format!("{condition} (was: {short:?})")
        }
        Condition::TestsRunAtLeast(_) => match &seen.tests {
            Some(tests) => format!("{condition} (was: {})", tests.run),
            None => format!("{condition} (no test runner was recognised in its output)"),
        },
        Condition::StdoutContains(_) | Condition::StderrContains(_) => condition.to_string(),
    }
}

/// Evaluations in a row that may be void before that counts as no answer.
const MOST_VOID: u32 = 5;

/// Whether a contract is run again after so many void evaluations.
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

    fn seen(ended: ProcessEnd, stdout: &str) -> Observation {
        Observation {
            stdout: stdout.to_owned(),
            ..Observation::new(ended)
        }
    }

    #[test]
    fn output_that_was_not_kept_gives_no_answer() {
        let cut = Observation {
            cut: true,
            ..seen(ProcessEnd::Exited(0), "head tail")
        };
        let middle = [Condition::StdoutContains("middle".to_owned())];
        assert_eq!(judge(&middle, &cut).0, Verdict::Inconclusive);
        let head = [Condition::StdoutContains("head".to_owned())];
        assert_eq!(judge(&head, &cut).0, Verdict::Pass);
        let both = [
            Condition::ExitCode(1),
            Condition::StdoutContains("middle".to_owned()),
        ];
        assert_eq!(judge(&both, &cut).0, Verdict::Fail);
    }

    #[test]
    fn every_condition_must_hold() {
        let expect = [
            Condition::ExitCode(0),
            Condition::StdoutContains("3 passed".to_owned()),
        ];
        assert_eq!(
            judge(&expect, &seen(ProcessEnd::Exited(0), "3 passed\n")).0,
            Verdict::Pass
        );
        let (verdict, unmet) = judge(&expect, &seen(ProcessEnd::Exited(1), "2 passed\n"));
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
            judge(&expect, &seen(ProcessEnd::Exited(0), "ok\n")).0,
            Verdict::Pass
        );
        assert_eq!(
            judge(&expect, &seen(ProcessEnd::Exited(0), " ok\n")).0,
            Verdict::Fail
        );
    }

    #[test]
    fn the_harness_reasons_are_inconclusive() {
        let expect = [Condition::ExitCode(0)];
        assert_eq!(
            judge(&expect, &seen(ProcessEnd::TimedOut, "")).0,
            Verdict::Inconclusive
        );
        let not_started = ProcessEnd::NotStarted("no bash".to_owned());
        assert_eq!(
            judge(&expect, &seen(not_started, "")).0,
            Verdict::Inconclusive
        );
        assert_eq!(
            judge(&expect, &seen(ProcessEnd::Signaled(11), "")).0,
            Verdict::Fail
        );
    }

    #[test]
    fn what_ran_while_something_changed_gives_no_answer() {
        let expect = [Condition::ExitCode(0)];
        for code in [0, 1] {
            let void = Observation {
                void: Some("`a` changed".to_owned()),
                ..seen(ProcessEnd::Exited(code), "")
            };
            let (verdict, unmet) = judge(&expect, &void);
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
            ..seen(ProcessEnd::Exited(code), "")
        };
        assert_eq!(judge(&expect, &without(0)).0, Verdict::Pass);
        let (verdict, unmet) = judge(&expect, &without(1));
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
    fn a_missing_command_is_no_red_baseline() {
        let expect = [Condition::ExitCode(0)];
        for (code, verdict) in [
            (0, Verdict::Pass),
            (1, Verdict::Fail),
            (126, Verdict::Inconclusive),
            (127, Verdict::Inconclusive),
        ] {
            assert_eq!(
                baseline_verdict(&expect, &seen(ProcessEnd::Exited(code), "")),
                verdict
            );
        }
        assert_eq!(
            baseline_verdict(&expect, &seen(ProcessEnd::Signaled(9), "")),
            Verdict::Inconclusive
        );
    }
}

//! How many steps of a run have ended, and how.

use signoff_api::event::{Grade, step_status};
use signoff_api::run::RunStep;
use signoff_engine::Run;

use crate::words::evidence::{grade, meaning};

/// How they are named, the best first.
const GRADES: [Grade; 4] = [Grade::Proved, Grade::Held, Grade::Observed, Grade::Accepted];

/// How many steps of a run have ended, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepTally {
    /// All steps, also those that are still to come.
    pub steps: usize,
    pub ended: usize,
    failed: usize,
    skipped: usize,
    /// As many as there are [`GRADES`].
    graded: [usize; 4],
}

impl StepTally {
    /// Counts without telling anything else of the steps. `driven`: a process works on them.
    pub fn of_run(run: &Run, driven: bool) -> Self {
        let steps = run.order().filter_map(|at| {
            let (_, state) = run.step(at)?;
            let status = step_status(run.displayed_status(at, driven));
            Some((status, state.outcome.grade()))
        });
        Self::count(steps)
    }

    /// Counts the steps of a report.
    pub fn of_steps(steps: &[RunStep]) -> Self {
        Self::count((steps.iter()).map(|step| (step.status.as_str(), step.evidence)))
    }

    fn count<'s>(steps: impl Iterator<Item = (&'s str, Option<Grade>)>) -> Self {
        let mut tally = Self::default();
        for (status, evidence) in steps {
            tally.steps += 1;
            tally.failed += usize::from(status == "failed");
            tally.skipped += usize::from(status == "skipped");
            tally.ended += usize::from(matches!(
                status,
                "completed" | "failed" | "skipped" | "blocked"
            ));
            for (known, number) in GRADES.into_iter().zip(&mut tally.graded) {
                *number += usize::from(evidence == Some(known));
            }
        }
        tally
    }

    /// Are all steps done, without one that was left out?
    pub fn is_whole(&self) -> bool {
        self.skipped == 0
    }

    /// What the grades mean that there are: `proved: red before, green after`.
    pub fn meanings(&self) -> Vec<String> {
        let graded = GRADES.into_iter().zip(self.graded);
        let found = graded.filter(|(_, number)| *number > 0);
        found
            .map(|(found, _)| format!("{}: {}", grade(found), meaning(found)))
            .collect()
    }

    /// `3 proved, 1 held`
    pub fn grades(&self) -> String {
        let graded = GRADES.map(grade).into_iter().zip(self.graded);
        let words: Vec<String> = graded
            .chain([("failed", self.failed), ("skipped", self.skipped)])
            .filter(|(_, number)| *number > 0)
            .map(|(word, number)| format!("{number} {word}"))
            .collect();
        if words.is_empty() {
            "none yet".to_owned()
        } else {
            words.join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_the_steps_is_told_with_what_the_grades_mean() {
        let tally =
            |steps: &[(&'static str, Option<Grade>)]| StepTally::count(steps.iter().copied());
        let none = tally(&[("pending", None)]);
        assert_eq!(none.grades(), "none yet");
        assert!(none.meanings().is_empty());
        let all = tally(&[
            ("completed", Some(Grade::Held)),
            ("completed", Some(Grade::Proved)),
            ("skipped", None),
            ("failed", None),
        ]);
        assert_eq!(all.grades(), "1 proved, 1 held, 1 failed, 1 skipped");
        assert_eq!(
            all.meanings(),
            ["proved: red before, green after", "held: green after"]
        );
        assert!(!all.is_whole() && all.ended == 4);
    }
}

//! How many steps of a run have ended, and how.

use signoff_api::event::{Grade, step_status};
use signoff_api::run::RunStep;
use signoff_engine::Run;

use crate::words::evidence::grade;

/// How they are named, the best first.
const GRADES: [Grade; 4] = [Grade::Proved, Grade::Held, Grade::Observed, Grade::Accepted];

/// How many steps of a run have ended, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepTally {
    /// All steps, also those that are still to come.
    pub steps: usize,
    pub ended: usize,
    failed: usize,
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

    /// `3 proved, 1 held`
    pub fn grades(&self) -> String {
        let graded = GRADES.map(grade).into_iter().zip(self.graded);
        let words: Vec<String> = graded
            .chain([("failed", self.failed)])
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

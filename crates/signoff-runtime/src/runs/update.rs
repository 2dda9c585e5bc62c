//! The changes of a run for a reader who has seen the rest. Its cost does not depend on the number of steps.

use signoff_api::report::ReportedStep;
use signoff_api::run::Run;

use super::report::JournalReport;
use super::run_cache::RunCache;
use super::view::RunView;
use crate::error::Error;
use crate::project::Project;

/// A run with some of its steps.
#[derive(Debug)]
pub struct RunUpdate {
    /// As `status` prints it, with these steps alone.
    pub run: Run,
    /// What was tried at them, in the same order.
    pub steps: Vec<ReportedStep>,
    /// Steps that were tried or waited on a person, and are not among these.
    pub earlier: usize,
}

impl RunView {
    /// The run with the steps of these ids and this many of the newest that began.
    pub fn update(
        &self,
        project: &Project,
        named: &[&str],
        newest: usize,
    ) -> Result<RunUpdate, Error> {
        let part = |journal: &JournalReport| journal.select_steps(named, newest);
        let (steps, earlier) = match RunCache::of(project) {
            Some(kept) => kept.report(project, self, part)?,
            None => part(&JournalReport::read(project, self)?),
        };
        let positions = steps.iter().filter_map(|step| self.run.position(&step.id));
        Ok(RunUpdate {
            run: self.with_steps(positions),
            steps,
            earlier,
        })
    }
}

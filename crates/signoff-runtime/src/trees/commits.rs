//! The commits that a run's journal names.

use signoff_engine::Run;
use signoff_work::git::Id;

use super::queue::id;
use crate::error::Error;

/// The commit that the run's tree had when it began.
pub(crate) fn first_commit(run: &Run) -> Result<Id, Error> {
    match run.run_tree() {
        Some(tree) => parse_id(run, &tree.start),
        None => Err(broken_run(run, "it has no tree".to_owned())),
    }
}

/// The run's head.
pub(crate) fn head_commit(run: &Run) -> Result<Id, Error> {
    match run.head() {
        Some(head) => parse_id(run, head),
        None => Err(broken_run(run, "it has no tree".to_owned())),
    }
}

/// A commit that the journal names.
pub(crate) fn parse_id(run: &Run, text: &str) -> Result<Id, Error> {
    id(text).map_err(|why| broken_run(run, why))
}

fn broken_run(run: &Run, why: String) -> Error {
    Error::BrokenRun {
        run: run.id().to_owned(),
        why,
    }
}

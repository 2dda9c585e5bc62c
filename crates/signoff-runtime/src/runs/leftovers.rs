//! Ends and removes what a run left whose process died.

use signoff_engine::Stage;
use signoff_sandbox::{ProcessIdentity, end_leftovers};
use signoff_store::FileError;
use signoff_store::runs::RunDir;
use signoff_work::beneath::remove_tree;

use super::opened::OpenedRun;
use crate::clock::Clock;
use crate::error::Error;
use crate::project::Project;

/// Ends what is left of an abandoned run.
pub(crate) fn end_leftovers_of(
    project: &Project,
    id: &str,
    clock: &dyn Clock,
) -> Result<(), Error> {
    OpenedRun::open(project, id, clock)?.end_leftovers()
}

impl OpenedRun<'_> {
    /// Ends the processes that a dead owner left, and removes their directories.
    pub(crate) fn end_leftovers(&self) -> Result<(), Error> {
        for (step, state) in self.state().steps() {
            let attempt = match state.stage {
                Stage::Working { attempt } | Stage::Evaluating { attempt } => attempt,
                Stage::Baselining => 0,
                Stage::Idle
                | Stage::NeedsBaseline
                | Stage::NeedsWork
                | Stage::NeedsEvaluation { .. }
                | Stage::Assembling { .. }
                | Stage::NeedsMerge { .. }
                | Stage::Merging { .. }
                | Stage::Expanded
                | Stage::Waiting { .. }
                | Stage::Provisional
                | Stage::Ended => continue,
                Stage::Rechecking => state.attempts,
            };
            let identity = state
                .attempt
                .process
                .as_ref()
                .map(|process| ProcessIdentity {
                    pid: process.pid,
                    starttime: process.starttime,
                    boot_id: process.boot_id.clone(),
                });
            end_leftovers(identity.as_ref(), &marker(&self.id, &step.id, attempt))
                .map_err(Error::Sandbox)?;
        }
        // Whatever else carries the run's name: contracts, and servers that earlier calls started.
        end_leftovers(None, &format!("{}/", self.id)).map_err(Error::Sandbox)?;
        clear_leftovers(&self.dir)
    }
}

/// Removes what processes of the run left in its directory.
// They are not the harness's alone: the kernel leaves directories of mode 000 below an overlay, and an agent may take
// rights from what it made.
pub(crate) fn clear_leftovers(dir: &RunDir) -> Result<(), Error> {
    for path in dir.leftovers() {
        remove_tree(&path).map_err(|source| FileError {
            operation: "remove",
            path,
            source,
        })?;
    }
    Ok(())
}

/// The value of `SIGNOFF_INSIDE` in a run's processes.
pub(crate) fn marker(run: &str, step: &str, attempt: u32) -> String {
    format!("{run}/{step}/{attempt}")
}

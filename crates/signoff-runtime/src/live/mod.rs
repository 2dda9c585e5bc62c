//! A run that this process owns, in stages.
//!
//! `OpenedRun` is a run whose lock we have and whose state its journal told: enough to record a person's decision, to
//! land it or to undo it. [`PreparedRun`] is one that may go on: everything was checked that can be checked before
//! something begins. [`PreparedRun::drive`] then hands it to the loop.

mod driving;
pub mod landing;
mod leftovers;
mod merges;
mod opened;
mod options;
mod prepared;
mod trees;

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Outcome, PlanState, Run};
use signoff_store::plan_log;

pub use self::driving::RunReport;
pub(crate) use self::leftovers::{clear_leftovers, end_leftovers_of};
pub(crate) use self::opened::OpenedRun;
pub use self::options::{Limit, Options};
pub use self::prepared::PreparedRun;
use crate::clock::{Clock, timestamp};
use crate::error::Error;
use crate::plans::current_task;
use crate::plans::history::body;
use crate::project::Project;

/// Tells the plan's log what its run came to. The run's journal decides; this is for readers of the log alone.
fn log_end(
    project: &Project,
    key: &str,
    run: &Run,
    outcome: Outcome,
    clock: &dyn Clock,
) -> Result<(), Error> {
    let digest = run.signed().digest().to_string();
    let run = run.id().to_owned();
    let (event, state) = match outcome {
        Outcome::Completed | Outcome::Partial => (
            PlanEvent::PlanCompleted { digest, run },
            PlanState::Completed,
        ),
        Outcome::Failed => (PlanEvent::PlanFailed { digest, run }, PlanState::Failed),
    };
    current_task::keep_true(project, key, state)?;
    log(project, key, &event, clock)
}

/// Writes a line into the plan's log.
fn log(project: &Project, key: &str, event: &PlanEvent, clock: &dyn Clock) -> Result<(), Error> {
    let lock = plan_log::lock(&project.store, key)?;
    let at = timestamp(clock.now());
    plan_log::append(&project.store, key, &lock, &at, &[body(event)?])?;
    Ok(())
}

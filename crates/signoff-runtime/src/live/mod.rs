//! A run that this process drives, in stages.
//!
//! [`PreparedRun`] is one that may go on: everything was checked that can be checked before something begins.
//! [`PreparedRun::drive`] hands it to the loop and lands what it did. [`rehearsal`] tells what would happen.

mod driving;
pub mod hand_over;
pub mod landing;
mod last_run;
mod lost_changes;
mod new_run;
mod notify;
mod observers;
mod options;
mod prepared_run;
pub mod rehearsal;
mod telemetry_observer;
mod webhook;
mod worker_run;
mod workplace;

pub use self::driving::RunReport;
pub use self::options::{RunLimit, RunOptions};
pub use self::prepared_run::PreparedRun;
pub use self::worker_run::{CatchUpOutcome, WorkerRun};

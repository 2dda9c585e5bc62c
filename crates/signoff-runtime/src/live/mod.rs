//! A run that this process drives, in stages.
//!
//! [`PreparedRun`] is one that may go on: everything was checked that can be checked before something begins.
//! [`PreparedRun::drive`] hands it to the loop and lands what it did. [`rehearsal`] tells what would happen.

mod driving;
mod followed;
pub mod handed_over;
mod hosted;
mod isolation;
pub mod landing;
mod last_run;
mod new_run;
mod notify;
mod options;
mod prepared;
pub mod rehearsal;
mod taken_back;
mod webhook;

pub use self::driving::RunReport;
pub use self::hosted::{CaughtUp, HostedRun};
pub use self::options::{RunLimit, RunOptions};
pub use self::prepared::PreparedRun;

//! To run a plan, and to act on a run.

pub(crate) mod accept_level;
pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod control;
mod detach;
pub(crate) mod dry_run;
pub(crate) mod inbox;
pub(crate) mod land;
pub(crate) mod log;
pub(crate) mod report;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod status;
pub(crate) mod task;
pub(crate) mod undo;
pub(crate) mod watch;

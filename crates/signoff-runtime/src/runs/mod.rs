//! Runs on disk.
//!
//! `Replay` makes a run's state again from its journal and the plans it went through. [`view::RunView`] is a run to look at,
//! [`follow`] one to watch while it happens. `OpenedRun` is a run whose lock we have: enough to record a person's decision
//! ([`control`]), to land it or to undo it. `marks` writes into the plan's file how far the run is.

pub mod control;
pub(crate) mod day_costs;
pub mod elsewhere;
pub mod follow;
pub(crate) mod kept;
mod leftovers;
pub(crate) mod marks;
pub(crate) mod merges;
pub mod names;
pub(crate) mod of_plan;
mod opened;
mod progress;
pub mod questions;
mod replay;
mod report;
pub(crate) mod snapshot;
mod streamed;
pub mod transcript;
mod trees;
pub mod update;
pub mod view;
pub(crate) mod witness;
pub mod worktrees;

pub use self::kept::read_ahead;
pub(crate) use self::leftovers::{clear_leftovers, end_leftovers_of, marker};
pub(crate) use self::opened::{OpenedRun, log_end};
pub(crate) use self::progress::{agent_report, cut_off_reports, last_progress, todo};

//! Runs on disk.
//!
//! `Replay` makes a run's state again from its journal and the plans it went through. [`view::RunView`] reads a run,
//! [`listed_run::ListedRun`] one of many in a list, [`follow`] watches one while it is driven. `OpenedRun` is a run whose lock
//! this process holds: enough to record a person's decision ([`control`]), to land it or to undo it. `marks` writes into the
//! plan's file how far the run is.

pub(crate) mod call_marks;
pub mod control;
pub(crate) mod day_costs;
pub mod follow;
mod leftovers;
pub mod listed_run;
pub(crate) mod lost_attempts;
pub(crate) mod marks;
pub(crate) mod merges;
pub mod names;
pub(crate) mod of_plan;
mod opened_run;
mod progress;
pub mod questions;
pub mod remote;
pub(crate) mod replay;
mod report;
pub(crate) mod run_cache;
pub(crate) mod snapshot;
mod stream_event;
pub mod transcript;
mod trees;
pub mod update;
pub mod view;
pub mod worktrees;

pub(crate) use self::leftovers::{clear_leftovers, end_leftovers_of, marker};
pub use self::listed_run::read_ahead;
pub(crate) use self::opened_run::{OpenedRun, log_end};
pub(crate) use self::progress::{agent_report, cut_off_reports, last_progress, todo_entry};

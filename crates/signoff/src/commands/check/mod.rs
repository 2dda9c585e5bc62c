//! To check a plan and look at it.

pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod graph;
pub(crate) mod show;
pub(crate) mod verify;

//! Brings what a run made into the person's checkout, and takes it back.

pub(crate) mod commits;
pub(crate) mod files;
pub(crate) mod lost_files;
pub(crate) mod persons_index;
pub(crate) mod plan;
pub(crate) mod refusals;
pub(crate) mod report;
pub(crate) mod settle;
pub(crate) mod undo;

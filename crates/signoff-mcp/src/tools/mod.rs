//! The tools, one file for each group.

pub(crate) mod ask;
pub(crate) mod listing;
pub(crate) mod plans;
pub(crate) mod proposing;
pub(crate) mod run;
pub(crate) mod status;
pub(crate) mod threads;

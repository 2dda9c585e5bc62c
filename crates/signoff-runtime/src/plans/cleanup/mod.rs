//! Moves finished plans to the archive and deletes what is no longer needed.

pub(crate) mod archive;
pub(crate) mod housekeeping;
pub(crate) mod prune;

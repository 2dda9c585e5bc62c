//! To keep the store tidy and the shell informed.

pub(crate) mod archive;
pub(crate) mod completions;
pub(crate) mod man;
pub(crate) mod prune;

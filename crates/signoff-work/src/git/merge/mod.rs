//! Merges commits and trees without a working tree.

pub(crate) mod commits;
pub(crate) mod conflict;
pub(crate) mod join;
pub(crate) mod replay;
pub(crate) mod trees;

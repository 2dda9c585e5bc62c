//! Writes files into directories: each whole or not at all, and never through a link.

pub(crate) mod file_writer;
pub(crate) mod hold_reason;
pub(crate) mod materialize;
pub(crate) mod swap;
pub(crate) mod working_tree;

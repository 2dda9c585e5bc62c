//! Finding and listing the plans of a project.

pub(crate) mod find;
pub(crate) mod list;
pub(crate) mod stats;

//! The person's repository, the harness's own git directory beside it, and the private repository of projects without one.

pub(crate) mod excludes;
pub(crate) mod harness_git;
pub(crate) mod obstacles;
mod patch;
pub(crate) mod persons_repository;
pub(crate) mod private;
pub(crate) mod references;
pub(crate) mod settings;

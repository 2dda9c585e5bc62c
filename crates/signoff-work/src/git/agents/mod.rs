//! What agents get: worktrees with a repository of their own, and what is imported from it.

pub(crate) mod import;
pub(crate) mod repository;
pub(crate) mod spread;
pub(crate) mod template;
pub(crate) mod worktree;

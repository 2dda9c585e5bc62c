//! To begin: set up a project, and see everything once.

pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod init;
pub(crate) mod trust;

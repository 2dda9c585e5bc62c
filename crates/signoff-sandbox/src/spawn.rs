//! Forks children, and takes them from fork to exec: the command itself, or the setup process of its namespaces.

pub(crate) mod child;
pub(crate) mod child_descriptors;
pub(crate) mod fork;
pub(crate) mod image;
pub(crate) mod leader;
pub(crate) mod setup;
pub(crate) mod setup_report;
pub(crate) mod spawner;

//! From the fork to the exec, and the process that becomes the command.

pub(crate) mod child;
pub(crate) mod fork;
pub(crate) mod image;
pub(crate) mod leader;
pub(crate) mod setup;
pub(crate) mod setup_report;
pub(crate) mod spawner;

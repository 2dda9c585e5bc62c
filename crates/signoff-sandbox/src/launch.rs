//! Starts commands at a given level of confinement.

pub(crate) mod bubblewrap;
pub(crate) mod confinement;
pub(crate) mod held_command;
pub(crate) mod image;
pub(crate) mod interactive;
pub(crate) mod launcher;
pub(crate) mod memory_limit;
pub(crate) mod started_child;

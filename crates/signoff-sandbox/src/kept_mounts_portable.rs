//! Mounts that are kept, where there are none.

/// Mounts for commands of one and the same policy; nobody makes any here.
#[derive(Debug, Clone)]
pub enum KeptMounts {}

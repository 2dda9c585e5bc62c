//! Mounts that are kept, where there are none.

/// Mounts for commands of one and the same policy; nobody makes any here.
#[derive(Debug, Clone)]
pub enum KeptMounts {}

impl KeptMounts {
    /// Has nobody left anything in them?
    pub fn are_as_new(&self) -> bool {
        match *self {}
    }
}

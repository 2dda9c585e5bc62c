//! What works on this machine, found by trying it.

pub(crate) mod level_trial;
pub(crate) mod overlay_trial;
pub(crate) mod probe;

//! The overlays in which contracts judge, and what they build there.

pub(crate) mod builds;
pub(crate) mod overlays;
pub(crate) mod queue;

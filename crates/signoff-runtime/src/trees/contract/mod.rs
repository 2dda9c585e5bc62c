//! The overlays in which contracts judge.

pub(crate) mod overlays;
pub(crate) mod queue;

//! What the plans add up to, and how well this machine confines.

pub(crate) mod doctor;
pub(crate) mod stats;

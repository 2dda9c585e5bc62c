//! To write a plan.

pub(crate) mod convert;
pub(crate) mod fmt;
pub(crate) mod new;
pub(crate) mod plan;

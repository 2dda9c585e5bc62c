//! To write a plan.

pub(crate) mod convert;
pub(crate) mod fmt;
pub(crate) mod import;
pub(crate) mod new;
pub(crate) mod plan;

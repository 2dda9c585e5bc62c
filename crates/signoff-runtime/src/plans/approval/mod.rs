//! Signing a plan, by a person or a policy, and what must be true of it before a run.

pub(crate) mod approve;
mod approvers;
pub(crate) mod policy;
pub(crate) mod preflight;
pub(crate) mod replan;
pub(crate) mod unsigned;

//! Handing in a plan: a new one, a new text of one, or a copy.

pub(crate) mod clone;
pub(crate) mod identity;
pub(crate) mod propose;
pub(crate) mod request;
pub(crate) mod revise;
pub(crate) mod task;

//! Which mounts make a policy true, and how a child makes them.

pub(crate) mod apply;
pub(crate) mod overlay;
pub(crate) mod steps;
pub(crate) mod view;

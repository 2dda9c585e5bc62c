//! Which mounts enforce a policy (`steps`), and how a child makes them (`apply`).

pub(crate) mod apply;
pub(crate) mod overlay;
pub(crate) mod paths;
pub(crate) mod placement;
pub(crate) mod step;
pub(crate) mod steps;
pub(crate) mod view;

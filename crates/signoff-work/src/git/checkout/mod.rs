//! The person's checkout: what it holds, and how single files of it change.

pub(crate) mod incremental;
pub(crate) mod paths;
pub(crate) mod scan;
pub(crate) mod snapshot;
pub(crate) mod times;
pub(crate) mod update;

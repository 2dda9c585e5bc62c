//! What is moved to the archive or deleted once nobody needs it.

pub(crate) mod archive;
pub(crate) mod housekeeping;
pub(crate) mod prune;

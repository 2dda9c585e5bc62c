//! What settings must not say, by themselves, together, or in a layer that may only tighten.

pub(super) mod conflicts;
pub(super) mod home_files;
pub(super) mod placeholder;
pub(super) mod tighten;

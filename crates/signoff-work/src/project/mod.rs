//! What a project's own files say: which of them commands run, how dependencies are locked, which tests there are.

pub mod helpers;
pub mod lockfiles;
pub mod manifest;
pub mod python;
pub mod self_starting;

//! What a person signs, and which signature counts.
//!
//! `terms` are what a plan is signed under besides its own text. `proof` says how we know that a signature is a person's;
//! `ssh` is the proof by a key. `signed` joins a plan with the signature that counts for it, and `watch` tells when either
//! has changed since.

pub mod proof;
pub(crate) mod signed;
pub(crate) mod ssh;
mod terminal;
pub(crate) mod terms;
pub(crate) mod watch;

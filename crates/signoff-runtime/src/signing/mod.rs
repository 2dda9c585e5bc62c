//! What a person signs, and which signature counts.
//!
//! `terms` are what a plan is signed under besides its own text. `proof` says how we know that a signature is a person's;
//! `ssh` is the proof by a key, `approvers` says how many of
//! which people have to sign. `signed` joins a plan with the signature that counts for it, and `watch` tells when either
//! has changed since.

pub(crate) mod approvers;
pub(crate) mod current_signature;
pub mod message;
pub mod proof;
pub(crate) mod ssh;
mod terminal;
pub(crate) mod terms;
pub(crate) mod watch;

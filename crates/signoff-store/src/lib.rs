//! Remembers: the store `.signoff/`, journals, signatures, locks, configuration files, and the one
//! way a file is replaced.
//!
//! Knows files, locks and atomic writes; decides nothing, reads no clock and no environment, and no
//! randomness but for a project's id. Start reading at [`root::Store`], then [`journal::Journal`] and
//! [`atomic::replace`].

pub mod agent_sessions;
pub mod blobs;
pub mod config;
pub mod disk_workspace;
pub mod files;
pub mod guard;
pub mod index;
pub mod journal;
pub mod key;
pub mod plan_log;
pub mod questions;
pub mod root;
pub mod runs;
pub mod signatures;
pub mod terms;
pub mod threads;
pub mod tool_record;
pub mod trust;

pub use files::{FileError, atomic, failpoint, lock, timestamp};
pub use terms::terms;

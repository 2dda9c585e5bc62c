//! How files are written, read, locked and hashed.

pub mod atomic;
pub mod failpoint;
mod file_error;
pub(crate) mod hash;
pub mod lock;
pub(crate) mod no_follow;
pub mod timestamp;

pub use self::file_error::FileError;

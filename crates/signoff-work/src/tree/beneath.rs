//! Paths within a tree.

pub(crate) use crate::beneath::{open_folder, open_root};

/// A path's directory and its name there.
pub(crate) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

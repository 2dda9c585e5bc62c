//! Opens things in a workspace without following a link: what lies behind one is not the workspace's.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

/// Opens the workspace itself, which may be named by a link.
pub(super) fn open_root(workspace: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, workspace, flags, Mode::empty())?)
}

/// Opens a directory by its name in another one.
pub(super) fn open_folder(parent: impl AsFd, name: &[u8]) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(parent, name, flags, Mode::empty())?)
}

/// Opens the directory at a path, step by step.
pub(super) fn open_path(root: impl AsFd, path: &[u8]) -> io::Result<OwnedFd> {
    let mut names = path
        .split(|byte| *byte == b'/')
        .filter(|name| !name.is_empty());
    let first = open_folder(root, names.next().unwrap_or(b"."))?;
    names.try_fold(first, open_folder)
}

/// A path's directory and its name there.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (
            path.get(..at).unwrap_or_default(),
            path.get(at + 1..).unwrap_or_default(),
        ),
        None => (b"", path),
    }
}

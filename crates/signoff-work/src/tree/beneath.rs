//! Opens things in a workspace without following a link: what lies behind one is not the workspace's.

use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

/// Opens the workspace itself, which may be named by a link.
pub(crate) fn open_root(workspace: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, workspace, flags, Mode::empty())?)
}

/// Opens a directory by its name in another one.
pub(crate) fn open_folder(parent: impl AsFd, name: &[u8]) -> io::Result<OwnedFd> {
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

/// Copies an ordinary file out of the workspace, reached through no link.
pub fn copy_out(workspace: &Path, path: &str, to: &Path) -> io::Result<()> {
    let (folder, name) = split(path.as_bytes());
    let folder = open_path(open_root(workspace)?, folder)?;
    // One that waits for a writer must not make us wait.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut from = File::from(openat(folder, name, flags, Mode::empty())?);
    if !from.metadata()?.is_file() {
        return Err(io::Error::other("it is not an ordinary file"));
    }
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent)?;
    }
    io::copy(&mut from, &mut File::create(to)?)?;
    Ok(())
}

/// Takes from a file that whoever runs it has its owner's rights. Through no link.
pub fn strip_rights(workspace: &Path, path: &str) -> io::Result<()> {
    let (folder, name) = split(path.as_bytes());
    let folder = open_path(open_root(workspace)?, folder)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(folder, name, flags, Mode::empty())?);
    let found = file.metadata()?;
    let mode = found.permissions().mode();
    if found.is_file() && mode & 0o6000 != 0 {
        file.set_permissions(Permissions::from_mode(mode & 0o1777))?;
    }
    Ok(())
}

/// A path's directory and its name there.
pub(crate) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (
            path.get(..at).unwrap_or_default(),
            path.get(at + 1..).unwrap_or_default(),
        ),
        None => (b"", path),
    }
}

//! Repositories within a tree: git opens their HEAD, configuration and references to find out what they are.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, statat};

use super::{
    CheckedEntry, TreeError, TreeOptions, Unreadable, cannot_read, display_path, join, open_listing,
};
use crate::beneath::{Directory, OpenError, open_file, read_whole};

/// Directories within directories of a repository.
const DEEPEST: usize = 64;
/// Bytes of a file that says where a repository is.
const LONGEST: u64 = 64 << 10;

/// A repository may hold nothing that git would wait for, nor links to something else.
pub(super) fn check_directory(
    entry: &CheckedEntry<'_>,
    options: &TreeOptions<'_>,
) -> Result<(), TreeError> {
    let (fd, entries) = match open_listing(entry.parent, entry.name) {
        Err(_) if options.unreadable == Unreadable::LeftOut => return Ok(()),
        listed => listed.map_err(|error| cannot_read(entry.path, error))?,
    };
    check_ordinary(fd.as_fd(), entries, (entry.path, 0), options)
}

fn check_ordinary(
    fd: BorrowedFd<'_>,
    entries: Dir,
    (path, depth): (&[u8], usize),
    options: &TreeOptions<'_>,
) -> Result<(), TreeError> {
    if depth > DEEPEST {
        return Err(TreeError::TooDeep {
            path: display_path(path),
        });
    }
    for entry in entries {
        if options.stop.is_raised() {
            return Err(TreeError::Stopped);
        }
        let entry = entry.map_err(|error| cannot_read(path, error))?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let inner = join(path, name);
        let kind = match entry.file_type() {
            FileType::Unknown => {
                let stat = statat(fd, name, AtFlags::SYMLINK_NOFOLLOW);
                let stat = stat.map_err(|error| cannot_read(&inner, error))?;
                FileType::from_raw_mode(stat.st_mode)
            }
            kind => kind,
        };
        match kind {
            // A socket cannot be opened, so nothing waits for it.
            FileType::RegularFile | FileType::Socket => {}
            FileType::Symlink if options.unreadable == Unreadable::LeftOut => {}
            FileType::Directory => {
                let (fd, entries) = match open_listing(fd, name) {
                    Err(_) if options.unreadable == Unreadable::LeftOut => continue,
                    listed => listed.map_err(|error| cannot_read(&inner, error))?,
                };
                check_ordinary(fd.as_fd(), entries, (&inner, depth + 1), options)?;
            }
            _ => {
                return Err(TreeError::NoFile {
                    path: display_path(&inner),
                });
            }
        }
    }
    Ok(())
}

/// A `.git` file says where the repository is. That has to be a sound one of the tree, or nothing.
pub(super) fn check_pointer(
    root: &Directory,
    entry: &CheckedEntry<'_>,
    options: &TreeOptions<'_>,
) -> Result<(), TreeError> {
    let text = open_file(entry.parent, entry.name).and_then(|file| read_whole(file, LONGEST));
    let text = text.map_err(|error| cannot_read(entry.path, error))?;
    let Some(target) = text.strip_prefix(b"gitdir:") else {
        return Ok(());
    };
    let target = Path::new(OsStr::from_bytes(target.trim_ascii()));
    let outside = || TreeError::Outside {
        path: display_path(entry.path),
    };
    let here = display_path(entry.path);
    let target = here.parent().unwrap_or(Path::new("")).join(target);
    match root.directory(&target) {
        Ok(directory) => {
            let entries = Dir::read_from(&directory);
            let entries = entries.map_err(|error| cannot_read(entry.path, error))?;
            let path = target.as_os_str().as_bytes();
            check_ordinary(directory.as_fd(), entries, (path, 0), options)
        }
        Err(OpenError::Outside) if target.is_absolute() && is_absent(&target) => Ok(()),
        Err(error) if error.is_absence() => Ok(()),
        Err(_) => Err(outside()),
    }
}

fn is_absent(path: &Path) -> bool {
    let found = path.symlink_metadata();
    found.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

//! Opens and lists what an agent may have written: beneath a directory descriptor, through no link, without waiting.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, chmodat, fchmod, fstat, openat, statat,
    unlinkat,
};
use rustix::io::Errno;

use crate::tree::{open_folder, open_root};

/// The names in a directory, in order.
pub(super) fn names_in(folder: impl AsFd) -> io::Result<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(name.to_vec());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// The names in a directory, in order, and whether each is a directory itself.
pub(super) fn folders_in(folder: BorrowedFd<'_>) -> io::Result<Vec<(Vec<u8>, bool)>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let kind = match entry.file_type() {
            // Not every file system tells.
            FileType::Unknown => {
                stat_at(folder, name).map_or(FileType::Unknown, |stat| kind_of(&stat))
            }
            kind => kind,
        };
        names.push((name.to_vec(), kind == FileType::Directory));
    }
    names.sort_unstable();
    Ok(names)
}

/// What is at a name, not what it leads to.
pub(super) fn stat_at(folder: impl AsFd, name: &[u8]) -> rustix::io::Result<Stat> {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
}

/// What kind of thing it is.
pub(super) fn kind_of(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Opens a directory, restoring the owner's rights if an agent removed them.
pub(super) fn open_folder_anyway(parent: BorrowedFd<'_>, name: &[u8]) -> io::Result<OwnedFd> {
    match open_folder(parent, name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            add_owner_permissions(parent, name, 0o700)?;
            open_folder(parent, name)
        }
        opened => opened,
    }
}

/// Opens a regular file, restoring the owner's rights if an agent removed them.
pub(super) fn open_file_anyway(parent: BorrowedFd<'_>, name: &[u8]) -> io::Result<File> {
    match open_file(parent, name) {
        Err(Errno::ACCESS | Errno::PERM) => {
            add_owner_permissions(parent, name, 0o400)?;
            Ok(open_file(parent, name)?)
        }
        opened => Ok(opened?),
    }
}

pub(super) fn open_file(parent: BorrowedFd<'_>, name: &[u8]) -> rustix::io::Result<File> {
    // One that waits for a writer must not make us wait.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    openat(parent, name, flags, Mode::empty()).map(File::from)
}

/// Gives the owner rights, by a descriptor: a link that is put there meanwhile is not followed.
fn add_owner_permissions(parent: BorrowedFd<'_>, name: &[u8], rights: u32) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(parent, name, flags, Mode::empty())?;
    let stat = fstat(&opened)?;
    if !matches!(kind_of(&stat), FileType::Directory | FileType::RegularFile) {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    let mode = Mode::from_raw_mode(stat.st_mode) | Mode::from_raw_mode(rights);
    let by_descriptor = format!("/proc/self/fd/{}", opened.as_raw_fd());
    Ok(chmodat(CWD, by_descriptor, mode, AtFlags::empty())?)
}

/// Removes whatever is at a name, with all that is in it.
pub(super) fn remove_at(parent: BorrowedFd<'_>, name: &[u8]) -> io::Result<()> {
    match unlinkat(parent, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {}
        removed => return Ok(removed?),
    }
    let folder = open_folder_to_clear(parent, name)?;
    for inner in names_in(&folder)? {
        remove_at(folder.as_fd(), &inner)?;
    }
    Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?)
}

/// Opens a directory to remove what is in it, with the rights that this needs.
pub(super) fn open_folder_to_clear(parent: BorrowedFd<'_>, name: &[u8]) -> io::Result<OwnedFd> {
    let folder = open_folder_anyway(parent, name)?;
    let mode = Mode::from_raw_mode(fstat(&folder)?.st_mode);
    if !mode.contains(Mode::RWXU) {
        fchmod(&folder, mode | Mode::RWXU)?;
    }
    Ok(folder)
}

/// Removes a layer, or what an overlay left: its work directory has mode 000. An absent directory is fine.
pub fn remove_layer(path: &Path) -> io::Result<()> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let removed = open_root(above).and_then(|above| remove_at(above.as_fd(), name.as_bytes()));
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A path in a directory.
pub(super) fn join_path(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() {
        return name.to_vec();
    }
    [folder, b"/", name].concat()
}

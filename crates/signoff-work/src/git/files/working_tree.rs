//! Puts files into a working tree: each whole or not at all, and never through a link.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;

use crate::git::GitError;
use crate::git::names::path;
use crate::tree::{FileStamp, open_folder, open_root, split};

/// A working tree that files are put into.
#[derive(Debug)]
pub(crate) struct WorkingTree {
    root: OwnedFd,
}

/// Whose tree is changed, which says what may be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TreeOwner {
    /// Nothing that was not looked at: what is in the way is an error.
    Person,
    /// Everything that is in the way.
    Harness,
}

impl WorkingTree {
    pub(crate) fn open(tree: &Path) -> Result<Self, GitError> {
        let root = open_root(tree).map_err(GitError::file(tree))?;
        Ok(Self { root })
    }

    /// What is at this path; nothing, if it is behind a link or a file.
    pub(crate) fn stamp(&self, name: &[u8]) -> io::Result<Option<FileStamp>> {
        let (folder, last) = split(name);
        let Some(folder) = self.folder(folder)? else {
            return Ok(None);
        };
        match statat(&folder, last, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(FileStamp::of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a file away, and the directories that are empty without it.
    pub(crate) fn take_away(&self, name: &[u8], owner: TreeOwner) -> io::Result<()> {
        let (above, last) = split(name);
        let Some(folder) = self.folder(above)? else {
            return Ok(());
        };
        match unlinkat(&folder, last, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            // What stands there now was never the file that is to go.
            Err(Errno::ISDIR | Errno::PERM) if is_folder(folder.as_fd(), last) => match owner {
                TreeOwner::Person => return Ok(()),
                TreeOwner::Harness => clear_folder(folder.as_fd(), last)?,
            },
            Err(error) => return Err(error.into()),
        }
        let mut above = above;
        while !above.is_empty() {
            let (parent, last) = split(above);
            let removed = match self.folder(parent)? {
                Some(folder) => unlinkat(&folder, last, AtFlags::REMOVEDIR).is_ok(),
                None => false,
            };
            if !removed {
                break;
            }
            above = parent;
        }
        Ok(())
    }

    /// Moves a file that was staged to its place in a tree of ours.
    pub(crate) fn put(&self, staged: &Path, name: &[u8]) -> io::Result<()> {
        let (above, last) = split(name);
        let folder = self.make_folder(above, TreeOwner::Harness)?;
        if is_folder(folder.as_fd(), last) {
            clear_folder(folder.as_fd(), last)?;
        }
        let from = staged.join(path(name));
        match renameat(CWD, &from, &folder, last) {
            Err(Errno::XDEV) => copy_beside(&from, folder.as_fd(), last),
            moved => Ok(moved?),
        }
    }

    /// The directory at a path, if there is one that is reached through no link.
    pub(crate) fn folder(&self, name: &[u8]) -> io::Result<Option<OwnedFd>> {
        let mut folder = self.root.try_clone()?;
        for part in name
            .split(|byte| *byte == b'/')
            .filter(|part| !part.is_empty())
        {
            folder = match open_folder(&folder, part) {
                Ok(inner) => inner,
                Err(error)
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
                        || Errno::from_io_error(&error) == Some(Errno::LOOP) =>
                {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            };
        }
        Ok(Some(folder))
    }

    /// The directory at a path, made where it is not there.
    pub(crate) fn make_folder(&self, name: &[u8], owner: TreeOwner) -> io::Result<OwnedFd> {
        let mut folder = self.root.try_clone()?;
        for part in name
            .split(|byte| *byte == b'/')
            .filter(|part| !part.is_empty())
        {
            if owner == TreeOwner::Harness && !is_folder(folder.as_fd(), part) {
                unlinkat(&folder, part, AtFlags::empty()).ok();
            }
            match mkdirat(&folder, part, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            folder = open_folder(&folder, part)?;
        }
        Ok(folder)
    }
}

pub(crate) fn is_folder(parent: BorrowedFd<'_>, name: &[u8]) -> bool {
    statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
}

/// Removes a directory that holds nothing but empty directories.
pub(crate) fn remove_empty(parent: BorrowedFd<'_>, name: &[u8]) -> io::Result<()> {
    for_each_entry(parent, name, &|folder, inner| remove_empty(folder, inner))?;
    Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?)
}

/// Removes a directory with all that is in it.
fn clear_folder(parent: BorrowedFd<'_>, name: &[u8]) -> io::Result<()> {
    for_each_entry(parent, name, &|folder, inner| {
        if is_folder(folder, inner) {
            clear_folder(folder, inner)
        } else {
            Ok(unlinkat(folder, inner, AtFlags::empty())?)
        }
    })?;
    Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?)
}

fn for_each_entry(
    parent: BorrowedFd<'_>,
    name: &[u8],
    visit: &dyn Fn(BorrowedFd<'_>, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let folder = open_folder(parent, name)?;
    for entry in rustix::fs::Dir::read_from(&folder)? {
        let entry = entry?;
        let inner = entry.file_name().to_bytes();
        if inner != b"." && inner != b".." {
            visit(folder.as_fd(), inner)?;
        }
    }
    Ok(())
}

/// Where a file cannot be moved to, because it is another file system.
fn copy_beside(from: &Path, folder: BorrowedFd<'_>, name: &[u8]) -> io::Result<()> {
    let temporary = format!(".signoff-landing-{}", std::process::id());
    copy_to(from, folder, &temporary)?;
    Ok(renameat(folder, &*temporary, folder, name)?)
}

/// Copies a file or a link to a name in a directory; what was there is replaced.
pub(crate) fn copy_to(from: &Path, folder: BorrowedFd<'_>, name: &str) -> io::Result<()> {
    unlinkat(folder, name, AtFlags::empty()).ok();
    let found = fs::symlink_metadata(from)?;
    if found.is_symlink() {
        rustix::fs::symlinkat(fs::read_link(from)?, folder, name)?;
    } else {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut target = File::from(openat(folder, name, flags, Mode::from_raw_mode(0o600))?);
        io::copy(&mut File::open(from)?.by_ref(), &mut target)?;
        target.set_permissions(fs::Permissions::from_mode(found.permissions().mode()))?;
    }
    Ok(())
}

//! Writes single files of the checkout: each whole or not at all, through no link, and only over what was read.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::SystemTime;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, openat, renameat, renameat_with, statat,
    unlinkat,
};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use crate::git::GitError;
use crate::git::files::hold_reason::HoldReason;
use crate::git::files::swap::{self, SwapOutcome};
use crate::git::files::working_tree::{TreeOwner, WorkingTree, copy_to, is_folder, remove_empty};
use crate::git::names::{Name, path};
use crate::tree::{FileStamp, split};

/// What a file is called while it is written, beside the one that it will replace. Every landing ignores and removes it.
const TEMPORARY: &str = ".signoff-landing-next";

/// Writes files of a checkout.
#[derive(Debug)]
pub(crate) struct FileWriter {
    working_tree: WorkingTree,
}

/// The state of a file when it was read.
#[derive(Debug, Clone)]
pub(crate) struct FileState {
    stamp: FileStamp,
    /// Of a file that was written just now, and may be written again without another stamp.
    digest: Option<[u8; 32]>,
}

impl FileWriter {
    pub(crate) fn open(checkout: &Path) -> Result<Self, GitError> {
        let working_tree = WorkingTree::open(checkout)?;
        Ok(Self { working_tree })
    }

    /// Removes what an earlier landing left that was killed.
    pub(crate) fn remove_temporary(&self, names: &BTreeSet<Name>) {
        let folders: BTreeSet<&[u8]> = names.iter().map(|name| split(name).0).collect();
        for name in folders {
            if let Ok(Some(folder)) = self.working_tree.folder(name) {
                unlinkat(&folder, TEMPORARY, AtFlags::empty()).ok();
            }
        }
    }

    /// Whether there is an ordinary file or a link, which can be read.
    pub(crate) fn is_file(&self, name: &[u8]) -> Result<bool, HoldReason> {
        let (above, last) = split(name);
        let Some(folder) = self.working_tree.folder(above).map_err(hold_reason)? else {
            return Ok(false);
        };
        match file_type(folder.as_fd(), last) {
            Some(FileType::RegularFile) => {
                open_file(folder.as_fd(), last).map_err(hold_reason)?;
                Ok(true)
            }
            Some(FileType::Symlink) => Ok(true),
            // What is in a directory is looked at by itself.
            Some(FileType::Directory) | None => Ok(false),
            Some(_) => Err(HoldReason::InTheWay),
        }
    }

    /// The state of the file at a path; `None` without one. Files in a directory have their own state.
    pub(crate) fn file_state(&self, name: &[u8]) -> io::Result<Option<FileState>> {
        let (above, last) = split(name);
        match self.working_tree.folder(above)? {
            Some(folder) => file_state(folder.as_fd(), last, None),
            None => Ok(None),
        }
    }

    /// Moves a file that was staged to its place, if that still looks as it did.
    pub(crate) fn put(
        &self,
        staged: &Path,
        name: &[u8],
        seen: Option<&FileState>,
        at: &dyn Fn(&'static str),
    ) -> Result<(), HoldReason> {
        if seen.is_some_and(|seen| !seen.is_file()) {
            return Err(HoldReason::InTheWay);
        }
        let (above, last) = split(name);
        let folder = self
            .working_tree
            .make_folder(above, TreeOwner::Person)
            .map_err(hold_reason)?;
        let folder = folder.as_fd();
        if is_folder(folder, last) {
            remove_empty(folder, last).map_err(|_| HoldReason::InTheWay)?;
        }
        let from = staged.join(path(name));
        let put = keep_rights(&from, seen)
            .and_then(|()| move_beside(&from, folder))
            .map_err(hold_reason)
            .and_then(|()| {
                at("land.rename");
                replace(folder, last, seen, at)
            });
        if put.is_err() {
            unlinkat(folder, TEMPORARY, AtFlags::empty()).ok();
        }
        put
    }

    /// Removes a file that still looks as it did, and the directories that are empty without it.
    pub(crate) fn remove(
        &self,
        name: &[u8],
        seen: Option<&FileState>,
        at: &dyn Fn(&'static str),
    ) -> Result<(), HoldReason> {
        let (above, last) = split(name);
        if let Some(folder) = self.working_tree.folder(above).map_err(hold_reason)? {
            check_unchanged(folder.as_fd(), last, seen)?;
            at("land.swap");
            if let Some(seen) = seen.filter(|seen| seen.is_file()) {
                let folder = folder.as_fd();
                let is_expected = |now: &FileStamp| seen.is_same_renamed(folder, now);
                swap_result(swap::remove(folder, TEMPORARY, last, &is_expected))?;
            }
        }
        self.working_tree
            .take_away(name, TreeOwner::Person)
            .map_err(hold_reason)
    }
}

impl FileState {
    pub(crate) fn of(stamp: FileStamp) -> Self {
        Self {
            stamp,
            digest: None,
        }
    }

    /// Is the temporary file, with this stamp, the file that was read, with the same content? It was renamed since,
    /// and so its status changed.
    fn is_same_renamed(&self, folder: BorrowedFd<'_>, now: &FileStamp) -> bool {
        let seen = &self.stamp;
        let has_same_content = || match self.digest {
            Some(known) => open_file(folder, TEMPORARY.as_bytes())
                .and_then(digest)
                .is_ok_and(|now| now == known),
            None => true,
        };
        now.is_same_file(seen)
            && now.modified_at() == seen.modified_at()
            && now.size() == seen.size()
            && now.permissions() == seen.permissions()
            && has_same_content()
    }

    fn is_file(&self) -> bool {
        matches!(
            self.stamp.file_type(),
            FileType::RegularFile | FileType::Symlink
        )
    }
}

/// The last check before a file is replaced or removed.
fn check_unchanged(
    folder: BorrowedFd<'_>,
    name: &[u8],
    seen: Option<&FileState>,
) -> Result<(), HoldReason> {
    let now = file_state(folder, name, seen).map_err(hold_reason)?;
    let is_same = match (&now, seen) {
        (None, None) => true,
        (Some(now), Some(seen)) => {
            now.stamp == seen.stamp && (seen.digest.is_none() || now.digest == seen.digest)
        }
        _ => false,
    };
    is_same.then_some(()).ok_or(HoldReason::Changing)
}

/// Puts the temporary file in its place, if nobody has changed what is there.
fn replace(
    folder: BorrowedFd<'_>,
    name: &[u8],
    seen: Option<&FileState>,
    at: &dyn Fn(&'static str),
) -> Result<(), HoldReason> {
    check_unchanged(folder, name, seen)?;
    at("land.swap");
    let Some(seen) = seen else {
        match renameat_with(folder, TEMPORARY, folder, name, RenameFlags::NOREPLACE) {
            // Not every file system can.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            Err(Errno::EXIST) => return Err(HoldReason::Changing),
            renamed => return renamed.map_err(|error| hold_reason(error.into())),
        }
        return renameat(folder, TEMPORARY, folder, name)
            .map_err(|error| hold_reason(error.into()));
    };
    let is_expected = |now: &FileStamp| seen.is_same_renamed(folder, now);
    swap_result(swap::put(folder, TEMPORARY, name, &is_expected))?;
    // What was there before, or nothing.
    unlinkat(folder, TEMPORARY, AtFlags::empty()).ok();
    Ok(())
}

fn swap_result(swapped: rustix::io::Result<SwapOutcome>) -> Result<(), HoldReason> {
    match swapped.map_err(|error| hold_reason(error.into()))? {
        SwapOutcome::Done => Ok(()),
        SwapOutcome::Changed => Err(HoldReason::Changing),
    }
}

/// Moves a staged file to a temporary name in the directory where it will be.
fn move_beside(from: &Path, folder: BorrowedFd<'_>) -> io::Result<()> {
    match renameat(CWD, from, folder, TEMPORARY) {
        // The copy has to be on disk like the original, whatever was asked for: it is rare.
        Err(Errno::XDEV) => {
            copy_to(from, folder, TEMPORARY)?;
            match open_file(folder, TEMPORARY.as_bytes()) {
                Ok(copy) => copy.sync_all(),
                // A link.
                Err(_) => Ok(()),
            }
        }
        moved => Ok(moved?),
    }
}

/// A file that replaces another is as private as that one.
fn keep_rights(from: &Path, seen: Option<&FileState>) -> io::Result<()> {
    let Some(old) = seen.filter(|seen| seen.stamp.file_type() == FileType::RegularFile) else {
        return Ok(());
    };
    let new = fs::symlink_metadata(from)?;
    if !new.is_file() {
        return Ok(());
    }
    let rights = old.stamp.permissions() & 0o666;
    let runs = new.permissions().mode() & 0o100 != 0;
    let rights = if runs {
        rights | (rights & 0o444) >> 2
    } else {
        rights
    };
    fs::set_permissions(from, fs::Permissions::from_mode(rights))
}

/// `before` is an earlier state that the result will be compared with.
fn file_state(
    folder: BorrowedFd<'_>,
    name: &[u8],
    before: Option<&FileState>,
) -> io::Result<Option<FileState>> {
    let stat = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let stamp = FileStamp::of(&stat);
    let is_read = before.is_some_and(|before| before.digest.is_some());
    let digest = match stamp.file_type() {
        FileType::Directory => return Ok(None),
        FileType::RegularFile if is_read || !stamp.is_settled(SystemTime::now()) => {
            Some(digest(open_file(folder, name)?)?)
        }
        _ => None,
    };
    Ok(Some(FileState { stamp, digest }))
}

fn open_file(folder: BorrowedFd<'_>, name: &[u8]) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(openat(folder, name, flags, Mode::empty())?))
}

fn digest(mut file: File) -> io::Result<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let length = file.read(&mut buffer)?;
        let Some(read) = buffer.get(..length).filter(|read| !read.is_empty()) else {
            return Ok(hash.finalize().into());
        };
        hash.update(read);
    }
}

fn file_type(folder: BorrowedFd<'_>, name: &[u8]) -> Option<FileType> {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileType::from_raw_mode(stat.st_mode))
}

fn hold_reason(error: io::Error) -> HoldReason {
    match Errno::from_io_error(&error) {
        Some(Errno::NOTDIR | Errno::LOOP | Errno::ISDIR) => HoldReason::InTheWay,
        _ => HoldReason::Refused(error.to_string()),
    }
}

//! Puts a workspace back to what it was.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, Mode, OFlags, fchmod, mkdirat, openat, renameat, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::beneath::{open_folder, open_path, open_root, split};
use super::contents::Contents;
use super::entry::{Content, Entry, Stamp, raw};
use super::snapshot::{Change, ChangeKind, Tree};

/// What came of putting things back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Restored {
    /// Paths that are as they were.
    pub restored: Vec<String>,
    /// Paths that are not, and why.
    pub failed: Vec<(String, String)>,
}

pub(super) fn restore(
    workspace: &Path,
    contents: &Contents,
    before: &Tree,
    last: &Tree,
    changes: &[Change],
) -> Restored {
    let mut done = Restored::default();
    if changes.is_empty() {
        return done;
    }
    let root = match open_root(workspace) {
        Ok(root) => root,
        Err(error) => {
            let failed = changes
                .iter()
                .map(|change| (change.path.clone(), error.to_string()));
            done.failed.extend(failed);
            return done;
        }
    };
    let site = Site { root, contents };
    let (added, others): (Vec<&Change>, Vec<&Change>) = changes
        .iter()
        .partition(|change| change.kind == ChangeKind::Added);
    // What is new goes first: it may stand where a folder was.
    for change in added {
        done.note(change, site.remove(change));
    }
    site.remove_new_folders(before, last);
    site.make_lost_folders(before, last);
    for change in others {
        let entry = before.find(&change.exact);
        let put = entry.map_or_else(
            || Err(io::Error::other("it is not in the snapshot")),
            |entry| site.put_back(change, entry),
        );
        done.note(change, put);
    }
    done
}

impl Restored {
    fn note(&mut self, change: &Change, result: io::Result<()>) {
        match result {
            Ok(()) => self.restored.push(change.path.clone()),
            Err(error) => self.failed.push((change.path.clone(), error.to_string())),
        }
    }
}

struct Site<'s> {
    root: OwnedFd,
    contents: &'s Contents,
}

impl Site<'_> {
    fn remove(&self, change: &Change) -> io::Result<()> {
        let (folder, name) = split(&change.exact);
        let folder = open_path(&self.root, folder)?;
        unchanged(folder.as_fd(), name, change)?;
        Ok(unlinkat(&folder, name, AtFlags::empty())?)
    }

    /// Removes folders that were not there before, if nothing is left in them.
    fn remove_new_folders(&self, before: &Tree, last: &Tree) {
        let new = last
            .folders
            .keys()
            .filter(|path| !before.folders.contains_key(*path));
        // A folder sorts before what lies in it.
        for path in new.rev() {
            let (folder, name) = split(path);
            if let Ok(folder) = open_path(&self.root, folder) {
                // One that something ignored lies in stays; whoever needs its place will say so.
                unlinkat(&folder, name, AtFlags::REMOVEDIR).ok();
            }
        }
    }

    /// Makes folders anew that are gone.
    fn make_lost_folders(&self, before: &Tree, last: &Tree) {
        let lost = before
            .folders
            .iter()
            .filter(|(path, _)| !last.folders.contains_key(*path));
        for (path, permissions) in lost {
            let (parent, name) = split(path);
            if let Ok(parent) = open_path(&self.root, parent) {
                // Failing shows where a file cannot be put into it.
                make_folder(parent.as_fd(), name, *permissions).ok();
            }
        }
    }

    fn put_back(&self, change: &Change, entry: &Entry) -> io::Result<()> {
        let (folder, name) = split(&change.exact);
        let folder = open_path(&self.root, folder)?;
        unchanged(folder.as_fd(), name, change)?;
        let temporary = temporary_name(name);
        // What a killed process left.
        unlinkat(&folder, &*temporary, AtFlags::empty()).ok();
        match &entry.content {
            Content::File(Some(hash)) => {
                let bytes = self.contents.get(hash)?;
                write(folder.as_fd(), &temporary, &bytes, &entry.stamp)
            }
            Content::File(None) => Err(io::Error::other("its content was not kept")),
            Content::Link(target) => Ok(symlinkat(&**target, &folder, &*temporary)?),
            Content::Other => Err(io::Error::other("it was no file and no link")),
        }?;
        renameat(&folder, &*temporary, &folder, name).map_err(|error| {
            unlinkat(&folder, &*temporary, AtFlags::empty()).ok();
            match error {
                Errno::ISDIR | Errno::EXIST | Errno::NOTEMPTY => {
                    io::Error::other("a folder stands in its place, with ignored files in it")
                }
                _ => error.into(),
            }
        })
    }
}

/// Refuses where somebody changed the file once more since it was looked at.
fn unchanged(folder: BorrowedFd<'_>, name: &[u8], change: &Change) -> io::Result<()> {
    let now = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Some(Stamp::of(&stat)),
        Err(Errno::NOENT) => None,
        Err(error) => return Err(error.into()),
    };
    let is_folder = now.is_some_and(|now| now.file_type() == rustix::fs::FileType::Directory);
    // A folder in the place of a file that is gone: renaming over it will fail, unless it is empty.
    if now == change.after || (is_folder && change.after.is_none()) {
        return Ok(());
    }
    Err(io::Error::other("somebody has changed it since"))
}

fn make_folder(parent: BorrowedFd<'_>, name: &[u8], permissions: u32) -> io::Result<()> {
    mkdirat(parent, name, Mode::from_raw_mode(raw(permissions)))?;
    // Without what the umask took.
    Ok(fchmod(
        open_folder(parent, name)?,
        Mode::from_raw_mode(raw(permissions)),
    )?)
}

fn write(folder: BorrowedFd<'_>, name: &[u8], bytes: &[u8], stamp: &Stamp) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(folder, name, flags, Mode::from_raw_mode(0o600))?);
    let written = file.write_all(bytes).and_then(|()| {
        Ok(fchmod(
            &file,
            Mode::from_raw_mode(raw(stamp.permissions())),
        )?)
    });
    if written.is_err() {
        unlinkat(folder, name, AtFlags::empty()).ok();
    }
    written
}

/// A name beside the file's. Not made of it: that could be too long.
fn temporary_name(name: &[u8]) -> Vec<u8> {
    let sum = name.iter().fold(0u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(*byte))
    });
    format!(".signoff-restoring-{sum:08x}").into_bytes()
}

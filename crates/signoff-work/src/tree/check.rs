//! Checks whether a tree that an agent could write to can be recorded, before git reads it.
//!
//! A look at a tree is complete or it is a failure: what cannot be listed, is more than is read, or would make git wait
//! (a pipe where git expects a file of its own) is an error with its path, never "no changes". Nothing is read here but
//! names, sizes, and the small files that say where a repository is. Paths are bytes.
//!
//! Start reading at [`check_tree`].

mod error;
mod nested;

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use rustix::fs::{AtFlags, Dir, FileType, Stat, statat};
use rustix::io::Errno;

pub use self::error::TreeError;
use crate::beneath::{Directory, open_folder};
use crate::call::StopFlag;

/// Files that git reads wherever it comes upon them.
const CONTROL_FILES: [&[u8]; 3] = [b".gitignore", b".gitattributes", b".gitmodules"];
/// Bytes that one of them may have: git reads it into memory.
const LARGEST_CONTROL_FILE: u64 = 16 << 20;
/// Git builds whole paths, which the system takes up to this length.
const LONGEST_PATH: usize = 4096;

/// How much a tree may hold.
#[derive(Debug, Clone, Copy)]
pub struct TreeLimits {
    /// Files, links and directories.
    pub entries: u64,
    /// Bytes of all files, holes included: hashing a file reads them, too.
    pub bytes: u64,
    /// Bytes of one file.
    pub largest: u64,
    /// Directories within directories.
    pub depth: usize,
}

impl Default for TreeLimits {
    fn default() -> Self {
        Self {
            entries: 1_000_000,
            bytes: 16 << 30,
            largest: 4 << 30,
            // Less than the files that a process may have open.
            depth: 200,
        }
    }
}

/// What becomes of directories that cannot be listed, and of repositories that lie elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// It is an error: nothing that an agent did may get lost.
    Error,
    /// They are left out, as git does: a person has them for other reasons.
    LeftOut,
}

/// How a tree is checked.
pub struct TreeOptions<'o> {
    /// How much it may hold.
    pub limits: TreeLimits,
    /// What becomes of directories that cannot be listed, and of repositories that lie elsewhere.
    pub unreadable: Unreadable,
    /// Whether a path of the tree, and whether it is a directory, is left out with all that is in it.
    pub is_left_out: &'o dyn Fn(&[u8], bool) -> bool,
    /// Ends the check.
    pub stop: &'o StopFlag,
}

impl fmt::Debug for TreeOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeOptions")
            .field("limits", &self.limits)
            .field("unreadable", &self.unreadable)
            .finish_non_exhaustive()
    }
}

/// What a tree holds. Repositories in it (`.git`) do not count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeReport {
    /// Files and links.
    pub files: u64,
    /// Directories, without the root.
    pub directories: u64,
    /// Bytes of all files, holes included.
    pub bytes: u64,
    /// Bytes of the largest file.
    pub largest: u64,
    /// Pipes, sockets and devices, relative to the root: no snapshot can hold them. An overlay's whiteouts are among
    /// them.
    pub special: Vec<PathBuf>,
}

/// Looks at the whole tree.
pub fn check_tree(root: &Path, options: &TreeOptions<'_>) -> Result<TreeReport, TreeError> {
    let directory = Directory::open(root).map_err(|error| TreeError::Unreadable {
        path: root.to_owned(),
        error,
    })?;
    let mut check = TreeCheck {
        root: &directory,
        options,
        // What git appends to a directory's path to open it.
        longest: LONGEST_PATH.saturating_sub(root.as_os_str().len() + "/.gitattributes".len()),
        report: TreeReport::default(),
    };
    let listed = Dir::read_from(&directory);
    let listed = listed.map_err(|error| cannot_read(b"", error))?;
    check.directory(directory.as_fd(), listed, b"", 0)?;
    Ok(check.report)
}

struct TreeCheck<'l> {
    root: &'l Directory,
    options: &'l TreeOptions<'l>,
    longest: usize,
    report: TreeReport,
}

/// One entry of a directory.
struct CheckedEntry<'e> {
    parent: BorrowedFd<'e>,
    name: &'e [u8],
    /// From the root.
    path: &'e [u8],
    depth: usize,
}

impl TreeCheck<'_> {
    fn directory(
        &mut self,
        fd: BorrowedFd<'_>,
        entries: Dir,
        path: &[u8],
        depth: usize,
    ) -> Result<(), TreeError> {
        if depth > self.options.limits.depth || path.len() > self.longest {
            return Err(TreeError::TooDeep {
                path: display_path(path),
            });
        }
        for entry in entries {
            if self.options.stop.is_raised() {
                return Err(TreeError::Stopped);
            }
            let entry = entry.map_err(|error| cannot_read(path, error))?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let entry_path = join(path, name);
            let found = CheckedEntry {
                parent: fd,
                name,
                path: &entry_path,
                depth,
            };
            self.entry(&found, entry.file_type())?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &CheckedEntry<'_>, kind: FileType) -> Result<(), TreeError> {
        // Directories need no more than their kind, which most file systems tell with the name.
        let stat = match kind {
            FileType::Directory => None,
            _ => match statat(entry.parent, entry.name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => return Ok(()),
                stat => Some(stat.map_err(|error| cannot_read(entry.path, error))?),
            },
        };
        let kind = stat.map_or(kind, |stat| FileType::from_raw_mode(stat.st_mode));
        if entry.name == b".git" {
            return self.repository(entry, kind);
        }
        if (self.options.is_left_out)(entry.path, kind == FileType::Directory) {
            return Ok(());
        }
        self.count()?;
        match (kind, stat) {
            (FileType::Directory, _) => self.inner_directory(entry),
            (FileType::RegularFile, Some(stat)) => self.file(entry, &stat),
            (FileType::Symlink, _) => {
                self.report.files += 1;
                Ok(())
            }
            (_, stat) => self.check_special(entry, stat.as_ref()),
        }
    }

    fn count(&self) -> Result<(), TreeError> {
        let limit = self.options.limits.entries;
        if self.report.files + self.report.directories >= limit {
            return Err(TreeError::TooMany { limit });
        }
        Ok(())
    }

    fn inner_directory(&mut self, entry: &CheckedEntry<'_>) -> Result<(), TreeError> {
        self.report.directories += 1;
        match open_listing(entry.parent, entry.name) {
            Ok((fd, entries)) => self.directory(fd.as_fd(), entries, entry.path, entry.depth + 1),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(_) if self.options.unreadable == Unreadable::LeftOut => Ok(()),
            Err(error) => Err(TreeError::Unreadable {
                path: display_path(entry.path),
                error,
            }),
        }
    }

    fn file(&mut self, entry: &CheckedEntry<'_>, stat: &Stat) -> Result<(), TreeError> {
        let size = u64::try_from(stat.st_size).expect("a size is not negative");
        let limits = &self.options.limits;
        let is_control_file = CONTROL_FILES.contains(&entry.name);
        let limit = if is_control_file {
            LARGEST_CONTROL_FILE.min(limits.largest)
        } else {
            limits.largest
        };
        if size > limit {
            let path = display_path(entry.path);
            return Err(TreeError::TooLarge { path, size, limit });
        }
        self.report.files += 1;
        self.report.largest = self.report.largest.max(size);
        self.report.bytes = self.report.bytes.saturating_add(size);
        if self.report.bytes > limits.bytes {
            let limit = limits.bytes;
            return Err(TreeError::TooMuch { limit });
        }
        Ok(())
    }

    fn check_special(
        &mut self,
        entry: &CheckedEntry<'_>,
        stat: Option<&Stat>,
    ) -> Result<(), TreeError> {
        // An overlay's whiteout cannot be opened, so nothing waits for it.
        let is_whiteout = stat.is_some_and(|stat| {
            FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice && stat.st_rdev == 0
        });
        if CONTROL_FILES.contains(&entry.name) && !is_whiteout {
            return Err(TreeError::NoFile {
                path: display_path(entry.path),
            });
        }
        self.report.special.push(display_path(entry.path));
        Ok(())
    }

    /// Git asks every `.git` below the root whether it is a repository; the one of the root is never used.
    fn repository(&self, entry: &CheckedEntry<'_>, kind: FileType) -> Result<(), TreeError> {
        match kind {
            FileType::Directory | FileType::RegularFile if entry.depth == 0 => Ok(()),
            FileType::Directory => nested::check_directory(entry, self.options),
            _ if entry.depth > 0 && self.options.unreadable == Unreadable::LeftOut => Ok(()),
            FileType::RegularFile => nested::check_pointer(self.root, entry, self.options),
            _ => Err(TreeError::NoFile {
                path: display_path(entry.path),
            }),
        }
    }
}

/// Opens a directory and begins to list it.
fn open_listing(parent: BorrowedFd<'_>, name: &[u8]) -> io::Result<(OwnedFd, Dir)> {
    let fd = open_folder(parent, name)?;
    let entries = Dir::read_from(&fd)?;
    Ok((fd, entries))
}

fn cannot_read(path: &[u8], error: impl Into<io::Error>) -> TreeError {
    TreeError::Unreadable {
        path: display_path(path),
        error: error.into(),
    }
}

fn display_path(path: &[u8]) -> PathBuf {
    OsStr::from_bytes(path).into()
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() {
        return name.to_vec();
    }
    [folder, b"/", name].concat()
}

#[cfg(test)]
mod tests;

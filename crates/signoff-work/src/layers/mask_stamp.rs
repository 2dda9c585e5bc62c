//! Tells whether what shines through a mask changed.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

use super::beneath::{folders_in, join_path, names_in, stat_at};
use super::mask::MaskEntry;
use crate::git::{Name, lies_within};
use crate::tree::FileStamp;

/// How far into ignored directories changes are looked for: to `target/debug/deps` and
/// `.venv/lib/python3/site-packages`.
const INNER_DEPTH: usize = 3;

/// Directories in one ignored directory that are watched, the highest first.
const INNER_MOST: usize = 256;

/// Files in one ignored directory that are watched, the highest first, and in all of them together. Each costs two
/// microseconds before and after each contract (measured: 10 ms for 5,000), and a contract may take no more than a few
/// milliseconds.
const INNER_FILES: usize = 256;
const ALL_FILES: usize = 512;

/// Which names of directories that hold both kinds are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeenNames {
    /// Also those that came later.
    All,
    /// Those that the mask knows.
    Known,
}

/// The state of the checkout at one moment, where it shines through a mask.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MaskStamp(BTreeMap<Name, FileStamp>);

impl MaskStamp {
    /// Records everything that is not masked: ignored paths, and directories that hold both kinds.
    pub(super) fn take(
        root: BorrowedFd<'_>,
        covers: &BTreeMap<Name, MaskEntry>,
        inner: &[Name],
    ) -> io::Result<Self> {
        let mut stamps = BTreeMap::new();
        for name in paths_seen(covers).chain(inner.iter().map(Vec::as_slice)) {
            if let Some(stamp) = stamp_at(root, name)? {
                stamps.insert(name.to_vec(), stamp);
            }
        }
        Ok(Self(stamps))
    }

    /// What is not as it was.
    pub(super) fn changes(
        &self,
        root: BorrowedFd<'_>,
        covers: &BTreeMap<Name, MaskEntry>,
        inner: &[Name],
        seen: SeenNames,
    ) -> io::Result<Vec<Name>> {
        let mut changed = BTreeSet::new();
        for name in paths_seen(covers) {
            let (before, now) = (self.0.get(name), stamp_at(root, name)?);
            if before == now.as_ref() {
                continue;
            }
            let is_same = before
                .zip(now)
                .is_some_and(|(before, now)| before.is_same_file(&now));
            if covers.get(name) == Some(&MaskEntry::Shown) || !is_same {
                changed.insert(name.to_vec());
            } else if seen == SeenNames::All {
                changed.extend(new_names(root, name, covers)?);
            }
        }
        for name in inner {
            if self.0.get(name) != stamp_at(root, name)?.as_ref() {
                let roots = paths_seen(covers).filter(|root| lies_within(name, &[root.to_vec()]));
                let shown = roots.filter(|root| covers.get(*root) == Some(&MaskEntry::Shown));
                changed.extend(shown.map(<[u8]>::to_vec));
            }
        }
        Ok(changed.into_iter().collect())
    }
}

/// Names in a directory that the mask does not know, so that they are seen through it. Files that are masked may come
/// and go.
fn new_names(
    root: BorrowedFd<'_>,
    folder: &[u8],
    covers: &BTreeMap<Name, MaskEntry>,
) -> io::Result<Vec<Name>> {
    let opened = open_at(root, folder)?;
    let names = names_in(opened.as_fd())?.into_iter();
    let names = names.map(|name| join_path(folder, &name));
    Ok(names.filter(|name| !covers.contains_key(name)).collect())
}

/// What is watched in ignored directories: directories, which tell of names that come and go, and files, which may be
/// written in place. What cannot be read is not.
pub(super) fn inner_names<'n>(
    root: BorrowedFd<'_>,
    ignored: impl Iterator<Item = &'n [u8]>,
) -> Vec<Name> {
    let mut watched = WatchedPaths::default();
    let mut level: Vec<(usize, Name)> = ignored.map(<[u8]>::to_vec).enumerate().collect();
    watched.counts.resize(level.len(), (0, 0));
    // Level by level: a large directory must not hide the others.
    for _ in 0..INNER_DEPTH {
        let mut next = Vec::new();
        for (number, folder) in level {
            let inner = open_at(root, &folder).and_then(|opened| folders_in(opened.as_fd()));
            for (name, is_folder) in inner.unwrap_or_default() {
                let path = join_path(&folder, &name);
                if watched.add(number, &path, is_folder) && is_folder {
                    next.push((number, path));
                }
            }
        }
        level = next;
    }
    watched.names
}

/// What is watched so far.
#[derive(Default)]
struct WatchedPaths {
    names: Vec<Name>,
    /// Directories and files, for each ignored directory.
    counts: Vec<(usize, usize)>,
    files: usize,
}

impl WatchedPaths {
    /// Adds a path, unless there are too many of its kind.
    fn add(&mut self, root: usize, path: &[u8], is_folder: bool) -> bool {
        let Some((folders, files)) = self.counts.get_mut(root) else {
            return false;
        };
        let (count, most) = if is_folder {
            (folders, INNER_MOST)
        } else {
            (files, INNER_FILES)
        };
        if *count >= most || (!is_folder && self.files >= ALL_FILES) {
            return false;
        }
        *count += 1;
        self.files += usize::from(!is_folder);
        self.names.push(path.to_vec());
        true
    }
}

/// The root and everything that is not masked.
fn paths_seen(covers: &BTreeMap<Name, MaskEntry>) -> impl Iterator<Item = &[u8]> {
    let seen = covers.iter();
    let seen = seen.filter(|(_, cover)| **cover != MaskEntry::Whiteout);
    std::iter::once(&b""[..]).chain(seen.map(|(name, _)| name.as_slice()))
}

fn or_here(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"." } else { name }
}

fn open_at(root: BorrowedFd<'_>, name: &[u8]) -> io::Result<impl AsFd + use<>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(root, or_here(name), flags, Mode::empty())?)
}

/// `None` if nothing is there, or nothing that may be read.
fn stamp_at(root: BorrowedFd<'_>, name: &[u8]) -> io::Result<Option<FileStamp>> {
    match stat_at(root, or_here(name)) {
        Ok(stat) => Ok(Some(FileStamp::of(&stat))),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

//! One file of a snapshot.

use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Stat};
use serde::{Deserialize, Serialize};

/// A path within the workspace, as the file system spells it.
pub(super) type TreePath = Box<[u8]>;

/// SHA-256 of a file's bytes.
pub(super) type Hash = [u8; 32];

/// What tells without reading whether a file is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    pub(super) size: u64,
    modified: (i64, i64),
    /// The time that a program cannot set.
    changed: (i64, i64),
    /// Type and permissions.
    pub(super) mode: u32,
}

impl Stamp {
    pub(crate) fn of(stat: &Stat) -> Self {
        Self {
            device: number(stat.st_dev),
            inode: number(stat.st_ino),
            size: number(stat.st_size),
            modified: (number(stat.st_mtime), number(stat.st_mtime_nsec)),
            changed: (number(stat.st_ctime), number(stat.st_ctime_nsec)),
            mode: number(stat.st_mode),
        }
    }

    /// Of a file of which nothing else is known.
    pub(super) fn of_mode(mode: u32) -> Self {
        Self {
            device: 0,
            inode: 0,
            size: 0,
            modified: (0, 0),
            changed: (0, 0),
            mode,
        }
    }

    pub(crate) fn file_type(&self) -> FileType {
        FileType::from_raw_mode(raw(self.mode))
    }

    /// The permission bits.
    pub(super) fn permissions(&self) -> u32 {
        self.mode & 0o7777
    }

    /// Whether a later write would show in the stamp.
    ///
    /// The clocks of file systems tick slowly: what was written just now may be written again within
    /// the same tick, to the same size.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        let whole_seconds = self.changed.1 == 0;
        let tick = Duration::from_millis(if whole_seconds { 2500 } else { 100 });
        let (Ok(seconds), Ok(nanos)) =
            (u64::try_from(self.changed.0), u32::try_from(self.changed.1))
        else {
            return false;
        };
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
        now.duration_since(changed).is_ok_and(|age| age > tick)
    }
}

/// The fields of `stat` have other types on other systems.
fn number<From: TryInto<To>, To: Default>(value: From) -> To {
    value.try_into().unwrap_or_default()
}

/// Permission and type bits as the system takes them.
pub(super) fn raw<To: TryFrom<u32> + Default>(mode: u32) -> To {
    number(mode)
}

/// What is kept of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// A regular file; without its hash if it was not read.
    File(Option<Hash>),
    /// A link, and where it leads.
    Link(Box<[u8]>),
    /// A pipe, a socket, a device.
    Other,
}

/// One file of a snapshot.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) path: TreePath,
    pub(super) stamp: Stamp,
    pub(super) content: Content,
    /// A file with this stamp need not be read again.
    pub(super) settled: bool,
    /// Ignored now, though not by the rules of the snapshot before.
    pub(super) ignored_now: bool,
}

impl Entry {
    /// Whether two snapshots saw the same file. A touched file is the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&self.content, &other.content) {
            (Content::File(Some(one)), Content::File(Some(two))) => {
                one == two && self.stamp.mode == other.stamp.mode
            }
            (Content::File(_), Content::File(_)) => self.stamp == other.stamp,
            (Content::Link(one), Content::Link(two)) => one == two,
            (Content::Other, Content::Other) => self.stamp.mode == other.stamp.mode,
            _ => false,
        }
    }
}

/// A path as people read it.
pub(super) fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

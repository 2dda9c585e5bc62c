//! What tells without reading whether a file is still the same.

use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Stat};

/// What tells without reading whether a file is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    /// The time that a program cannot set.
    changed: (i64, i64),
    /// Type and permissions.
    mode: u32,
}

impl FileStamp {
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

    pub(crate) fn file_type(&self) -> FileType {
        FileType::from_raw_mode(raw(self.mode))
    }

    /// When its content was last written, in seconds and nanoseconds: programs can set it.
    pub(crate) fn modified_at(&self) -> (i64, i64) {
        self.modified
    }

    /// Whether it is the same file or directory, though it may have changed.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    /// How many bytes it has.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The permission bits.
    pub(crate) fn permissions(&self) -> u32 {
        self.mode & 0o7777
    }

    /// Whether a later write would show in the stamp.
    ///
    /// The clocks of file systems tick slowly: what was written just now may be written again within
    /// the same tick, to the same size.
    pub(crate) fn is_settled(&self, now: SystemTime) -> bool {
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
fn raw<To: TryFrom<u32> + Default>(mode: u32) -> To {
    number(mode)
}

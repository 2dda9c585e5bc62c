//! How a file looks from outside, to be compared with how it looked.

use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{FileType, Stat};
use serde::{Deserialize, Serialize};

use crate::root::Store;

/// How many files looked, in a fixed order, in one number: two looks that differ differ in it, but
/// for one chance in 2^64, and then a list is out of date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look(u64);

impl Look {
    /// Of these files; `None` for what was not there.
    pub fn of(stamps: &[Option<Stamp>]) -> Self {
        // Its keys are always the same. Should another version hash otherwise, everything is read.
        let mut hasher = DefaultHasher::new();
        stamps.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// Inode, kind and mode, size, and time of the last write in seconds and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp(u64, u32, i64, i64, i64);

impl Stamp {
    /// Looks at a file or directory, through links; `None` for what is not there or not ours to see.
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().map(Self::from)
    }

    /// The journal of a run.
    pub fn of_run(store: &Store, run: &str) -> Option<Self> {
        Self::of(&store.run_dir(run).journal())
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        FileType::from_raw_mode(self.1.into()) == FileType::Directory
    }

    /// When it was last written, in milliseconds; 0 before 1970.
    pub fn written(&self) -> u64 {
        let Self(_, _, _, seconds, nanos) = self;
        let millis = seconds
            .saturating_mul(1000)
            .saturating_add(nanos / 1_000_000);
        u64::try_from(millis).unwrap_or(0)
    }
}

impl From<&Metadata> for Stamp {
    fn from(found: &Metadata) -> Self {
        let size = found.size().cast_signed();
        let (seconds, nanos) = (found.mtime(), found.mtime_nsec());
        Self(found.ino(), found.mode(), size, seconds, nanos)
    }
}

// The types of these fields are the system's, and differ between systems.
#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_fallible_conversions,
    reason = "not useless on every system"
)]
impl From<&Stat> for Stamp {
    fn from(found: &Stat) -> Self {
        let seconds = i64::try_from(found.st_mtime).unwrap_or(0);
        let nanos = i64::try_from(found.st_mtime_nsec).unwrap_or(0);
        let size = i64::try_from(found.st_size).unwrap_or(0);
        let inode = u64::try_from(found.st_ino).unwrap_or(0);
        Self(inode, u32::from(found.st_mode), size, seconds, nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_looking_see_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        fs::create_dir_all(store.plans_dir().join("thread")).unwrap();
        fs::write(store.plans_dir().join("a.md"), "text").unwrap();
        let folders = super::super::Folders::open(&store);
        for name in ["thread", "a.md", "none"] {
            let seen = folders.plan(name);
            assert_eq!(seen, Stamp::of(&store.plans_dir().join(name)), "{name}");
            assert_eq!(seen.is_some_and(|one| one.is_directory()), name == "thread");
        }
        for name in ["../config.toml", "..", "/etc/passwd", "thread/../a.md"] {
            assert_eq!(folders.plan(name), None, "{name}");
        }
    }

    #[test]
    fn a_write_a_replacement_and_a_new_signature_look_different() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        assert_eq!(Stamp::of(&file), None);
        let mut seen = vec![Stamp::of(dir.path())];
        fs::write(&file, "one").unwrap();
        seen.push(Stamp::of(&file));
        fs::write(&file, "longer").unwrap();
        seen.push(Stamp::of(&file));
        let other = dir.path().join("other");
        fs::write(&other, "second").unwrap();
        fs::rename(&other, &file).unwrap();
        seen.push(Stamp::of(&file));
        for (at, one) in seen.iter().enumerate() {
            assert!(one.is_some());
            assert!(!seen[at + 1..].contains(one), "{seen:?}");
        }
    }
}

//! The state of a file from outside, to be compared with an earlier one.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use rustix::fs::{FileType, Stat, stat};
use serde::{Deserialize, Serialize};

use crate::root::Store;

/// A hash of the stamps of many files in a fixed order. Different stamps have different hashes but for one chance in
/// 2^64; then a list is out of date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StampHash(u64);

impl StampHash {
    /// Hashes the stamps of these files, where `None` stands for one that is not there, and the PATH if it counts.
    pub fn of(stamps: &[Option<Stamp>], path: Option<&OsStr>) -> Self {
        // Its keys are always the same. Should another version hash otherwise, everything is read.
        let mut hasher = DefaultHasher::new();
        stamps.hash(&mut hasher);
        path.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// Clocks of file systems are coarse: this many milliseconds cover those that are known.
const RACY: u64 = 2000;

/// Inode, kind and mode, size, and time of the last write. The types of these are the system's, and
/// this one holds them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    inode: i128,
    mode: i128,
    size: i128,
    seconds: i128,
    nanos: i128,
    directory: bool,
}

impl Stamp {
    /// Looks at a file or directory, through links; `None` for what is not there or not ours to see.
    pub fn of(path: &Path) -> Option<Self> {
        stat(path).ok().as_ref().map(Self::from)
    }

    /// The journal of a run.
    pub fn of_run(store: &Store, run: &str) -> Option<Self> {
        Self::of(&store.run_dir(run).journal())
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.directory
    }

    /// When it was last written, in milliseconds; 0 before 1970.
    pub fn modified_at(&self) -> u64 {
        let millis = self.seconds * 1000 + self.nanos / 1_000_000;
        u64::try_from(millis).unwrap_or(0)
    }

    /// Was it written so short a time before this, in milliseconds, that the next write might leave the same stamp?
    pub fn is_racy(&self, now: u64) -> bool {
        self.modified_at().saturating_add(RACY) >= now
    }
}

impl From<&Stat> for Stamp {
    fn from(found: &Stat) -> Self {
        Self {
            inode: found.st_ino.into(),
            mode: found.st_mode.into(),
            size: found.st_size.into(),
            seconds: found.st_mtime.into(),
            nanos: found.st_mtime_nsec.into(),
            directory: FileType::from_raw_mode(found.st_mode) == FileType::Directory,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn both_ways_of_looking_see_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        fs::create_dir_all(store.plans_dir().join("thread")).unwrap();
        fs::write(store.plans_dir().join("a.md"), "text").unwrap();
        let folders = super::super::Folders::open(&store).unwrap();
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

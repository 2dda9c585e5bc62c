//! How a file looks from outside, to be compared with how it looked.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::root::Store;

/// Inode, size, and time of the last write in seconds and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp(u64, u64, i64, i64);

impl Stamp {
    /// Looks at a file or directory, through links; `None` for what is not there or not ours to see.
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().map(Self::from)
    }

    /// The log of a plan.
    pub fn of_log(store: &Store, key: &str) -> Option<Self> {
        Self::of(&store.log_path(key))
    }

    /// The directory of a plan's signatures, which looks different once there is another.
    pub fn of_signatures(store: &Store, key: &str) -> Option<Self> {
        Self::of(&store.signatures_dir(key))
    }

    /// The journal of a run.
    pub fn of_run(store: &Store, run: &str) -> Option<Self> {
        Self::of(&store.run_dir(run).journal())
    }

    /// When it was last written, in milliseconds; 0 before 1970.
    pub fn written(&self) -> u64 {
        let Self(_, _, seconds, nanos) = self;
        let millis = seconds
            .saturating_mul(1000)
            .saturating_add(nanos / 1_000_000);
        u64::try_from(millis).unwrap_or(0)
    }
}

impl From<&Metadata> for Stamp {
    fn from(found: &Metadata) -> Self {
        Self(found.ino(), found.size(), found.mtime(), found.mtime_nsec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

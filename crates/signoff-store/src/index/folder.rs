//! The directories of a store, opened once: looking at ten thousand names in them is most of what a
//! list does, and the way to each need not be walked every time.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::Path;

use rustix::fs::{AtFlags, statat};

use super::Stamp;
use crate::key;
use crate::root::Store;

/// Proposals, archive, logs and signatures of a store.
#[derive(Debug)]
pub struct Folders {
    plans: Option<File>,
    archive: Option<File>,
    logs: Option<File>,
    signatures: Option<File>,
    /// Names among the signatures: most plans may have none.
    signed: HashSet<OsString>,
}

impl Folders {
    /// Opens those that are there.
    pub fn open(store: &Store) -> Self {
        let open = |path: &Path| File::open(path).ok();
        let signatures = store.dir().join("signatures");
        let signed = fs::read_dir(&signatures).into_iter().flatten().flatten();
        Self {
            plans: open(&store.plans_dir()),
            archive: open(&store.archive_dir()),
            logs: open(&store.logs_dir()),
            signed: signed.map(|entry| entry.file_name()).collect(),
            signatures: open(&signatures),
        }
    }

    /// A name among the proposals.
    pub fn plan(&self, name: &str) -> Option<Stamp> {
        stamp(self.plans.as_ref(), name)
    }

    /// A name in the archive.
    pub fn archived(&self, name: &str) -> Option<Stamp> {
        stamp(self.archive.as_ref(), name)
    }

    /// The log of a plan.
    pub fn log(&self, key: &str) -> Option<Stamp> {
        stamp(self.logs.as_ref(), &format!("{}.jsonl", key::encode(key)))
    }

    /// The directory of a plan's signatures, which looks different once there is another.
    pub fn signatures(&self, key: &str) -> Option<Stamp> {
        let name = key::encode(key);
        if !self.signed.contains(OsStr::new(&name)) {
            return None;
        }
        stamp(self.signatures.as_ref(), &name)
    }
}

fn stamp(folder: Option<&File>, name: &str) -> Option<Stamp> {
    // Never further than into the directory itself.
    if name.contains('/') || name == ".." {
        return None;
    }
    let found = statat(folder?, name, AtFlags::empty()).ok()?;
    Some(Stamp::from(&found))
}

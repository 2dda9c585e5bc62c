//! The directories of a store, opened and read once: looking at ten thousand names in them is most of what a
//! list does, and the way to each need not be walked every time.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, open, statat};

use super::Stamp;
use crate::key;
use crate::root::Store;

/// Proposals, archive, logs and signatures of a store; `None` for one that is not there.
#[derive(Debug)]
pub struct Folders {
    pub plans: Option<Folder>,
    pub archive: Option<Folder>,
    pub logs: Option<Folder>,
    signatures: Option<Folder>,
    /// Names among the signatures: most plans may have none.
    signed: HashSet<OsString>,
}

/// A directory and the names in it, with what each is; a link is a link.
#[derive(Debug)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// In the order of the file system.
    pub entries: Vec<(OsString, FileType)>,
    descriptor: OwnedFd,
}

impl Folders {
    /// Opens and reads those that are there. Signatures that cannot be read are none; another directory is an error, with its
    /// path.
    pub fn open(store: &Store) -> Result<Self, (PathBuf, io::Error)> {
        let mut signatures = Folder::open(store.dir().join("signatures")).unwrap_or_default();
        let signed = signatures
            .as_mut()
            .map(|folder| std::mem::take(&mut folder.entries));
        let signed = signed.into_iter().flatten().map(|(name, _)| name);
        Ok(Self {
            plans: Folder::open(store.plans_dir())?,
            archive: Folder::open(store.archive_dir())?,
            logs: Folder::open(store.logs_dir())?,
            signed: signed.collect(),
            signatures,
        })
    }

    /// A name among the proposals.
    pub fn plan(&self, name: &str) -> Option<Stamp> {
        stamp_of(self.plans.as_ref(), name)
    }

    /// A name in the archive.
    pub fn archived_stamp(&self, name: &str) -> Option<Stamp> {
        stamp_of(self.archive.as_ref(), name)
    }

    /// The log of a plan.
    pub fn log(&self, key: &str) -> Option<Stamp> {
        stamp_of(self.logs.as_ref(), &Store::log_name(key))
    }

    /// The directory of a plan's signatures, which looks different once there is another.
    pub fn signatures(&self, key: &str) -> Option<Stamp> {
        let name = key::encode(key);
        if !self.signed.contains(OsStr::new(&name)) {
            return None;
        }
        stamp_of(self.signatures.as_ref(), &name)
    }
}

impl Folder {
    fn open(path: PathBuf) -> Result<Option<Self>, (PathBuf, io::Error)> {
        match Self::read(&path) {
            Ok((descriptor, entries)) => Ok(Some(Self {
                path,
                entries,
                descriptor,
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err((path, error)),
        }
    }

    fn read(path: &Path) -> io::Result<(OwnedFd, Vec<(OsString, FileType)>)> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = open(path, flags, Mode::empty())?;
        let mut buffer = Vec::with_capacity(32 * 1024);
        let mut read = RawDir::new(&descriptor, buffer.spare_capacity_mut());
        let mut entries = Vec::new();
        while let Some(entry) = read.next() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let kind = match entry.file_type() {
                // Not every file system tells.
                FileType::Unknown => {
                    let found = statat(&descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?;
                    FileType::from_raw_mode(found.st_mode)
                }
                known => known,
            };
            entries.push((OsStr::from_bytes(name.to_bytes()).to_owned(), kind));
        }
        Ok((descriptor, entries))
    }
}

fn stamp_of(folder: Option<&Folder>, name: &str) -> Option<Stamp> {
    // Never further than into the directory itself.
    if name.contains('/') || name == ".." {
        return None;
    }
    let found = statat(&folder?.descriptor, name, AtFlags::empty()).ok()?;
    Some(Stamp::from(&found))
}

//! Makes what was written survive a power failure, where that is asked for.
//!
//! Git syncs the content of objects and references (`core.fsync`), but not their names, and nothing in a checkout. So
//! the names are synced here: those of objects before any reference moves to them, that of the reference after it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::git::names::{Name, path};
use crate::git::{GitError, HarnessGit, Repository};

/// More than these are cheaper to sync with everything else on their file system.
const MANY: usize = 16;

/// The times of files lag behind the clock by less than this: by one tick of the kernel.
const LAG: Duration = Duration::from_millis(12);

/// Whether git's work has to survive a power failure, or only the death of processes.
#[derive(Debug, Clone, Default)]
pub(crate) enum Durability {
    #[default]
    Process,
    /// Names of objects that were written before this time are on disk.
    Power(Arc<Mutex<SystemTime>>),
}

impl Durability {
    pub(crate) fn power_loss() -> Self {
        Self::Power(Arc::new(Mutex::new(SystemTime::UNIX_EPOCH)))
    }

    pub(crate) fn is_power(&self) -> bool {
        matches!(self, Self::Power(_))
    }

    /// What git itself syncs.
    pub(crate) fn fsync_setting(&self) -> &'static str {
        match self {
            Self::Process => "none",
            Self::Power(_) => "committed",
        }
    }
}

impl Repository {
    /// Makes the names of new objects survive a power failure.
    pub(crate) fn sync_objects(&self) -> Result<(), GitError> {
        let Durability::Power(synced) = self.git.durability() else {
            return Ok(());
        };
        let objects = &self.info.objects;
        let mut synced = synced.lock().unwrap_or_else(PoisonError::into_inner);
        let now = SystemTime::now();
        let entries = fs::read_dir(objects).map_err(GitError::file(objects))?;
        let folders = entries.flatten().map(|entry| entry.path());
        sync_folders(folders.chain([objects.clone()]), *synced)?;
        *synced = now;
        Ok(())
    }

    /// Makes the name of a reference survive a power failure that was moved after this time.
    pub(crate) fn sync_reference(&self, name: &str, since: SystemTime) -> Result<(), GitError> {
        if !self.git.durability().is_power() {
            return Ok(());
        }
        let common = &self.info.common;
        let folders = Path::new(name).ancestors().skip(1);
        sync_folders(folders.map(|folder| common.join(folder)), since)
    }
}

impl HarnessGit {
    /// Makes all objects survive a power failure that were written so far, before somebody relies on one that no
    /// reference leads to.
    pub fn sync_objects(&self) -> Result<(), GitError> {
        self.repository.sync_objects()
    }

    /// Makes files survive a power failure that were written below a folder, before they take the places of others.
    pub(crate) fn sync_files<'n>(
        &self,
        folder: &Path,
        names: impl IntoIterator<Item = &'n Name>,
    ) -> Result<(), GitError> {
        if !self.repository.git.durability().is_power() {
            return Ok(());
        }
        let paths = names.into_iter().map(|name| folder.join(path(name)));
        sync_paths(&paths.collect::<Vec<_>>())
    }

    /// Makes the names of files survive a power failure that came to or went from the checkout after this time.
    pub(crate) fn sync_names<'n>(
        &self,
        names: impl IntoIterator<Item = &'n Name>,
        since: SystemTime,
    ) -> Result<(), GitError> {
        if !self.repository.git.durability().is_power() {
            return Ok(());
        }
        let top = self.repository.top();
        let mut folders = BTreeSet::new();
        for name in names {
            folders.extend(path(name).ancestors().skip(1).map(|above| top.join(above)));
        }
        sync_folders(folders, since)
    }
}

/// Syncs those of the directories that changed after this time.
fn sync_folders(
    folders: impl IntoIterator<Item = PathBuf>,
    since: SystemTime,
) -> Result<(), GitError> {
    let is_changed = |folder: &PathBuf| {
        let found = fs::symlink_metadata(folder);
        found.is_ok_and(|found| {
            found.is_dir() && found.modified().map_or(true, |time| time + LAG >= since)
        })
    };
    sync_paths(&folders.into_iter().filter(is_changed).collect::<Vec<_>>())
}

/// Syncs files and directories. What is not there, and what is only a name, needs no sync of its own.
fn sync_paths(paths: &[PathBuf]) -> Result<(), GitError> {
    let mut systems = BTreeSet::new();
    for path in paths {
        let synced = open(path).and_then(|file| match file {
            None => Ok(()),
            Some(file) if paths.len() <= MANY => file.sync_all(),
            Some(file) if systems.insert(file.metadata()?.dev()) => Ok(rustix::fs::syncfs(&file)?),
            Some(_) => Ok(()),
        });
        synced.map_err(GitError::file(path))?;
    }
    Ok(())
}

fn open(path: &Path) -> io::Result<Option<File>> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() || found.is_dir() => File::open(path).map(Some),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

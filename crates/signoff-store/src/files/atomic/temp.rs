//! The hidden file beside a target: the next content of it, and the lock on it.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::{Fingerprint, is_still_at, parent, rename_unless_exists};
use crate::files::FileError;
use crate::files::failpoint::change;
use crate::files::hash::sha256_hex;

/// A locked, empty hidden file. Whoever holds the lock on the file that has this name may write the
/// target; every change of the name happens under that lock.
#[derive(Debug)]
pub(super) struct TempFile {
    file: File,
    path: PathBuf,
    target: PathBuf,
    /// The name was given away by a rename, or removed.
    gone: bool,
}

impl TempFile {
    /// Waits for other writers of this target, then starts a file with this mode.
    pub(super) fn lock(target: &Path, mode: u32) -> Result<Self, FileError> {
        let path = path_for(target);
        let file = acquire(&path, mode).map_err(FileError::at("write", &path))?;
        Ok(Self {
            file,
            path,
            target: target.to_path_buf(),
            gone: false,
        })
    }

    /// Removes the file unless a writer is at work on it; true when there was one to remove.
    pub(super) fn remove_stray(target: &Path) -> Result<bool, FileError> {
        let path = path_for(target);
        let next = hidden_path(target, "next");
        try_remove_stray(&path, &next).map_err(FileError::at("remove", &path))
    }

    pub(super) fn fill(&mut self, bytes: &[u8], sync: bool) -> Result<(), FileError> {
        let written = write(&mut self.file, bytes, sync);
        written.map_err(FileError::at("write", &self.path))
    }

    pub(super) fn fingerprint(&self) -> Result<Fingerprint, FileError> {
        let metadata = self.file.metadata();
        Ok(Fingerprint::from(
            &metadata.map_err(FileError::at("read", &self.path))?,
        ))
    }

    pub(super) fn rename(mut self) -> Result<(), FileError> {
        let renamed = change().and_then(|()| fs::rename(&self.path, &self.target));
        renamed.map_err(FileError::at("replace", &self.target))?;
        self.gone = true;
        Ok(())
    }

    pub(super) fn rename_unless_exists(mut self) -> Result<bool, FileError> {
        let renamed = change()
            .and_then(|()| rename_unless_exists(&self.path, &self.target))
            .map_err(FileError::at("create", &self.target))?;
        self.gone = renamed;
        Ok(renamed)
    }
}

impl Drop for TempFile {
    /// A write that failed leaves nothing behind; runs before the lock is released.
    fn drop(&mut self) {
        if !self.gone {
            fs::remove_file(&self.path).ok();
        }
    }
}

pub(super) fn write(file: &mut File, bytes: &[u8], sync: bool) -> io::Result<()> {
    change()?;
    file.write_all(bytes)?;
    if sync {
        change()?;
        file.sync_all()?;
    }
    Ok(())
}

/// Mode, and owner as far as we may give files away, of the file to be replaced.
pub(super) fn take_over(file: &File, old: &Metadata) -> io::Result<()> {
    let ours = file.metadata()?;
    if (ours.uid(), ours.gid()) != (old.uid(), old.gid()) {
        // Only root may give a file away; the group often works alone.
        if fchown(file, Some(old.uid()), Some(old.gid())).is_err() {
            fchown(file, None, Some(old.gid())).ok();
        }
    }
    // After the owner: a change of owner clears the set-id bits.
    file.set_permissions(old.permissions())
}

fn path_for(target: &Path) -> PathBuf {
    hidden_path(target, "tmp")
}

/// The same name every time, so that what a killed writer left is found.
pub(super) fn hidden_path(target: &Path, what: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let name = if name.len() > 200 {
        sha256_hex(name.as_bytes())
    } else {
        name.into_owned()
    };
    parent(target).join(format!(".{name}.signoff-{what}"))
}

/// Creates the file and locks it. A file that is there already belongs to a writer at work, which
/// is waited for, or was left by a killed one, and is removed: it may have another mode, be a link
/// or hold half a text.
fn acquire(path: &Path, mode: u32) -> io::Result<File> {
    loop {
        change()?;
        let created = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(path);
        match created {
            Ok(file) => {
                file.lock()?;
                // Between creating and locking, another writer may have taken it for a stray.
                if is_still_at(&file, path)? {
                    return Ok(file);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                wait_and_remove(path)?;
            }
            Err(error) => return Err(error),
        }
    }
}

fn wait_and_remove(path: &Path) -> io::Result<()> {
    let Some(file) = open_existing(path)? else {
        return Ok(());
    };
    file.lock()?;
    if is_still_at(&file, path)? {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// The name of the file that a hidden one of this name stands beside.
pub(super) fn target_of(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.strip_suffix(".signoff-tmp")
}

/// `next` exists only under the lock, so no other process writes it.
fn try_remove_stray(path: &Path, next: &Path) -> io::Result<bool> {
    let Some(file) = open_existing(path)? else {
        return Ok(false);
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(false),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    if !is_still_at(&file, path)? {
        return Ok(false);
    }
    fs::remove_file(next).ok();
    fs::remove_file(path).map(|()| true)
}

/// Opens what has the name now. Something planted there, a link or a pipe, is removed unopened.
fn open_existing(path: &Path) -> io::Result<Option<File>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return fs::remove_file(path).map(|()| None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    match opened {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

//! The one way a file is written: whole or not at all, and never over what another process wrote.
//!
//! The new content goes to a hidden file beside the target, whose name depends only on the target,
//! and is renamed over it. That hidden file is also the lock: writers of the same target meet there
//! whatever store they came from, and what a killed writer left is not locked, so the next one
//! clears it away.

mod error;
mod fingerprint;
mod swap;
mod temp;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

pub use self::error::ReplaceError;
pub use self::fingerprint::Fingerprint;
use self::swap::NextFile;
use self::temp::TempFile;
use crate::files::{FileError, failpoint};

/// Who may read a file that did not exist before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileMode {
    /// 0600: it holds outputs or secrets.
    Private,
    /// 0644, less what the umask takes: it is to be committed.
    Shared,
    /// 0666, less what the umask takes: a document of the user's, as an editor would make it.
    Document,
}

impl FileMode {
    fn bits(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Shared => 0o644,
            Self::Document => 0o666,
        }
    }
}

/// What a replacement left on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The file itself, where the given path was a link.
    pub path: PathBuf,
    /// How the file looks now; while it looks the same it need not be read again.
    pub fingerprint: Fingerprint,
}

/// Replaces a file's content, if it still is `expected_old` (`None`: if it does not exist).
///
/// Otherwise nothing is written and the error is [`ReplaceError::Changed`]. Our own writers are kept out by the lock.
/// An editor that does not lock is noticed when the old and the new file are exchanged, and gets its file back.
///
/// A link is followed. Mode is kept, owner where the system allows it. With `sync` the new content
/// survives a power failure once this returns.
pub fn replace(
    path: &Path,
    expected_old: Option<&[u8]>,
    new: &[u8],
    sync: bool,
) -> Result<Replaced, ReplaceError> {
    failpoint::reach("replace.before");
    let target = real_target(path)?;
    let fingerprint = match expected_old {
        Some(expected) => replace_existing(&target, expected, new, sync)?,
        None => create_new(&target, new, sync)?,
    };
    failpoint::reach("replace.after");
    if sync {
        sync_parent(&target)?;
    }
    Ok(Replaced {
        path: target,
        fingerprint,
    })
}

fn replace_existing(
    target: &Path,
    expected: &[u8],
    new: &[u8],
    sync: bool,
) -> Result<Fingerprint, ReplaceError> {
    let changed = || ReplaceError::Changed {
        path: target.to_path_buf(),
    };
    let temp = TempFile::lock(target, FileMode::Private.bits())?;
    let Some(old) = existing_file(target)? else {
        return Err(changed());
    };
    let mut next = NextFile::create(&temp, target)?;
    next.fill(&old, new, sync)?;
    failpoint::reach("replace.temp");
    // Most late writers find out here, before anything is visible.
    if read_if_exists(target)?.as_deref() != Some(expected) {
        return Err(changed());
    }
    let fingerprint = next.fingerprint()?;
    if next.replace_target(expected)? {
        return Ok(fingerprint);
    }
    Err(changed())
}

fn create_new(target: &Path, new: &[u8], sync: bool) -> Result<Fingerprint, ReplaceError> {
    let changed = || ReplaceError::Changed {
        path: target.to_path_buf(),
    };
    let mut temp = TempFile::lock(target, FileMode::Document.bits())?;
    if existing_file(target)?.is_some() {
        return Err(changed());
    }
    temp.fill(new, sync)?;
    failpoint::reach("replace.temp");
    let fingerprint = temp.fingerprint()?;
    if temp.rename_unless_exists()? {
        return Ok(fingerprint);
    }
    Err(changed())
}

/// Clears away what a writer that was killed left beside this file; true when there was something.
/// A writer at work is left alone.
pub fn remove_stray_temp(path: &Path) -> Result<bool, ReplaceError> {
    Ok(TempFile::remove_stray(&real_target(path)?)?)
}

/// Is this the name of a file that a writer left which was killed, or of one that is being written?
pub fn is_stray(name: &str) -> bool {
    temp::target_of(name).is_some()
}

/// Clears away what killed writers left in a directory, whatever they were about to write there.
/// Writers at work are left alone; a directory that does not exist has nothing in it.
pub fn clear_strays(directory: &Path) -> Result<(), FileError> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(FileError::at("read", directory))?,
    };
    for entry in entries.flatten() {
        if let Some(target) = temp::target_of(&entry.file_name().to_string_lossy()) {
            TempFile::remove_stray(&directory.join(target))?;
        }
    }
    Ok(())
}

/// Removes a directory with everything in it; first its name, so that no reader finds half of it.
pub fn remove_directory(path: &Path) -> Result<(), FileError> {
    let gone = temp::hidden_path(path, "gone");
    remove_whole(&gone)?;
    failpoint::change()
        .and_then(|()| fs::rename(path, &gone))
        .map_err(FileError::at("remove", path))?;
    sync_parent(path)?;
    remove_whole(&gone)
}

/// Removes a file, so that it stays removed after a power failure. An absent file is not an error.
pub fn remove(path: &Path) -> Result<(), FileError> {
    match failpoint::change().and_then(|()| fs::remove_file(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        removed => removed.map_err(FileError::at("remove", path))?,
    }
    sync_parent(path)
}

/// Writes a file of our own, whatever it held before, synced.
pub(crate) fn overwrite(path: &Path, bytes: &[u8], mode: FileMode) -> Result<(), FileError> {
    let mut temp = TempFile::lock(path, mode.bits())?;
    temp.fill(bytes, true)?;
    failpoint::reach("overwrite.temp");
    temp.rename()?;
    sync_parent(path)
}

/// Overwrites a file that can be made again. Not synced.
pub(crate) fn overwrite_unsynced(
    path: &Path,
    bytes: &[u8],
    mode: FileMode,
) -> Result<(), FileError> {
    let mut temp = TempFile::lock(path, mode.bits())?;
    temp.fill(bytes, false)?;
    failpoint::reach("overwrite.temp");
    temp.rename()
}

/// Gives a file or directory another name, which stays after a power failure; false, and nothing
/// done, when something has that name.
pub fn move_to(from: &Path, to: &Path) -> Result<bool, FileError> {
    failpoint::reach("move.before");
    if !rename_unless_exists(from, to).map_err(FileError::at("move", from))? {
        return Ok(false);
    }
    failpoint::reach("move.renamed");
    // First the new name: a power failure may leave both, never none.
    sync_parent(to)?;
    sync_parent(from)?;
    failpoint::reach("move.after");
    Ok(true)
}

/// Writes a file that does not exist yet, synced; false when it does.
pub(crate) fn create(path: &Path, bytes: &[u8], mode: FileMode) -> Result<bool, FileError> {
    let mut temp = TempFile::lock(path, mode.bits())?;
    temp.fill(bytes, true)?;
    let created = temp.rename_unless_exists()?;
    if created {
        sync_parent(path)?;
    }
    Ok(created)
}

/// Makes the names in the file's directory survive a power failure.
pub(crate) fn sync_parent(path: &Path) -> Result<(), FileError> {
    let directory = parent(path);
    failpoint::change()
        .and_then(|()| File::open(directory))
        .and_then(|opened| opened.sync_all())
        .map_err(FileError::at("sync", directory))
}

/// Makes a directory, and the missing ones above it, that survive a power failure.
pub fn create_directories(path: &Path) -> Result<(), FileError> {
    if path.is_dir() {
        return Ok(());
    }
    let directory = parent(path);
    if directory != path {
        create_directories(directory)?;
    }
    match failpoint::change().and_then(|()| fs::create_dir(path)) {
        // Another process made it at the same time, and may not have synced it yet.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
        made => made.map_err(FileError::at("create", path))?,
    }
    sync_parent(path)
}

pub(crate) fn read_if_exists(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::at("read", path)(error)),
    }
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if directory != Path::new("") => directory,
        _ => Path::new("."),
    }
}

/// The file behind any links; for one that does not exist, the place where it would be.
fn real_target(path: &Path) -> Result<PathBuf, FileError> {
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            let directory = parent(path);
            let directory = directory
                .canonicalize()
                .map_err(FileError::at("find", directory))?;
            Ok(directory.join(path.file_name().unwrap_or_default()))
        }
        found => found.map_err(FileError::at("find", path)),
    }
}

fn existing_file(target: &Path) -> Result<Option<fs::Metadata>, ReplaceError> {
    match fs::symlink_metadata(target) {
        Ok(metadata) if metadata.is_file() => Ok(Some(metadata)),
        Ok(_) => Err(ReplaceError::NotAFile {
            path: target.to_path_buf(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::at("read", target)(error).into()),
    }
}

/// Renames, if nothing has the new name; false when something has.
pub(crate) fn rename_unless_exists(from: &Path, to: &Path) -> io::Result<bool> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        // The file system does not know the flag. Our own writers are kept out by the lock.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            if to.symlink_metadata().is_ok() {
                return Ok(false);
            }
            fs::rename(from, to).map(|()| true)
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether the open file is still the one that this path names.
pub(crate) fn is_still_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes a file, a link or a directory with everything in it. Links are not followed; what is gone
/// is no error.
pub(crate) fn remove_whole(path: &Path) -> Result<(), FileError> {
    let removed = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        // Also where what should hold it is not a directory.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(())
        }
        Err(error) => Err(error),
    };
    removed.map_err(FileError::at("remove", path))
}

#[cfg(test)]
mod tests;

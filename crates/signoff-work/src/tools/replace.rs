//! Puts a whole file in place at one stroke.

use std::io::{self, Write};
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, Mode, RenameFlags, Stat};
use rustix::io::Errno;

use super::temporary::Temporary;
use super::workspace::WorkspacePath;
use crate::call::CallError;

/// What may be there already.
#[derive(Debug, Clone, Copy)]
pub(super) enum Overwrite {
    /// A person agreed that the file is overwritten, whatever it is.
    Anything,
    /// No person agreed to overwrite a file.
    Nothing,
    /// This, as it was read.
    Exactly(Stat),
}

/// Writes a file atomically: readers see all of it or none.
pub(super) fn replace(
    spot: &WorkspacePath,
    content: &[u8],
    expected: Overwrite,
) -> Result<(), CallError> {
    let name = spot.file_name()?;
    let failed = |error: io::Error| CallError::from_io("write", &spot.written, error);
    let temporary = Temporary::create(spot).map_err(failed)?;
    let mut file = &temporary.file;
    // What could be executed still can be.
    if let Ok(old) = rustix::fs::statat(&spot.directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        let mode = Mode::from_raw_mode(old.st_mode & 0o777);
        rustix::fs::fchmod(&temporary.file, mode).map_err(|error| failed(error.into()))?;
    }
    let written = file.write_all(content).and_then(|()| file.sync_all());
    written.map_err(failed)?;
    if let Overwrite::Exactly(seen) = expected {
        let now = rustix::fs::statat(&spot.directory, name, AtFlags::SYMLINK_NOFOLLOW);
        if !now.is_ok_and(|now| is_same_file(&now, &seen)) {
            return Err(changed_error(spot));
        }
    }
    let keep = matches!(expected, Overwrite::Nothing);
    temporary.persist(name, keep).map_err(|error| match error {
        Errno::EXIST if keep => appeared_error(spot),
        error => failed(error.into()),
    })?;
    sync(&spot.directory);
    Ok(())
}

/// Renames; where something must be kept, not onto it.
pub(super) fn rename<D: AsFd>(
    from: D,
    old: &std::ffi::OsStr,
    to: D,
    new: &std::ffi::OsStr,
    keep: bool,
) -> Result<(), Errno> {
    if !keep {
        return rustix::fs::renameat(&from, old, &to, new);
    }
    match rustix::fs::renameat_with(&from, old, &to, new, RenameFlags::NOREPLACE) {
        // This file system cannot promise it: check first.
        Err(Errno::INVAL | Errno::NOSYS) => {
            match rustix::fs::statat(&to, new, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(_) => Err(Errno::EXIST),
                Err(_) => rustix::fs::renameat(&from, old, &to, new),
            }
        }
        other => other,
    }
}

/// A file appeared after the check that no person has to agree.
pub(super) fn appeared_error(spot: &WorkspacePath) -> CallError {
    CallError::transient(format!(
        "`{}` appeared just now, and no person agreed to overwrite it",
        spot.written
    ))
}

fn changed_error(spot: &WorkspacePath) -> CallError {
    CallError::transient(format!("`{}` was changed by somebody else", spot.written))
}

/// Syncs the names in a directory. It is not a failure of the tool if the file system cannot do that.
pub(super) fn sync(directory: impl AsFd) {
    rustix::fs::fsync(directory).ok();
}

fn is_same_file(one: &Stat, other: &Stat) -> bool {
    let of = |stat: &Stat| {
        let times = (
            stat.st_mtime,
            stat.st_mtime_nsec,
            stat.st_ctime,
            stat.st_ctime_nsec,
        );
        (stat.st_dev, stat.st_ino, stat.st_size, times)
    };
    of(one) == of(other)
}

//! One lock for each login file, shared by all processes of the harness.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use signoff_plan::digest::Digest;

/// How often a lock that another process holds is tried again.
const INTERVAL: Duration = Duration::from_millis(10);

/// Held while a login is compared and written. Closing the file releases it.
#[derive(Debug)]
pub(super) struct LoginLock {
    _file: File,
}

impl LoginLock {
    /// Takes the lock of a file. `None` if another process still holds it after this time.
    pub(super) fn acquire(
        locks: &Path,
        file: &Path,
        patience: Duration,
    ) -> io::Result<Option<Self>> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(locks)?;
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(lock_path(locks, file))?;
        let begin = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: lock })),
                Err(TryLockError::WouldBlock) if begin.elapsed() < patience => {
                    std::thread::sleep(INTERVAL);
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

pub(super) fn lock_path(locks: &Path, file: &Path) -> PathBuf {
    let key = Digest::of_bytes(file.as_os_str().as_bytes()).hex();
    locks.join(format!("{}.lock", &key[..16]))
}

//! Values too large for the journal, or needed again exactly, stored under their hash.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::files::FileError;
use crate::files::atomic::{self, FileMode};
use crate::files::hash::{is_hex, sha256_hex};
use crate::root::create_private;

/// Event bodies over this many bytes belong here.
pub const THRESHOLD: usize = 16 * 1024;

/// Why a blob could not be had.
#[derive(Debug)]
pub enum BlobError {
    Missing {
        path: PathBuf,
    },
    /// The content is not what the name says.
    Damaged {
        path: PathBuf,
    },
    /// Not a hash.
    BadName {
        name: String,
    },
    File(FileError),
}

/// Stores the bytes, synced and private, and returns the name to find them by.
pub fn store(directory: &Path, bytes: &[u8]) -> Result<String, BlobError> {
    let hash = sha256_hex(bytes);
    let path = directory.join(&hash);
    // Present and whole is enough; a damaged one is repaired.
    if atomic::read_if_exists(&path)?.as_deref() != Some(bytes) {
        if !directory.is_dir() {
            create_private(directory)?;
            atomic::sync_parent(directory)?;
        }
        atomic::overwrite(&path, bytes, FileMode::Private)?;
    }
    Ok(hash)
}

/// Returns exactly the bytes that were stored under this name.
pub fn load(directory: &Path, hash: &str) -> Result<Vec<u8>, BlobError> {
    if !is_hex(hash) {
        return Err(BlobError::BadName {
            name: hash.to_owned(),
        });
    }
    let path = directory.join(hash);
    match atomic::read_if_exists(&path)? {
        None => Err(BlobError::Missing { path }),
        Some(bytes) if sha256_hex(&bytes) == hash => Ok(bytes),
        Some(_) => Err(BlobError::Damaged { path }),
    }
}

impl From<FileError> for BlobError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl fmt::Display for BlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { path } => write!(f, "`{}` is missing", path.display()),
            Self::Damaged { path } => write!(
                f,
                "`{}` is damaged: its content is not what its name says",
                path.display()
            ),
            Self::BadName { name } => {
                write!(f, "`{}` is not the name of a blob", name.escape_debug())
            }
            Self::File(error) => error.fmt(f),
        }
    }
}

impl Error for BlobError {}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_put_is_got_and_nobody_else_can_read_it() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = dir.path().join("blobs");
        let hash = store(&blobs, b"secret").unwrap();
        assert_eq!(store(&blobs, b"secret").unwrap(), hash);
        assert_eq!(load(&blobs, &hash).unwrap(), b"secret");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&blobs), 0o700);
        assert_eq!(mode(&blobs.join(&hash)), 0o600);
        assert_eq!(fs::read_dir(&blobs).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_blob_is_refused_and_repaired_by_the_next_put() {
        let dir = tempfile::tempdir().unwrap();
        let hash = store(dir.path(), b"right").unwrap();
        fs::write(dir.path().join(&hash), b"wrong").unwrap();
        assert!(matches!(
            load(dir.path(), &hash),
            Err(BlobError::Damaged { .. })
        ));
        store(dir.path(), b"right").unwrap();
        assert_eq!(load(dir.path(), &hash).unwrap(), b"right");
    }

    #[test]
    fn a_name_cannot_lead_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["../x", "", "/etc/passwd", "x"] {
            assert!(matches!(
                load(dir.path(), name),
                Err(BlobError::BadName { .. })
            ));
        }
        let absent = sha256_hex(b"absent");
        assert!(matches!(
            load(dir.path(), &absent),
            Err(BlobError::Missing { .. })
        ));
    }
}

//! The copy of a login that an agent is given.

use std::fmt;
use std::path::{Path, PathBuf};

use super::Shape;
use crate::beneath::{Directory, Links, OpenError, Replacement};
use crate::confine::requirements::Login;

/// Bytes that a login may have.
pub(super) const LARGEST: u64 = 1 << 20;

/// A copy of a login that an agent may renew.
#[derive(Clone)]
pub struct LoginCopy {
    /// The person's file.
    pub(super) from: PathBuf,
    pub(super) location: CopyLocation,
    pub(super) shape: Shape,
    /// What the agent was given.
    pub(super) bytes: Vec<u8>,
}

/// Where a copy lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::confine) enum CopyLocation {
    /// In a directory that the agent may write to.
    InHome {
        home: PathBuf,
        /// Below it.
        path: PathBuf,
    },
    /// A file that is mounted over the person's. The agent finds this very file, so another one in its place reaches
    /// nobody.
    Mounted { file: PathBuf },
}

impl LoginCopy {
    /// `None` if the file is not one that is written back.
    pub(in crate::confine) fn of(
        login: &Login,
        location: CopyLocation,
        bytes: Vec<u8>,
    ) -> Option<Self> {
        let shape = login.renewed?;
        let is_kept = bytes.len() as u64 <= LARGEST && shape.is_complete(&bytes);
        is_kept.then(|| Self {
            from: login.from.clone(),
            location,
            shape,
            bytes,
        })
    }
}

/// Without the secret.
impl fmt::Debug for LoginCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginCopy")
            .field("from", &self.from)
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}

impl CopyLocation {
    /// What the copy holds now.
    pub(super) fn read(&self) -> Result<Vec<u8>, OpenError> {
        let (directory, path) = self.open()?;
        directory.read(path, Links::Refuse, LARGEST)
    }

    /// Can the agent be given another file?
    pub(super) fn is_replaceable(&self) -> bool {
        matches!(self, Self::InHome { .. })
    }

    pub(super) fn replace(&self, old: &[u8], new: &[u8]) -> Result<Replacement, OpenError> {
        let (directory, path) = self.open()?;
        directory.replace(path, old, new)
    }

    fn open(&self) -> Result<(Directory, &Path), OpenError> {
        match self {
            Self::InHome { home, path } => Ok((Directory::open(home)?, path)),
            Self::Mounted { file } => {
                let name = file.file_name().ok_or(OpenError::Directory)?;
                let directory = file.parent().ok_or(OpenError::Directory)?;
                Ok((Directory::open(directory)?, Path::new(name)))
            }
        }
    }
}

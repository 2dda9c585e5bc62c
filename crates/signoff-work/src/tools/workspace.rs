//! Paths of the workspace, found at the moment of use by the walk of `crate::beneath`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

pub(super) use crate::beneath::{FinalLink, MissingDirectories};
use crate::beneath::{Links, OpenError, PathWalk, open_file, open_root};
use crate::call::CallError;

/// Directories of the harness and of git, which change by themselves, at any depth.
const NEVER: [&str; 2] = [".git", ".signoff"];

/// The directory that tools may use.
#[derive(Debug)]
pub(super) struct Workspace {
    root: OwnedFd,
    path: PathBuf,
    staging: Option<PathBuf>,
}

/// Where a path leads: a name in an open directory.
#[derive(Debug)]
pub(super) struct WorkspacePath {
    pub(super) directory: OwnedFd,
    /// None for the directory itself.
    pub(super) name: Option<OsString>,
    /// The way there without links, from the root.
    pub(super) real: PathBuf,
    /// As it was asked for.
    pub(super) written: String,
    /// Where a file may have a name before it has this one.
    pub(super) staging: Option<PathBuf>,
}

impl Workspace {
    pub(super) fn open(path: &Path) -> Result<Self, CallError> {
        let path = path.canonicalize();
        let path = path.map_err(|error| CallError::from_io("open", "the workspace", error))?;
        let root = open_root(&path);
        let root = root.map_err(|error| CallError::from_io("open", path.display(), error))?;
        Ok(Self {
            root,
            path,
            staging: None,
        })
    }

    /// The same with a directory in which a file may have a name before it has its own.
    pub(super) fn with_staging(mut self, staging: Option<PathBuf>) -> Self {
        self.staging = staging;
        self
    }

    /// The directory itself, for what can be given a path only.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Walks a path.
    pub(super) fn find(
        &self,
        path: &str,
        last: FinalLink,
        missing: MissingDirectories,
    ) -> Result<WorkspacePath, CallError> {
        let walk = PathWalk {
            root: self.root.as_fd(),
            path: &self.path,
            links: Links::Inside,
            last,
            missing,
            is_refused: is_never,
        };
        let spot = walk.find(Path::new(path));
        let spot = spot.map_err(|error| call_error("find", path, error))?;
        Ok(WorkspacePath {
            directory: spot.directory,
            name: spot.name,
            real: spot.real,
            written: path.to_owned(),
            staging: self.staging.clone(),
        })
    }
}

/// The words of the tools for what went wrong.
fn call_error(operation: &str, path: &str, error: OpenError) -> CallError {
    match error {
        OpenError::Outside => CallError::lasting(format!("`{path}` leads out of the workspace")),
        OpenError::ManyLinks => {
            CallError::lasting(format!("`{path}` has too many links on its way"))
        }
        OpenError::Refused(part) => {
            CallError::lasting(format!("`{path}` is in `{part}`, which no tool may use"))
        }
        OpenError::System(error) => CallError::from_io(operation, path, error),
        error => CallError::lasting(format!("cannot {operation} `{path}`: {error}")),
    }
}

impl WorkspacePath {
    /// None where there is none, or it cannot be used.
    pub(super) fn staging_directory(&self) -> Option<OwnedFd> {
        let path = self.staging.as_deref()?;
        std::fs::create_dir_all(path).ok()?;
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).ok()
    }

    /// The name, where a directory will not do.
    pub(super) fn file_name(&self) -> Result<&OsStr, CallError> {
        let name = self.name.as_deref();
        name.ok_or_else(|| CallError::lasting(format!("`{}` is a directory", self.written)))
    }

    /// What is there now; a link is what it is.
    pub(super) fn kind(&self) -> Result<Option<FileType>, CallError> {
        let Some(name) = &self.name else {
            return Ok(Some(FileType::Directory));
        };
        match rustix::fs::statat(&self.directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(CallError::from_io("look at", &self.written, error)),
        }
    }

    /// Opens an ordinary file for reading.
    pub(super) fn open(&self) -> Result<File, CallError> {
        let opened = open_file(&self.directory, self.file_name()?.as_bytes());
        opened.map_err(|error| call_error("read", &self.written, error))
    }

    /// Opens the directory.
    pub(super) fn open_directory(self) -> Result<OwnedFd, CallError> {
        let Some(name) = &self.name else {
            return Ok(self.directory);
        };
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.directory, name, flags, Mode::empty()).map_err(|error| {
            if error == Errno::NOTDIR {
                CallError::lasting(format!("`{}` is not a directory", self.written))
            } else {
                CallError::from_io("open", &self.written, error)
            }
        })
    }
}

/// Whether no tool may use a file with this name. Ignores case, as some file systems do.
pub(super) fn is_never(name: &OsStr) -> bool {
    NEVER
        .iter()
        .any(|never| name.as_bytes().eq_ignore_ascii_case(never.as_bytes()))
}

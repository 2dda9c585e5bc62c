//! The directories that threads are planned in, and who has which.
//!
//! Each thread has its own directory below one root, outside of any project. What was allocated to
//! whom stands in one file beside them, which is only ever replaced whole, under a lock.

pub mod copy;
mod id;

use std::error::Error;
use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::{fmt, io};

use signoff_api::threads::{SESSIONS_SCHEMA, Session, Sessions};

pub use self::id::{ThreadId, ThreadIdError};
use crate::files::atomic::{self, FileMode, remove_whole};
use crate::files::lock::SessionsLock;
use crate::files::{FileError, failpoint};

// With a dot in their names, which no id has.
const STATE: &str = "sessions.json";
const LOCK: &str = "sessions.lock";

const PLAN: &str = "plan.md";
const TASKS: &str = "tasks";

/// The root of all threads, under its lock.
#[derive(Debug)]
pub struct Threads {
    root: PathBuf,
    /// What was allocated.
    pub sessions: Sessions,
    _lock: SessionsLock,
}

/// What was allocated, without waiting for anybody: the file is only ever replaced whole.
pub fn read_sessions(root: &Path) -> Result<Option<Sessions>, ThreadsError> {
    let path = root.join(STATE);
    let bytes = atomic::read_if_exists(&path)?;
    let sessions = bytes.map(|bytes| read(&bytes)).transpose();
    sessions.map_err(|why| ThreadsError::Broken { path, why })
}

impl Threads {
    /// Waits for the lock, then reads what was allocated. Makes the root.
    pub fn open(root: &Path) -> Result<Self, ThreadsError> {
        let path = root.join(LOCK);
        let lock = SessionsLock::acquire_waiting(&path).map_err(FileError::at("lock", &path))?;
        let sessions = read_sessions(root)?.unwrap_or_else(|| Sessions {
            schema: SESSIONS_SCHEMA.to_owned(),
            sessions: std::collections::BTreeMap::new(),
        });
        Ok(Self {
            root: root.to_path_buf(),
            sessions,
            _lock: lock,
        })
    }

    /// Writes down what is allocated, synced.
    pub fn save(&self) -> Result<(), ThreadsError> {
        let path = self.root.join(STATE);
        let text = serde_json::to_vec_pretty(&self.sessions).map_err(|why| {
            let why = why.to_string();
            let path = path.clone();
            ThreadsError::Broken { path, why }
        })?;
        failpoint::reach("sessions.before");
        atomic::overwrite(&path, &text, FileMode::Private)?;
        failpoint::reach("sessions.after");
        Ok(())
    }

    /// The directory of a thread, whether it exists or not.
    pub fn directory(&self, id: &ThreadId) -> PathBuf {
        self.root.join(id.as_str())
    }

    /// Makes the directory of a thread, private; one that is there is made private.
    pub fn ensure_directory(&self, id: &ThreadId) -> Result<PathBuf, ThreadsError> {
        let path = self.directory(id);
        if self.make_new(id)?.is_some() {
            return Ok(path);
        }
        // Not followed: a link would lead out of the root.
        let found = path
            .symlink_metadata()
            .map_err(FileError::at("read", &path))?;
        if !found.is_dir() {
            return Err(ThreadsError::NoDirectory { path });
        }
        if found.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(&path, Permissions::from_mode(0o700))
                .map_err(FileError::at("set the mode of", &path))?;
        }
        Ok(path)
    }

    /// Makes the directory of a new thread; `None` when something has its name.
    pub fn make_new(&self, id: &ThreadId) -> Result<Option<PathBuf>, ThreadsError> {
        let path = self.directory(id);
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            made => made.map_err(FileError::at("create", &path))?,
        }
        atomic::sync_parent(&path)?;
        Ok(Some(path))
    }

    /// Does a thread have no plan: neither `plan.md` nor anything in `tasks/`?
    pub fn is_empty(&self, id: &ThreadId) -> Result<bool, ThreadsError> {
        let directory = self.directory(id);
        if directory.join(PLAN).symlink_metadata().is_ok() {
            return Ok(false);
        }
        let tasks = directory.join(TASKS);
        match tasks.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            Ok(found) if !found.is_dir() => return Ok(false),
            found => found.map_err(FileError::at("read", &tasks))?,
        };
        let mut entries = fs::read_dir(&tasks).map_err(FileError::at("read", &tasks))?;
        Ok(!entries.any(|entry| {
            // Hidden files are not plans.
            entry.is_ok_and(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        }))
    }

    /// Removes the plan of a thread; other files in its directory stay.
    // The narrative first: tasks without it are not a plan, so half of this is never taken for one.
    pub fn clear(&self, id: &ThreadId) -> Result<(), ThreadsError> {
        let directory = self.directory(id);
        match directory.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(found) if !found.is_dir() => {
                return Err(ThreadsError::NoDirectory { path: directory });
            }
            found => found.map_err(FileError::at("read", &directory))?,
        };
        remove_whole(&directory.join(PLAN))?;
        failpoint::reach("thread.cleared");
        remove_whole(&directory.join(TASKS))?;
        atomic::sync_parent(&directory.join(PLAN))?;
        Ok(())
    }

    /// Removes the directory of a thread with everything in it. Of a link that has its name, only the
    /// link goes.
    pub fn remove(&self, id: &ThreadId) -> Result<(), ThreadsError> {
        let directory = self.directory(id);
        let found = directory.symlink_metadata();
        if found.is_ok_and(|found| found.is_dir()) {
            remove_whole(&directory.join(PLAN))?;
        }
        remove_whole(&directory)?;
        atomic::sync_parent(&directory)?;
        Ok(())
    }
}

/// The directories of a session's threads, as they were allocated last. Without the lock: the file is only ever replaced
/// whole.
pub fn allocated_threads(root: &Path, session: &str) -> Result<Vec<PathBuf>, ThreadsError> {
    let path = root.join(STATE);
    let Some(bytes) = atomic::read_if_exists(&path)? else {
        return Ok(Vec::new());
    };
    let read = read(&bytes).map_err(|why| ThreadsError::Broken { path, why })?;
    let found = read.sessions.get_key_value(session);
    let ids = found.into_iter().flat_map(|(id, found)| {
        let threads = found.threads.iter().map(|thread| &thread.thread_id);
        std::iter::once(id).chain(threads)
    });
    Ok(ids.map(|id| root.join(id)).collect())
}

/// Reads the file and looks at every id in it: a thread is removed by its id.
fn read(bytes: &[u8]) -> Result<Sessions, String> {
    let read: Sessions = serde_json::from_slice(bytes).map_err(|why| why.to_string())?;
    if read.schema != SESSIONS_SCHEMA {
        return Err(format!(
            "its schema is `{}`, not `{SESSIONS_SCHEMA}`",
            read.schema
        ));
    }
    for (id, session) in &read.sessions {
        let Session { threads, .. } = session;
        let ids = threads.iter().map(|thread| thread.thread_id.as_str());
        for id in ids.chain([id.as_str()]) {
            ThreadId::new(id).map_err(|why| format!("`{id}` is not an id: {why}"))?;
        }
    }
    Ok(read)
}

/// Why a thread could not be had.
#[derive(Debug)]
pub enum ThreadsError {
    /// The file that says what is allocated cannot be understood.
    Broken {
        path: PathBuf,
        why: String,
    },
    /// Something else has the name of a thread's directory.
    NoDirectory {
        path: PathBuf,
    },
    File(FileError),
}

impl From<FileError> for ThreadsError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl fmt::Display for ThreadsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken { path, why } => write!(f, "`{}` cannot be read: {why}", path.display()),
            Self::NoDirectory { path } => {
                write!(
                    f,
                    "`{}` is a link or a file, not a directory",
                    path.display()
                )
            }
            Self::File(error) => error.fmt(f),
        }
    }
}

impl Error for ThreadsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Broken { .. } | Self::NoDirectory { .. } => None,
            Self::File(error) => Some(error),
        }
    }
}

#[cfg(test)]
mod tests;

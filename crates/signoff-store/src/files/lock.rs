//! Locks that last as long as their process: the system releases them however it ends.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::marker::PhantomData;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;
use std::{fmt, thread};

use crate::files::atomic::is_still_at;

/// Held by the process that drives one run.
pub type RunLock = Lock<RunMarker>;
/// Held by the process whose run works in this workspace.
pub type WorkspaceLock = Lock<WorkspaceMarker>;

/// Held while a run gets its directory, and while those that never began are cleared away.
pub type StartLock = Lock<StartMarker>;

/// Held while something is done to one plan.
pub type PlanLock = Lock<PlanMarker>;

/// Held while the threads of sessions are changed.
pub type SessionsLock = Lock<SessionsMarker>;

/// Held while a step is under way that names it.
pub type StepLock = Lock<StepMarker>;

/// Marks [`StepLock`].
#[derive(Debug)]
pub enum StepMarker {}

/// Marks [`RunLock`].
#[derive(Debug)]
pub enum RunMarker {}
/// Marks [`WorkspaceLock`].
#[derive(Debug)]
pub enum WorkspaceMarker {}

/// Marks [`StartLock`].
#[derive(Debug)]
pub enum StartMarker {}

/// Marks [`PlanLock`].
#[derive(Debug)]
pub enum PlanMarker {}

/// Marks [`SessionsLock`].
#[derive(Debug)]
pub enum SessionsMarker {}

/// A lock that is held. Dropping it, or the death of the process, releases it.
#[derive(Debug)]
pub struct Lock<Kind> {
    file: File,
    kind: PhantomData<Kind>,
}

/// Who holds a lock, as that process wrote it down; for messages only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockHolder {
    pub pid: u32,
    pub run: Option<String>,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.run {
            Some(run) => write!(f, "taken by run {run}, pid {}", self.pid),
            None => write!(f, "taken by pid {}", self.pid),
        }
    }
}

impl RunLock {
    /// Takes the lock, or returns `None` when another process has it (see [`holder`]).
    pub fn try_acquire(path: &Path) -> io::Result<Option<Self>> {
        Self::acquire(path)
    }
}

impl WorkspaceLock {
    /// Takes the lock, or returns `None` when another process has it (see [`holder`]). Makes its
    /// directory: a fresh clone has the store, but not what the store keeps out of git.
    pub fn try_acquire(path: &Path) -> io::Result<Option<Self>> {
        make_directory(path)?;
        Self::acquire(path)
    }

    /// The same together with others who share it.
    pub fn try_share(path: &Path) -> io::Result<Option<Self>> {
        make_directory(path)?;
        let file = open_or_create(path)?;
        let mut lock = match file.try_lock_shared() {
            Ok(()) => Self {
                file,
                kind: PhantomData,
            },
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        };
        lock.note_holder(None)?;
        Ok(Some(lock))
    }
}

fn make_directory(path: &Path) -> io::Result<()> {
    let Some(directory) = path.parent() else {
        return Ok(());
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
}

impl StartLock {
    /// Waits for the lock and takes it. Its holder waits for no other lock.
    pub fn acquire_waiting(path: &Path) -> io::Result<Self> {
        Self::wait(path)
    }
}

impl PlanLock {
    /// Waits for the lock and takes it. Its holder never waits for a person.
    pub fn acquire_waiting(path: &Path) -> io::Result<Self> {
        Self::wait(path)
    }
}

impl SessionsLock {
    /// Waits for the lock and takes it. Its holder waits for no locks but those of plans.
    pub fn acquire_waiting(path: &Path) -> io::Result<Self> {
        Self::wait(path)
    }
}

/// Whether a step's lock was taken.
#[derive(Debug)]
pub enum StepLockTaken {
    /// It is held from now on.
    Now(StepLock),
    /// Another run has it; which, if that is known yet.
    By(Option<String>),
}

impl StepLock {
    /// Takes the lock for a run. Does not wait, not even for somebody who only asks: whoever wants it tries again.
    pub fn take_for(path: &Path, run: &str) -> io::Result<StepLockTaken> {
        make_directory(path)?;
        let mut file = open_or_create(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                Read::by_ref(&mut file)
                    .take(4096)
                    .read_to_string(&mut text)?;
                return Ok(StepLockTaken::By(parse(&text).and_then(|held| held.run)));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let kind = PhantomData;
        let mut lock = Self { file, kind };
        lock.name_run(run)?;
        Ok(StepLockTaken::Now(lock))
    }
}

impl<Kind> Lock<Kind> {
    fn wait(path: &Path) -> io::Result<Self> {
        make_directory(path)?;
        loop {
            let file = open_or_create(path)?;
            file.lock()?;
            // Another process may have removed the file while we waited for it.
            if is_still_at(&file, path)? {
                let kind = PhantomData;
                return Ok(Self { file, kind });
            }
        }
    }

    /// Removes the file of a lock that nobody holds; false when somebody does. Whoever waits for it
    /// meanwhile takes the next file of this name.
    pub fn remove_unheld(path: &Path) -> io::Result<bool> {
        let Some(file) = open_if_exists(path)? else {
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
        std::fs::remove_file(path).map(|()| true)
    }

    fn acquire(path: &Path) -> io::Result<Option<Self>> {
        let file = open_or_create(path)?;
        if !try_lock_patiently(&file)? {
            return Ok(None);
        }
        let mut lock = Self {
            file,
            kind: PhantomData,
        };
        lock.note_holder(None)?;
        Ok(Some(lock))
    }

    /// Writes down which run the lock is held for.
    pub fn name_run(&mut self, run_id: &str) -> io::Result<()> {
        self.note_holder(Some(run_id))
    }

    fn note_holder(&mut self, run: Option<&str>) -> io::Result<()> {
        let text = format!("{} {}\n", std::process::id(), run.unwrap_or_default());
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(text.as_bytes())
    }
}

impl<Kind> Drop for Lock<Kind> {
    /// Closing the file releases the lock; the note goes with it.
    fn drop(&mut self) {
        self.file.set_len(0).ok();
    }
}

/// Whether a process holds this lock now, alone or with others.
pub fn is_in_use(path: &Path) -> io::Result<bool> {
    let Some(file) = open_if_exists(path)? else {
        return Ok(false);
    };
    match file.try_lock() {
        Ok(()) => file.unlock().map(|()| false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether a process holds this lock now, and does not share it.
pub fn is_held(path: &Path) -> io::Result<bool> {
    let Some(file) = open_if_exists(path)? else {
        return Ok(false);
    };
    probe(&file)
}

/// The holder of this lock; `None` if it is free, or its holder has not yet written its name.
pub fn holder(path: &Path) -> io::Result<Option<LockHolder>> {
    let Some(file) = open_if_exists(path)? else {
        return Ok(None);
    };
    if !probe(&file)? {
        return Ok(None);
    }
    let mut text = String::new();
    file.take(4096).read_to_string(&mut text)?;
    Ok(parse(&text))
}

fn parse(text: &str) -> Option<LockHolder> {
    let (pid, run) = text.strip_suffix('\n')?.split_once(' ')?;
    Some(LockHolder {
        pid: pid.parse().ok()?,
        run: Some(run).filter(|run| !run.is_empty()).map(str::to_owned),
    })
}

fn open_or_create(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
}

fn open_if_exists(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Asking means holding a shared lock for an instant; there is no other way.
fn probe(file: &File) -> io::Result<bool> {
    match file.try_lock_shared() {
        Ok(()) => file.unlock().map(|()| false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Tries for a fifth of a second, so that a process that only asks ([`is_held`]) and was suspended meanwhile does not
/// count as a holder.
pub(crate) fn try_lock_patiently(file: &File) -> io::Result<bool> {
    for _ in 0..100 {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(2)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time_and_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        assert!(!is_held(&path).unwrap());
        let mut lock = RunLock::try_acquire(&path).unwrap().unwrap();
        assert!(RunLock::try_acquire(&path).unwrap().is_none());
        assert!(is_held(&path).unwrap());
        let pid = std::process::id();
        let shown = |path| holder(path).unwrap().unwrap().to_string();
        assert_eq!(shown(&path), format!("taken by pid {pid}"));
        lock.name_run("20261115-093012-k3f9").unwrap();
        let expected = format!("taken by run 20261115-093012-k3f9, pid {pid}");
        assert_eq!(shown(&path), expected);
        drop(lock);
        assert!(!is_held(&path).unwrap());
        assert_eq!(holder(&path).unwrap(), None);
        assert!(RunLock::try_acquire(&path).unwrap().is_some());
    }

    #[test]
    fn a_lock_of_a_step_says_which_run_has_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("steps/db");
        let StepLockTaken::Now(held) = StepLock::take_for(&path, "one").unwrap() else {
            panic!("it is free");
        };
        let StepLockTaken::By(by) = StepLock::take_for(&path, "other").unwrap() else {
            panic!("it is held");
        };
        assert_eq!(by.as_deref(), Some("one"));
        drop(held);
        let taken = StepLock::take_for(&path, "other").unwrap();
        assert!(matches!(taken, StepLockTaken::Now(_)));
    }

    #[test]
    fn asking_does_not_get_in_the_way_of_taking() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        drop(WorkspaceLock::try_acquire(&path).unwrap());
        let stop = std::sync::atomic::AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    is_held(&path).unwrap();
                }
            });
            let taken = (0..400)
                .filter(|_| WorkspaceLock::try_acquire(&path).unwrap().is_some())
                .count();
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(taken, 400);
        });
    }

    #[test]
    fn clearing_lock_files_away_never_lets_two_in() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("locks/plan");
        let inside = std::sync::atomic::AtomicUsize::new(0);
        let order = std::sync::atomic::Ordering::SeqCst;
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let lock = PlanLock::acquire_waiting(&path).unwrap();
                        assert_eq!(inside.fetch_add(1, order), 0);
                        assert!(!PlanLock::remove_unheld(&path).unwrap());
                        inside.fetch_sub(1, order);
                        drop(lock);
                        PlanLock::remove_unheld(&path).unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn a_fresh_clone_gets_its_lock_and_an_unknown_run_no_directory() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = dir.path().join("locks/workspace");
        assert!(!is_held(&workspace).unwrap());
        assert!(WorkspaceLock::try_acquire(&workspace).unwrap().is_some());
        assert!(RunLock::try_acquire(&dir.path().join("unknown/lock")).is_err());
        assert!(!dir.path().join("unknown").exists());
    }
}

//! The directory of an agent that is asked. Copies of logins are in it, so that it must not outlive its process for long:
//! whoever asks next removes what a killed one left.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use signoff_sandbox::end_leftovers;
use signoff_work::beneath::remove_tree;
use signoff_work::confine::LoginKeeper;
use tempfile::TempDir;

use crate::confinement::home;
use crate::project::Project;
use crate::project::agents::agent_requirements;

const PREFIX: &str = "signoff-plan-";
/// The agent's part of it.
const SCRATCH: &str = "agent";
/// How often a directory is made again that another process took for a stale one.
const TRIES: usize = 16;

/// A directory that is in use as long as it is locked. The system releases the lock however its process ends.
pub(super) struct QuestionDirectory {
    /// Removed before the lock is released.
    directory: TempDir,
    _lock: File,
}

impl QuestionDirectory {
    /// Makes one among temporary files.
    pub(super) fn make() -> io::Result<Self> {
        Self::make_in(&std::env::temp_dir())
    }

    fn make_in(temporary: &Path) -> io::Result<Self> {
        for _ in 0..TRIES {
            let directory = tempfile::Builder::new()
                .prefix(PREFIX)
                .tempdir_in(temporary)?;
            // Between its beginning and its lock somebody may take it for a stale one, and remove it.
            let lock = match File::open(directory.path()) {
                Err(why) if why.kind() == io::ErrorKind::NotFound => continue,
                lock => lock?,
            };
            if lock.try_lock().is_ok() && is_at(&lock, directory.path()) {
                return Ok(Self {
                    directory,
                    _lock: lock,
                });
            }
        }
        Err(io::Error::other("its temporary directory cannot be locked"))
    }

    /// Where the agent's home and temporary files go.
    pub(super) fn scratch(&self) -> PathBuf {
        self.directory.path().join(SCRATCH)
    }

    /// What marks the agent's processes, so that they are found if this one is killed.
    pub(super) fn marker(&self) -> String {
        marker_of(self.directory.path())
    }
}

/// Removes the directories of questions whose processes are dead, with what is left of their agents. Logins that an agent
/// renewed are written back before. What fails is left for the next one.
pub(super) fn remove_stale(project: &Project, logins: &LoginKeeper) {
    for stale in stale_in(&std::env::temp_dir()) {
        let path = &stale.path;
        if end_leftovers(None, &marker_of(path)).is_err() {
            continue;
        }
        let variables = &project.process.variables;
        for agent in project.config.agents.values() {
            let needs = agent_requirements(&agent.value);
            let copies = home(project).renewed_copies(&path.join(SCRATCH), &needs, variables);
            drop(logins.keep(&copies));
        }
        remove_tree(path).ok();
    }
}

/// A directory that nobody uses, locked so that nobody else removes it.
struct StaleDirectory {
    path: PathBuf,
    _lock: File,
}

fn stale_in(temporary: &Path) -> Vec<StaleDirectory> {
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let stale = named.filter_map(|entry| {
        let path = entry.path();
        let found = path.symlink_metadata().ok()?;
        // In a shared directory only our own entries are ours to judge.
        if !found.is_dir() || found.uid() != own_user()? {
            return None;
        }
        let lock = File::open(&path).ok()?;
        let is_ours = lock.try_lock().is_ok() && is_at(&lock, &path);
        is_ours.then_some(StaleDirectory { path, _lock: lock })
    });
    stale.collect()
}

/// The user that this process makes files as.
fn own_user() -> Option<u32> {
    Some(fs::metadata("/proc/self").ok()?.uid())
}

/// Is the open directory still the one at this path?
fn is_at(open: &File, path: &Path) -> bool {
    match (open.metadata(), path.symlink_metadata()) {
        (Ok(open), Ok(at)) => open.dev() == at.dev() && open.ino() == at.ino(),
        _ => false,
    }
}

fn marker_of(directory: &Path) -> String {
    let name = directory.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn stale_names(temporary: &Path) -> Vec<String> {
        let stale = stale_in(temporary);
        let mut names: Vec<String> = stale.iter().map(|stale| marker_of(&stale.path)).collect();
        names.sort();
        names
    }

    #[test]
    fn only_a_directory_that_nobody_holds_is_stale() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let temporary = place.path();
        let used = QuestionDirectory::make_in(temporary).expect("a directory");
        for name in ["signoff-plan-left", "signoff-run-1", "signoff-plan"] {
            fs::create_dir_all(temporary.join(name).join("agent/home")).expect("a directory");
        }
        fs::write(temporary.join("signoff-plan-file"), "").expect("a file");
        let elsewhere = temporary.join("signoff-run-1");
        std::os::unix::fs::symlink(elsewhere, temporary.join("signoff-plan-link")).expect("a link");
        assert_eq!(stale_names(temporary), ["signoff-plan-left"]);
        let path = used.directory.path().to_owned();
        assert!(path.is_dir());
        drop(used);
        assert!(!path.exists());
    }

    /// Many are asked at once on one machine, and each removes what it takes for stale.
    #[test]
    fn whoever_clears_away_meanwhile_takes_no_directory_that_is_in_use() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let is_done = AtomicBool::new(false);
        let made = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    for stale in stale_in(place.path()) {
                        remove_tree(&stale.path).ok();
                    }
                }
            });
            let make = |_| {
                let used = QuestionDirectory::make_in(place.path())?;
                fs::create_dir(used.scratch())?;
                std::thread::yield_now();
                fs::metadata(used.scratch()).map(drop)
            };
            let made: Vec<io::Result<()>> = (0..1000).map(make).collect();
            is_done.store(true, Ordering::Relaxed);
            made
        });
        let failed: Vec<_> = made.into_iter().filter_map(Result::err).collect();
        assert!(failed.is_empty(), "{failed:?}");
    }

    #[test]
    fn one_that_is_being_removed_is_nobody_elses() {
        let place = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir(place.path().join("signoff-plan-left")).expect("a directory");
        let first = stale_in(place.path());
        assert_eq!(first.len(), 1);
        assert_eq!(stale_names(place.path()), [""; 0]);
    }
}

//! One directory of a pool: the files of a tree, and what is known of them.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread::ScopedJoinHandle;

use rustix::fs::{AtFlags, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, statat, utimensat};
use signoff_sandbox::start_scoped_thread;

use crate::beneath::remove_tree;
use crate::git::{
    CheckoutTimes, Difference, FileTime, GitError, HarnessGit, Id, Name, make_apart, path,
    spread_directories, write,
};
use crate::tree::{FileStamp, split};

/// One directory of a pool, on disk: `tree`, `lock`, and `shows`, which is there only while the tree is whole.
#[derive(Debug, Clone)]
pub(super) struct PoolSlot(PathBuf);

/// What the files of a slot are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SlotContent {
    pub(super) tree: Id,
    /// [`CheckoutTimes::id`]; empty without any.
    pub(super) times: String,
    /// [`HarnessGit::conversions`] when it was made.
    pub(super) conversions: String,
}

impl SlotContent {
    /// What a slot shows that shows this tree.
    pub(super) fn new(
        own: &HarnessGit,
        tree: &Id,
        times: Option<&CheckoutTimes>,
    ) -> Result<Self, GitError> {
        Ok(Self {
            tree: tree.clone(),
            times: times.map_or_else(String::new, |times| times.id().to_owned()),
            conversions: own.conversions()?,
        })
    }
}

/// Whether a slot's lock could be had.
#[derive(Debug)]
pub(super) enum LockAttempt {
    Got(SlotLock),
    Busy,
}

/// A lock that is held.
#[derive(Debug)]
pub(super) struct SlotLock(File);

impl SlotLock {
    /// Waits until no other process holds it.
    pub(super) fn wait(path: &Path) -> io::Result<Self> {
        let file = File::options().create(true).append(true).open(path)?;
        file.lock()?;
        Ok(Self(file))
    }
}

impl Drop for SlotLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that is being started at this moment has it open too.
        self.0.unlock().ok();
    }
}

impl PoolSlot {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    pub(super) fn tree(&self) -> PathBuf {
        self.0.join("tree")
    }

    pub(super) fn lock_shared(&self) -> io::Result<LockAttempt> {
        self.lock(File::try_lock_shared)
    }

    pub(super) fn lock_alone(&self) -> io::Result<LockAttempt> {
        self.lock(File::try_lock)
    }

    fn lock(&self, try_lock: fn(&File) -> Result<(), TryLockError>) -> io::Result<LockAttempt> {
        let path = self.0.join("lock");
        let file = match File::options().create(true).append(true).open(path) {
            // Another process removed the slot meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(LockAttempt::Busy),
            file => file?,
        };
        match try_lock(&file) {
            Ok(()) => Ok(LockAttempt::Got(SlotLock(file))),
            Err(TryLockError::WouldBlock) => Ok(LockAttempt::Busy),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The tree that it holds; `None` if that is unknown: it was never finished, or its holder may have written to it.
    pub(super) fn content(&self) -> Option<SlotContent> {
        let text = fs::read_to_string(self.shows()).ok()?;
        let mut lines = text.lines().map(str::to_owned);
        Some(SlotContent {
            tree: lines.next()?.parse().ok()?,
            times: lines.next()?,
            conversions: lines.next()?,
        })
    }

    /// When it began to show that.
    pub(super) fn age(&self) -> Option<std::time::SystemTime> {
        fs::metadata(self.shows()).ok()?.modified().ok()
    }

    /// From here on it shows nothing that can be relied on, whatever happens to this process.
    pub(super) fn forget(&self) -> Result<(), GitError> {
        match fs::remove_file(self.shows()) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(GitError::File {
                path: self.shows(),
                error,
            }),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    pub(super) fn write_content(&self, shown: &SlotContent) -> Result<(), GitError> {
        let text = format!("{}\n{}\n{}\n", shown.tree, shown.times, shown.conversions);
        write(&self.shows(), text.as_bytes())
    }

    fn shows(&self) -> PathBuf {
        self.0.join("shows")
    }

    /// Makes it show a tree. The lock is held alone.
    pub(super) fn show(
        &self,
        own: &HarnessGit,
        wanted: &SlotContent,
        times: Option<&CheckoutTimes>,
    ) -> Result<(), GitError> {
        let before = self.content();
        self.forget()?;
        let tree = &wanted.tree;
        let updated = match &before {
            Some(before) if before.conversions == wanted.conversions => {
                self.update(own, before, tree)?
            }
            Some(_) | None => None,
        };
        let has_same_times = before.is_some_and(|before| before.times == wanted.times);
        let is_new = updated.is_none();
        match (updated, times) {
            (None, _) => self.fill_with_tree(own, tree)?,
            (Some(changed), Some(times)) if has_same_times => {
                set_times(&self.tree(), times, &changed, FileAge::Known)?;
                return self.write_content(wanted);
            }
            (Some(_), _) => {}
        }
        if let Some(times) = times {
            let listed = || {
                let files = own.files_of(tree)?.into_iter();
                Ok(files.map(|file| (file.name, file.id)).collect())
            };
            let files: Vec<_> = times.files_of(tree).map_or_else(listed, Ok)?;
            let age = if is_new { FileAge::New } else { FileAge::Known };
            set_times(&self.tree(), times, &files, age)?;
        }
        self.write_content(wanted)
    }

    /// Updates what differs and returns the new files; `None` if the directory has to be filled again.
    fn update(
        &self,
        own: &HarnessGit,
        before: &SlotContent,
        tree: &Id,
    ) -> Result<Option<Vec<(Name, Id)>>, GitError> {
        let differences = match own.differences(&before.tree, tree) {
            // What it shows was removed from the repository.
            Err(GitError::Gone { commits }) if !commits.contains(&tree.to_string()) => {
                return Ok(None);
            }
            differences => differences?,
        };
        // Where none are kept, they say how every other file looks in a working tree.
        let is_attributes = |path: &Difference| split(&path.name).1 == b".gitattributes";
        if own.attribute_source().is_none() && differences.iter().any(is_attributes) {
            return Ok(None);
        }
        own.update_folder(&self.tree(), &differences)?;
        let there = differences.into_iter();
        let there = there.filter_map(|path| Some((path.name, path.after?.1)));
        Ok(Some(there.collect()))
    }

    fn fill_with_tree(&self, own: &HarnessGit, tree: &Id) -> Result<(), GitError> {
        let folder = self.tree();
        // Another directory, not this one made empty: a process that lost its way may still write there.
        let aside = self.0.join("old");
        remove_tree(&aside).map_err(GitError::file(&aside))?;
        match fs::rename(&folder, &aside) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(GitError::File {
                    path: folder,
                    error,
                });
            }
            Ok(()) | Err(_) => {}
        }
        spread_directories(&self.0);
        make_apart(&folder).map_err(GitError::file(&folder))?;
        own.fill_folder(&folder, tree)?;
        remove_tree(&aside).map_err(GitError::file(&aside))
    }

    /// Removes it with everything in it. The lock is held alone.
    pub(super) fn remove(&self) -> Result<(), GitError> {
        self.forget()?;
        remove_tree(&self.0).map_err(GitError::file(&self.0))
    }
}

/// Whether files may have the right time already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileAge {
    /// They were made just now, and have the time of that.
    New,
    Known,
}

/// So many files are worth a thread of their own.
const FILES_OF_THREAD: usize = 1_000;

/// Gives files with the checkout's content the checkout's time, so that what was built there is still up to date, and
/// all others a time after it.
fn set_times(
    folder: &Path,
    times: &CheckoutTimes,
    files: &[(Name, Id)],
    age: FileAge,
) -> Result<(), GitError> {
    let root = crate::tree::open_root(folder).map_err(GitError::file(folder))?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let share = files.len().div_ceil(processors).max(FILES_OF_THREAD);
    let set = |files: &[(Name, Id)]| {
        let mut files = files.iter();
        files.try_for_each(|(name, id)| {
            let set = set_time(root.as_fd(), name, times.time_of(name, id), times, age);
            set.map_err(GitError::file(&folder.join(path(name))))
        })
    };
    if files.len() <= FILES_OF_THREAD {
        return set(files);
    }
    std::thread::scope(|scope| {
        let start = |files| start_scoped_thread(scope, "signoff-times", move || set(files));
        let workers: io::Result<Vec<_>> = files.chunks(share).map(start).collect();
        let workers = workers.map_err(GitError::file(folder))?;
        let mut results = workers.into_iter().map(ScopedJoinHandle::join);
        results.try_for_each(|set| set.unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

fn set_time(
    root: BorrowedFd<'_>,
    name: &[u8],
    time: Option<FileTime>,
    times: &CheckoutTimes,
    age: FileAge,
) -> io::Result<()> {
    let is = || {
        let stat = statat(root, name, AtFlags::SYMLINK_NOFOLLOW)?;
        io::Result::Ok(FileStamp::of(&stat).modified_at())
    };
    let wanted = match time {
        Some(time) if age == FileAge::Known && time == is()? => return Ok(()),
        Some((tv_sec, tv_nsec)) => Timespec { tv_sec, tv_nsec },
        None if is()? > times.taken_at() => return Ok(()),
        None => Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_NOW,
        },
    };
    let both = Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        last_modification: wanted,
    };
    Ok(utimensat(root, name, &both, AtFlags::SYMLINK_NOFOLLOW)?)
}

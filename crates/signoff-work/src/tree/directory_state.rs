//! Whether directories that a process could write to are exactly as they were before.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io};

/// Entries of one directory, and bytes of one file, that are compared. More is more than was put there.
const MOST_ENTRIES: usize = 1_000;
const MOST_BYTES: u64 = 64 << 10;

/// The state of directories, with everything in them but their times: clocks of file systems are too coarse to tell that
/// nothing was written since.
#[derive(Debug)]
pub struct DirectoryState {
    entries: BTreeMap<PathBuf, EntryState>,
    /// Notices every change from now on. Without it, or after a change, everything is compared again.
    alarm: Option<ChangeWatch>,
    was_raised: AtomicBool,
}

#[derive(Debug, PartialEq, Eq)]
struct EntryState {
    mode: u32,
    owner: (u32, u32),
    attributes: Vec<u8>,
    content: EntryContent,
}

#[derive(Debug, PartialEq, Eq)]
enum EntryContent {
    Directory(BTreeSet<OsString>),
    File(Vec<u8>),
    Link(PathBuf),
}

impl DirectoryState {
    /// Records these directories, without what is `apart`. No other process may know them yet.
    pub fn of(roots: &[&Path], apart: &[PathBuf]) -> io::Result<Self> {
        let mut entries = BTreeMap::new();
        let mut waiting: Vec<PathBuf> = roots.iter().map(|root| (*root).to_owned()).collect();
        while let Some(path) = waiting.pop() {
            if apart.contains(&path) {
                continue;
            }
            let entry = EntryState::at(&path)?;
            if let EntryContent::Directory(names) = &entry.content {
                waiting.extend(names.iter().map(|name| path.join(name)));
            }
            entries.insert(path, entry);
        }
        let is_directory = |entry: &EntryState| matches!(entry.content, EntryContent::Directory(_));
        let directories = entries.iter().filter(|(_, entry)| is_directory(entry));
        let alarm = ChangeWatch::of(directories.map(|(path, _)| path.as_path()));
        Ok(Self {
            entries,
            alarm,
            was_raised: AtomicBool::new(false),
        })
    }

    /// Is everything the same now? What cannot be read is not.
    pub fn are_same(&self) -> bool {
        if !self.alarm.as_ref().is_some_and(ChangeWatch::is_quiet) {
            self.was_raised.store(true, Ordering::Release);
        }
        !self.was_raised.load(Ordering::Acquire) || self.entries_are_same()
    }

    fn entries_are_same(&self) -> bool {
        let is_same = |(path, entry): (&PathBuf, &EntryState)| {
            EntryState::at(path).is_ok_and(|now| now == *entry)
        };
        self.entries.iter().all(is_same)
    }
}

/// Gets every change in directories, and of the files in them, from the kernel. Comparing them all takes a hundred
/// times as long as asking whether there was any.
#[derive(Debug)]
struct ChangeWatch(std::os::fd::OwnedFd);

impl ChangeWatch {
    /// `None` where it cannot be had: a user can have a limited number.
    fn of<'p>(directories: impl Iterator<Item = &'p Path>) -> Option<Self> {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
        let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        // What is written through memory was opened to be written to, and so is closed.
        let changes = WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::MOVE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        for directory in directories {
            add_watch(&events, directory, changes).ok()?;
        }
        Some(Self(events))
    }

    /// Has nothing happened since it was asked last?
    fn is_quiet(&self) -> bool {
        let mut events = [0; 4096];
        let mut is_quiet = true;
        loop {
            match rustix::io::read(&self.0, &mut events) {
                Err(rustix::io::Errno::AGAIN) => return is_quiet,
                Err(rustix::io::Errno::INTR) => {}
                // One that cannot be read says nothing.
                Err(_) | Ok(0) => return false,
                Ok(_) => is_quiet = false,
            }
        }
    }
}

impl EntryState {
    fn at(path: &Path) -> io::Result<Self> {
        let found = fs::symlink_metadata(path)?;
        let kind = found.file_type();
        let content = if kind.is_dir() {
            EntryContent::Directory(names(path)?)
        } else if kind.is_symlink() {
            EntryContent::Link(fs::read_link(path)?)
        } else if kind.is_file() && found.len() <= MOST_BYTES && found.nlink() == 1 {
            EntryContent::File(fs::read(path)?)
        } else {
            return Err(io::Error::other("nothing that was put there"));
        };
        Ok(Self {
            mode: found.mode(),
            owner: (found.uid(), found.gid()),
            attributes: attributes(path)?,
            content,
        })
    }
}

fn names(path: &Path) -> io::Result<BTreeSet<OsString>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(path)? {
        names.insert(entry?.file_name());
        if names.len() > MOST_ENTRIES {
            return Err(io::Error::other("more than was put there"));
        }
    }
    Ok(names)
}

/// The names of its extended attributes: an access list is one.
fn attributes(path: &Path) -> io::Result<Vec<u8>> {
    let mut names = [0_u8; 1024];
    match rustix::fs::llistxattr(path, &mut names[..]) {
        Ok(length) => Ok(names[..length].to_vec()),
        Err(rustix::io::Errno::NOTSUP) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn made() -> (tempfile::TempDir, DirectoryState) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("home/.cargo")).unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        fs::write(dir.path().join("home/.gitconfig"), "[user]\n").unwrap();
        symlink(".cargo", dir.path().join("home/tools")).unwrap();
        let looks = DirectoryState::of(&[dir.path()], &[dir.path().join("work")]).unwrap();
        (dir, looks)
    }

    #[test]
    fn what_nobody_touched_looks_the_same() {
        let (dir, looks) = made();
        assert!(looks.are_same());
        fs::write(dir.path().join("work/kernel"), "").unwrap();
        assert!(looks.are_same());
    }

    #[test]
    fn whatever_is_left_is_seen() {
        type Change = fn(&Path) -> io::Result<()>;
        let changes: [(&str, Change); 7] = [
            ("a file", |home| fs::write(home.join(".cargo/x"), "")),
            ("a directory", |home| fs::create_dir(home.join("x"))),
            ("as many bytes", |home| {
                fs::write(home.join(".gitconfig"), "[uses]\n")
            }),
            ("a right", |home| {
                fs::set_permissions(home.join(".cargo"), fs::Permissions::from_mode(0o777))
            }),
            ("another link", |home| {
                fs::remove_file(home.join("tools"))?;
                symlink("/", home.join("tools"))
            }),
            ("something gone", |home| {
                fs::remove_file(home.join(".gitconfig"))
            }),
            ("another name", |home| {
                fs::hard_link(home.join(".gitconfig"), home.join("../b"))
            }),
        ];
        for (what, change) in changes {
            let (dir, looks) = made();
            change(&dir.path().join("home")).unwrap();
            assert!(!looks.are_same(), "{what}");
            assert!(!looks.are_same(), "{what}, asked again");
        }
    }

    #[test]
    fn the_alarm_hears_of_every_change() {
        type Change = fn(&Path) -> io::Result<()>;
        let changes: [(&str, Change); 6] = [
            ("come and gone", |home| {
                fs::write(home.join("x"), "")?;
                fs::remove_file(home.join("x"))
            }),
            ("opened to be written to", |home| {
                let file = fs::OpenOptions::new()
                    .write(true)
                    .open(home.join(".gitconfig"));
                file.map(drop)
            }),
            ("an attribute", |home| {
                let flags = rustix::fs::XattrFlags::empty();
                let set = rustix::fs::setxattr(home.join(".cargo"), "user.x", b"1", flags);
                set.map_err(io::Error::from)
            }),
            ("a time", |home| {
                let file = fs::File::open(home.join(".cargo"))?;
                file.set_modified(std::time::SystemTime::UNIX_EPOCH)
            }),
            ("another directory in its place", |home| {
                fs::rename(home.join(".cargo"), home.join("c"))?;
                fs::rename(home.join("c"), home.join(".cargo"))
            }),
            ("the whole", |home| {
                fs::rename(home, home.with_file_name("other"))
            }),
        ];
        for (what, change) in changes {
            let (dir, looks) = made();
            let alarm = looks.alarm.as_ref().unwrap();
            assert!(alarm.is_quiet(), "{what}: before");
            change(&dir.path().join("home")).unwrap();
            assert!(!alarm.is_quiet(), "{what}");
        }
    }

    #[test]
    fn who_only_reads_raises_no_alarm() {
        let (dir, looks) = made();
        fs::read(dir.path().join("home/.gitconfig")).unwrap();
        assert_eq!(fs::read_dir(dir.path().join("home")).unwrap().count(), 3);
        assert!(looks.alarm.unwrap().is_quiet());
    }
}

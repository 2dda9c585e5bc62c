//! Removes a tree that an agent wrote, whatever rights it has and however deep it is.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, RawMode, RenameFlags, fchmod, fstat, mkdirat, renameat,
    renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use super::{open_folder, open_root};

/// Directories that are open at once. Deeper ones are moved up first.
const DEEPEST: usize = 100;

/// Directories that are moved up before the removal goes to the background: such a tree was made to take long.
const MOST_MOVED: u64 = 20;

/// Removes whatever is there without following links; nothing there is fine. A tree that takes too long is moved aside
/// and removed in the background, or with its directory if the process ends first.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    begin_removal(path).map(drop)
}

/// The same; returns the thread that is left with the rest, if there is one.
fn begin_removal(path: &Path) -> io::Result<Option<JoinHandle<Option<bool>>>> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    if try_remove(path, MOST_MOVED)? {
        return Ok(None);
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let id = std::process::id();
    let aside = path.with_file_name(format!(".signoff-removed-{id}-{number}"));
    // Where it cannot be moved, the caller has to wait.
    if renameat_with(CWD, path, CWD, &aside, RenameFlags::NOREPLACE).is_err() {
        try_remove(path, u64::MAX)?;
        return Ok(None);
    }
    let rest = thread::Builder::new().name("remove".to_owned());
    // What it does not get to is removed with the directory that it lies in.
    rest.spawn(move || try_remove(&aside, u64::MAX).ok())
        .map(Some)
}

/// Removes it unless more directories than this have to be moved up; whether it is gone.
fn try_remove(path: &Path, most: u64) -> io::Result<bool> {
    let (parent, name) = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => (parent, name.as_bytes()),
        _ => return Err(io::Error::other("it has no name")),
    };
    let parent = if parent.as_os_str().is_empty() {
        open_root(Path::new("."))
    } else {
        open_root(parent)
    };
    let parent = match parent {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        parent => parent?,
    };
    if is_removed(parent.as_fd(), name)? {
        return Ok(true);
    }
    let top = open_writable(parent.as_fd(), name)?;
    let mut removal = Removal {
        top: top.as_fd(),
        moved: 0,
        most,
    };
    // What was moved up lies in the top directory, and is found there the next time.
    loop {
        let before = removal.moved;
        let emptied = removal.empty(top.as_fd(), 0);
        if removal.moved > most {
            return Ok(false);
        }
        emptied?;
        if removal.moved == before {
            break;
        }
    }
    remove_folder(parent.as_fd(), name)?;
    Ok(true)
}

struct Removal<'r> {
    top: BorrowedFd<'r>,
    /// How many directories were moved up.
    moved: u64,
    /// How many may be.
    most: u64,
}

impl Removal<'_> {
    fn empty(&mut self, directory: BorrowedFd<'_>, depth: usize) -> io::Result<()> {
        for name in names(directory)? {
            if is_removed(directory, &name)? {
                continue;
            }
            let inner = match open_writable(directory, &name) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                inner => inner?,
            };
            if depth == DEEPEST {
                drop(inner);
                self.move_up(directory, &name)?;
                continue;
            }
            self.empty(inner.as_fd(), depth + 1)?;
            drop(inner);
            remove_folder(directory, &name)?;
        }
        Ok(())
    }

    /// Moves a directory to the top, into a new one whose name nothing has.
    fn move_up(&mut self, from: BorrowedFd<'_>, name: &[u8]) -> io::Result<()> {
        loop {
            self.moved += 1;
            if self.moved > self.most {
                return Err(ErrorKind::Interrupted.into());
            }
            let folder = format!("signoff-moved-{}", self.moved);
            match mkdirat(self.top, &folder, Mode::RWXU) {
                Err(Errno::EXIST) => {}
                made => {
                    made?;
                    let folder = open_folder(self.top, folder.as_bytes())?;
                    return Ok(renameat(from, name, folder, "inner")?);
                }
            }
        }
    }
}

/// Removes what is not a directory; whether nothing is left to do.
fn is_removed(directory: BorrowedFd<'_>, name: &[u8]) -> io::Result<bool> {
    match unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        // Systems differ in what they say about directories.
        Err(error) => match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(true),
            Ok(stat) if kind(stat.st_mode) == FileType::Directory => Ok(false),
            Ok(_) | Err(_) => Err(error.into()),
        },
    }
}

fn remove_folder(directory: BorrowedFd<'_>, name: &[u8]) -> io::Result<()> {
    match unlinkat(directory, name, AtFlags::REMOVEDIR) {
        // Something was moved up into it.
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Opens a directory so that its entries can be removed, restoring rights where needed.
fn open_writable(parent: BorrowedFd<'_>, name: &[u8]) -> io::Result<OwnedFd> {
    let opened = match open_folder(parent, name) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            give_own_rights(parent, name)?;
            open_folder(parent, name)
        }
        opened => opened,
    }?;
    let mode = fstat(&opened)?.st_mode & 0o7777;
    if mode & 0o700 != 0o700 {
        fchmod(&opened, Mode::from_raw_mode(mode | 0o700))?;
    }
    Ok(opened)
}

/// Restores the owner's rights to read and write, without following links; tells whether any were missing.
pub(crate) fn add_owner_permissions(path: &Path) -> io::Result<bool> {
    let given = give_own_rights(CWD, path.as_os_str().as_bytes())?;
    match open_folder(CWD, path.as_os_str().as_bytes()) {
        Ok(directory) => Ok(given | give_inner_rights(directory.as_fd(), 0)?),
        Err(_) => Ok(given),
    }
}

fn give_inner_rights(directory: BorrowedFd<'_>, depth: usize) -> io::Result<bool> {
    if depth == DEEPEST {
        return Err(io::Error::other("it lies too deep"));
    }
    let mut given = false;
    for name in names(directory)? {
        given |= give_own_rights(directory, &name)?;
        if let Ok(inner) = open_folder(directory, &name) {
            given |= give_inner_rights(inner.as_fd(), depth + 1)?;
        }
    }
    Ok(given)
}

/// For this directory alone.
fn give_own_rights(parent: impl AsFd, name: &[u8]) -> io::Result<bool> {
    let stat = statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let needed: RawMode = match kind(stat.st_mode) {
        FileType::Directory => 0o700,
        FileType::RegularFile => 0o600,
        _ => return Ok(false),
    };
    let mode = stat.st_mode & 0o7777;
    let is_missing = mode & needed != needed;
    if is_missing {
        set_mode(parent.as_fd(), name, Mode::from_raw_mode(mode | needed))?;
    }
    Ok(is_missing)
}

/// Linux sets the mode of a name only through links; of what is open, also by its name among open files.
fn set_mode(parent: BorrowedFd<'_>, name: &[u8], mode: Mode) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{OFlags, chmod, openat};

    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(parent, name, flags, Mode::empty())?;
    if kind(fstat(&opened)?.st_mode) == FileType::Symlink {
        return Err(Errno::LOOP.into());
    }
    Ok(chmod(
        format!("/proc/self/fd/{}", opened.as_raw_fd()),
        mode,
    )?)
}

fn names(directory: BorrowedFd<'_>) -> io::Result<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(name.to_vec());
        }
    }
    Ok(names)
}

fn kind(mode: RawMode) -> FileType {
    FileType::from_raw_mode(mode)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn rights_that_were_taken_are_given_back() {
        let outer = tempfile::tempdir().unwrap();
        let (tree, outside) = (outer.path().join("tree"), outer.path().join("outside"));
        for folder in [&tree.join("a/b"), &outside] {
            fs::create_dir_all(folder).unwrap();
            fs::set_permissions(folder, Permissions::from_mode(0o500)).unwrap();
        }
        fs::set_permissions(tree.join("a"), Permissions::from_mode(0o000)).unwrap();
        std::os::unix::fs::symlink(&outside, tree.join("link")).unwrap();
        assert!(add_owner_permissions(&tree).unwrap());
        assert!(!add_owner_permissions(&tree).unwrap());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&tree.join("a")), 0o700);
        assert_eq!(mode(&tree.join("a/b")), 0o700);
        assert_eq!(mode(&outside), 0o500);
        assert!(!add_owner_permissions(&tree.join("link")).unwrap());
        fs::set_permissions(tree.join("a"), Permissions::from_mode(0o000)).unwrap();
        remove_tree(&tree).unwrap();
        assert!(!tree.exists() && outside.exists());
        remove_tree(&tree).unwrap();
    }

    /// Deeper than a process has files, with paths longer than the system takes.
    #[test]
    fn depth_is_no_protection() {
        let outer = tempfile::tempdir().unwrap();
        let tree = outer.path().join("tree");
        fs::create_dir(&tree).unwrap();
        let mut fd = open_root(&tree).unwrap();
        for _ in 0..3000 {
            mkdirat(&fd, "deep", Mode::RWXU).unwrap();
            mkdirat(&fd, "signoff-moved-1", Mode::RWXU).unwrap();
            fd = open_folder(&fd, b"deep").unwrap();
        }
        // Nothing waits for it: its path is free at once.
        let rest = begin_removal(&tree).unwrap().expect("it is deep");
        assert!(!tree.exists());
        assert_eq!(rest.join().unwrap(), Some(true));
        assert_eq!(fs::read_dir(outer.path()).unwrap().count(), 0);
    }
}

//! Replaces a file as a whole, in a directory that other processes may write to.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RenameFlags, Uid, fchmod, fchown, fsync, openat, renameat,
    renameat_with, unlinkat,
};
use rustix::io::Errno;

use super::{Directory, Links, OpenError, open_file, read_whole};

/// The result of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replacement {
    Done,
    /// The file holds something else, which stays.
    Changed,
}

impl Directory {
    /// Replaces an ordinary file that holds `old`. A reader finds either the old bytes or the new ones. The file keeps its
    /// owner and its permissions. A file that is missing is an error, and is not made.
    pub(crate) fn replace(
        &self,
        path: &Path,
        old: &[u8],
        new: &[u8],
    ) -> Result<Replacement, OpenError> {
        let spot = self.find_location(path, Links::Refuse)?;
        let name = spot.name.ok_or(OpenError::Directory)?;
        let present = open_file(&spot.directory, name.as_bytes())?;
        let owner = FileOwner::of(&present)?;
        if read_whole(present, limit_of(old))? != old {
            return Ok(Replacement::Changed);
        }
        let temporary = TemporaryFile::write(spot.directory, new, owner)?;
        temporary.put_in_place(&name, old)
    }
}

/// Enough to tell that a file holds more.
fn limit_of(bytes: &[u8]) -> u64 {
    bytes.len() as u64 + 1
}

/// To whom a file belongs, and what they may do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileOwner {
    user: u32,
    group: u32,
    mode: u32,
}

impl FileOwner {
    fn of(file: &File) -> io::Result<Self> {
        let found = file.metadata()?;
        Ok(Self {
            user: found.uid(),
            group: found.gid(),
            mode: found.mode() & 0o777,
        })
    }

    fn apply(self, file: &File) -> io::Result<()> {
        let present = Self::of(file)?;
        let user = (present.user != self.user).then(|| Uid::from_raw(self.user));
        let group = (present.group != self.group).then(|| Gid::from_raw(self.group));
        if user.is_some() || group.is_some() {
            fchown(file, user, group)?;
        }
        Ok(fchmod(file, Mode::from_bits_truncate(self.mode as _))?)
    }
}

/// A file beside the one that it is to replace, removed when it is dropped.
struct TemporaryFile {
    directory: OwnedFd,
    name: String,
}

impl TemporaryFile {
    fn write(directory: OwnedFd, bytes: &[u8], owner: FileOwner) -> io::Result<Self> {
        static WRITTEN: AtomicU64 = AtomicU64::new(0);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let name = format!(".signoff-{}-{number}.tmp", std::process::id());
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&directory, &name, flags, Mode::RUSR | Mode::WUSR)?;
        let temporary = Self { directory, name };
        let mut file = File::from(file);
        file.write_all(bytes)?;
        owner.apply(&file)?;
        file.sync_all()?;
        Ok(temporary)
    }

    /// Exchanges both files, so that nothing is lost that was written since the old one was read.
    fn put_in_place(&self, name: &OsStr, old: &[u8]) -> Result<Replacement, OpenError> {
        match self.exchange(name) {
            Ok(()) => {}
            // This file system exchanges nothing.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                renameat(self.fd(), &self.name, self.fd(), name).map_err(io::Error::from)?;
                return self.sync();
            }
            Err(error) => return Err(io::Error::from(error).into()),
        }
        let displaced = open_file(self.fd(), self.name.as_bytes());
        let displaced = displaced.and_then(|file| read_whole(file, limit_of(old)));
        if displaced.is_ok_and(|bytes| bytes == old) {
            return self.sync();
        }
        match self.exchange(name) {
            // It was removed meanwhile, and is not made again.
            Ok(()) | Err(Errno::NOENT) => Ok(Replacement::Changed),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }

    fn exchange(&self, name: &OsStr) -> Result<(), Errno> {
        let flags = RenameFlags::EXCHANGE;
        renameat_with(self.fd(), &self.name, self.fd(), name, flags)
    }

    fn sync(&self) -> Result<Replacement, OpenError> {
        fsync(self.fd()).map_err(io::Error::from)?;
        Ok(Replacement::Done)
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // After a plain rename it is gone.
        unlinkat(&self.directory, &self.name, AtFlags::empty()).ok();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    struct World {
        home: tempfile::TempDir,
    }

    impl World {
        fn new() -> Self {
            let home = tempfile::tempdir().unwrap();
            fs::create_dir(home.path().join("in")).unwrap();
            fs::write(home.path().join("in/file"), "old").unwrap();
            Self { home }
        }

        fn file(&self) -> std::path::PathBuf {
            self.home.path().join("in/file")
        }

        fn replace(&self, old: &str, new: &str) -> Result<Replacement, OpenError> {
            let directory = Directory::open(self.home.path()).unwrap();
            directory.replace(Path::new("in/file"), old.as_bytes(), new.as_bytes())
        }

        fn names(&self) -> Vec<std::ffi::OsString> {
            let found = fs::read_dir(self.home.path().join("in")).unwrap();
            found.map(|entry| entry.unwrap().file_name()).collect()
        }
    }

    #[test]
    fn a_file_is_replaced_with_its_permissions() {
        let world = World::new();
        fs::set_permissions(world.file(), fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(world.replace("old", "new").unwrap(), Replacement::Done);
        assert_eq!(fs::read_to_string(world.file()).unwrap(), "new");
        let mode = fs::metadata(world.file()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(world.names(), ["file"]);
    }

    #[test]
    fn a_file_keeps_its_owner() {
        let world = World::new();
        // Only root can give a file away.
        if std::os::unix::fs::chown(world.file(), Some(1234), Some(2345)).is_err() {
            return;
        }
        world.replace("old", "new").unwrap();
        let found = fs::metadata(world.file()).unwrap();
        assert_eq!((found.uid(), found.gid()), (1234, 2345));
    }

    #[test]
    fn what_was_written_meanwhile_stays() {
        let world = World::new();
        assert_eq!(world.replace("older", "new").unwrap(), Replacement::Changed);
        assert_eq!(world.replace("ol", "new").unwrap(), Replacement::Changed);
        // Written between the first look and the exchange.
        let directory = File::open(world.home.path().join("in")).unwrap();
        let owner = FileOwner::of(&File::open(world.file()).unwrap()).unwrap();
        let temporary = TemporaryFile::write(directory.into(), b"new", owner).unwrap();
        fs::write(world.file(), "theirs").unwrap();
        let put = temporary.put_in_place("file".as_ref(), b"old").unwrap();
        drop(temporary);
        assert_eq!(put, Replacement::Changed);
        assert_eq!(fs::read_to_string(world.file()).unwrap(), "theirs");
        assert_eq!(world.names(), ["file"]);
    }

    #[test]
    fn a_missing_file_is_not_made() {
        let world = World::new();
        fs::remove_file(world.file()).unwrap();
        assert!(world.replace("old", "new").unwrap_err().is_absence());
        assert!(world.names().is_empty());
    }

    #[test]
    fn links_and_pipes_are_neither_followed_nor_replaced() {
        let world = World::new();
        let outside = world.home.path().join("outside");
        fs::write(&outside, "old").unwrap();
        fs::remove_file(world.file()).unwrap();
        symlink(&outside, world.file()).unwrap();
        assert!(matches!(world.replace("old", "new"), Err(OpenError::Link)));
        fs::remove_file(world.file()).unwrap();
        crate::beneath::make_pipe(&world.file());
        assert!(matches!(
            world.replace("old", "new"),
            Err(OpenError::NoFile)
        ));
        fs::remove_dir_all(world.home.path().join("in")).unwrap();
        fs::create_dir(world.home.path().join("elsewhere")).unwrap();
        fs::write(world.home.path().join("elsewhere/file"), "old").unwrap();
        symlink("elsewhere", world.home.path().join("in")).unwrap();
        assert!(world.replace("old", "new").is_err());
        assert_eq!(fs::read_to_string(outside).unwrap(), "old");
        assert_eq!(fs::read_to_string(world.file()).unwrap(), "old");
    }
}

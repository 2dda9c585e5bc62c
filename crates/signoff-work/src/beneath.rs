//! Reads directories that other processes may write to, such as an agent's tree.
//!
//! Every path is walked part by part, each opened relative to the directory before it and never through a symbolic link
//! that the walk did not read itself. So nothing outside is reached, whatever is swapped meanwhile. Only ordinary files are
//! opened, without waiting, and read up to a limit: a pipe, a device, a terabyte of holes or a file that grows cannot
//! hold up the harness.
//!
//! `openat2` would do the same in one call, on Linux only; the walk does it everywhere, so that there is one way.
//!
//! Start reading at [`Directory`].

mod error;
mod remove;
mod replace;
mod walk;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, mkdirat, openat, statat};
use rustix::io::Errno;

pub use self::error::OpenError;
pub(crate) use self::remove::add_owner_permissions;
pub use self::remove::remove_tree;
pub(crate) use self::replace::Replacement;
#[cfg(test)]
pub(crate) use self::tests::make_pipe;
pub(crate) use self::walk::{FinalLink, Location, MissingDirectories, PathWalk};

/// A directory that other processes may write to.
#[derive(Debug)]
pub struct Directory {
    fd: OwnedFd,
    path: PathBuf,
}

/// How symbolic links on the way are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They are an error.
    Refuse,
    /// They are followed as long as they stay inside the directory.
    Inside,
}

impl Directory {
    /// Opens a directory; its own name must not be a link, the directories above it are the caller's.
    pub fn open(path: &Path) -> io::Result<Self> {
        let fd = open_folder(CWD, path.as_os_str().as_bytes())?;
        Ok(Self {
            fd,
            path: path.to_owned(),
        })
    }

    /// Opens an ordinary file for reading.
    pub fn file(&self, path: &Path, links: Links) -> Result<File, OpenError> {
        let spot = self.find_location(path, links)?;
        let name = spot.name.ok_or(OpenError::Directory)?;
        open_file(&spot.directory, name.as_bytes())
    }

    /// Reads an ordinary file whole; one larger than the limit is an error.
    pub fn read(&self, path: &Path, links: Links, limit: u64) -> Result<Vec<u8>, OpenError> {
        read_whole(self.file(path, links)?, limit)
    }

    /// Opens a directory in it, through no link.
    pub fn directory(&self, path: &Path) -> Result<Self, OpenError> {
        let spot = self.find_location(path, Links::Refuse)?;
        let fd = match spot.name {
            Some(name) => open_folder(&spot.directory, name.as_bytes())?,
            None => spot.directory,
        };
        Ok(Self {
            fd,
            path: self.path.join(path),
        })
    }

    /// Makes a directory in it, with those above it.
    pub(crate) fn create_directory(&self, path: &Path) -> Result<(), OpenError> {
        let spot = self.new_spot(path)?;
        let name = spot.name.ok_or(OpenError::Directory)?;
        match mkdirat(&spot.directory, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }

    /// Makes a file in it, which must not be there yet, with the directories above it.
    pub(crate) fn create_file(&self, path: &Path) -> Result<File, OpenError> {
        let spot = self.new_spot(path)?;
        let name = spot.name.ok_or(OpenError::Directory)?;
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&spot.directory, name, flags, Mode::from_raw_mode(0o666));
        Ok(file.map_err(io::Error::from)?.into())
    }

    /// The names in it; more than the limit are an error.
    pub fn names(&self, limit: usize) -> Result<Vec<OsString>, OpenError> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd).map_err(io::Error::from)? {
            let entry = entry.map_err(io::Error::from)?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            if names.len() == limit {
                return Err(OpenError::TooMany { limit });
            }
            names.push(OsStr::from_bytes(name).to_owned());
        }
        Ok(names)
    }

    fn new_spot(&self, path: &Path) -> Result<Location, OpenError> {
        PathWalk {
            last: FinalLink::Itself,
            missing: MissingDirectories::Make,
            ..self.walk(Links::Refuse)
        }
        .find(path)
    }

    fn find_location(&self, path: &Path, links: Links) -> Result<Location, OpenError> {
        self.walk(links).find(path)
    }

    fn walk(&self, links: Links) -> PathWalk<'_> {
        PathWalk {
            root: self.fd.as_fd(),
            path: &self.path,
            links,
            last: FinalLink::Target,
            missing: MissingDirectories::Refuse,
            is_refused: |_| false,
        }
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Opens a directory that the caller names, which may be a link.
pub(crate) fn open_root(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// Opens a directory by its name in another one; a link is an error.
pub(crate) fn open_folder(parent: impl AsFd, name: &[u8]) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(parent, name, flags, Mode::empty())?)
}

/// Opens an ordinary file by its name in a directory, without blocking; a link is an error.
pub(crate) fn open_file(directory: impl AsFd, name: &[u8]) -> Result<File, OpenError> {
    // Looked at before it is opened: opening a device may do something.
    let stat = statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW).map_err(io::Error::from)?;
    refuse_others(FileType::from_raw_mode(stat.st_mode))?;
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match openat(&directory, name, flags, Mode::empty()) {
        Err(Errno::LOOP) => return Err(OpenError::Link),
        opened => File::from(opened.map_err(io::Error::from)?),
    };
    let stat = fstat(&file).map_err(io::Error::from)?;
    refuse_others(FileType::from_raw_mode(stat.st_mode))?;
    Ok(file)
}

fn refuse_others(kind: FileType) -> Result<(), OpenError> {
    match kind {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(OpenError::Directory),
        FileType::Symlink => Err(OpenError::Link),
        _ => Err(OpenError::NoFile),
    }
}

/// Reads a file to its end; one that is or becomes larger than the limit is an error.
pub(crate) fn read_whole(file: File, limit: u64) -> Result<Vec<u8>, OpenError> {
    // Most of the time the size says it at once, and nothing is read in vain.
    if file.metadata()?.len() > limit {
        return Err(OpenError::TooLarge { limit });
    }
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(OpenError::TooLarge { limit });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;

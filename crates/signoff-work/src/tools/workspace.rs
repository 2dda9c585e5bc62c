//! Paths of the workspace, found at the moment of use.
//!
//! A path is walked part by part, each opened relative to the directory before it and never through
//! a symbolic link; links are read and walked the same way. Nothing is looked at by its name twice, so
//! that whoever swaps a directory for a link meanwhile gains nothing: what was opened stays what it is.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawMode};
use rustix::io::Errno;

use super::fault::Fault;

/// What changes by itself and belongs to the harness or to git, at any depth.
pub(super) const NEVER: [&str; 2] = [".git", ".signoff"];

/// More links on the way to a file than anybody needs.
const MOST_LINKS: usize = 40;

/// The directory that tools may use.
#[derive(Debug)]
pub(super) struct Workspace {
    root: OwnedFd,
    path: PathBuf,
    staging: Option<PathBuf>,
}

/// Where a path leads: a name in an open directory.
#[derive(Debug)]
pub(super) struct Spot {
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

/// What is meant by a path whose last part is a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// What the link leads to.
    Target,
    /// The link.
    Itself,
}

/// What becomes of directories on the way that are not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Refuse,
    Make,
}

impl Workspace {
    pub(super) fn open(path: &Path) -> Result<Self, Fault> {
        let path = path.canonicalize();
        let path = path.map_err(|error| Fault::about("open", "the workspace", error))?;
        let root = rustix::fs::open(&path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
        let root = root.map_err(|error| Fault::about("open", path.display(), error))?;
        Ok(Self {
            root,
            path,
            staging: None,
        })
    }

    /// The same with a directory in which a file may have a name before it has its own.
    pub(super) fn staged(mut self, staging: Option<PathBuf>) -> Self {
        self.staging = staging;
        self
    }

    /// The directory itself, for what can be given a path only.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Walks a path.
    pub(super) fn find(&self, path: &str, last: Last, missing: Missing) -> Result<Spot, Fault> {
        let mut walk = Walk {
            workspace: self,
            written: path,
            missing,
            above: Vec::new(),
            ahead: Vec::new(),
            links: 0,
        };
        walk.enter(Path::new(path))?;
        walk.go(last)
    }
}

struct Walk<'w> {
    workspace: &'w Workspace,
    written: &'w str,
    missing: Missing,
    /// The directories walked through, with their names.
    above: Vec<(OsString, OwnedFd)>,
    /// What is still to be walked, the next part last.
    ahead: Vec<OsString>,
    links: usize,
}

impl Walk<'_> {
    fn go(mut self, last: Last) -> Result<Spot, Fault> {
        while let Some(part) = self.ahead.pop() {
            if part == ".." {
                self.above.pop().ok_or_else(|| self.leaves())?;
                continue;
            }
            if is_never(&part) {
                let part = part.display();
                let message = format!("`{}` is in `{part}`, which no tool may use", self.written);
                return Err(Fault::lasting(message));
            }
            let at_end = self.ahead.is_empty();
            if !(at_end && last == Last::Itself)
                && let Some(target) = self.link(&part)?
            {
                self.links += 1;
                if self.links > MOST_LINKS {
                    let message = format!("`{}` has too many links on its way", self.written);
                    return Err(Fault::lasting(message));
                }
                self.enter(&target)?;
            } else if at_end {
                return self.spot(Some(part));
            } else {
                let directory = self.descend(&part)?;
                self.above.push((part, directory));
            }
        }
        self.spot(None)
    }

    /// Puts the parts of a path ahead. One from the root of the machine begins again at ours.
    fn enter(&mut self, path: &Path) -> Result<(), Fault> {
        let path = if path.is_absolute() {
            let inside = path.strip_prefix(&self.workspace.path);
            self.above.clear();
            inside.map_err(|_| self.leaves())?
        } else {
            path
        };
        let parts = path.components().rev().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        });
        self.ahead.extend(parts);
        Ok(())
    }

    fn here(&self) -> BorrowedFd<'_> {
        let innermost = self.above.last().map(|(_, directory)| directory);
        innermost.unwrap_or(&self.workspace.root).as_fd()
    }

    /// Where a part leads, if it is a link.
    fn link(&self, part: &OsStr) -> Result<Option<PathBuf>, Fault> {
        match rustix::fs::readlinkat(self.here(), part, Vec::new()) {
            Ok(target) => Ok(Some(OsString::from_vec(target.into_bytes()).into())),
            // No link, or nothing at all.
            Err(Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(error) => Err(Fault::about("find", self.written, error)),
        }
    }

    fn descend(&self, part: &OsStr) -> Result<OwnedFd, Fault> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || rustix::fs::openat(self.here(), part, flags, Mode::empty());
        let opened = match open() {
            Err(Errno::NOENT) if self.missing == Missing::Make => {
                match rustix::fs::mkdirat(self.here(), part, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => open(),
                    Err(error) => Err(error),
                }
            }
            other => other,
        };
        opened.map_err(|error| Fault::about("find", self.written, error))
    }

    fn spot(mut self, name: Option<OsString>) -> Result<Spot, Fault> {
        let names = self.above.iter().map(|(name, _)| name);
        let real: PathBuf = names.chain(&name).collect();
        let directory = match self.above.pop() {
            Some((_, directory)) => Ok(directory),
            None => self.workspace.root.try_clone(),
        };
        let directory = directory.map_err(|error| Fault::about("open", self.written, error))?;
        Ok(Spot {
            directory,
            name,
            real,
            written: self.written.to_owned(),
            staging: self.workspace.staging.clone(),
        })
    }

    fn leaves(&self) -> Fault {
        Fault::lasting(format!("`{}` leads out of the workspace", self.written))
    }
}

impl Spot {
    /// None where there is none, or it cannot be used.
    pub(super) fn staging(&self) -> Option<OwnedFd> {
        let path = self.staging.as_deref()?;
        std::fs::create_dir_all(path).ok()?;
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).ok()
    }

    /// The name, where a directory will not do.
    pub(super) fn file_name(&self) -> Result<&OsStr, Fault> {
        let name = self.name.as_deref();
        name.ok_or_else(|| Fault::lasting(format!("`{}` is a directory", self.written)))
    }

    /// What is there now; a link is what it is.
    pub(super) fn kind(&self) -> Result<Option<FileType>, Fault> {
        let Some(name) = &self.name else {
            return Ok(Some(FileType::Directory));
        };
        match rustix::fs::statat(&self.directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(file_type(stat.st_mode))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(Fault::about("look at", &self.written, error)),
        }
    }

    /// Opens an ordinary file for reading.
    pub(super) fn open(&self) -> Result<File, Fault> {
        let opened = open_file(&self.directory, self.file_name()?);
        let opened = opened.map_err(|error| Fault::about("read", &self.written, error))?;
        opened.ok_or_else(|| {
            let message = format!("cannot read `{}`: it is not an ordinary file", self.written);
            Fault::lasting(message)
        })
    }

    /// Opens the directory.
    pub(super) fn open_directory(self) -> Result<OwnedFd, Fault> {
        let Some(name) = &self.name else {
            return Ok(self.directory);
        };
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.directory, name, flags, Mode::empty()).map_err(|error| {
            if error == Errno::NOTDIR {
                Fault::lasting(format!("`{}` is not a directory", self.written))
            } else {
                Fault::about("open", &self.written, error)
            }
        })
    }
}

/// Opens an ordinary file, not through a link. Nothing comes back for a pipe or a device, which
/// opening could have waited for.
pub(super) fn open_file(
    directory: impl AsFd,
    name: impl rustix::path::Arg,
) -> Result<Option<File>, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(directory, name, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&file)?;
    match file_type(stat.st_mode) {
        FileType::RegularFile => Ok(Some(file.into())),
        FileType::Directory => Err(Errno::ISDIR),
        _ => Ok(None),
    }
}

/// Whether no tool may use what has this name. As some file systems see it, whatever its case.
pub(super) fn is_never(name: &OsStr) -> bool {
    NEVER
        .iter()
        .any(|never| name.as_bytes().eq_ignore_ascii_case(never.as_bytes()))
}

fn file_type(mode: RawMode) -> FileType {
    FileType::from_raw_mode(mode)
}

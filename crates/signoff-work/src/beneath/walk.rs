//! Walks a path beneath a directory, at the moment of use.
//!
//! No name is resolved twice, so that swapping a directory for a link gains nothing: an opened directory stays the
//! same.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, mkdirat, readlinkat};
use rustix::io::Errno;

use super::{Links, OpenError, open_folder};

/// The most links that are followed on the way to a file.
const MOST_LINKS: usize = 40;

/// How paths are walked.
#[derive(Debug)]
pub(crate) struct PathWalk<'w> {
    pub(crate) root: BorrowedFd<'w>,
    /// What absolute links into the root begin with.
    pub(crate) path: &'w Path,
    pub(crate) links: Links,
    pub(crate) last: FinalLink,
    pub(crate) missing: MissingDirectories,
    /// Names that no path may pass through.
    pub(crate) is_refused: fn(&OsStr) -> bool,
}

/// Where a path leads: a name in an open directory.
#[derive(Debug)]
pub(crate) struct Location {
    pub(crate) directory: OwnedFd,
    /// None for the directory itself.
    pub(crate) name: Option<OsString>,
    /// The way there without links, from the root.
    pub(crate) real: PathBuf,
}

/// What a path means if its last part is a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinalLink {
    /// What the link leads to.
    Target,
    /// The link.
    Itself,
}

/// What becomes of directories on the way that are not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingDirectories {
    Refuse,
    Make,
}

impl PathWalk<'_> {
    /// Walks this path.
    pub(crate) fn find(&self, path: &Path) -> Result<Location, OpenError> {
        let mut way = WalkState {
            walk: self,
            above: Vec::new(),
            ahead: Vec::new(),
            links: 0,
        };
        way.enter(path)?;
        way.resolve()
    }
}

struct WalkState<'w> {
    walk: &'w PathWalk<'w>,
    /// The directories walked through, with their names.
    above: Vec<(OsString, OwnedFd)>,
    /// What is still to be walked, the next part last.
    ahead: Vec<OsString>,
    links: usize,
}

impl WalkState<'_> {
    fn resolve(mut self) -> Result<Location, OpenError> {
        while let Some(part) = self.ahead.pop() {
            if part == ".." {
                self.above.pop().ok_or(OpenError::Outside)?;
                continue;
            }
            if (self.walk.is_refused)(&part) {
                return Err(OpenError::Refused(part.display().to_string()));
            }
            let at_end = self.ahead.is_empty();
            if !(at_end && self.walk.last == FinalLink::Itself)
                && let Some(target) = self.link(&part)?
            {
                self.links += 1;
                if self.links > MOST_LINKS {
                    return Err(OpenError::ManyLinks);
                }
                self.enter(&target)?;
            } else if at_end {
                return self.find_location(Some(part));
            } else if let Some(directory) = self.descend(&part)? {
                self.above.push((part, directory));
            }
        }
        self.find_location(None)
    }

    /// Puts the parts of a path ahead. One from the root of the machine begins again at ours.
    fn enter(&mut self, path: &Path) -> Result<(), OpenError> {
        let path = if path.is_absolute() {
            self.above.clear();
            let inside = path.strip_prefix(self.walk.path);
            inside.map_err(|_| OpenError::Outside)?
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

    fn current(&self) -> BorrowedFd<'_> {
        let innermost = self.above.last().map(|(_, directory)| directory.as_fd());
        innermost.unwrap_or(self.walk.root)
    }

    /// Where a part leads, if it is a link.
    fn link(&self, part: &OsStr) -> Result<Option<PathBuf>, OpenError> {
        match readlinkat(self.current(), part, Vec::new()) {
            Ok(_) if self.walk.links == Links::Refuse => Err(OpenError::Link),
            Ok(target) => Ok(Some(OsString::from_vec(target.into_bytes()).into())),
            // No link, or nothing at all.
            Err(Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }

    /// Opens the next directory; `None` for one that is not there, and that the path leaves again. Such a part has no
    /// meaning but the text's: what asks before a call and the call itself see the same file, and nothing is made for it.
    fn descend(&mut self, part: &OsStr) -> Result<Option<OwnedFd>, OpenError> {
        let opened = match open_folder(self.current(), part.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if self.leave_missing()? {
                    return Ok(None);
                }
                match self.walk.missing {
                    MissingDirectories::Refuse => Err(error),
                    MissingDirectories::Make => self.make(part),
                }
            }
            opened => opened,
        };
        Ok(Some(opened?))
    }

    fn make(&self, part: &OsStr) -> io::Result<OwnedFd> {
        match mkdirat(self.current(), part, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => open_folder(self.current(), part.as_bytes()),
            Err(error) => Err(error.into()),
        }
    }

    /// Drops what is ahead up to the `..` that leads out of a missing directory, and says whether there is one.
    fn leave_missing(&mut self) -> Result<bool, OpenError> {
        let mut depth = 1_usize;
        for (place, part) in self.ahead.iter().enumerate().rev() {
            if (self.walk.is_refused)(part) {
                return Err(OpenError::Refused(part.display().to_string()));
            }
            depth = if part == ".." { depth - 1 } else { depth + 1 };
            if depth == 0 {
                self.ahead.truncate(place);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn find_location(mut self, name: Option<OsString>) -> Result<Location, OpenError> {
        let names = self.above.iter().map(|(name, _)| name);
        let real = names.chain(&name).collect();
        let directory = match self.above.pop() {
            Some((_, directory)) => directory,
            None => self.walk.root.try_clone_to_owned()?,
        };
        Ok(Location {
            directory,
            name,
            real,
        })
    }
}

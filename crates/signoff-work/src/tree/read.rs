//! Reads what a walk came by: only files that look other than last time.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::{AsFd, OwnedFd};
use std::time::SystemTime;

use rustix::fs::{FileType, Mode, OFlags, fstat, openat, readlinkat};

use super::Limits;
use super::beneath::{open_path, split};
use super::contents::{Contents, hash_of};
use super::entry::{Content, Entry, Hash, Stamp, TreePath, shown};
use super::snapshot::Tree;
use super::walk::{Seen, Walked};

/// How often a file is read that changes while it is read.
const TRIES: usize = 3;

pub(super) fn read(
    walked: Walked,
    last: &Tree,
    contents: &mut Contents,
    limits: &Limits,
    now: SystemTime,
) -> Tree {
    let Walked {
        root,
        mut files,
        folders,
        rules,
        warnings,
    } = walked;
    files.sort_unstable_by(|one, two| one.path.cmp(&two.path));
    let mut reader = Reader {
        root,
        open: None,
        contents,
        limits,
        now,
        unkept: Vec::new(),
        failed: None,
    };
    let mut known = last.entries.iter().peekable();
    let mut entries = Vec::with_capacity(files.len());
    for (count, seen) in files.into_iter().enumerate() {
        while known.next_if(|entry| entry.path < seen.path).is_some() {}
        let before = known.next_if(|entry| entry.path == seen.path);
        let before = before.filter(|entry| entry.settled && entry.stamp == seen.stamp);
        entries.extend(reader.entry(seen, before, count));
    }
    let warnings = reader.warnings(warnings);
    Tree {
        entries,
        folders,
        rules,
        warnings,
    }
}

struct Reader<'r> {
    root: OwnedFd,
    /// The folder of the file that was read last: the next one is probably there, too.
    open: Option<(TreePath, OwnedFd)>,
    contents: &'r mut Contents,
    limits: &'r Limits,
    now: SystemTime,
    unkept: Vec<TreePath>,
    failed: Option<io::Error>,
}

impl Reader<'_> {
    /// The entry of a file; `None` if it is gone by now.
    fn entry(&mut self, seen: Seen, before: Option<&Entry>, count: usize) -> Option<Entry> {
        let wanted = !seen.ignored_now && count < self.limits.files;
        let Seen {
            path,
            stamp,
            ignored_now,
        } = seen;
        let known = before.map(|before| before.content.clone());
        let known = known.filter(|content| !wanted || *content != Content::File(None));
        let read = match (known, stamp.file_type()) {
            (Some(content), _) => Ok((stamp, content)),
            (None, FileType::RegularFile) if wanted => self.file(&path, stamp),
            (None, FileType::RegularFile) => Ok((stamp, Content::File(None))),
            (None, FileType::Symlink) => self.link(&path, stamp),
            (None, _) => Ok((stamp, Content::Other)),
        };
        let (stamp, content) = match read {
            Ok(read) => read,
            // A file that may not be read is there all the same.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                (stamp, Content::File(None))
            }
            Err(_) => return None,
        };
        if content == Content::File(None) && !ignored_now {
            self.unkept.push(path.clone());
        }
        let settled = stamp.is_settled(self.now);
        Some(Entry {
            path,
            stamp,
            content,
            settled,
            ignored_now,
        })
    }

    fn file(&mut self, path: &[u8], seen: Stamp) -> io::Result<(Stamp, Content)> {
        if seen.size > self.limits.largest {
            return Ok((seen, Content::File(None)));
        }
        let name = split(path).1;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(self.folder(path)?, name, flags, Mode::empty())?);
        let (stamp, bytes) = whole(&file, self.limits.largest)?;
        if stamp.file_type() != FileType::RegularFile {
            return Ok((stamp, Content::Other));
        }
        let content = bytes.and_then(|bytes| self.keep(&bytes));
        Ok((stamp, Content::File(content)))
    }

    /// Keeps the bytes and gives their hash; `None` if there is no room.
    fn keep(&mut self, bytes: &[u8]) -> Option<Hash> {
        let hash = hash_of(bytes);
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if !self.contents.has(&hash) && !self.contents.has_room(size) {
            return None;
        }
        match self.contents.keep(hash, bytes) {
            Ok(()) => Some(hash),
            Err(error) => {
                self.failed.get_or_insert(error);
                None
            }
        }
    }

    fn link(&mut self, path: &[u8], stamp: Stamp) -> io::Result<(Stamp, Content)> {
        let target = readlinkat(self.folder(path)?, split(path).1, Vec::new())?;
        Ok((stamp, Content::Link(target.into_bytes().into())))
    }

    fn folder(&mut self, path: &[u8]) -> io::Result<impl AsFd + '_> {
        let folder = split(path).0;
        let is_open = self
            .open
            .as_ref()
            .is_some_and(|(open, _)| **open == *folder);
        if !is_open {
            self.open = Some((folder.into(), open_path(&self.root, folder)?));
        }
        let (_, fd) = self
            .open
            .as_ref()
            .ok_or_else(|| io::Error::other("just opened"))?;
        Ok(fd.as_fd())
    }

    fn warnings(self, mut warnings: Vec<String>) -> Vec<String> {
        if let Some(error) = self.failed {
            warnings.push(format!("what was in the files cannot be kept: {error}"));
        }
        if let Some(first) = self.unkept.first() {
            warnings.push(match self.unkept.len() {
                1 => format!("`{}` is not kept: a change to it is seen, but not undone", shown(first)),
                count => format!(
                    "{count} files are not kept, `{}` the first of them: changes to them are seen, but not undone",
                    shown(first)
                ),
            });
        }
        warnings
    }
}

/// The bytes of a file with the stamp it had before they were read; without them if it is too large.
fn whole(mut file: &File, largest: u64) -> io::Result<(Stamp, Option<Vec<u8>>)> {
    let mut stamp = Stamp::of(&fstat(file)?);
    for _ in 1..TRIES {
        let bytes = bytes(file, &stamp, largest)?;
        let after = Stamp::of(&fstat(file)?);
        if after == stamp {
            return Ok((stamp, bytes));
        }
        stamp = after;
        file.rewind()?;
    }
    // It goes on changing: the stamp will be another one next time.
    Ok((stamp, bytes(file, &stamp, largest)?))
}

fn bytes(file: &File, stamp: &Stamp, largest: u64) -> io::Result<Option<Vec<u8>>> {
    if stamp.file_type() != FileType::RegularFile || stamp.size > largest {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stamp.size).unwrap_or_default());
    file.take(largest).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

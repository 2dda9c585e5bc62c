//! A layer in place of the checkout, where a program makes new files there all the time: a mask hides the names that were
//! there when it was made, and one overlay cannot hide those that come.

use std::fs::{self, File, FileTimes};
use std::io::{self, Read as _};
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{FileType, readlinkat};

use super::beneath::{kind_of, open_file, stat_at};
use super::caches::is_cache;
use super::mask::{MaskEntries, MaskEntry};
use crate::git::{Name, path};

/// Ignored directories that are mounted one by one.
const MOST_ROOTS: usize = 64;

/// Bytes of ignored files that are copied, in one and in all.
const LARGEST: u64 = 16 << 20;
const ALL_BYTES: u64 = 64 << 20;

/// What such a layer shows.
pub(super) struct DetachedLayer {
    /// What of the checkout it stands for.
    pub(super) covers: MaskEntries,
    /// Ignored directories: they are empty there, to be mounted.
    pub(super) roots: Vec<Name>,
}

impl DetachedLayer {
    /// Makes it at `at`, where nothing is yet. `None` if there is too much to mount or to copy.
    pub(super) fn make(
        root: BorrowedFd<'_>,
        covers: &MaskEntries,
        at: &Path,
    ) -> io::Result<Option<Self>> {
        fs::create_dir_all(at)?;
        let mut layer = Self {
            covers: covers.clone(),
            roots: Vec::new(),
        };
        let mut bytes = 0;
        for (name, cover) in covers {
            match cover {
                MaskEntry::Whiteout => {}
                MaskEntry::Folder => fs::create_dir(at.join(path(name)))?,
                // A contract is as good without, and there may be one in each directory.
                MaskEntry::Shown if name.contains(&b'/') && is_cache(name) => {
                    layer.covers.insert(name.clone(), MaskEntry::Whiteout);
                }
                MaskEntry::Shown => {
                    if !layer.show(root, name, at, &mut bytes)? {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(layer))
    }

    /// Shows an ignored path; whether that was possible.
    fn show(
        &mut self,
        root: BorrowedFd<'_>,
        name: &[u8],
        at: &Path,
        bytes: &mut u64,
    ) -> io::Result<bool> {
        let Ok(found) = stat_at(root, name) else {
            // It is gone, and that shows when the mask is compared.
            return Ok(true);
        };
        let target = at.join(path(name));
        match kind_of(&found) {
            FileType::Directory => {
                fs::create_dir(target)?;
                self.roots.push(name.to_vec());
                Ok(self.roots.len() <= MOST_ROOTS)
            }
            FileType::Symlink => {
                let leads_to = readlinkat(root, name, Vec::new())?;
                std::os::unix::fs::symlink(path(leads_to.as_bytes()), target)?;
                Ok(true)
            }
            FileType::RegularFile => copy(root, name, &target, bytes),
            // Pipes, sockets and devices are of no use to a contract.
            _ => Ok(true),
        }
    }
}

/// Copies a file with its rights and times; whether there was room for it.
fn copy(root: BorrowedFd<'_>, name: &[u8], target: &Path, bytes: &mut u64) -> io::Result<bool> {
    // A contract could not read it either.
    let Ok(file) = open_file(root, name) else {
        return Ok(true);
    };
    let found = file.metadata()?;
    *bytes = bytes.saturating_add(found.len());
    if found.len() > LARGEST || *bytes > ALL_BYTES {
        return Ok(false);
    }
    let mut made = File::create_new(target)?;
    // What grows meanwhile is not the same file when the mask is compared.
    io::copy(&mut file.take(LARGEST), &mut made)?;
    let times = FileTimes::new().set_modified(found.modified()?);
    made.set_times(times)?;
    made.set_permissions(found.permissions())?;
    Ok(true)
}

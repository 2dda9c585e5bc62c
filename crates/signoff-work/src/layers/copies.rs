//! Copies of the files that work changed, where only the harness can write.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use super::beneath::{join_path, open_file_anyway};
use super::rules::folders_above;
use super::{LayerError, LayerLimits};
use crate::git::{HarnessGit, Id, IndexEntry, Name, Scratch, TreeDepth, lies_within, path};
use crate::tree::split;

/// Bytes that are copied between two checks of the stop flag.
const PIECE: u64 = 16 << 20;

/// Git reads these copies: what an agent wrote may be a pipe by the time that git opens it.
pub(super) struct Copies<'o> {
    own: &'o HarnessGit,
    limits: LayerLimits,
    /// Made for the first file.
    folder: Option<(Scratch, PathBuf)>,
    names: Vec<Name>,
    bytes: u64,
}

impl<'o> Copies<'o> {
    pub(super) fn new(own: &'o HarnessGit, limits: LayerLimits) -> Self {
        Self {
            own,
            limits,
            folder: None,
            names: Vec::new(),
            bytes: 0,
        }
    }

    /// Copies a regular file; whether it is executable.
    pub(super) fn copy_file(
        &mut self,
        parent: BorrowedFd<'_>,
        last: &[u8],
        name: &[u8],
    ) -> Result<bool, LayerError> {
        let file = open_file_anyway(parent, last).map_err(LayerError::read(name))?;
        let found = file.metadata().map_err(LayerError::read(name))?;
        if !found.is_file() {
            let path = name.to_vec();
            return Err(LayerError::ChangedMeanwhile { path });
        }
        self.admit(name, found.len())?;
        let copied = self.copy(&file, name, found.len());
        if copied.map_err(LayerError::read(name))? != found.len() {
            let path = name.to_vec();
            return Err(LayerError::ChangedMeanwhile { path });
        }
        self.names.push(name.to_vec());
        Ok(found.mode() & 0o100 != 0)
    }

    /// By its size, before anything is read: a file of holes has any size.
    fn admit(&mut self, name: &[u8], size: u64) -> Result<(), LayerError> {
        self.bytes = self.bytes.saturating_add(size);
        let limit = if size > self.limits.largest {
            format!("{} bytes in one file", self.limits.largest)
        } else if self.bytes > self.limits.bytes {
            format!("{} bytes in all", self.limits.bytes)
        } else {
            return Ok(());
        };
        let path = name.to_vec();
        Err(LayerError::Limit { path, limit })
    }

    fn copy(&mut self, file: &File, name: &[u8], size: u64) -> io::Result<u64> {
        let target = self.folder()?.join(path(name));
        if let Some(above) = target.parent() {
            fs::create_dir_all(above)?;
        }
        let mut target = File::create(target)?;
        // One byte more shows that it grew.
        let mut from = file.take(size.saturating_add(1));
        let mut copied = 0;
        loop {
            if self.is_stopped() {
                return Err(io::Error::other("the run is being stopped"));
            }
            let piece = io::copy(&mut from.by_ref().take(PIECE), &mut target)?;
            copied += piece;
            if piece < PIECE {
                return Ok(copied);
            }
        }
    }

    /// Is the run being stopped? Then the rest is not read.
    pub(super) fn is_stopped(&self) -> bool {
        self.own.stop_flag().is_raised()
    }

    fn folder(&mut self) -> io::Result<&PathBuf> {
        if self.folder.is_none() {
            let scratch = self.own.scratch().map_err(io::Error::other)?;
            let folder = scratch.folder("files").map_err(io::Error::other)?;
            self.folder = Some((scratch, folder));
        }
        let folder = self.folder.as_ref().expect("it was just made");
        Ok(&folder.1)
    }

    /// Stores all of them as objects, in the order in which they were taken. `removed` are paths of `base` that are
    /// gone.
    pub(super) fn store(self, base: &Id, removed: &[Name]) -> Result<Vec<(Name, Id)>, LayerError> {
        let Some((_scratch, folder)) = &self.folder else {
            return Ok(Vec::new());
        };
        let mut known = self.attributes(base, removed)?;
        let has_own = self.names.iter().any(|name| is_attributes(name));
        if !known.is_empty() || has_own || self.own.may_convert()? {
            // What is there already decides too: lines that end in CR LF stay so.
            let before = self.own.entries_at(base, &self.names, TreeDepth::Entries)?;
            known.extend(before.into_iter().filter(is_file));
        }
        let ids = self.own.store_files(folder, &self.names, &known)?;
        let stored = self.names.into_iter().zip(ids);
        stored
            .map(|(path, id)| match id {
                Some(id) => Ok((path, id)),
                None => Err(LayerError::Name { path }),
            })
            .collect()
    }

    /// The `.gitattributes` files of the base that speak of these files.
    fn attributes(&self, base: &Id, removed: &[Name]) -> Result<Vec<IndexEntry>, LayerError> {
        let folders = self.names.iter().flat_map(|name| folders_above(name));
        let folders: BTreeSet<Name> = folders.chain([Name::new()]).collect();
        let files = folders
            .iter()
            .map(|folder| join_path(folder, b".gitattributes"));
        let files: Vec<Name> = files
            .filter(|file| !lies_within(file, removed) && !self.names.contains(file))
            .collect();
        let found = self.own.entries_at(base, &files, TreeDepth::Entries)?;
        Ok(found.into_iter().filter(is_file).collect())
    }
}

fn is_file(entry: &IndexEntry) -> bool {
    entry.mode & 0o170_000 == 0o100_000
}

fn is_attributes(name: &[u8]) -> bool {
    split(name).1 == b".gitattributes"
}

//! What was in the files, one after the other in a single file: a file for each would cost more than
//! reading them.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::entry::Hash;

/// Bytes of files by their hash. Not synced: what a power cut takes is noticed, as the hash differs.
#[derive(Debug)]
pub(super) struct Contents {
    store: PathBuf,
    most: u64,
    /// Made on the first byte.
    file: Option<File>,
    index: BTreeMap<Hash, (u64, usize)>,
    length: u64,
}

impl Contents {
    pub(super) fn new(store: &Path, most: u64) -> Self {
        Self {
            store: store.to_owned(),
            most,
            file: None,
            index: BTreeMap::new(),
            length: 0,
        }
    }

    pub(super) fn has(&self, hash: &Hash) -> bool {
        self.index.contains_key(hash)
    }

    /// Whether there is room for so many bytes more.
    pub(super) fn has_room(&self, size: u64) -> bool {
        self.length.saturating_add(size) <= self.most
    }

    /// Keeps these bytes, unless they are kept already.
    pub(super) fn keep(&mut self, hash: Hash, bytes: &[u8]) -> io::Result<()> {
        if self.has(&hash) {
            return Ok(());
        }
        let at = self.length;
        self.open()?.write_all_at(bytes, at)?;
        self.index.insert(hash, (at, bytes.len()));
        self.length = at.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        Ok(())
    }

    /// Exactly the bytes that were kept.
    pub(super) fn get(&self, hash: &Hash) -> io::Result<Vec<u8>> {
        let (Some(file), Some((at, length))) = (&self.file, self.index.get(hash)) else {
            return Err(io::Error::other("its content was not kept"));
        };
        let mut bytes = vec![0; *length];
        file.read_exact_at(&mut bytes, *at)?;
        if hash_of(&bytes) != *hash {
            return Err(io::Error::other("the kept content is damaged"));
        }
        Ok(bytes)
    }

    fn open(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&self.store)?;
            // Anew: what an earlier keeper left may be open in nobody's hands.
            let path = self.store.join("contents");
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true).mode(0o600);
            self.file = Some(options.open(path)?);
        }
        self.file
            .as_mut()
            .ok_or_else(|| io::Error::other("just opened"))
    }
}

pub(super) fn hash_of(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

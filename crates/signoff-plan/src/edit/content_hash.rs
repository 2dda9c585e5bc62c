//! One hash over values, to compare what is too large to be held twice.

use std::hash::{Hash, Hasher};

use sha2::{Digest as _, Sha256};

/// A hash over values: if it is equal, so are they.
#[derive(Default)]
pub(super) struct ContentHash {
    all: Sha256,
    /// What one value is hashed from, in many small pieces.
    value: Pieces,
}

impl ContentHash {
    pub(super) fn add(&mut self, value: &impl Hash) {
        self.value.0.clear();
        value.hash(&mut self.value);
        self.all.update(&self.value.0);
    }

    pub(super) fn finish(self) -> [u8; 32] {
        self.all.finalize().into()
    }
}

/// Keeps what is to be hashed.
#[derive(Default)]
struct Pieces(Vec<u8>);

impl Hasher for Pieces {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The number of bytes, which is not used.
    fn finish(&self) -> u64 {
        self.0.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(values: &[&str]) -> [u8; 32] {
        let mut hash = ContentHash::default();
        for value in values {
            hash.add(value);
        }
        hash.finish()
    }

    #[test]
    fn values_are_kept_apart() {
        assert_eq!(hash(&["a", "bc"]), hash(&["a", "bc"]));
        assert_ne!(hash(&["a", "bc"]), hash(&["ab", "c"]));
        assert_ne!(hash(&["a"]), hash(&["a", ""]));
    }
}

//! Secrets: made, remembered as hashes, and compared in constant time.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Read as _};

use sha2::{Digest as _, Sha256};

/// Random bytes as text.
pub(crate) fn random_text() -> io::Result<String> {
    let mut text = String::new();
    for byte in random_bytes::<32>()? {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

pub(crate) fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// What is remembered of a secret. Secrets that are compared are compared as these.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SecretHash([u8; 32]);

impl SecretHash {
    pub(crate) fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// As the configuration has it: `sha256:` and 64 digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix("sha256:").filter(|hex| hex.len() == 64)?;
        let mut bytes = [0; 32];
        for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Takes as long wherever the two differ.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let differing = self.0.iter().zip(other.0);
        differing.fold(0, |bits, (ours, theirs)| bits | (ours ^ theirs)) == 0
    }
}

impl fmt::Display for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_are_recognised_by_their_hash() {
        let (one, two) = (random_text().unwrap(), random_text().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.len(), 64);
        assert!(SecretHash::of(&one).is(&SecretHash::of(&one)));
        assert!(!SecretHash::of(&one).is(&SecretHash::of(&two)));
    }
}

//! SHA-256 in the spelling every file of the store uses: 64 lower-case hexadecimal digits.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// The hash before the first record of a chain.
pub(crate) const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Is this the hash of the bytes, in our spelling? Asked of every line of a journal.
pub(crate) fn is_sha256_hex(bytes: &[u8], text: &str) -> bool {
    let digest = Sha256::digest(bytes);
    let digits = digest.iter().flat_map(|&byte| digits(byte));
    digits.eq(text.bytes())
}

/// Hashes what a reader yields, however long it is.
pub(crate) fn sha256_hex_of(mut reader: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(count) => hasher.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    // The length is known: a character at a time would ask for it each time.
    let mut text = String::with_capacity(2 * bytes.len());
    for &byte in bytes {
        text.extend(digits(byte).map(char::from));
    }
    text
}

fn digits(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [byte >> 4, byte & 15].map(|nibble| DIGITS[usize::from(nibble)])
}

/// Whether this is a hash in our spelling, and therefore also a safe file name.
pub(crate) fn is_hex(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_value() {
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        let hash = sha256_hex(b"abc");
        assert!(is_sha256_hex(b"abc", &hash) && !is_sha256_hex(b"abd", &hash));
        for other in [
            &hash[..63],
            &hash[1..],
            "",
            &*hash.to_uppercase(),
            &*format!("{hash}0"),
        ] {
            assert!(!is_sha256_hex(b"abc", other), "{other}");
        }
        assert!(is_hex(ZEROS) && is_hex(&sha256_hex(b"")));
        assert!(!is_hex("../../etc/passwd") && !is_hex(&"A".repeat(64)));
    }
}

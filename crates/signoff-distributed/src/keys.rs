//! The key of a machine: it signs the orders that the machine gives and the reports that it makes.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use crate::error::ClusterError;

const KIND: &str = "ed25519:";

/// The key of this machine.
pub struct MachineKey {
    pair: Ed25519KeyPair,
    public: String,
}

impl std::fmt::Debug for MachineKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MachineKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

impl MachineKey {
    /// The key in this directory, which is made if there is none. Only its user can read it.
    pub fn of_directory(directory: &Path) -> Result<Self, ClusterError> {
        let wrong = |why: String| ClusterError::Machine {
            what: "the key of this machine cannot be used",
            why,
        };
        let path = directory.join("machine.key");
        let at = |why: std::io::Error| wrong(format!("{}: {why}", path.display()));
        if !path.exists() {
            let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
            let made = made.map_err(|_| wrong("there is no randomness".to_owned()))?;
            fs::create_dir_all(directory).map_err(at)?;
            let partial = path.with_extension(format!("{}", std::process::id()));
            let mut options = OpenOptions::new();
            let options = options.write(true).create_new(true).mode(0o600);
            let written = options
                .open(&partial)
                .and_then(|mut file| file.write_all(made.as_ref()));
            written.map_err(at)?;
            // The first process has made it.
            drop(fs::hard_link(&partial, &path));
            fs::remove_file(&partial).map_err(at)?;
        }
        let bytes = fs::read(&path).map_err(at)?;
        let pair = Ed25519KeyPair::from_pkcs8(&bytes);
        let pair = pair.map_err(|why| wrong(format!("{}: {why}", path.display())))?;
        let public = format!("{KIND}{}", encode_hex(pair.public_key().as_ref()));
        Ok(Self { pair, public })
    }

    /// Its public half, as configurations list it.
    pub fn public(&self) -> &str {
        &self.public
    }

    /// Signs a text of this kind; one of another kind has another signature.
    pub(crate) fn sign(&self, kind: &str, text: &str) -> String {
        encode_hex(self.pair.sign(statement(kind, text).as_bytes()).as_ref())
    }
}

/// Did this key sign exactly this?
pub(crate) fn is_signed(public: &str, kind: &str, text: &str, signature: &str) -> bool {
    let key = public.strip_prefix(KIND).and_then(decode_hex);
    let (Some(key), Some(signature)) = (key, decode_hex(signature)) else {
        return false;
    };
    let key = UnparsedPublicKey::new(&ED25519, key);
    let text = statement(kind, text);
    key.verify(text.as_bytes(), &signature).is_ok()
}

fn statement(kind: &str, text: &str) -> String {
    format!("signoff.{kind}/1\n{text}")
}

fn encode_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

fn decode_hex(hex: &str) -> Option<Vec<u8>> {
    if !hex.is_ascii() || !hex.len().is_multiple_of(2) {
        return None;
    }
    let pairs = (0..hex.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_signature_is_of_one_key_one_kind_and_one_text() {
        let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let key = MachineKey::of_directory(one.path()).unwrap();
        let again = MachineKey::of_directory(one.path()).unwrap();
        let stranger = MachineKey::of_directory(other.path()).unwrap();
        assert_eq!(key.public(), again.public());
        let signature = key.sign("order", "work");
        assert!(is_signed(key.public(), "order", "work", &signature));
        assert!(!is_signed(key.public(), "order", "other work", &signature));
        assert!(!is_signed(key.public(), "report", "work", &signature));
        assert!(!is_signed(stranger.public(), "order", "work", &signature));
        for broken in ["", "zz", "é", &signature[1..]] {
            assert!(!is_signed(key.public(), "order", "work", broken));
        }
        let mode = fs::metadata(one.path().join("machine.key")).unwrap();
        assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    }
}

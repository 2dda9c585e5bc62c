//! Which project configurations a person has trusted: by path and content.

use std::error::Error;
use std::fmt;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::FileError;
use crate::atomic::{self, Mode};
use crate::hash::sha256_hex;
use crate::root::create_private;

const SCHEMA: &str = "signoff.trusted/1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Trusted {
    schema: String,
    files: Vec<Entry>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Entry {
    path: PathBuf,
    sha256: String,
}

/// Why something could not be trusted.
#[derive(Debug)]
pub enum TrustError {
    /// The list cannot be understood; it is left as it is.
    Damaged {
        path: PathBuf,
        reason: String,
    },
    File(FileError),
}

/// Whether this content of this file was trusted. What cannot be read was not.
pub fn is_trusted(state_dir: &Path, config_path: &Path, bytes: &[u8]) -> bool {
    let Ok(entry) = entry(config_path, bytes) else {
        return false;
    };
    load(&list_path(state_dir)).is_ok_and(|trusted| trusted.files.contains(&entry))
}

/// Remembers that this content of this file is trusted.
pub fn trust(state_dir: &Path, config_path: &Path, bytes: &[u8]) -> Result<(), TrustError> {
    let entry = entry(config_path, bytes)?;
    create_private(state_dir)?;
    // Held over reading and writing, so that two who trust at once both count.
    let lock_path = state_dir.join("trusted.lock");
    let lock = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&lock_path)
        .and_then(|file| file.lock().map(|()| file))
        .map_err(FileError::at("lock", &lock_path))?;
    let path = list_path(state_dir);
    let mut trusted = load(&path)?;
    if !trusted.files.contains(&entry) {
        trusted.files.push(entry);
        let damaged = |error: serde_json::Error| damaged(&path, error.to_string());
        let mut text = serde_json::to_vec_pretty(&trusted).map_err(damaged)?;
        text.push(b'\n');
        atomic::overwrite(&path, &text, Mode::Private)?;
    }
    drop(lock);
    Ok(())
}

fn list_path(state_dir: &Path) -> PathBuf {
    state_dir.join("trusted.json")
}

fn entry(config_path: &Path, bytes: &[u8]) -> Result<Entry, FileError> {
    let path = config_path
        .canonicalize()
        .map_err(FileError::at("find", config_path))?;
    Ok(Entry {
        path,
        sha256: sha256_hex(bytes),
    })
}

fn load(path: &Path) -> Result<Trusted, TrustError> {
    let Some(bytes) = atomic::read_if_exists(path)? else {
        return Ok(Trusted {
            schema: SCHEMA.to_owned(),
            files: Vec::new(),
        });
    };
    let trusted: Trusted =
        serde_json::from_slice(&bytes).map_err(|error| damaged(path, error.to_string()))?;
    if trusted.schema != SCHEMA {
        let reason = format!("its schema is `{}`, not `{SCHEMA}`", trusted.schema);
        return Err(damaged(path, reason));
    }
    Ok(trusted)
}

fn damaged(path: &Path, reason: String) -> TrustError {
    TrustError::Damaged {
        path: path.to_path_buf(),
        reason,
    }
}

impl From<FileError> for TrustError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl fmt::Display for TrustError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged { path, reason } => {
                write!(
                    f,
                    "the list of trusted files `{}` is damaged: {reason}",
                    path.display()
                )
            }
            Self::File(error) => error.fmt(f),
        }
    }
}

impl Error for TrustError {}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::{fs, thread};

    use super::*;

    #[test]
    fn one_content_of_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let (state, config) = (dir.path().join("state"), dir.path().join("config.toml"));
        let copy = dir.path().join("copy.toml");
        fs::write(&config, "one").unwrap();
        fs::write(&copy, "one").unwrap();
        assert!(!is_trusted(&state, &config, b"one"));
        trust(&state, &config, b"one").unwrap();
        assert!(is_trusted(&state, &config, b"one"));
        assert!(is_trusted(
            &state,
            &dir.path().join("./state/../config.toml"),
            b"one"
        ));
        assert!(!is_trusted(&state, &config, b"two"));
        assert!(!is_trusted(&state, &copy, b"one"));
        let mode = state.join("trusted.json").metadata().unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
    }

    #[test]
    fn those_who_trust_at_once_all_count() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("config.toml");
        fs::write(&config, "").unwrap();
        let contents: Vec<_> = (0..24).map(|number| format!("content {number}")).collect();
        thread::scope(|scope| {
            for content in &contents {
                scope.spawn(|| trust(dir.path(), &config, content.as_bytes()).unwrap());
            }
        });
        for content in &contents {
            assert!(is_trusted(dir.path(), &config, content.as_bytes()));
        }
    }

    #[test]
    fn a_list_of_version_1_is_still_read() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().canonicalize().unwrap().join("config.toml");
        fs::write(&config, "").unwrap();
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let text = format!(
            r#"{{"schema":"signoff.trusted/1","files":[{{"path":"{}","sha256":"{hash}"}}]}}"#,
            config.display()
        );
        fs::write(dir.path().join("trusted.json"), text).unwrap();
        assert!(is_trusted(dir.path(), &config, b"abc"));
    }

    #[test]
    fn a_damaged_list_trusts_nothing_and_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("config.toml");
        fs::write(&config, "").unwrap();
        let list = dir.path().join("trusted.json");
        for text in ["{", r#"{"schema":"signoff.trusted/9","files":[]}"#] {
            fs::write(&list, text).unwrap();
            assert!(!is_trusted(dir.path(), &config, b""));
            assert!(trust(dir.path(), &config, b"").is_err());
            assert_eq!(fs::read_to_string(&list).unwrap(), text);
        }
    }
}

//! What a person trusts on this machine: configurations by path and content, the files of a project
//! that its commands run ([`helpers`]), which directories have which project's id ([`projects`]), and how
//! strongly the machine confines ([`levels`]); and what `connect` wrote ([`connections`]). Kept in the user's state directory, which no agent can write to.

pub mod connections;
pub mod helpers;
pub mod levels;
pub mod projects;
mod state_file;

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::state_file::StateFile;
use crate::files::FileError;
use crate::files::hash::sha256_hex;

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Trusted {
    schema: String,
    files: Vec<TrustedFile>,
}

impl StateFile for Trusted {
    const NAME: &str = "trusted";
    const SCHEMA: &str = "signoff.trusted/1";

    fn schema(&mut self) -> &mut String {
        &mut self.schema
    }
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct TrustedFile {
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
    /// The list cannot hold this: a path that is not UTF-8.
    Unwritable {
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
    Trusted::load(state_dir).is_ok_and(|trusted| trusted.files.contains(&entry))
}

/// Remembers that this content of this file is trusted.
pub fn trust(state_dir: &Path, config_path: &Path, bytes: &[u8]) -> Result<(), TrustError> {
    let entry = entry(config_path, bytes)?;
    Trusted::update(state_dir, |trusted| {
        let is_new = !trusted.files.contains(&entry);
        if is_new {
            trusted.files.push(entry);
        }
        is_new
    })
}

fn entry(config_path: &Path, bytes: &[u8]) -> Result<TrustedFile, FileError> {
    let path = config_path
        .canonicalize()
        .map_err(FileError::at("find", config_path))?;
    Ok(TrustedFile {
        path,
        sha256: sha256_hex(bytes),
    })
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
                    "the list of what you trust, `{}`, is damaged: {reason}",
                    path.display()
                )
            }
            Self::Unwritable { path, reason } => {
                write!(
                    f,
                    "this cannot be kept in the list of what you trust, `{}`: {reason}",
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
    fn a_path_that_cannot_be_kept_is_an_error() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join(OsStr::from_bytes(b"bad\xff"));
        fs::create_dir(&project).unwrap();
        let config = project.join("config.toml");
        fs::write(&config, "x").unwrap();
        let state = dir.path().join("state");
        let refused = [
            trust(&state, &config, b"x"),
            projects::remember(&state, "id", &project),
        ];
        for refused in refused {
            let text = refused.unwrap_err().to_string();
            assert!(text.contains("invalid UTF-8"), "{text}");
        }
        assert!(!is_trusted(&state, &config, b"x"));
    }

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

//! Why a key could not sign, or why its signature is not accepted.

use std::fmt;
use std::path::PathBuf;

/// What stood in the way. Hints are the CLI's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are what the variant's line names")]
pub enum KeyError {
    /// A program that git would use is not installed, or fails.
    Program { program: String, why: String },
    /// Settings of git that are missing, all of them.
    Unset(Vec<MissingSetting>),
    /// The signing key is not a readable file.
    NoSuchKey { key: String },
    /// The list of allowed signers cannot be read.
    Unreadable {
        path: PathBuf,
        why: String,
        /// What should stand there; known where the key is one's own.
        line: Option<String>,
    },
    /// The list of allowed signers lies where agents write.
    WithinReach { path: PathBuf },
    /// The program would not sign.
    WouldNotSign { key: String, why: String },
    /// The signature was made over something else.
    DoesNotFit,
    /// A key made it that this person is not known by.
    NotAllowed {
        principal: String,
        /// Kind and fingerprint.
        key: String,
        list: PathBuf,
        /// In the words of `ssh-keygen`, where it has some.
        why: Option<String>,
        /// What would make it allowed; known where the key is one's own.
        line: Option<String>,
    },
    /// A file could not be handed to the program.
    File(String),
}

/// A setting of git that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingSetting {
    /// `user.signingkey`.
    SigningKey,
    /// `user.email`.
    Email,
    /// `gpg.ssh.allowedSignersFile`.
    AllowedSigners {
        /// It is set in the repository's own configuration, which does not count.
        in_repository: bool,
    },
}

impl MissingSetting {
    /// As git calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::SigningKey => "user.signingkey",
            Self::Email => "user.email",
            Self::AllowedSigners { .. } => "gpg.ssh.allowedSignersFile",
        }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program { program, why } => write!(f, "`{program}` cannot be used: {why}"),
            Self::Unset(missing) => {
                let names: Vec<String> = missing
                    .iter()
                    .map(|one| format!("`{}`", one.name()))
                    .collect();
                write!(f, "git has no setting {}", names.join(", "))
            }
            Self::NoSuchKey { key } => {
                write!(
                    f,
                    "`user.signingkey` is `{key}`, which is not an SSH key here"
                )
            }
            Self::Unreadable { path, why, .. } => {
                let path = path.display();
                write!(
                    f,
                    "the list of allowed signers cannot be read: {path}: {why}"
                )
            }
            Self::WithinReach { path } => write!(
                f,
                "the list of allowed signers is {}, inside the project, where agents write",
                path.display()
            ),
            Self::WouldNotSign { key, why } => write!(f, "the key {key} did not sign: {why}"),
            Self::DoesNotFit => f.write_str(
                "its key signed something else: the file was changed, or taken from elsewhere",
            ),
            Self::NotAllowed {
                principal,
                key,
                list,
                why,
                ..
            } => {
                let list = list.display();
                write!(f, "{list} does not allow {principal} the {key}")?;
                why.iter().try_for_each(|why| write!(f, " ({why})"))
            }
            Self::File(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for KeyError {}

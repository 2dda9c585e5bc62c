//! What git's configuration says about the person's key.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::SshContext;
use crate::error::{KeyError, MissingSetting};

/// The settings that decide, read in one call.
const WANTED: &str =
    r"^(user\.(signingkey|email)|gpg\.ssh\.(program|allowedsignersfile|revocationfile))$";

/// What git says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) signing_key: Option<String>,
    /// The repository's own configuration chose it.
    pub(super) key_of_repository: bool,
    pub(super) email: Option<String>,
    /// Signs instead of `ssh-keygen`, such as a password manager.
    pub(super) program: Option<PathBuf>,
    pub(super) revoked: Option<PathBuf>,
    allowed_signers: Option<PathBuf>,
    /// The repository's own configuration names a list.
    listed_in_repository: bool,
}

/// Reads git's configuration as it is in the project.
pub(super) fn read(context: &SshContext<'_>) -> Result<Settings, KeyError> {
    let words = [
        "git",
        "config",
        "--null",
        "--show-scope",
        "--type=path",
        "--get-regexp",
        WANTED,
    ];
    let said = context.run(words.map(Into::into).to_vec(), Vec::new())?;
    match said.code {
        // 1: nothing of it is set.
        Some(0 | 1) => Ok(parse(&said.stdout)),
        _ => Err(KeyError::Program {
            program: "git config".to_owned(),
            why: super::last_line(&said.stderr).unwrap_or_else(|| "it failed".to_owned()),
        }),
    }
}

/// Reads `scope NUL name LF value NUL …`; of two values for one name the later holds.
fn parse(output: &[u8]) -> Settings {
    let mut settings = Settings::default();
    let mut fields = output.split(|byte| *byte == 0);
    while let (Some(scope), Some(entry)) = (fields.next(), fields.next()) {
        let cut = entry.iter().position(|byte| *byte == b'\n');
        let (name, rest) = entry.split_at(cut.unwrap_or(entry.len()));
        let value = rest.get(1..).unwrap_or_default();
        settings.set(scope, name, value);
    }
    settings
}

impl Settings {
    /// Takes this list instead of git's, if there is one.
    pub(super) fn prefer_list(&mut self, list: Option<PathBuf>) {
        self.allowed_signers = list.or(self.allowed_signers.take());
    }

    fn set(&mut self, scope: &[u8], name: &[u8], value: &[u8]) {
        let text =
            || Some(String::from_utf8_lossy(value).into_owned()).filter(|text| !text.is_empty());
        let path = || Some(PathBuf::from(OsStr::from_bytes(value))).filter(|_| !value.is_empty());
        // What lies in the repository an agent can write: it may choose among the person's keys, but
        // neither whom to believe nor what to start.
        let own = !matches!(scope, b"local" | b"worktree");
        match name {
            b"user.signingkey" => {
                self.signing_key = text();
                self.key_of_repository = !own;
            }
            b"user.email" => self.email = text(),
            b"gpg.ssh.program" if own => self.program = path(),
            b"gpg.ssh.revocationfile" if own => self.revoked = path(),
            b"gpg.ssh.allowedsignersfile" if own => self.allowed_signers = path(),
            b"gpg.ssh.allowedsignersfile" => self.listed_in_repository = true,
            _ => {}
        }
    }

    /// Everything that signing needs and git does not say.
    pub(super) fn missing(&self) -> Vec<MissingSetting> {
        let mut missing = Vec::new();
        if self.signing_key.is_none() {
            missing.push(MissingSetting::SigningKey);
        }
        if self.email.is_none() {
            missing.push(MissingSetting::Email);
        }
        missing.extend(self.no_list());
        missing
    }

    fn no_list(&self) -> Option<MissingSetting> {
        self.allowed_signers
            .is_none()
            .then_some(MissingSetting::AllowedSigners {
                in_repository: self.listed_in_repository,
            })
    }

    /// The list of allowed signers: readable, and out of reach of whoever works in the project.
    pub(super) fn list(&self, workspace: &Path) -> Result<PathBuf, KeyError> {
        let Some(path) = &self.allowed_signers else {
            return Err(KeyError::Unset(self.no_list().into_iter().collect()));
        };
        // Through links, on both sides: the file that is read is the one that must be out of reach.
        let found = workspace.join(path).canonicalize();
        let found = found.map_err(|why| KeyError::Unreadable {
            path: path.clone(),
            why: why.to_string(),
            line: None,
        })?;
        let workspace = workspace
            .canonicalize()
            .unwrap_or_else(|_| workspace.to_owned());
        if path.is_relative() || found.starts_with(workspace) {
            return Err(KeyError::WithinReach { path: found });
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(entries: &[(&str, &str, &str)]) -> Settings {
        let line =
            |(scope, name, value): &(&str, &str, &str)| format!("{scope}\0{name}\n{value}\0");
        let text = entries.iter().map(line).collect::<Vec<_>>().concat();
        parse(text.as_bytes())
    }

    #[test]
    fn the_later_value_holds() {
        let settings = parsed(&[
            ("global", "user.email", "ada@home"),
            ("local", "user.email", "ada@work"),
            ("global", "user.signingkey", "/k"),
        ]);
        assert_eq!(settings.email.as_deref(), Some("ada@work"));
        assert_eq!(settings.signing_key.as_deref(), Some("/k"));
        assert_eq!(parse(b""), Settings::default());
        assert_eq!(parse(b"global\0user.email\0"), Settings::default());
    }

    #[test]
    fn the_repository_decides_neither_whom_to_believe_nor_what_to_start() {
        let settings = parsed(&[
            ("global", "gpg.ssh.allowedsignersfile", "/list"),
            ("local", "gpg.ssh.allowedsignersfile", "/forged"),
            ("worktree", "gpg.ssh.program", "/forged"),
            ("local", "gpg.ssh.revocationfile", "/forged"),
        ]);
        assert_eq!(settings.allowed_signers, Some(PathBuf::from("/list")));
        assert_eq!((settings.program, settings.revoked), (None, None));
        let only = parsed(&[("local", "gpg.ssh.allowedsignersfile", "/forged")]);
        assert_eq!(
            only.missing(),
            [
                MissingSetting::SigningKey,
                MissingSetting::Email,
                MissingSetting::AllowedSigners {
                    in_repository: true
                }
            ]
        );
    }

    #[test]
    fn a_list_within_reach_of_agents_is_refused() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let list = |path: &Path| {
            let path = path.to_str().unwrap();
            parsed(&[("global", "gpg.ssh.allowedsignersfile", path)]).list(inside.path())
        };
        let (near, far) = (inside.path().join("list"), outside.path().join("list"));
        std::fs::write(&near, "").unwrap();
        std::fs::write(&far, "").unwrap();
        assert_eq!(list(&far), Ok(far.canonicalize().unwrap()));
        let link = outside.path().join("link");
        std::os::unix::fs::symlink(&near, &link).unwrap();
        for path in [near.as_path(), &link, Path::new("list")] {
            assert!(
                matches!(list(path), Err(KeyError::WithinReach { .. })),
                "{path:?}"
            );
        }
        let gone = list(Path::new("/gone/list"));
        assert!(matches!(gone, Err(KeyError::Unreadable { .. })), "{gone:?}");
    }
}

//! Makes a tree out of another one and some changes. It costs what the changes cost, not what the repository costs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::git::entries::IndexEntry;
use crate::git::names::{Name, nul_terminated, quote};
use crate::git::scratch::{read_if_there, write};
use crate::git::trees::listing::index_ids;
use crate::git::{GitError, HarnessGit, Id};

/// One change of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TreeEdit {
    /// The path, and whatever lies below it, is not there.
    Remove(Name),
    /// The path is this file.
    File {
        name: Name,
        id: Id,
        is_executable: bool,
    },
    /// The path is a link to this.
    Link { name: Name, target: Vec<u8> },
}

impl HarnessGit {
    /// The tree that these changes make of `base`, a tree or a commit. Later changes win.
    pub(crate) fn compose_tree(&self, base: &Id, edits: &[TreeEdit]) -> Result<Id, GitError> {
        let scratch = self.scratch()?;
        // A git directory of its own, because git insists on moving a branch.
        let directory = scratch.folder("git")?;
        for folder in ["git/refs", "git/objects"] {
            scratch.folder(folder)?;
        }
        let config = self.directory().join("config");
        let config = fs::read(&config).map_err(GitError::file(&config))?;
        write(&directory.join("config"), &config)?;
        write(&directory.join("HEAD"), b"ref: refs/heads/layer\n")?;
        let out = self
            .call()
            .env("GIT_DIR", directory.as_os_str())
            .setting("core.ignoreCase", "false")
            .args(["fast-import", "--quiet", "--date-format=raw"])
            .stdin(script(base, edits))
            .run()?;
        let said = String::from_utf8_lossy(&out);
        match said.split_whitespace().nth(2) {
            Some(id) => {
                let made: Id = id.parse()?;
                self.recent().trees.insert(made.clone(), made.clone());
                Ok(made)
            }
            // A tree without entries is not shown.
            None => self.empty_tree(),
        }
    }

    /// Stores these files of `folder` as objects, as git would add them: with the line ends and encodings that the
    /// person's settings, the attributes in the folder and those in `known` ask for. `known` are files of the tree that
    /// they are added to. `None` for a file whose name git refuses, such as `.Git` or `git~1`.
    pub(crate) fn store_files(
        &self,
        folder: &Path,
        names: &[Name],
        known: &[IndexEntry],
    ) -> Result<Vec<Option<Id>>, GitError> {
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        let known = known.iter();
        let known: Vec<_> = known
            .map(|entry| (entry.name.clone(), Some((entry.mode, entry.id.clone()))))
            .collect();
        self.set_entries(&index, &known)?;
        // Not `hash-object`, which waits for the disk once for each file.
        self.call_in(folder, &index)
            .args(["update-index", "--add", "--replace", "-z", "--stdin"])
            .stdin(nul_terminated(names))
            .run()?;
        let words = ["ls-files", "--stage", "-z"];
        let out = self.call_in(folder, &index).args(words).run()?;
        let ids: BTreeMap<Name, Id> = index_ids(&out)?.into_iter().collect();
        Ok(names.iter().map(|name| ids.get(name).cloned()).collect())
    }

    /// What tells how files of a commit look in a working tree, apart from its own `.gitattributes` where none are kept: it
    /// changes with the person's settings.
    pub(crate) fn conversions(&self) -> Result<String, GitError> {
        let mut hash = Sha256::new();
        hash.update(self.kept_attributes()?);
        // As it is in every run: it names places of this one.
        hash.update(self.repository.info.settings.harness_config(b"", b""));
        for file in ["attributes", "info/attributes"] {
            let content = read_if_there(&self.directory().join(file))?;
            hash.update(content.len().to_le_bytes());
            hash.update(content);
        }
        let digits = hash.finalize();
        let digits = digits.iter().map(|byte| format!("{byte:02x}"));
        Ok(digits.collect::<Vec<_>>().concat())
    }

    /// Whether the person's settings, or attributes that are kept, can make a file in a commit another one than in the
    /// working tree.
    pub(crate) fn may_convert(&self) -> Result<bool, GitError> {
        let settings = &self.repository.info.settings;
        let is_set = |name| {
            let value = settings.get(name);
            value.is_some_and(|value| !value.is_empty() && value != "false")
        };
        let has_lines = |file: &str| -> Result<bool, GitError> {
            let content = read_if_there(&self.directory().join(file))?;
            Ok(content.iter().any(|byte| !byte.is_ascii_whitespace()))
        };
        Ok(is_set("core.autocrlf")
            || has_lines("attributes")?
            || has_lines("info/attributes")?
            || !self.kept_attributes()?.is_empty())
    }
}

fn script(base: &Id, edits: &[TreeEdit]) -> Vec<u8> {
    let head = "commit refs/heads/layer\ncommitter Signoff <signoff@localhost> 0 +0000\ndata 0\n";
    let mut text = format!("{head}M 040000 {base} \"\"\n").into_bytes();
    for edit in edits {
        match edit {
            TreeEdit::Remove(name) => text.extend(format!("D {}\n", quote(name)).bytes()),
            TreeEdit::File {
                name,
                id,
                is_executable,
            } => {
                let mode = if *is_executable { "100755" } else { "100644" };
                text.extend(format!("M {mode} {id} {}\n", quote(name)).bytes());
            }
            TreeEdit::Link { name, target } => {
                let line = format!("M 120000 inline {}\ndata {}\n", quote(name), target.len());
                text.extend(line.bytes());
                text.extend(target);
                text.push(b'\n');
            }
        }
    }
    text.extend(b"ls \"\"\n");
    text
}

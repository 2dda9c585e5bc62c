//! A repository of the harness's own, for files that are in none, or in one that cannot record them.
//!
//! Files are recorded byte by byte as they are in the checkout: no filter, no conversion of line endings. A repository
//! within the project, such as a submodule, is recorded as the files that it has, without its `.git`. Nothing of the
//! person's repository is used but what it ignores.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use crate::git::names::{exactly, nul_separated};
use crate::git::repository::excludes::{default_excludes, pattern};
use crate::git::repository::persons_repository::{
    RepositoryInfo, RepositoryKind, version, without_programs,
};
use crate::git::repository::settings::Settings;
use crate::git::scratch::{copy_index, write};
use crate::git::{Git, GitError, Repository};

/// Stronger than every `.gitattributes` of the project: bytes stay what they are.
const ATTRIBUTES: &[u8] = b"* -text !eol -ident !filter !working-tree-encoding\n";

const CONFIG: &[u8] = b"[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n";

/// The repository that a run records its trees in.
#[derive(Debug, Clone)]
pub struct RunRepository {
    /// The person's, or a private one.
    pub repository: Repository,
    /// Why it is not the person's, each a sentence; empty if it is.
    pub why_private: Vec<String>,
}

impl Repository {
    /// The repository that a run in this workspace records its trees in: the person's, or where there is none or it has an
    /// obstacle, a private one at `directory`.
    pub fn for_run(
        git: Git,
        workspace: &Path,
        directory: &Path,
    ) -> Result<RunRepository, GitError> {
        let found = Self::find(git.clone(), workspace)?;
        let why_private = match &found {
            Some(found) => found.obstacles()?,
            None => vec!["there is no git repository".to_owned()],
        };
        let repository = match found {
            Some(found) if why_private.is_empty() => found,
            found => Self::private_of(git, workspace, directory, found.as_ref())?,
        };
        Ok(RunRepository {
            repository,
            why_private,
        })
    }

    /// A repository of the harness's own at `directory`, for the files of this workspace; made, or opened again.
    pub fn private(git: Git, workspace: &Path, directory: &Path) -> Result<Self, GitError> {
        let persons = Self::find(git.clone(), workspace)?;
        Self::private_of(git, workspace, directory, persons.as_ref())
    }

    fn private_of(
        git: Git,
        workspace: &Path,
        directory: &Path,
        persons: Option<&Self>,
    ) -> Result<Self, GitError> {
        if persons.is_some_and(|persons| persons.info.kind == RepositoryKind::Bare) {
            return Err(GitError::Failed {
                tried: "signoff run".to_owned(),
                said: "the repository is bare: run in a checkout of it".to_owned(),
            });
        }
        let workspace = workspace
            .canonicalize()
            .map_err(GitError::file(workspace))?;
        for folder in ["objects", "refs/heads", "info"] {
            let path = directory.join(folder);
            fs::create_dir_all(&path).map_err(GitError::file(&path))?;
        }
        let directory = directory
            .canonicalize()
            .map_err(GitError::file(directory))?;
        let persons =
            persons.filter(|persons| !matches!(persons.info.kind, RepositoryKind::Refused(_)));
        let excludes = match persons {
            Some(persons) => persons.excludes_of(&workspace)?,
            None if workspace.join(".gitignore").exists() => Vec::new(),
            None => default_excludes(&workspace),
        };
        write(&directory.join("info/exclude"), &excludes)?;
        write(&directory.join("info/attributes"), ATTRIBUTES)?;
        write(&directory.join("config"), CONFIG)?;
        write(&directory.join("HEAD"), b"ref: refs/heads/none\n")?;
        let settings = match persons {
            Some(persons) => persons.info.settings.without_conversions(),
            None => personal_settings(&git, &directory)?,
        };
        let found = RepositoryInfo {
            version: version(&git, &workspace)?,
            top: workspace.clone(),
            workspace,
            objects: directory.join("objects"),
            common: directory.clone(),
            directory,
            kind: RepositoryKind::Private,
            settings,
        };
        Ok(Self {
            git,
            info: Arc::new(found),
        })
    }

    /// Whether it is the harness's own: then a run lands as files.
    pub fn is_private(&self) -> bool {
        self.info.kind == RepositoryKind::Private
    }

    /// Keeps what was read of the files, so that the next run need not read them again. A person's repository has an
    /// index of the person's.
    pub(crate) fn keep_index(&self, index: &Path) -> Result<(), GitError> {
        if !self.is_private() {
            return Ok(());
        }
        let to = self.info.directory.join("index");
        let next = self
            .info
            .directory
            .join(format!("index.{}", std::process::id()));
        copy_index(index, &next).map_err(GitError::file(&next))?;
        fs::rename(&next, &to).map_err(GitError::file(&to))
    }

    /// What the person's repository ignores in this workspace, without saying so in it.
    fn excludes_of(&self, workspace: &Path) -> Result<Vec<u8>, GitError> {
        let top = self.top();
        let below = match workspace.strip_prefix(top) {
            Ok(below) if self.info.kind == RepositoryKind::Checkout => below,
            _ => return Ok(Vec::new()),
        };
        if below.as_os_str().is_empty() {
            return read_linkless(&self.info.common.join("info/exclude"));
        }
        let name = below.as_os_str().as_bytes();
        let said = self
            .call()?
            .args(["check-ignore", "--quiet", "--"])
            .args([workspace])
            .run_to(&[0, 1])?;
        if said.code == 0 {
            // A project that its surroundings ignore as a whole: their rules are not about it.
            return Ok(Vec::new());
        }
        let mut rules = loose_rules(&read_linkless(&self.info.common.join("info/exclude"))?);
        let above = workspace.ancestors().skip(1);
        let mut above: Vec<&Path> = above.take_while(|path| path.starts_with(top)).collect();
        above.reverse();
        for folder in above {
            rules.extend(loose_rules(&read_linkless(&folder.join(".gitignore"))?));
        }
        let out = self
            .call()?
            .args(["ls-files", "-z", "--others", "--ignored"])
            .args(["--exclude-standard", "--directory", "--"])
            .args([exactly(name)])
            .run()?;
        let inside =
            nul_separated(&out).filter_map(|path| path.strip_prefix(name)?.strip_prefix(b"/"));
        for path in inside.filter(|path| !path.is_empty()) {
            rules.extend(pattern(path.strip_suffix(b"/").unwrap_or(path)));
        }
        Ok(rules)
    }
}

/// Those rules of a directory that hold in every directory below: the others name paths from there.
fn loose_rules(text: &[u8]) -> Vec<u8> {
    let is_loose = |line: &&[u8]| {
        let rule = line.strip_prefix(b"!").unwrap_or(line);
        let rule = rule.strip_suffix(b"/").unwrap_or(rule);
        !rule.is_empty() && !rule.contains(&b'/') && !rule.starts_with(b"#")
    };
    let lines = text
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end);
    let kept: Vec<&[u8]> = lines.filter(is_loose).collect();
    let mut rules = kept.join(&b'\n');
    rules.push(b'\n');
    rules
}

/// The content of a file of rules; nothing where there is none. One that is there and cannot be read is not an empty one:
/// what the person ignores would be taken for a part of the work.
pub(super) fn read_if_file(path: &Path) -> Result<Vec<u8>, GitError> {
    if path.is_file() {
        return fs::read(path).map_err(GitError::file(path));
    }
    Ok(Vec::new())
}

/// The same for a file that is not a link.
fn read_linkless(path: &Path) -> Result<Vec<u8>, GitError> {
    if path.is_symlink() {
        return Ok(Vec::new());
    }
    read_if_file(path)
}

/// Who the person is.
fn personal_settings(git: &Git, directory: &Path) -> Result<Settings, GitError> {
    let listing = without_programs(git.call(directory))
        .env("GIT_DIR", directory)
        .args(["config", "--list", "--null"])
        .run()?;
    Ok(Settings::read(&listing).without_conversions())
}

#[cfg(test)]
mod tests {
    use super::loose_rules;

    #[test]
    fn only_rules_without_a_place_hold_below() {
        let text = b"# note\n*.log\n/top\nsub/build\n!keep.log \nnode_modules/\n\n";
        assert_eq!(loose_rules(text), b"*.log\n!keep.log\nnode_modules/\n");
    }
}

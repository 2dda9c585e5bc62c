//! The person's repository: found, asked, and its references moved.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::git::command::{GitCall, is_absent};
use crate::git::repository::settings::Settings;
use crate::git::{Git, GitError, HarnessGit, Id};

/// The person's repository. Its git directory is used for references and for reading values, with nothing that would
/// start a program.
#[derive(Debug, Clone)]
pub struct Repository {
    pub(crate) git: Git,
    pub(crate) info: Arc<RepositoryInfo>,
}

/// What is known of a repository.
#[derive(Debug)]
pub(crate) struct RepositoryInfo {
    /// The directory that was asked about.
    pub(crate) workspace: PathBuf,
    /// Where its files are.
    pub(crate) top: PathBuf,
    /// Where HEAD and the index are.
    pub(crate) directory: PathBuf,
    /// Where everything is that linked worktrees share.
    pub(crate) common: PathBuf,
    pub(crate) objects: PathBuf,
    pub(crate) kind: RepositoryKind,
    /// Major and minor.
    pub(crate) version: (u32, u32),
    pub(crate) settings: Settings,
}

/// What kind of repository it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RepositoryKind {
    /// One with files, which are where it is.
    Checkout,
    Bare,
    /// `core.worktree` names another place than where it was found.
    Elsewhere,
    /// Git does not want to use it, in its own words.
    Refused(String),
    /// One of the harness's own, for files that are in no repository, or in one that cannot record them.
    Private,
}

/// Where a checkout stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The commit; `None` where there is none yet.
    pub commit: Option<Id>,
    /// The full name of the branch, such as `refs/heads/main`; `None` where HEAD is detached.
    pub branch: Option<String>,
}

impl Repository {
    /// The repository that the workspace lies in; `None` without one, or without git.
    pub fn find(git: Git, workspace: &Path) -> Result<Option<Self>, GitError> {
        let workspace = workspace
            .canonicalize()
            .map_err(GitError::file(workspace))?;
        // Most of the time there is nothing to start a process for.
        if !workspace.ancestors().any(may_be_repository) {
            return Ok(None);
        }
        let found = match RepositoryInfo::new(&git, workspace) {
            Err(error) if is_absent(&error) => return Ok(None),
            found => found?,
        };
        Ok(found.map(|found| Self {
            git,
            info: Arc::new(found),
        }))
    }

    /// The directory that the repository's files are in, absolute and without links.
    pub fn top(&self) -> &Path {
        &self.info.top
    }

    /// The directory that its objects are in, absolute and without links.
    pub fn objects(&self) -> &Path {
        &self.info.objects
    }

    /// Whether its git directory is still there.
    pub fn is_there(&self) -> bool {
        self.info.common.join("objects").is_dir() && self.info.directory.join("HEAD").exists()
    }

    /// Where its HEAD and references are.
    pub fn directory(&self) -> &Path {
        &self.info.directory
    }

    /// The directory of the project in which the person's git finds hooks, from its top; `None` if it is not in there.
    pub fn hooks_directory(&self) -> Option<String> {
        let named = Path::new(self.info.settings.get("core.hookspath")?);
        let inside = named.strip_prefix(&self.info.top).unwrap_or(named);
        let parts = inside
            .components()
            .filter(|part| *part != Component::CurDir);
        let inside: PathBuf = parts.collect();
        let is_below = inside.is_relative() && !inside.starts_with("..");
        let text = inside
            .to_str()
            .filter(|text| is_below && !text.is_empty())?;
        Some(text.to_owned())
    }

    /// Where HEAD stands; nowhere in a private repository.
    pub fn head(&self) -> Result<Head, GitError> {
        if self.is_private() {
            return Ok(Head {
                commit: None,
                branch: None,
            });
        }
        let branch = self
            .call()?
            .args(["symbolic-ref", "--quiet", "HEAD"])
            .run_to(&[0, 1])?;
        let commit = self
            .call()?
            .args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
            .run_to(&[0, 1])?;
        Ok(Head {
            commit: match commit.code {
                0 => Some(Id::read(&commit.out)?),
                _ => None,
            },
            branch: (branch.code == 0)
                .then(|| String::from_utf8_lossy(&branch.out).trim_end().to_owned()),
        })
    }

    /// The harness's own git directory at `directory`, made, or opened after a crash.
    ///
    /// `kept` are paths relative to the top, of files or directories, that no snapshot, worktree or landing ever
    /// changes.
    pub fn open_harness_git(
        &self,
        directory: &Path,
        kept: &[String],
    ) -> Result<HarnessGit, GitError> {
        HarnessGit::open(self.clone(), directory, kept)
    }

    /// A call with the person's git directory, and precautions.
    pub(crate) fn call(&self) -> Result<GitCall<'_>, GitError> {
        if let RepositoryKind::Refused(said) = &self.info.kind {
            return Err(GitError::Failed {
                tried: "git rev-parse".to_owned(),
                said: said.clone(),
            });
        }
        let call = without_programs(self.git.call(&self.info.top))
            .env("GIT_DIR", &self.info.directory)
            .env("GIT_WORK_TREE", &self.info.top)
            .setting("core.fsync", self.git.durability().fsync_setting());
        let hooks = self.info.settings.hooks();
        Ok(hooks.fold(call, |call, hook| {
            call.setting(&format!("hook.{hook}.enabled"), "false")
        }))
    }
}

/// Settings with which git starts no program that a repository's configuration names, reaches no other repository, and
/// writes nothing by itself.
pub const NO_PROGRAMS: [(&str, &str); 6] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("protocol.allow", "never"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// Reads the person's configuration, but runs no program that it names.
pub(crate) fn without_programs(call: GitCall<'_>) -> GitCall<'_> {
    let settings = NO_PROGRAMS.into_iter();
    settings.fold(call.with_home(), |call, (name, value)| {
        call.setting(name, value)
    })
}

fn may_be_repository(directory: &Path) -> bool {
    directory.join(".git").symlink_metadata().is_ok()
        || (directory.join("HEAD").is_file() && directory.join("objects").is_dir())
}

impl RepositoryInfo {
    fn new(git: &Git, workspace: PathBuf) -> Result<Option<Self>, GitError> {
        let version = version(git, &workspace)?;
        let words = [
            "rev-parse",
            "--is-bare-repository",
            "--is-inside-work-tree",
            "--absolute-git-dir",
        ];
        let said = without_programs(git.call(&workspace))
            .args(words)
            .run_to_any_code()?;
        if said.code != 0 {
            if said.complaint.contains("not a git repository") {
                return Ok(None);
            }
            let kind = RepositoryKind::Refused(said.complaint.trim().to_owned());
            return Ok(Some(Self::refused_repository(workspace, version, kind)));
        }
        // The path comes last: it may hold line feeds.
        let mut lines = said.out.splitn(3, |byte| *byte == b'\n');
        let mut line = || lines.next().unwrap_or_default();
        let (bare, inside, directory) = (line() == b"true", line() == b"true", path(line()));
        let (kind, top) = match (bare, inside) {
            (true, _) => (RepositoryKind::Bare, workspace.clone()),
            (false, false) => (RepositoryKind::Elsewhere, workspace.clone()),
            (false, true) => kind_and_top(git, &workspace)?,
        };
        let listing = without_programs(git.call(&workspace))
            .env("GIT_DIR", &directory)
            .args(["config", "--list", "--null"])
            .run()?;
        let real = |path: PathBuf| path.canonicalize().map_err(GitError::file(&path));
        let common = common(&directory)?;
        Ok(Some(Self {
            top: real(top)?,
            directory: real(directory)?,
            objects: real(common.join("objects"))?,
            common,
            workspace,
            kind,
            version,
            settings: Settings::read(&listing),
        }))
    }

    fn refused_repository(workspace: PathBuf, version: (u32, u32), kind: RepositoryKind) -> Self {
        let directory = workspace.join(".git");
        Self {
            top: workspace.clone(),
            common: directory.clone(),
            objects: directory.join("objects"),
            directory,
            workspace,
            kind,
            version,
            settings: Settings::default(),
        }
    }
}

/// Where the files of a checkout are. That has to be where the repository was found: its configuration may name any
/// directory, even `/`.
fn kind_and_top(git: &Git, workspace: &Path) -> Result<(RepositoryKind, PathBuf), GitError> {
    let words = ["rev-parse", "--show-toplevel"];
    let top = path(&without_programs(git.call(workspace)).args(words).run()?);
    if top.join(".git").symlink_metadata().is_ok() {
        return Ok((RepositoryKind::Checkout, top));
    }
    Ok((RepositoryKind::Elsewhere, workspace.to_owned()))
}

/// Where a linked worktree's repository is; of others, the directory itself.
fn common(directory: &Path) -> Result<PathBuf, GitError> {
    let common = match fs::read(directory.join("commondir")) {
        Ok(written) => directory.join(path(&written)),
        Err(_) => directory.to_owned(),
    };
    common.canonicalize().map_err(GitError::file(&common))
}

/// A path that ends in a line feed.
fn path(line: &[u8]) -> PathBuf {
    let bytes = line.strip_suffix(b"\n").unwrap_or(line);
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

/// From `git version 2.47.3 (and whose it is)`.
pub(crate) fn version(git: &Git, workspace: &Path) -> Result<(u32, u32), GitError> {
    let out = git.call(workspace).args(["version"]).run()?;
    let text = String::from_utf8_lossy(&out);
    let unexpected = || GitError::unexpected("its version", &text);
    let number = text.split_whitespace().nth(2).ok_or_else(unexpected)?;
    let mut parts = number.split('.').map(str::parse);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Ok((major, minor)),
        _ => Err(unexpected()),
    }
}

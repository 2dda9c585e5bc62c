//! A person with a home and a repository.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use signoff_sandbox::Sandbox;
use signoff_work::environment::Variables;
use signoff_work::git::{Git, HarnessGit, Id, Repository, Worktree};

/// What is at each path: `file text`, `exec text` or `link target`.
pub(crate) type Files = BTreeMap<Vec<u8>, String>;

pub(crate) struct World {
    _folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl World {
    /// An empty repository on branch `main`.
    pub(crate) fn new() -> Self {
        Self::with("init -q -b main")
    }

    pub(crate) fn with(init: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home", "repo"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        let world = Self {
            _folder: folder,
            root,
        };
        world.git(init);
        world
    }

    /// A repository in which these files are committed.
    pub(crate) fn committed(files: &[(&str, &str)]) -> Self {
        let world = Self::new();
        world.write_all(files);
        world.commit("first");
        world
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.root.join("repo")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.repo().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.repo(), name, text);
    }

    pub(crate) fn write_all(&self, files: &[(&str, &str)]) {
        for (name, text) in files {
            self.write(name, text);
        }
    }

    pub(crate) fn commit(&self, message: &str) -> Id {
        self.git("add -A");
        self.git_in(
            &self.repo(),
            &["commit", "-q", "--allow-empty", "-m", message],
        );
        self.head()
    }

    pub(crate) fn head(&self) -> Id {
        self.git("rev-parse HEAD").trim().parse().unwrap()
    }

    /// The person's git, words split at spaces.
    pub(crate) fn git(&self, words: &str) -> String {
        let words: Vec<&str> = words.split(' ').collect();
        self.git_in(&self.repo(), &words)
    }

    pub(crate) fn git_in(&self, folder: &Path, words: &[&str]) -> String {
        let output = self.command(folder, words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(crate) fn command(&self, folder: &Path, words: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .args(words)
            .current_dir(folder)
            .env("HOME", self.root.join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("XDG_CONFIG_HOME");
        for (name, value) in [("NAME", "p"), ("EMAIL", "p@x")] {
            command.env(format!("GIT_AUTHOR_{name}"), value);
            command.env(format!("GIT_COMMITTER_{name}"), value);
        }
        command
    }

    pub(crate) fn repository(&self) -> Repository {
        self.repository_at(&self.repo()).expect("a repository")
    }

    pub(crate) fn repository_at(&self, workspace: &Path) -> Option<Repository> {
        let variables: Variables = [
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), OsString::from(self.root.join("home"))),
        ]
        .into();
        let git = Git::new(sandbox(), &variables, workspace);
        Repository::find(git, workspace).unwrap()
    }

    pub(crate) fn own(&self) -> HarnessGit {
        self.own_keeping(&[".signoff"])
    }

    pub(crate) fn own_keeping(&self, kept: &[&str]) -> HarnessGit {
        let kept: Vec<String> = kept.iter().map(|path| (*path).to_owned()).collect();
        self.repository()
            .open_harness_git(&self.root.join("place"), &kept)
            .unwrap()
    }

    pub(crate) fn worktree(&self, own: &HarnessGit, name: &str) -> Worktree {
        own.worktree(
            self.root.join("trees").join(name),
            self.root.join("indexes").join(name),
        )
    }

    /// Everything of the repository that the harness must not touch: files, index, references, configuration.
    pub(crate) fn untouched(&self) -> Files {
        let mut all = files(&self.repo());
        let directory = self.repo().join(".git");
        if directory.is_dir() {
            let inside = files(&directory).into_iter();
            all.extend(inside.filter(|(name, _)| !name.starts_with(b"objects/")));
        }
        all
    }
}

/// One for all: what it adopts are the orphans of the whole process.
pub(crate) fn sandbox() -> Arc<Sandbox> {
    static SANDBOX: OnceLock<Arc<Sandbox>> = OnceLock::new();
    Arc::clone(SANDBOX.get_or_init(|| Arc::new(Sandbox::new().unwrap())))
}

/// Writes a file: `-> target` makes it a link, `#!` an executable.
pub(crate) fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::remove_file(&path).ok();
    if let Some(target) = text.strip_prefix("-> ") {
        symlink(target, &path).unwrap();
        return;
    }
    fs::write(&path, text).unwrap();
    if text.starts_with("#!") {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Every file of a folder, without `.git`.
pub(crate) fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    gather(folder, folder, &mut found);
    found
}

fn gather(root: &Path, folder: &Path, found: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name() == Some(OsStr::new(".git")) {
            continue;
        }
        let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes();
        let kind = fs::symlink_metadata(&path).unwrap();
        if kind.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            found.insert(name.to_vec(), format!("link {}", target.display()));
        } else if kind.is_dir() {
            gather(root, &path, found);
        } else {
            let bytes = fs::read(&path).unwrap();
            let word = if kind.permissions().mode() & 0o100 != 0 {
                "exec"
            } else {
                "file"
            };
            found.insert(name.to_vec(), format!("{word} {}", bytes.escape_ascii()));
        }
    }
}

/// The files as short text, to compare with.
pub(crate) fn shown(folder: &Path) -> Vec<String> {
    files(folder)
        .into_iter()
        .map(|(name, content)| format!("{}: {content}", name.escape_ascii()))
        .collect()
}

//! What makes a new worktree usable: `[run] copy` and `[run] prepare`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use signoff_plan::glob;
use signoff_sandbox::Command;
use signoff_work::confine::Grounds;
use signoff_work::contract::Evaluation;

/// What is done in a new worktree.
pub(crate) struct Setup {
    pub(crate) copy: Vec<String>,
    pub(crate) prepare: Vec<String>,
    pub(crate) shell: String,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) time: Duration,
    pub(crate) grounds: Option<Grounds>,
    /// Where commands may put what is theirs, and what they say.
    pub(crate) scratch: PathBuf,
    pub(crate) log: PathBuf,
    pub(crate) marker: String,
}

impl Setup {
    pub(crate) fn runs_commands(&self) -> bool {
        !self.prepare.is_empty()
    }

    /// The commands, to be run one after another.
    pub(super) fn commands(&self, tree: &Path) -> Result<Vec<Command>, String> {
        let mut commands = Vec::new();
        for text in &self.prepare {
            let mut environment = self.environment.clone();
            let policy = match &self.grounds {
                None => None,
                Some(grounds) => {
                    fs::create_dir_all(&self.scratch)
                        .map_err(|why| format!("{}: {why}", self.scratch.display()))?;
                    let confined = grounds.moved_to(tree).for_contract(self.scratch.clone());
                    Some(confined.into_policy(&mut environment))
                }
            };
            let evaluation = Evaluation {
                command: text,
                shell: &self.shell,
                tree,
                environment,
                marker: self.marker.clone(),
                time: self.time,
                log: self.log.clone(),
            };
            let mut command = evaluation.into_command();
            command.policy = policy;
            commands.push(command);
        }
        Ok(commands)
    }

    /// Copies what git ignores and the work needs. What is not there is not copied.
    pub(super) fn copy(&self, from: &Path, to: &Path) -> Result<(), String> {
        for wanted in &self.copy {
            let plain = wanted.trim_end_matches('/');
            let found = if is_pattern(plain) {
                matching(from, Path::new(""), plain)
            } else {
                vec![PathBuf::from(plain)]
            };
            for path in found {
                copy(&from.join(&path), &to.join(&path))
                    .map_err(|why| format!("`{}` cannot be copied: {why}", path.display()))?;
            }
        }
        Ok(())
    }
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Paths below `root` that fit the pattern. Links are not followed.
fn matching(root: &Path, below: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = fs::read_dir(root.join(below)).into_iter().flatten();
    for entry in entries.flatten() {
        let name = entry.file_name();
        if below.as_os_str().is_empty() && (name == ".git" || name == ".signoff") {
            continue;
        }
        let path = below.join(name);
        if glob::matches(pattern, &path.to_string_lossy()) {
            found.push(path);
        } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(matching(root, &path, pattern));
        }
    }
    found.sort();
    found
}

/// Copies a file, a link as a link, a directory with what is in it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let kind = match fs::symlink_metadata(from) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?.file_type(),
    };
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    if kind.is_symlink() {
        match std::os::unix::fs::symlink(fs::read_link(from)?, to) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            linked => linked,
        }
    } else if kind.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        Ok(())
    } else if kind.is_file() {
        fs::copy(from, to).map(|_| ())
    } else {
        Ok(())
    }
}

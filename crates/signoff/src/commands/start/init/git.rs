//! The state of the directory in git, which keeps a run's changes apart from the person's.

use std::ffi::OsString;
use std::fmt;
use std::time::Duration;

use signoff_runtime::project::ProcessContext;
use signoff_runtime::project::careful_git::{Environment, careful_environment};
use signoff_sandbox::{Command, ExitStatus, Limits, Sandbox, Stdin};

/// The state of the directory in git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitState {
    NotInstalled,
    NoRepository,
    Clean,
    Uncommitted,
}

impl GitState {
    pub(super) fn is_repository(self) -> bool {
        matches!(self, Self::Clean | Self::Uncommitted)
    }

    /// For programs.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NotInstalled => "not_installed",
            Self::NoRepository => "no_repository",
            Self::Clean => "clean",
            Self::Uncommitted => "uncommitted",
        }
    }
}

impl fmt::Display for GitState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotInstalled => "not installed: agents work in the checkout itself, one after another",
            Self::NoRepository => {
                "not a repository: the changes of a run land as files rather than commits; `signoff undo` works all the same"
            }
            Self::Clean => "a repository, nothing uncommitted",
            Self::Uncommitted => {
                "a repository with uncommitted changes; commit them before a run, to keep its changes apart from yours"
            }
        })
    }
}

/// Asks git. Ignores our own directory, which is being set up.
pub(super) fn state(process: &ProcessContext) -> GitState {
    let Ok(sandbox) = Sandbox::new() else {
        return GitState::NotInstalled;
    };
    // The repository is not trusted yet, so git must not run anything that its configuration names.
    let env = match careful_environment(&sandbox, process, &process.directory) {
        Ok(Some(env)) => env,
        Ok(None) => return GitState::NoRepository,
        Err(_) => return GitState::NotInstalled,
    };
    match sandbox.run(status(process, env)) {
        Ok(ended) => match ended.status {
            ExitStatus::Exited(0) if ended.stdout.text().trim().is_empty() => GitState::Clean,
            ExitStatus::Exited(0) => GitState::Uncommitted,
            ExitStatus::Exited(_)
            | ExitStatus::Signaled(_)
            | ExitStatus::TimedOut
            | ExitStatus::Stopped => GitState::NoRepository,
        },
        Err(_) => GitState::NotInstalled,
    }
}

fn status(process: &ProcessContext, env: Environment) -> Command {
    let words = [
        "git",
        "status",
        "--ignore-submodules=dirty",
        "--porcelain",
        "--",
        ".",
        ":(exclude).signoff",
    ];
    Command {
        argv: words.map(OsString::from).to_vec(),
        cwd: process.directory.clone(),
        env,
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: Some(Duration::from_secs(20)),
            output: 1024,
            log: 0,
        },
        log: None,
        policy: None,
        mounts: None,
    }
}

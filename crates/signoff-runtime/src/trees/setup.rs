//! What makes a new worktree usable: `[run] copy` and `[run] prepare`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_sandbox::Command;
use signoff_work::confine::Grounds;
use signoff_work::contract::Evaluation;

use super::copies::copy;

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
    /// Is there something in a new worktree that git does not know?
    pub(crate) fn changes_trees(&self) -> bool {
        !self.prepare.is_empty() || !self.copy.is_empty()
    }

    /// The commands, to be run one after another.
    pub(super) fn commands(&self, tree: &Path) -> Result<Vec<Command>, String> {
        let mut commands = Vec::new();
        for text in &self.prepare {
            let mut environment = self.environment.clone();
            let policy = match &self.grounds {
                None => None,
                Some(grounds) => {
                    std::fs::create_dir_all(&self.scratch)
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
        copy(&self.copy, from, to)
    }
}

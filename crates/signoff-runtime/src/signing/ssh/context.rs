//! The environment in which the programs that sign and verify run.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use signoff_sandbox::{InteractiveCommand, InteractiveOutput, StartError, Stdin};
use signoff_work::environment::path_outside;
use tempfile::TempDir;

use crate::error::KeyError;
use crate::project::Project;
use crate::signing::terminal::terminal;

/// Where the programs work, and with what.
pub(super) struct SshContext<'a> {
    pub(super) workspace: &'a Path,
    variables: Vec<(OsString, OsString)>,
    temporary: PathBuf,
}

impl<'a> SshContext<'a> {
    pub(super) fn of(project: &'a Project) -> Self {
        let workspace = project.store.workspace();
        let mut variables = project.process.variables.clone();
        // A fake `ssh-keygen` in the tree that agents write to would believe everything.
        let path = path_outside(&project.process.path(), workspace);
        variables.insert("PATH".into(), path);
        // Its input is not a terminal, so it would open a window to ask for the passphrase.
        if terminal().is_ok() {
            let ask = variables.entry("SSH_ASKPASS_REQUIRE".into());
            ask.or_insert_with(|| "never".into());
        }
        let temporary = variables.get(OsStr::new("TMPDIR"));
        let temporary = temporary.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        Self {
            workspace,
            temporary,
            variables: variables.into_iter().collect(),
        }
    }

    /// Runs a program of the person's to its end.
    pub(super) fn run(
        &self,
        argv: Vec<OsString>,
        input: Vec<u8>,
    ) -> Result<InteractiveOutput, KeyError> {
        let program = argv.first().cloned().unwrap_or_default();
        let attended = InteractiveCommand {
            argv,
            cwd: self.workspace,
            env: self.variables.clone(),
            stdin: Stdin::Bytes(input),
        };
        attended.run().map_err(|error| KeyError::Program {
            program: program.to_string_lossy().into_owned(),
            why: match error {
                StartError::NotFound { .. } => "it is not installed".to_owned(),
                other => other.to_string(),
            },
        })
    }

    /// A folder for files that are handed over; it vanishes with them.
    pub(super) fn folder(&self) -> Result<TempDir, KeyError> {
        let made = tempfile::Builder::new()
            .prefix("signoff-")
            .tempdir_in(&self.temporary);
        made.map_err(|why| KeyError::File(format!("{}: {why}", self.temporary.display())))
    }
}

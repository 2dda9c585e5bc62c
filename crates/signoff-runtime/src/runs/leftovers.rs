//! Ends and removes what a run of a dead process left.

use signoff_engine::Stage;
use signoff_plan::model::Work;
use signoff_sandbox::{ProcessIdentity, end_leftovers};
use signoff_store::FileError;
use signoff_store::runs::RunDir;
use signoff_work::beneath::remove_tree;
use signoff_work::confine::{AgentRequirements, LoginKeeper};

use super::opened_run::OpenedRun;
use crate::clock::Clock;
use crate::confinement::home;
use crate::error::Error;
use crate::project::Project;
use crate::project::directories::login_locks;

/// Ends what is left of an abandoned run.
pub(crate) fn end_leftovers_of(
    project: &Project,
    id: &str,
    clock: &dyn Clock,
) -> Result<(), Error> {
    OpenedRun::open(project, id, clock)?.end_leftovers()
}

impl OpenedRun<'_> {
    /// Ends the processes that a dead owner left, and removes their directories.
    pub(crate) fn end_leftovers(&self) -> Result<(), Error> {
        for (step, state) in self.state().steps() {
            let attempt = match state.stage {
                Stage::Working { attempt } | Stage::Evaluating { attempt } => attempt,
                Stage::Baselining => 0,
                Stage::Idle
                | Stage::NeedsBaseline
                | Stage::NeedsWork
                | Stage::NeedsEvaluation { .. }
                | Stage::Assembling { .. }
                | Stage::NeedsMerge { .. }
                | Stage::Merging { .. }
                | Stage::Expanded
                | Stage::Waiting { .. }
                | Stage::Held
                | Stage::NeedsModel { .. }
                | Stage::AskingModel { .. }
                | Stage::Provisional
                | Stage::Ended => continue,
                Stage::Rechecking => state.attempts,
            };
            let identity = state
                .attempt
                .process
                .as_ref()
                .map(|process| ProcessIdentity {
                    pid: process.pid,
                    starttime: process.starttime,
                    boot_id: process.boot_id.clone(),
                });
            end_leftovers(identity.as_ref(), &marker(&self.id, &step.id, attempt))
                .map_err(Error::Sandbox)?;
        }
        // Whatever else carries the run's name: contracts, and servers that earlier calls started.
        end_leftovers(None, &format!("{}/", self.id)).map_err(Error::Sandbox)?;
        self.write_back_logins();
        clear_leftovers(&self.dir)
    }

    /// Writes back the logins that agents renewed before their harness died, as far as possible.
    fn write_back_logins(&self) {
        let keeper = LoginKeeper::new(login_locks(self.project));
        for (step, state) in self.state().steps() {
            let Stage::Working { attempt } = state.stage else {
                continue;
            };
            let scratch = self.dir.scratch(&step.id, attempt, "agent");
            if !matches!(step.work, Work::Agent { .. }) {
                continue;
            }
            let role = (self.state().position(&step.id)).and_then(|at| self.state().role_of(at));
            let agent = self.project.config.agent_for_role(role);
            if let Some((_, agent)) = agent.filter(|_| scratch.is_dir()) {
                let needs = AgentRequirements::of_command(&agent.command);
                let needs = needs.with_login(&agent.login, &agent.env);
                let variables = &self.project.process.variables;
                let copies = home(self.project).renewed_copies(&scratch, &needs, variables);
                drop(keeper.keep(&copies));
            }
        }
    }
}

/// Removes what processes of the run left in its directory.
// They are not the harness's alone: the kernel leaves directories of mode 000 below an overlay, and an agent may take
// rights from what it made.
pub(crate) fn clear_leftovers(dir: &RunDir) -> Result<(), Error> {
    for path in dir.leftovers() {
        remove_tree(&path).map_err(|source| FileError {
            operation: "remove",
            path,
            source,
        })?;
    }
    Ok(())
}

/// The value of `SIGNOFF_INSIDE` in a run's processes.
pub(crate) fn marker(run: &str, step: &str, attempt: u32) -> String {
    format!("{run}/{step}/{attempt}")
}

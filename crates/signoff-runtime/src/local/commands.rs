//! Prepares what is to be started: prompts, agents' command lines, contracts.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_engine::{Run, StepState, WorkInput, WorkItem, WorkKind, WorkPayload};
use signoff_plan::digest::Digest;
use signoff_plan::model::{Contract, Step, Work};
use signoff_sandbox::Command;
use signoff_store::runs::RunDir;
use signoff_work::attachment::{SubscriptionRoots, read_all};
use signoff_work::confine::{Confined, LoginKeeper, RunPaths, VisibleTree};
use signoff_work::contract::Evaluation;
use signoff_work::prompt::{Conflict, Failure, Prompt};
use signoff_work::secrets::Secrets;
use signoff_work::tree::read_only_files;

use super::prompt_context::PromptContext;
use crate::clock::Clock;
use crate::confinement::Scratch;
use crate::error::Error;
use crate::project::Project;
use crate::trees::TreeMount;

/// Builds the commands of one run.
pub(super) struct CommandBuilder<'a> {
    pub(super) project: &'a Project,
    pub(super) dir: RunDir,
    /// Name of the plan in the store.
    pub(super) key: String,
    pub(super) clock: &'a dyn Clock,
    /// The environment of every contract.
    pub(super) contract_environment: Vec<(OsString, OsString)>,
    /// Values that must not reach a prompt.
    pub(super) secrets: Secrets,
    /// What processes are confined to, if they are.
    pub(super) run_paths: Option<RunPaths>,
    /// Writes back the logins that agents renew.
    pub(super) logins: LoginKeeper,
    /// Prompts written and not yet handed over, by step.
    pub(super) prompts: BTreeMap<usize, (String, PathBuf)>,
}

impl CommandBuilder<'_> {
    fn prompt(&self, run: &Run, at: usize, tree: &Path) -> Result<String, Error> {
        let (step, state) = require_step(run, at)?;
        let Work::Agent { task, .. } = &step.work else {
            return Err(broken_run(run, "a prompt for a step without an agent"));
        };
        let topics = self.project.store.topics_dir();
        let places = SubscriptionRoots {
            workspace: tree,
            topics: &topics,
        };
        let command = step
            .contract
            .as_ref()
            .map_or("", |contract| contract.command.as_str());
        // A prompt leaves the machine.
        let hide = |text: &str| self.secrets.hide(text).into_owned();
        let said = state.advice.failure.as_ref();
        let said = said.map(|failure| (hide(&failure.stdout), hide(&failure.stderr)));
        let failure = state.advice.failure.as_ref().zip(said.as_ref());
        let conflict = failure.and_then(|(failure, (text, _))| {
            let files = failure.conflict.as_deref()?;
            Some(Conflict { files, text })
        });
        let failure = failure.filter(|(failure, _)| failure.conflict.is_none());
        let failure = failure.map(|(failure, (stdout, stderr))| Failure {
            command,
            ended: failure.ended.to_string(),
            unmet: &failure.unmet,
            stdout,
            stderr,
        });
        let context = PromptContext::new(run, at, self.project.store.workspace());
        Ok(Prompt {
            task,
            attachments: &read_all(&step.subscriptions, places),
            acceptance: &step.acceptance,
            dialect_notes: context.dialect_notes(run, step),
            failure,
            conflict,
            hint: state.advice.hint.as_deref(),
        }
        .text())
    }

    /// Writes the prompt of the next attempt to disk and says what will be handed over.
    pub(super) fn work_item(
        &mut self,
        run: &Run,
        at: usize,
        attempt: u32,
        tree: &Path,
    ) -> Result<WorkItem, Error> {
        let prompt = self.prompt(run, at, tree)?;
        let (step, _) = require_step(run, at)?;
        let dir = self.dir.attempt(&step.id, attempt);
        dir.create()?;
        let path = dir.prompt();
        std::fs::write(&path, &prompt).map_err(|why| Error::Unreadable {
            path: path.clone(),
            why,
        })?;
        let item = self.build_item(step, run.role_of(at), &prompt);
        self.prompts.insert(at, (prompt, path));
        Ok(item)
    }

    fn build_item(&self, step: &Step, role: Option<&str>, prompt: &str) -> WorkItem {
        let agent_id = role.unwrap_or("default").to_owned();
        WorkItem {
            kind: if agent_id.contains("review") {
                WorkKind::Review
            } else {
                WorkKind::Code
            },
            agent_id,
            input: WorkInput {
                prompt: prompt_excerpt(prompt),
                prompt_sha256: Digest::of_bytes(prompt.as_bytes()).hex(),
            },
            payload: WorkPayload {
                subscriptions: step.subscriptions.iter().map(ToString::to_string).collect(),
                plan_id: self.key.clone(),
                step: step.number,
            },
        }
    }

    /// How long the work of a step may take.
    pub(super) fn time_limit(&self, run: &Run, at: usize) -> Result<Duration, Error> {
        let (step, _) = require_step(run, at)?;
        let configured = self.project.config.run.step_timeout.value;
        Ok(step.timeout.unwrap_or(configured))
    }

    pub(super) fn evaluation(
        &self,
        run: &Run,
        which: ContractRun,
        mount: Option<&TreeMount>,
    ) -> Result<(Command, Option<Scratch>), Error> {
        let ContractRun { step, attempt, .. } = which;
        let (step, state) = require_step(run, step)?;
        let contract: &Contract = step
            .contract
            .as_ref()
            .ok_or_else(|| broken_run(run, "an evaluation of a step without a contract"))?;
        let dir = self.dir.attempt(&step.id, attempt);
        let config = &self.project.config.contract;
        let mut environment = self.contract_environment.clone();
        environment.extend(item_variable(state));
        let contract_setup = mount.and_then(|mount| mount.contract_setup.as_ref());
        let (confined, scratch) = match (mount, contract_setup) {
            (Some(_), contract_setup) => (contract_setup.map(|found| found.confined.clone()), None),
            (None, _) => self.confine_contract(step, attempt)?.unzip(),
        };
        let policy = confined.map(|confined| confined.into_policy(&mut environment));
        let evaluation = Evaluation {
            command: &contract.command,
            shell: contract.shell.as_deref().unwrap_or(&config.shell.value),
            tree: self.project.store.workspace(),
            environment,
            marker: contract_marker(run.id(), &step.id, attempt),
            time: contract.timeout.unwrap_or(config.timeout.value) * which.patience,
            log: if which.is_baseline {
                dir.baseline_log()
            } else {
                dir.contract_log()
            },
        };
        let mut command = evaluation.into_command();
        command.policy = policy;
        command.mounts = contract_setup.and_then(|contract_setup| contract_setup.mounts.clone());
        Ok((command, scratch))
    }

    /// Confines a contract that runs in the checkout.
    fn confine_contract(
        &self,
        step: &Step,
        attempt: u32,
    ) -> Result<Option<(Confined, Scratch)>, Error> {
        let Some(run_paths) = &self.run_paths else {
            return Ok(None);
        };
        let scratch = Scratch::make(self.dir.scratch(&step.id, attempt, "contract"));
        let scratch = scratch.map_err(Error::Sandbox)?;
        let read_only = self.read_only(step, None, &[]);
        let shown = &VisibleTree::Checkout;
        let confined = run_paths.for_contract(scratch.path(), shown, &read_only);
        Ok(Some((confined.map_err(Error::Sandbox)?, scratch)))
    }

    /// Paths that the process may not change: files that the step protects, and those signed with the plan unless the step
    /// makes them.
    pub(super) fn read_only(
        &self,
        step: &Step,
        mount: Option<&TreeMount>,
        signed: &[String],
    ) -> Vec<PathBuf> {
        let checkout = self.project.store.workspace();
        let Some(mount) = mount else {
            let found = read_only_files(checkout, checkout, &step.protects, &[]);
            return found.into_iter().map(|file| checkout.join(file)).collect();
        };
        mount.read_only(&step.protects, signed, checkout)
    }
}

/// One run of a step's contract.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContractRun {
    pub(super) step: usize,
    pub(super) attempt: u32,
    /// Factor on its usual time limit.
    pub(super) patience: u32,
    /// It runs before the work, not after it.
    pub(super) is_baseline: bool,
}

/// The item of a loop reaches a contract's text as a variable, never by templating.
fn item_variable(state: &StepState) -> Option<(OsString, OsString)> {
    let item = &state.item.as_ref()?.value;
    Some(("SIGNOFF_ITEM".into(), item.to_string().into()))
}

/// As much of a prompt as an event holds; the whole is in the attempt's directory.
fn prompt_excerpt(prompt: &str) -> String {
    const LIMIT: usize = 8 * 1024;
    if prompt.len() <= LIMIT {
        return prompt.to_owned();
    }
    let mut end = LIMIT;
    while !prompt.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}[…]", &prompt[..end])
}

fn contract_marker(run: &str, step: &str, attempt: u32) -> String {
    format!("{run}/{step}/{attempt}/contract")
}

pub(super) fn require_step(run: &Run, at: usize) -> Result<(&Step, &StepState), Error> {
    run.step(at)
        .ok_or_else(|| broken_run(run, "an unknown step"))
}

pub(super) fn broken_run(run: &Run, why: &str) -> Error {
    Error::BrokenRun {
        run: run.id().to_owned(),
        why: why.to_owned(),
    }
}

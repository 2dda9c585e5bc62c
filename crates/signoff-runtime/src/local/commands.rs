//! Prepares what is to be started: prompts, agents' command lines, contracts.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_engine::{Run, StepState, WorkInput, WorkItem, WorkKind, WorkPayload, wall_left};
use signoff_plan::digest::Digest;
use signoff_plan::model::{Contract, Step, Work};
use signoff_sandbox::Command;
use signoff_store::config::{AgentSettings, Driver, PriceSettings};
use signoff_store::runs::RunDir;
use signoff_work::agent::{DriverKind, Invocation, LaunchOptions, Price, Prices};
use signoff_work::attachment::{SubscriptionRoots, read_all};
use signoff_work::confine::{AgentRequirements, Confined, LoginKeeper, RunPaths, VisibleTree};
use signoff_work::contract::Evaluation;
use signoff_work::environment::for_agent;
use signoff_work::prompt::{Conflict, Failure, Prompt};
use signoff_work::secrets::Secrets;
use signoff_work::tree::read_only_files;

use super::agent::{MonitorSetup, Sessions, Talk};
use super::prompt_context::PromptContext;
use crate::clock::Clock;
use crate::confinement::Scratch;
use crate::error::Error;
use crate::project::Project;
use crate::project::agents::agent_requirements;
use crate::runs::marker;
use crate::trees::TreeMount;
use crate::trust::helpers::pin_agent;

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
        let item = self.item(step, &prompt);
        self.prompts.insert(at, (prompt, path));
        Ok(item)
    }

    fn item(&self, step: &Step, prompt: &str) -> WorkItem {
        let role = match &step.work {
            Work::Agent { role, .. } => role.as_deref(),
            Work::Tool { .. } | Work::Ask { .. } | Work::Check => None,
        };
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

    pub(super) fn agent(
        &mut self,
        run: &Run,
        at: usize,
        attempt: u32,
        mount: Option<&TreeMount>,
        signed: &[String],
    ) -> Result<AgentCommand, Error> {
        let (step, _) = require_step(run, at)?;
        let agent = agent_settings(self.project, run, step)?;
        let prepared = self.prompts.remove(&at);
        let (prompt, mut prompt_file) =
            prepared.ok_or_else(|| broken_run(run, "a dispatch without a prompt"))?;
        let needs = agent_requirements(agent);
        let read_only = self.read_only(step, mount, signed);
        let confined = self.confine_agent(step, attempt, &needs, mount, &read_only)?;
        let (confined, scratch) = confined.unzip();
        let dir = self.dir.attempt(&step.id, attempt);
        let mut files = LaunchDirectory::Store(dir.path().to_owned());
        if let Some(scratch) = scratch.as_ref().filter(|_| mount.is_some()) {
            files = LaunchDirectory::Temporary(scratch.path().join("tmp"));
            prompt_file = files.write(PROMPT, prompt.as_bytes())?;
        }
        let driver = driver_kind(agent.driver);
        let sessions = Sessions::of(&self.dir, step, attempt, agent, &needs);
        let resumed = sessions.resume(scratch.as_ref());
        let options = LaunchOptions {
            command: &agent.command,
            prompt: &prompt,
            prompt_file: &prompt_file,
            workspace: self.project.store.workspace(),
            model: (run.plan().executor_model.as_deref()).or(agent.model.as_deref()),
            tools: step.tools.as_deref().or(run.plan().tools.as_deref()),
            confined: self.is_mounted(),
            resume: resumed.map(|session| session.id.as_str()),
        };
        let launch = driver.driver().launch(&options);
        for file in &launch.files {
            files.write(file.name, &file.bytes)?;
        }
        let setup = MonitorSetup {
            step: at,
            attempt,
            driver,
            model: options.model.map(str::to_owned),
            talk: Talk::new(driver, &options, resumed),
            prices: self.prices(),
            own_sandbox: launch.keeps_own_sandbox,
            progress: dir.progress(),
            secrets: self.secrets.clone(),
        };
        let variables = &self.project.process.variables;
        let shown = &self.project.config.sandbox.env.value;
        let mut environment = for_agent(variables, shown, needs.variables(variables));
        let policy = confined.map(|confined| confined.into_policy(&mut environment));
        let invocation = Invocation {
            launch,
            prompt: &prompt,
            workspace: self.project.store.workspace(),
            environment,
            marker: marker(run.id(), &step.id, attempt),
            time: self.agent_time(run, at)?,
            log: dir.agent_log(),
        };
        let mut command = invocation.into_command();
        let files = mount.map_or_else(|| self.project.store.workspace(), TreeMount::files);
        pin_agent(self.project, &agent.command, files, &mut command)?;
        command.policy = policy;
        Ok(AgentCommand {
            command,
            scratch,
            setup,
            sessions,
        })
    }

    /// How long an agent may work: what its step allows, and what the budget leaves.
    fn agent_time(&self, run: &Run, at: usize) -> Result<Duration, Error> {
        let limit = self.time_limit(run, at)?;
        let left = wall_left(run, at, self.clock.now()).map(Duration::from_millis);
        Ok(left.map_or(limit, |left| limit.min(left)))
    }

    /// Do mounts confine what is started? Then an agent needs no sandbox of its own, and could not make one.
    fn is_mounted(&self) -> bool {
        let paths = self.run_paths.as_ref();
        paths.is_some_and(|paths| paths.level.uses_mounts())
    }

    /// What tokens cost, for agents that do not say it.
    fn prices(&self) -> Prices {
        let configured = self.project.config.prices.iter();
        Prices::built_in().with(configured.map(|(model, price)| {
            let PriceSettings {
                input,
                output,
                cached,
                cache_write,
            } = price.value;
            let price = Price {
                input,
                output,
                cached,
                cache_write,
            };
            (model.clone(), price)
        }))
    }

    /// Confines an agent. `None` if processes are not confined.
    fn confine_agent(
        &self,
        step: &Step,
        attempt: u32,
        needs: &AgentRequirements,
        mount: Option<&TreeMount>,
        read_only: &[PathBuf],
    ) -> Result<Option<(Confined, Scratch)>, Error> {
        let Some(run_paths) = &self.run_paths else {
            return Ok(None);
        };
        let scratch = Scratch::make(self.dir.scratch(&step.id, attempt, "agent"));
        let mut scratch = scratch.map_err(Error::Sandbox)?;
        let variables = &self.project.process.variables;
        let shown = mount.map_or(&VisibleTree::Checkout, |mount| &mount.shown);
        let confined = run_paths
            .for_agent(scratch.path(), needs, shown, read_only, variables)
            .map_err(Error::Sandbox)?;
        scratch.keep_logins(self.logins.keep(confined.logins()));
        Ok(Some((confined, scratch)))
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
    fn read_only(&self, step: &Step, mount: Option<&TreeMount>, signed: &[String]) -> Vec<PathBuf> {
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
    /// How often its usual time it may take.
    pub(super) patience: u32,
    /// It runs before the work, not after it.
    pub(super) is_baseline: bool,
}

/// An agent to start, and to follow.
pub(super) struct AgentCommand {
    pub(super) command: Command,
    pub(super) scratch: Option<Scratch>,
    pub(super) setup: MonitorSetup,
    pub(super) sessions: Sessions,
}

/// The prompt's name in a temporary directory.
const PROMPT: &str = "signoff-prompt.md";

/// Where files for an agent are put, so that it can read them.
enum LaunchDirectory {
    /// The attempt's own directory, where nothing hides it.
    Store(PathBuf),
    /// The agent's temporary directory, which it finds elsewhere: it cannot see the store.
    Temporary(PathBuf),
}

impl LaunchDirectory {
    /// Writes a file, and returns where the agent finds it.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
        let (directory, seen) = match self {
            Self::Store(directory) => (directory, directory.as_path()),
            Self::Temporary(directory) => (directory, Path::new("/tmp")),
        };
        let path = directory.join(name);
        std::fs::write(&path, bytes).map_err(|why| Error::Unreadable { path, why })?;
        Ok(seen.join(name))
    }
}

/// Who does the work of a step.
fn agent_settings<'a>(
    project: &'a Project,
    run: &Run,
    step: &Step,
) -> Result<&'a AgentSettings, Error> {
    let Work::Agent { role, .. } = &step.work else {
        return Err(broken_run(run, "a dispatch of a step that is no agent's"));
    };
    let found = project.config.agent_for_role(role.as_deref());
    let (_, agent) = found.ok_or_else(|| {
        let role = role.as_deref().unwrap_or("default");
        Error::MissingPrograms(vec![format!("an agent for role `{role}`")])
    })?;
    Ok(agent)
}

/// The driver that a setting means.
pub(super) fn driver_kind(driver: Driver) -> DriverKind {
    match driver {
        Driver::Claude => DriverKind::Claude,
        Driver::Codex => DriverKind::Codex,
        Driver::Gemini => DriverKind::Gemini,
        Driver::Opencode => DriverKind::Opencode,
        Driver::Pi => DriverKind::Pi,
        Driver::Acp => DriverKind::Acp,
        Driver::Command => DriverKind::Command,
    }
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

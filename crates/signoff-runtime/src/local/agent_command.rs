//! Prepares agents: what they are started with, what confines them, how they are followed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_engine::{Run, wall_left};
use signoff_plan::model::{Step, Work};
use signoff_plan::tools::scope;
use signoff_sandbox::Command;
use signoff_store::config::{AgentSettings, DriverName, PriceSettings};
use signoff_work::agent::{DriverKind, Invocation, LaunchGuard, LaunchOptions, Price, Prices};
use signoff_work::confine::{AgentRequirements, Confined, VisibleTree};
use signoff_work::environment::for_agent;

use super::agent::{AgentChannel, Denials, MonitorSetup, Questions, Sessions};
use super::agent_files::{AgentFiles, guard_hook};
use super::commands::{CommandBuilder, broken_run, require_step};
use crate::confinement::Scratch;
use crate::error::Error;
use crate::project::Project;
use crate::project::agents::agent_requirements;
use crate::runs::marker;
use crate::trees::TreeMount;
use crate::trust::helpers::pin_agent;

/// An agent to start, and to follow.
pub(super) struct AgentCommand {
    pub(super) command: Command,
    pub(super) scratch: Option<Scratch>,
    pub(super) setup: MonitorSetup,
    pub(super) sessions: Sessions,
    pub(super) files: AgentFiles,
}

impl CommandBuilder<'_> {
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
        let (mut confined, scratch) = confined.unzip();
        let dir = self.dir.attempt(&step.id, attempt);
        if let Some(scratch) = scratch.as_ref().filter(|_| mount.is_some()) {
            prompt_file = show_prompt(scratch, &prompt)?;
        }
        let driver = driver_kind(agent.driver);
        let tools = scope(run.plan(), step);
        let files = self.agent_files(run, step, attempt, scratch.as_ref(), mount.is_some())?;
        if let (Some(confined), Some(paths)) = (&mut confined, &self.run_paths) {
            files.show(confined, paths);
        }
        let hook = guard_hook(driver, &files);
        let servers = files.servers();
        let sessions = Sessions::of(&self.dir, step, attempt, agent, &needs);
        let resumed = sessions.resume(scratch.as_ref());
        let options = LaunchOptions {
            command: &agent.command,
            prompt: &prompt,
            prompt_file: &prompt_file,
            workspace: self.project.store.workspace(),
            model: (run.plan().executor_model.as_deref()).or(agent.model.as_deref()),
            tools,
            confined: self.is_mounted(),
            resume: resumed.map(|session| session.id.as_str()),
            guard: tools.map(|_| LaunchGuard {
                hook: hook.as_deref().unwrap_or_default(),
                servers: &servers,
                directory: files.path_for_agent(),
            }),
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
            talk: AgentChannel::new(driver, &options, resumed),
            questions: Questions::default(),
            denials: Denials::in_file(files.denials_path()),
            prices: prices(self.project),
            own_sandbox: launch.keeps_own_sandbox,
            progress: dir.progress(),
            secrets: self.secrets.clone(),
        };
        let variables = &self.project.process.variables;
        let shown = &self.project.config.sandbox.env.value;
        let mut environment = for_agent(variables, shown, needs.variables(variables));
        environment.extend(files.variables());
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
        let workspace = mount.map_or_else(|| self.project.store.workspace(), TreeMount::files);
        pin_agent(self.project, &agent.command, workspace, &mut command)?;
        command.policy = policy;
        Ok(AgentCommand {
            command,
            scratch,
            setup,
            sessions,
            files,
        })
    }

    /// How long an agent may work: what its step allows, and what the budget leaves.
    fn agent_time(&self, run: &Run, at: usize) -> Result<Duration, Error> {
        let limit = self.time_limit(run, at)?;
        let left = wall_left(run, at, self.clock.now()).map(Duration::from_millis);
        Ok(left.map_or(limit, |left| limit.min(left)))
    }

    /// Do mounts confine what is started? Then an agent needs no sandbox of its own, and could not make one.
    pub(super) fn is_mounted(&self) -> bool {
        let paths = self.run_paths.as_ref();
        paths.is_some_and(|paths| paths.level.uses_mounts())
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
}

/// The prompt's name in a temporary directory.
pub(super) const PROMPT: &str = "signoff-prompt.md";

/// Puts the prompt into the agent's temporary directory, because it cannot see the store, and returns where it finds it.
fn show_prompt(scratch: &Scratch, prompt: &str) -> Result<PathBuf, Error> {
    let path = scratch.path().join("tmp").join(PROMPT);
    std::fs::write(&path, prompt).map_err(|why| Error::Unreadable { path, why })?;
    Ok(Path::new("/tmp").join(PROMPT))
}

/// Which role does the work of a step.
fn agent_settings<'a>(
    project: &'a Project,
    run: &Run,
    step: &Step,
) -> Result<&'a AgentSettings, Error> {
    if !matches!(step.work, Work::Agent { .. }) {
        return Err(broken_run(run, "a dispatch of a step that is no agent's"));
    }
    let role = run.position(&step.id).and_then(|at| run.role_of(at));
    let found = project.config.agent_for_role(role);
    let (_, agent) = found.ok_or_else(|| {
        let role = role.unwrap_or("default");
        Error::MissingPrograms(vec![format!("an agent for role `{role}`")])
    })?;
    Ok(agent)
}

/// What tokens cost, for agents that do not say it.
pub(crate) fn prices(project: &Project) -> Prices {
    let configured = project.config.prices.iter();
    Prices::built_in().with_overrides(configured.map(|(model, price)| {
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

/// The driver that a setting means.
pub(super) fn driver_kind(driver: DriverName) -> DriverKind {
    match driver {
        DriverName::Claude => DriverKind::Claude,
        DriverName::Codex => DriverKind::Codex,
        DriverName::Gemini => DriverKind::Gemini,
        DriverName::Opencode => DriverKind::Opencode,
        DriverName::Pi => DriverKind::Pi,
        DriverName::Acp => DriverKind::Acp,
        DriverName::Command => DriverKind::Command,
    }
}

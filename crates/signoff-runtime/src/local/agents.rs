//! Starts agents, and records what they change.

use std::sync::Arc;
use std::sync::mpsc::channel;

use signoff_api::progress::AgentProgress;
use signoff_engine::{
    Choice, FinishedWork, InboxItem, InboxKind, Input, LiveUsage, Run, agents_over_budget,
};
use signoff_plan::model::Step;
use signoff_plan::tools::scope;
use signoff_work::git::ImportLimits;

use super::agent::{AgentHandle, AgentMonitor, EndReason, MonitorSetup};
use super::agent_command::AgentCommand;
use super::agent_files::{AgentFiles, plain_names};
use super::agent_servers::{AgentServers, CallDesk, CallDeskSetup};
use super::attempt_tree::AttemptTree;
use super::calls::CallTree;
use super::commands::{broken_run, require_step};
use super::commits::{newest_base, work_context, work_context_from};
use super::message::Message;
use super::shared_checkout::StepAttempts;
use super::{LocalPerformer, RunIsolation};
use crate::confinement::Scratch;
use crate::drive::{ActiveAgent, Readiness, WakeReason};
use crate::error::Error;
use crate::runs::marker;
use crate::trees::TreeMount;

/// An agent at work.
pub(super) struct WorkingAgent {
    handle: AgentHandle,
    /// Its tool servers, if its scope has any.
    pub(super) servers: Option<AgentServers>,
    usage: LiveUsage,
    /// What it reported last.
    pub(super) progress: Option<AgentProgress>,
}

impl WorkingAgent {
    fn new(handle: AgentHandle, servers: Option<AgentServers>) -> Self {
        Self {
            handle,
            servers,
            usage: LiveUsage::default(),
            progress: None,
        }
    }
}

impl LocalPerformer<'_> {
    /// Ends the step's agent, if one is at work.
    pub(crate) fn end_agent(&mut self, step: usize) {
        if let Some(agent) = self.agents.remove(&step) {
            agent.handle.end(EndReason::Stopped);
        }
    }
}

impl WorkingAgent {
    /// Refuses what it asks.
    pub(super) fn deny(&self, item: &str) {
        self.handle.on_journaled(item);
        self.handle.answer(item, false);
    }
}

impl LocalPerformer<'_> {
    /// Records what an agent has used, and ends the agents that have thereby reached a limit.
    pub(super) fn note_active(&mut self, run: &Run, active: &ActiveAgent) {
        let Some(agent) = self.agents.get_mut(&active.step) else {
            return;
        };
        agent.usage = active.usage;
        agent.progress = Some(active.progress.clone());
        let agents = self.agents.iter();
        let live = agents.map(|(step, agent)| (*step, agent.usage)).collect();
        for over in agents_over_budget(run, &live) {
            if let Some(agent) = self.agents.get(&over.step) {
                agent.handle.end(EndReason::OverBudget);
            }
        }
    }

    /// An agent's question became the newest item of its step.
    pub(super) fn note_question(&mut self, run: &Run, step: usize) {
        let Some(agent) = self.agents.get(&step) else {
            return;
        };
        let is_new = |item: &&InboxItem| {
            item.kind == InboxKind::Permission
                && item.step == step
                && !agent.handle.has_open(&item.id)
        };
        if let Some(item) = run.items().find(is_new) {
            agent.handle.on_journaled(&item.id);
        }
    }

    /// Tells a person's answer to the agent that asked, if one did.
    pub(super) fn pass_on_answer(&self, item: &str, choice: Choice) {
        for agent in self.agents.values() {
            agent.handle.answer(item, choice == Choice::Allow);
        }
    }

    /// Gathers what the journal has to know of an agent before it starts.
    pub(super) fn prepare_dispatch(
        &mut self,
        run: &Run,
        step: usize,
        attempt: u32,
    ) -> Result<Readiness, Error> {
        let quotes = |step: &Step| !step.subscriptions.is_empty();
        let quotes = run.definition(step).is_some_and(quotes);
        let base = match self.trees() {
            Some(trees) => newest_base(trees, run, step)?,
            None => None,
        };
        let files = match self.trees() {
            // The quoted files have to exist before the journal names the prompt.
            Some(trees) if quotes => {
                let began = work_context_from(trees, run, step, attempt, base.clone())?.began;
                // If it is missing, starting the agent reports it.
                trees.files(&began).ok()
            }
            Some(_) | None => None,
        };
        let checkout = self.commands.project.store.workspace();
        let path = files.as_ref().map_or(checkout, |files| files.path());
        let item = self.commands.work_item(run, step, attempt, path)?;
        Ok(Readiness::Go(Input::WorkBegins {
            step,
            attempt,
            item,
            base: base.map(|base| base.to_string()),
        }))
    }

    /// Starts an agent, held at its gate until the journal knows its process.
    pub(super) fn dispatch(
        &mut self,
        run: &Run,
        step: usize,
        attempt: u32,
        mount: Option<Box<TreeMount>>,
    ) -> Result<(), Error> {
        let signed = self.watch.signed_files();
        let tree = mount.as_deref();
        let AgentCommand {
            command,
            scratch,
            setup,
            sessions,
            files,
        } = self.commands.agent(run, step, attempt, tree, &signed)?;
        let servers = self.agent_servers(run, step, attempt, &files, &setup)?;
        let monitor = AgentMonitor::new(setup, self.sender.clone());
        let working = WorkingAgent::new(monitor.handle(), servers);
        self.agents.insert(step, working);
        let (release, released) = channel();
        self.gates.insert(step, release);
        let sender = self.sender.clone();
        let (definition, _) = require_step(run, step)?;
        let kept = self
            .commands
            .dir
            .attempt(&definition.id, attempt)
            .repository();
        let before = self.work_begins(run, step, attempt, mount)?;
        let own = self.isolation.git().cloned();
        self.supervisor.start_agent(
            command,
            monitor,
            move || Ok((before()?, scratch)),
            move |process| {
                let held = Input::ProcessHeld {
                    step,
                    attempt,
                    process,
                };
                let held = Message::Happened(WakeReason::Input(held));
                sender.send(held).is_ok() && released.recv().is_ok()
            },
            move |before, seen, ending| {
                let changes = before.map(|(worked, scratch)| {
                    sessions.keep(scratch.as_ref());
                    let from = worked.repository(scratch.as_ref().map(Scratch::path));
                    if let (Some(own), Some(from)) = (own, from) {
                        // Commits and stashes of an agent may hold work that is nowhere else.
                        own.import_repository(&from, &kept, ImportLimits::default())
                            .ok();
                    }
                    worked.end()
                });
                let (ended, text, report) = ending.map_or((None, None, None), |ending| {
                    (ending.ended, ending.text, Some(ending.report))
                });
                Input::WorkEnded {
                    step,
                    attempt,
                    work: FinishedWork {
                        ended: ended.unwrap_or(seen.ended),
                        text: text.unwrap_or(seen.stdout),
                        changes: changes.unwrap_or_default(),
                        report,
                    },
                }
            },
        );
        Ok(())
    }

    /// Opens the tool servers that an agent's scope names.
    fn agent_servers(
        &self,
        run: &Run,
        step: usize,
        attempt: u32,
        files: &AgentFiles,
        setup: &MonitorSetup,
    ) -> Result<Option<AgentServers>, Error> {
        if files.sockets().is_empty() {
            return Ok(None);
        }
        let (definition, _) = require_step(run, step)?;
        let scope = scope(run.plan(), definition).unwrap_or_default();
        let dir = self.commands.dir.attempt(&definition.id, attempt);
        let tree = match self.trees() {
            Some(trees) => Some(CallTree {
                trees: Arc::clone(trees),
                work: work_context(trees, run, step, attempt)?,
                starter: self.supervisor.mount_starter(),
            }),
            None => None,
        };
        let desk = CallDesk::new(CallDeskSetup {
            step,
            attempt,
            scope: plain_names(scope),
            toolbox: self.calls.toolbox(),
            stop: self.calls.stop_flag(),
            timeout: self.commands.time_limit(run, step)?,
            marker: marker(run.id(), &definition.id, attempt),
            log: dir.tool_log(),
            tree,
            questions: setup.questions.clone(),
            denials: setup.denials.clone(),
            secrets: self.commands.secrets.clone(),
            sender: self.sender.clone(),
        });
        let servers = AgentServers::open(files.sockets(), desk).map_err(Error::Sandbox)?;
        Ok(Some(servers))
    }

    /// A call of an agent is journaled: it may be made.
    pub(super) fn release_agent_call(&self, step: usize, number: u32) {
        let servers = self
            .agents
            .get(&step)
            .and_then(|agent| agent.servers.as_ref());
        if let Some(servers) = servers {
            servers.on_journaled(number);
        }
    }

    /// Records the state right before an agent begins.
    fn work_begins(
        &self,
        run: &Run,
        step: usize,
        attempt: u32,
        mount: Option<Box<TreeMount>>,
    ) -> Result<impl FnOnce() -> Result<AttemptTree, String> + Send + 'static, Error> {
        let (definition, state) = require_step(run, step)?;
        let globs = definition.protects.clone();
        let attempts = StepAttempts::of(&self.commands.dir, definition, state);
        let in_tree = match (&self.isolation, mount) {
            (RunIsolation::Trees(trees), Some(mount)) => {
                let work = work_context(trees, run, step, attempt)?;
                Ok((Arc::clone(trees), mount, Box::new(work)))
            }
            (RunIsolation::Checkout(own), _) => Err(self.shared_checkout(own.as_ref())),
            (RunIsolation::Trees(_), None) => {
                return Err(broken_run(run, "an agent without a tree"));
            }
        };
        Ok(move || match in_tree {
            Ok((trees, mount, work)) => Ok(AttemptTree::Tree(trees, mount, work)),
            Err(checkout) => checkout
                .record_checkout(globs, attempts)
                .map(|before| AttemptTree::Checkout(Box::new(before))),
        })
    }
}

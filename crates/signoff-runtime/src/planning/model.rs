//! The model is the agent that the person has: it is asked for a text, in the sandbox, and changes nothing.

use signoff_llm::{Complete, CompleteError, Completion, REPLY_BYTES, Usage};
use signoff_sandbox::Level;
use signoff_store::config::{AgentSettings, Driver, SandboxMode};

use crate::error::{Error, PlanningError};
use crate::local::{AgentQuestion, AgentSpending, AskError, QuestionStop, ask};
use crate::project::Project;
use crate::project::sandbox_level::level;

/// Bytes of an answer that are kept: a little more than is read, so that a longer one is known to be.
const KEPT: u64 = 2 * REPLY_BYTES as u64;

/// The agent that plans.
#[derive(Debug, Clone, Copy)]
pub struct PlanningAgent<'a> {
    /// The role that was found.
    pub role: &'a str,
    /// Its agent.
    pub settings: &'a AgentSettings,
    /// The sandbox keeps it from changing anything.
    pub is_confined: bool,
}

/// The agent of this role; without one that of `[llm] agent`, else of the role `planner`. A role without an agent of its
/// own has that of `default`, as in plans.
pub fn planning_agent<'a>(
    project: &'a Project,
    role: Option<&str>,
) -> Result<PlanningAgent<'a>, Error> {
    let config = &project.config;
    let wanted = role.or(config.llm.agent.value.as_deref());
    let wanted = wanted.unwrap_or("planner");
    // A name that a person gives is one that exists; only names in plans and settings fall back to `default`.
    let is_known = |name: &str| config.agents.contains_key(name) || Driver::of_name(name).is_some();
    let is_asked_for = role.is_none_or(is_known);
    let found = config.agent_for_role(Some(wanted)).filter(|_| is_asked_for);
    let (role, settings) = found.ok_or_else(|| PlanningError::NoAgent {
        role: wanted.to_owned(),
        known: config.agents.keys().cloned().collect(),
    })?;
    let is_off = config.sandbox.mode.value == SandboxMode::Off;
    Ok(PlanningAgent {
        role,
        settings,
        is_confined: !is_off && level(project)? > Level::None,
    })
}

/// An agent as a model.
pub(super) struct AgentModel<'a> {
    project: &'a Project,
    agent: &'a PlanningAgent<'a>,
    stop: QuestionStop,
    /// Why it could not even be started.
    pub(super) failure: Option<Error>,
}

impl<'a> AgentModel<'a> {
    pub(super) fn new(
        project: &'a Project,
        agent: &'a PlanningAgent<'a>,
        stop: QuestionStop,
    ) -> Self {
        Self {
            project,
            agent,
            stop,
            failure: None,
        }
    }

    fn usage(&self, spent: AgentSpending) -> Usage {
        Usage {
            model: spent.model.or_else(|| self.agent.settings.model.clone()),
            tokens: spent.tokens,
            usd_e6: spent.usd_e6,
        }
    }
}

impl Complete for AgentModel<'_> {
    fn complete(&mut self, prompt: &str) -> Result<Completion, CompleteError> {
        // A prompt leaves the machine.
        let prompt = self.project.secrets().hide(prompt).into_owned();
        let settings = &self.project.config.llm;
        let question = AgentQuestion {
            project: self.project,
            agent: self.agent.settings,
            prompt: &prompt,
            timeout: settings.timeout.value,
            idle_timeout: settings.idle_timeout.value,
            output: KEPT,
        };
        let (message, spent) = match ask(&question, &self.stop) {
            Ok(answer) => {
                return Ok(Completion {
                    text: answer.text,
                    cut_from: answer.cut_from,
                    usage: self.usage(answer.spent),
                });
            }
            Err(AskError::NoAnswer { why, spent }) => (why, *spent),
            Err(AskError::NotStarted(error)) => {
                self.failure = Some(error);
                (
                    "the agent could not be started".to_owned(),
                    AgentSpending::default(),
                )
            }
            Err(AskError::Stopped) => {
                self.failure = Some(PlanningError::Stopped.into());
                ("it was stopped".to_owned(), AgentSpending::default())
            }
        };
        let usage = self.usage(spent);
        Err(CompleteError { message, usage })
    }
}

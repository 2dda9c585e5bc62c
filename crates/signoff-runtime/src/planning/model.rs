//! Whom the project asks: a model for each purpose, behind one type. It is the agent that the person has, which is asked
//! for a text, in the sandbox, and changes nothing.

use signoff_llm::{Complete, CompleteError, Completion, REPLY_BYTES, Usage};
use signoff_sandbox::Level;
use signoff_store::config::{AgentSettings, SandboxMode};

use crate::confinement;
use crate::error::{Error, PlanningError};
use crate::local::{AgentQuestion, AgentSpending, AskError, QuestionStop, ask};
use crate::project::Project;
use crate::project::sandbox_level::level;

/// Bytes of an answer that are kept: a little more than is read, so that a longer one is known to be.
const KEPT: u64 = 2 * REPLY_BYTES as u64;

/// What a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelPurpose {
    /// Plans, and changes of plans.
    Planner,
    /// Who does a step.
    Arbiter,
}

/// A model of the project. Asking it needs the project's trust, see [`Model::choose`].
#[derive(Debug)]
pub struct Model<'a> {
    project: &'a Project,
    role: &'a str,
    settings: &'a AgentSettings,
    /// The sandbox keeps it from changing anything.
    is_confined: bool,
    stop: QuestionStop,
    failure: Option<Error>,
}

impl<'a> Model<'a> {
    /// The planner: the agent of this role; without one that of `[llm] agent`, else of the role `planner`. A role without
    /// an agent of its own has that of `default`, as in plans.
    pub fn planner(
        project: &'a Project,
        role: Option<&str>,
        stop: QuestionStop,
    ) -> Result<Self, Error> {
        let wanted = role.or(project.config.llm.agent.value.as_deref());
        Self::of_role(project, wanted.unwrap_or("planner"), stop)
    }

    /// The model that the configuration names for a purpose. There is always a planner; the others only where they are
    /// configured.
    pub fn choose(
        project: &'a Project,
        purpose: ModelPurpose,
        stop: QuestionStop,
    ) -> Result<Option<Self>, Error> {
        let role = match purpose {
            ModelPurpose::Planner => return Self::planner(project, None, stop).map(Some),
            ModelPurpose::Arbiter => &project.config.llm.arbiter.value,
        };
        let role = role.as_deref();
        role.map(|role| Self::of_role(project, role, stop))
            .transpose()
    }

    fn of_role(project: &'a Project, wanted: &str, stop: QuestionStop) -> Result<Self, Error> {
        // The agent's command may be the project's.
        project.require_trust()?;
        confinement::require(project)?;
        let config = &project.config;
        let found = config.agent_for_role(Some(wanted));
        let (role, settings) = found.ok_or_else(|| PlanningError::NoAgent {
            role: wanted.to_owned(),
            known: config.agents.keys().cloned().collect(),
        })?;
        let is_off = config.sandbox.mode.value == SandboxMode::Off;
        Ok(Self {
            project,
            role,
            settings,
            is_confined: !is_off && level(project)? > Level::None,
            stop,
            failure: None,
        })
    }

    /// Its name: the role whose agent it is.
    pub fn name(&self) -> &str {
        self.role
    }

    /// Who it is and what it can do, as a clause to show.
    pub fn description(&self) -> String {
        let rights = if self.is_confined {
            "which can only read"
        } else {
            "which nothing confines here"
        };
        let driver = self.settings.driver.name();
        format!("`{}` ({driver}), {rights}", self.role)
    }

    /// Why the last question was not even asked, if it was not: it could not be started, or was stopped.
    pub fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }

    fn usage(&self, spent: AgentSpending) -> Usage {
        Usage {
            model: spent.model.or_else(|| self.settings.model.clone()),
            tokens: spent.tokens,
            usd_e6: spent.usd_e6,
        }
    }
}

impl Complete for Model<'_> {
    fn complete(&mut self, prompt: &str) -> Result<Completion, CompleteError> {
        // A prompt leaves the machine.
        let prompt = self.project.secrets().hide(prompt).into_owned();
        let settings = &self.project.config.llm;
        let question = AgentQuestion {
            project: self.project,
            agent: self.settings,
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

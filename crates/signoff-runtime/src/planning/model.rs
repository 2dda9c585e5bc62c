//! The models of a project, one for each purpose, behind one type: the person's agent, which writes a text in the
//! sandbox and changes nothing, or a provider's model, which sees only the prompt.

use signoff_llm::{Complete, CompleteError, Completion, REPLY_BYTES, Truncation, Usage};
use signoff_sandbox::Level;
use signoff_store::config::{AgentSettings, ModelProvider, SandboxMode};

use super::provider::{HttpModel, provider_model};
use crate::confinement;
use crate::error::{Error, PlanningError};
use crate::local::{AgentQuestion, AgentSpending, AskError, QuestionStop, ask};
use crate::project::agents::PLANNER;
use crate::project::sandbox_level::level;
use crate::project::{Project, require_role};

/// Bytes of an answer that are kept: a little more than are read, so that a longer answer is recognised.
const KEPT: u64 = 2 * REPLY_BYTES as u64;

/// What a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelPurpose {
    /// Plans, and changes of plans.
    Planner,
    /// What is wrong with a draft.
    Critic,
    /// Who does a step.
    Arbiter,
}

/// How a setting names a model of the provider instead of a role.
const OF_PROVIDER: &str = "model:";

/// A model of the project.
#[derive(Debug)]
pub struct Model<'a> {
    project: &'a Project,
    source: ModelSource<'a>,
    failure: Option<Error>,
}

#[derive(Debug)]
enum ModelSource<'a> {
    Agent(AgentModel<'a>),
    Provider(Box<HttpModel>),
}

#[derive(Debug)]
struct AgentModel<'a> {
    role: &'a str,
    settings: &'a AgentSettings,
    /// The sandbox keeps it from changing anything.
    is_confined: bool,
    stop: QuestionStop,
}

impl<'a> Model<'a> {
    /// The planner: the agent of this role; without one that of `[llm] agent`, else the provider's model, else the agent of
    /// the role `planner`. A role without an agent of its own has that of `default`, as in plans.
    pub fn planner(
        project: &'a Project,
        role: Option<&str>,
        stop: QuestionStop,
    ) -> Result<Self, Error> {
        let settings = &project.config.llm;
        if let Some(name) = role {
            require_role(project, name)?;
        }
        let role = role.or(settings.agent.value.as_deref());
        match (role, settings.provider.value) {
            (None, Some(provider)) => Self::of_provider(project, provider, None, stop),
            (role, _) => Self::of_role(project, role.unwrap_or(PLANNER), stop),
        }
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
            ModelPurpose::Critic => &project.config.llm.critic.value,
            ModelPurpose::Arbiter => &project.config.llm.arbiter.value,
        };
        let Some(role) = role.as_deref() else {
            return Ok(None);
        };
        let model = role.strip_prefix(OF_PROVIDER);
        match (model, project.config.llm.provider.value) {
            (Some(model), Some(provider)) => {
                Self::of_provider(project, provider, Some(model), stop).map(Some)
            }
            _ => Self::of_role(project, role, stop).map(Some),
        }
    }

    /// The agent of this role, as a plan names it.
    pub(crate) fn of_reviewer(
        project: &'a Project,
        role: &str,
        stop: QuestionStop,
    ) -> Result<Self, Error> {
        Self::of_role(project, role, stop)
    }

    fn of_provider(
        project: &'a Project,
        provider: ModelProvider,
        model: Option<&str>,
        stop: QuestionStop,
    ) -> Result<Self, Error> {
        let model = provider_model(project, provider, model, stop)?;
        Ok(Self {
            project,
            source: ModelSource::Provider(Box::new(model)),
            failure: None,
        })
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
        let agent = AgentModel {
            role,
            settings,
            is_confined: !is_off && level(project)? > Level::None,
            stop,
        };
        Ok(Self {
            project,
            source: ModelSource::Agent(agent),
            failure: None,
        })
    }

    /// Its name: the role whose agent it is, or the provider.
    pub fn name(&self) -> &str {
        match &self.source {
            ModelSource::Agent(agent) => agent.role,
            ModelSource::Provider(model) => model.provider.name(),
        }
    }

    /// Who it is and what it can do, as a clause to show.
    pub fn description(&self) -> String {
        match &self.source {
            ModelSource::Agent(agent) => agent.description(),
            ModelSource::Provider(model) => {
                let (name, provider) = (&model.model, model.provider.name());
                format!("`{name}` ({provider}), which sees only the prompt")
            }
        }
    }

    /// Has the person stopped it?
    pub fn is_stopped(&self) -> bool {
        match &self.source {
            ModelSource::Agent(agent) => agent.stop.is_stopped(),
            ModelSource::Provider(model) => model.transport.is_stopped(),
        }
    }

    /// Why the last question was not asked, if it was not: its process could not start, or was stopped.
    pub fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }
}

impl Complete for Model<'_> {
    fn complete(&mut self, prompt: &str) -> Result<Completion, CompleteError> {
        // A prompt leaves the machine.
        let prompt = self.project.secrets().hide(prompt).into_owned();
        match &mut self.source {
            ModelSource::Agent(agent) => agent.complete(self.project, &prompt, &mut self.failure),
            ModelSource::Provider(model) => {
                let answer = model.complete(&prompt);
                if model.transport.is_stopped() {
                    self.failure = Some(PlanningError::Stopped.into());
                }
                answer
            }
        }
    }
}

impl AgentModel<'_> {
    fn description(&self) -> String {
        let rights = if self.is_confined {
            "which can only read"
        } else {
            "which nothing confines here"
        };
        let driver = self.settings.driver.name();
        format!("`{}` ({driver}), {rights}", self.role)
    }

    fn complete(
        &self,
        project: &Project,
        prompt: &str,
        failure: &mut Option<Error>,
    ) -> Result<Completion, CompleteError> {
        let limits = &project.config.llm;
        let question = AgentQuestion {
            project,
            agent: self.settings,
            prompt,
            timeout: limits.timeout.value,
            idle_timeout: limits.idle_timeout.value,
            output: KEPT,
        };
        let (message, spent) = match ask(&question, &self.stop) {
            Ok(answer) => {
                return Ok(Completion {
                    text: answer.text,
                    cut: answer.cut_from.map(|bytes| Truncation::TooLarge { bytes }),
                    usage: self.usage(answer.spent),
                });
            }
            Err(AskError::NoAnswer { why, spent }) => (why, *spent),
            Err(AskError::NotStarted(error)) => {
                *failure = Some(error);
                let message = "the agent could not be started".to_owned();
                (message, AgentSpending::default())
            }
            Err(AskError::Stopped) => {
                *failure = Some(PlanningError::Stopped.into());
                ("it was stopped".to_owned(), AgentSpending::default())
            }
        };
        let usage = self.usage(spent);
        Err(CompleteError { message, usage })
    }

    fn usage(&self, spent: AgentSpending) -> Usage {
        Usage {
            model: spent.model.or_else(|| self.settings.model.clone()),
            tokens: spent.tokens,
            usd_e6: spent.usd_e6,
        }
    }
}

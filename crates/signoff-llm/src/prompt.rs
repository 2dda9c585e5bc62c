//! Prompts: templates with a documented context, which a project can replace.

use std::collections::BTreeMap;
use std::fmt;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};
use serde::Serialize;
use signoff_plan::dialect::Dialect;

use crate::context::PlanningContext;
use crate::data::{DataKey, inline};
use crate::objections::Objection;

/// Instructions that a template may take: far more than lists of tools and files need.
const FUEL: u64 = 10_000_000;

/// A prompt, or a part that prompts share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PromptName {
    /// Asks for a plan in the native dialect.
    Workunit,
    /// Asks for a plan of tool calls.
    Toolplan,
    /// Asks for a record.
    Record,
    /// What is known of the project: `context` in the others.
    Context,
    /// What is wrong with the last answer; follows the first prompt.
    Again,
    /// Asks for JSON of a schema; follows a question.
    Typed,
    /// Why a plan under way is to be replaced; follows the first prompt.
    Replan,
    /// Which templated steps to write out; follows the first prompt.
    Expand,
    /// How a step that failed goes on.
    Recovery,
    /// Who does a step.
    Arbiter,
    /// Asks what is wrong with a draft.
    Critic,
    /// Asks what a planner has to know of the person before it plans.
    Interview,
    /// Asks for the contracts that a plan lacks.
    Contracts,
    /// Asks what is wrong with the work of a step.
    Reviewer,
}

impl PromptName {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Workunit,
        Self::Toolplan,
        Self::Record,
        Self::Context,
        Self::Again,
        Self::Typed,
        Self::Replan,
        Self::Expand,
        Self::Recovery,
        Self::Arbiter,
        Self::Critic,
        Self::Interview,
        Self::Contracts,
        Self::Reviewer,
    ];

    /// The name of its file.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Workunit => "plan-workunit.md",
            Self::Toolplan => "plan-toolplan.md",
            Self::Record => "plan-record.md",
            Self::Context => "plan-context.md",
            Self::Again => "plan-again.md",
            Self::Typed => "reply-typed.md",
            Self::Replan => "replan.md",
            Self::Expand => "expand.md",
            Self::Recovery => "recovery.md",
            Self::Arbiter => "arbiter.md",
            Self::Critic => "critic.md",
            Self::Interview => "interview.md",
            Self::Contracts => "contracts.md",
            Self::Reviewer => "reviewer.md",
        }
    }

    /// The prompt as it is built in.
    pub const fn built_in(self) -> &'static str {
        match self {
            Self::Workunit => include_str!("prompts/plan-workunit.md"),
            Self::Toolplan => include_str!("prompts/plan-toolplan.md"),
            Self::Record => include_str!("prompts/plan-record.md"),
            Self::Context => include_str!("prompts/plan-context.md"),
            Self::Again => include_str!("prompts/plan-again.md"),
            Self::Typed => include_str!("prompts/reply-typed.md"),
            Self::Replan => include_str!("prompts/replan.md"),
            Self::Expand => include_str!("prompts/expand.md"),
            Self::Recovery => include_str!("prompts/recovery.md"),
            Self::Arbiter => include_str!("prompts/arbiter.md"),
            Self::Critic => include_str!("prompts/critic.md"),
            Self::Interview => include_str!("prompts/interview.md"),
            Self::Contracts => include_str!("prompts/contracts.md"),
            Self::Reviewer => include_str!("prompts/reviewer.md"),
        }
    }

    /// The prompt that asks for a plan of this dialect, if planners write it.
    pub const fn of_dialect(dialect: Dialect) -> Option<Self> {
        match dialect {
            Dialect::Workunit => Some(Self::Workunit),
            Dialect::Toolplan => Some(Self::Toolplan),
            Dialect::Record => Some(Self::Record),
            Dialect::Thread | Dialect::Proposal => None,
        }
    }
}

/// The prompts of a project.
#[derive(Debug, Clone, Default)]
pub struct Prompts {
    replaced: BTreeMap<PromptName, String>,
}

/// Why a template makes no prompt. Displayed as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptError {
    /// The file that is wrong.
    pub file: String,
    /// Why.
    pub why: String,
}

impl fmt::Display for PromptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the prompt `{}` cannot be used: {}", self.file, self.why)
    }
}

impl std::error::Error for PromptError {}

/// An answer that has to be improved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastAnswer<'a> {
    pub(crate) text: &'a str,
    pub(crate) objections: &'a [Objection],
}

impl Prompts {
    /// The built-in prompts, with these in place of some.
    pub fn with_replacements(replaced: BTreeMap<PromptName, String>) -> Self {
        Self { replaced }
    }

    /// The first prompt for a plan.
    pub fn first_prompt(&self, context: &PlanningContext) -> Result<String, PromptError> {
        self.render(context, None)
    }

    /// The same, followed by what is wrong with the last answer: a model knows nothing of earlier prompts.
    pub(crate) fn retry_prompt(
        &self,
        context: &PlanningContext,
        last: LastAnswer<'_>,
    ) -> Result<String, PromptError> {
        self.render(context, Some(last))
    }

    /// A prompt with these values. None of them can end the data that it stands in.
    pub fn fill(&self, name: PromptName, values: &impl Serialize) -> Result<String, PromptError> {
        let json = serde_json::to_string(values).map_err(|error| PromptError {
            file: name.file().to_owned(),
            why: error.to_string(),
        })?;
        let key = DataKey::absent_from(&[&json]);
        let environment = self.environment(&key)?;
        fill(&environment, name, Value::from(Serde(values)))
    }

    /// A question of this name about a task: `context` is what is known of the project.
    pub fn question_prompt(
        &self,
        name: PromptName,
        context: &PlanningContext,
    ) -> Result<String, PromptError> {
        let json = serde_json::to_string(context).map_err(|error| PromptError {
            file: name.file().to_owned(),
            why: error.to_string(),
        })?;
        let environment = self.environment(&DataKey::absent_from(&[&json]))?;
        let values = Value::from(Serde(context));
        let data = fill(&environment, PromptName::Context, values.clone())?;
        fill(&environment, name, context! { context => data, ..values })
    }

    /// The template that is in force.
    pub fn template(&self, name: PromptName) -> &str {
        self.replaced
            .get(&name)
            .map_or(name.built_in(), String::as_str)
    }

    fn render(
        &self,
        context: &PlanningContext,
        last: Option<LastAnswer<'_>>,
    ) -> Result<String, PromptError> {
        let name = PromptName::of_dialect(context.dialect).ok_or_else(|| PromptError {
            file: format!("plan-{}.md", context.dialect),
            why: "planners do not write this dialect".to_owned(),
        })?;
        let json = serde_json::to_string(context).map_err(|error| PromptError {
            file: name.file().to_owned(),
            why: error.to_string(),
        })?;
        let objections = last.map_or(&[][..], |last| last.objections).iter();
        let problems: Vec<String> = objections.map(|problem| format!("- {problem}")).collect();
        let problems = problems.join("\n");
        let answer = last.map_or("", |last| last.text);
        let key = DataKey::absent_from(&[&json, answer, &problems]);
        let environment = self.environment(&key)?;
        let values = Value::from(Serde(context));
        let data = fill(&environment, PromptName::Context, values.clone())?;
        let values = context! { context => data, ..values };
        let mut prompt = fill(&environment, name, values)?;
        if let Some(replan) = &context.replan {
            prompt.push('\n');
            prompt.push_str(&fill(
                &environment,
                PromptName::Replan,
                Value::from(Serde(replan)),
            )?);
        }
        if let Some(expansion) = &context.expansion {
            let values = Value::from(Serde(expansion));
            prompt.push('\n');
            prompt.push_str(&fill(&environment, PromptName::Expand, values)?);
        }
        if last.is_some() {
            let values = context! { answer, problems };
            prompt.push('\n');
            prompt.push_str(&fill(&environment, PromptName::Again, values)?);
        }
        Ok(prompt)
    }

    fn environment(&self, key: &DataKey) -> Result<Environment<'_>, PromptError> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build();
        let syntax = syntax.map_err(|error| prompt_error("prompts", &error))?;
        environment.set_syntax(syntax);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        environment.add_global("delimiter", key.tag());
        let key = key.clone();
        environment.add_filter("inline", |name: &str| inline(name));
        environment.add_function("data", move |name: &str, text: &str| key.wrap(name, text));
        for name in PromptName::ALL {
            let added = environment.add_template(name.file(), self.template(name));
            added.map_err(|error| prompt_error(name.file(), &error))?;
        }
        Ok(environment)
    }
}

fn fill(
    environment: &Environment<'_>,
    name: PromptName,
    values: Value,
) -> Result<String, PromptError> {
    let template = environment.get_template(name.file());
    let text = template.and_then(|template| template.render(values));
    text.map_err(|error| {
        let file = error.name().unwrap_or(name.file()).to_owned();
        prompt_error(&file, &error)
    })
}

fn prompt_error(file: &str, error: &minijinja::Error) -> PromptError {
    let place = error.line().map(|line| format!("line {line}: "));
    let detail = error
        .detail()
        .map_or_else(|| error.kind().to_string(), str::to_owned);
    PromptError {
        file: file.to_owned(),
        why: format!("{}{detail}", place.unwrap_or_default()),
    }
}

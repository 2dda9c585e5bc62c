//! What a planner is told.

use serde::Serialize;
use serde_json::Value;
use signoff_plan::dialect::Dialect;

/// Everything that a planner is told. The templates name these fields; `docs/planning.md` describes them.
#[derive(Debug, Clone, Serialize)]
pub struct PlanningContext {
    /// What a person asks for.
    pub task: String,
    /// The dialect of the plan to write.
    #[serde(serialize_with = "dialect_name")]
    pub dialect: Dialect,
    /// Files of the project, one per line; directories that are not listed in full with the number of their files.
    pub files: String,
    /// Languages of the project, the most frequent first.
    pub languages: Vec<String>,
    /// Commands that run the project's tests.
    pub test_commands: Vec<String>,
    /// Tools that a plan can call.
    pub tools: Vec<ToolDescription>,
    /// Roles that have an agent.
    pub roles: Vec<String>,
    /// Notes that steps can subscribe to.
    pub topics: Vec<String>,
    /// What the plan must keep to.
    pub constraints: Vec<String>,
    /// Notes about earlier work.
    pub memories: Vec<Memory>,
    /// Files that matter for the task, with their contents.
    pub existing_code: Vec<Memory>,
    /// Plans that a person rejected, with the reasons.
    pub rejected: Vec<RejectedPlan>,
    /// What the person was asked before, and what they answered.
    pub answers: Vec<InterviewAnswer>,
    /// Steps that lack a contract, if contracts are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_contracts: Option<OpenContracts>,
    /// The plan that is to be replaced, if one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replan: Option<ReplanContext>,
    /// The plan whose templated steps are to be written out, if that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expansion: Option<ExpansionContext>,
    /// The plan that is to be changed, if it is not a new one.
    pub revision: Option<RevisedPlan>,
}

impl PlanningContext {
    /// Is it about a plan that exists, and not about a new one?
    pub(crate) fn is_of_a_known_plan(&self) -> bool {
        self.replan.is_some() || self.revision.is_some() || self.expansion.is_some()
    }
}

/// Why a plan under way is to be replaced, and what must stay.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ReplanContext {
    /// The whole text of the plan.
    pub plan: String,
    /// The step that the new version is about.
    pub step: String,
    /// Why: what failed, or what a person says.
    pub error: String,
    /// What was found out meanwhile.
    pub discoveries: Vec<String>,
    /// Steps that are finished, with how that is known.
    pub finished: Vec<FinishedStep>,
}

/// A plan with steps that stand for others, and what those follow from.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ExpansionContext {
    /// The whole text of the plan.
    pub plan: String,
    /// Headings of the steps to write out, without the `###`.
    pub templates: Vec<String>,
    /// What earlier steps produced.
    pub files: Vec<Memory>,
    /// How many steps may take the place of all of them.
    pub most: u64,
}

/// A step that is finished and stays as it is.
#[derive(Debug, Clone, Serialize)]
pub struct FinishedStep {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// How it is known to be done: the grade, and what it changed.
    pub evidence: String,
}

/// A question that the planner asked before it planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InterviewAnswer {
    /// What it asked.
    pub question: String,
    /// What the person answered.
    pub answer: String,
}

/// A plan whose steps lack contracts.
#[derive(Debug, Clone, Serialize)]
pub struct OpenContracts {
    /// The whole text of the plan.
    pub plan: String,
    /// Ids of the steps that lack one.
    pub steps: Vec<String>,
}

/// A plan that is to be changed.
#[derive(Debug, Clone, Serialize)]
pub struct RevisedPlan {
    /// As it is now.
    pub text: String,
    /// What people said when they rejected it, oldest first.
    pub feedback: Vec<String>,
    /// What was said about it or a step and is still open, oldest first.
    pub comments: Vec<String>,
    /// The only step that may change.
    pub step: Option<String>,
}

/// A tool that a plan can call.
#[derive(Debug, Clone, Serialize)]
pub struct ToolDescription {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Whether a person is asked before each call.
    pub asks: bool,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// A text with its name.
#[derive(Debug, Clone, Serialize)]
pub struct Memory {
    /// Where it comes from.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A plan that a person rejected.
#[derive(Debug, Clone, Serialize)]
pub struct RejectedPlan {
    /// Its title.
    pub title: String,
    /// What the person said, oldest first.
    pub feedback: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn dialect_name<S: serde::Serializer>(dialect: &Dialect, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(dialect.as_str())
}

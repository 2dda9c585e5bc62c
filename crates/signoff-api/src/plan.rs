//! `signoff.plan/1`: a plan as `show --format json` prints it. Absent optional fields are `null` or
//! `[]`, never missing.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signoff_plan::model::{self, RetriedFailures};
use signoff_plan::tools::plan_demands;

use crate::approval::ApprovalStatus;
use crate::comments::Comment;
use crate::plan_log::PlanningTask;

pub const SCHEMA: &str = "signoff.plan/1";

/// A resolved plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub schema: String,
    pub dialect: String,
    pub id: Option<String>,
    pub title: Option<String>,
    pub task: Option<String>,
    pub context: Option<String>,
    /// State derived from signatures and journals, not the word in the file.
    pub status: String,
    pub version: Option<u64>,
    pub owner: Option<String>,
    /// Id of the plan that this one replaces.
    pub previous: Option<String>,
    pub priority: Option<String>,
    pub digest: String,
    /// Digest of the terms; `null` without a store.
    pub terms: Option<String>,
    /// Whose signatures it needs; `null` where one of whomever is enough.
    #[serde(default)]
    pub approval: Option<ApprovalStatus>,
    /// Whose signatures count, of those that the settings let count, as the plan says itself.
    #[serde(default)]
    pub approval_required_from: Vec<String>,
    pub budget: Budget,
    pub tools: Option<Vec<String>>,
    pub constraints: Vec<String>,
    pub risks: Vec<String>,
    pub params: BTreeMap<String, Value>,
    pub executor_model: Option<String>,
    /// Whose prompts agents get: `task`, `record`, `thread` or `proposal`; `null` without agents.
    pub briefing: Option<String>,
    /// What it asks for beyond work that its contracts judge, a clause each: tools without a question, weaker rules.
    #[serde(default)]
    pub asks_for: Vec<String>,
    /// Oldest first.
    pub rejections: Vec<Rejection>,
    /// Oldest first; those that are resolved too.
    #[serde(default)]
    pub comments: Vec<Comment>,
    /// Which models were asked for its text or about it, oldest first.
    #[serde(default)]
    pub planning: Vec<Planning>,
    /// What is kept about the plan and decides nothing, by name: `artifacts`, `task_id`, `estimated_duration`, `created_at`, `created_by`, `planner_model`, `complexity`, `tags`, …
    pub metadata: BTreeMap<String, Value>,
    pub steps: Vec<Step>,
}

/// A person's feedback on a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rejection {
    pub version: Option<u64>,
    pub feedback: Option<String>,
}

/// A model that was asked for a plan, or about one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Planning {
    pub at: String,
    pub task: PlanningTask,
    /// A role or a provider.
    pub by: String,
    /// `null` = it did not say.
    pub model: Option<String>,
    pub rounds: u32,
    /// `null` = not counted.
    pub tokens: Option<u64>,
    /// Millionths of a dollar; `null` = unknown.
    pub usd_e6: Option<u64>,
}

/// Limits; `null` is unlimited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    pub tokens: Option<u64>,
    pub usd: Option<f64>,
    pub wall_s: Option<f64>,
    pub agents: Option<u64>,
}

/// One step with its definition resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub id: String,
    pub number: usize,
    pub title: String,
    pub status: String,
    /// Every step it waits for. In a plan whose steps would name more than half a million, those that
    /// wait for all before them name only what does not follow from the rest.
    pub depends_on: Vec<String>,
    pub work: Work,
    pub hint: Option<Hint>,
    pub contract: Option<Contract>,
    pub on_fail: OnFail,
    pub subscriptions: Vec<String>,
    pub produces: Vec<String>,
    pub protects: Vec<String>,
    pub tools: Option<Vec<String>>,
    pub approval: bool,
    /// When a run stops at this step and asks a person, as far as that is known before it runs: `before it deletes …`.
    #[serde(default)]
    pub asks: Vec<String>,
    pub when: Option<String>,
    pub for_each: Option<String>,
    pub max_items: Option<u64>,
    pub timeout_s: Option<f64>,
    pub budget: Option<Budget>,
    pub isolation: Option<String>,
    pub critical: bool,
    pub locks: Vec<String>,
    /// Role of the model that reads the agent's work when it is done, and advises.
    #[serde(default)]
    pub reviewer: Option<String>,
    pub acceptance: Vec<String>,
    pub subtasks: Vec<String>,
    pub instructions: Option<String>,
    pub result: Option<Value>,
}

/// What is done in a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Work {
    Agent {
        role: Option<String>,
        task: String,
    },
    Tool {
        tool: String,
        args: Value,
    },
    Ask {
        question: String,
        choices: Vec<String>,
    },
    Check,
}

/// Plan mode's tool hint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hint {
    pub tool: Option<String>,
    pub operation: Option<String>,
    pub target: Option<String>,
}

/// The command that decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    pub command: String,
    pub shell: String,
    pub expect: Vec<String>,
    pub timeout_s: Option<f64>,
    pub baseline: bool,
    /// `allowed` or `forbidden`.
    pub fewer_tests: String,
    /// `always` or `once`.
    pub holds: String,
}

/// What happens when the contract does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnFail {
    pub retries: u32,
    /// `every` failure is retried, or only `transient` ones of a call.
    pub failures: String,
    pub then: String,
}

/// What the model alone does not know.
#[derive(Debug, Clone, Default)]
pub struct PlanContext<'a> {
    pub dialect: &'a str,
    pub status: &'a str,
    pub digest: String,
    pub terms: Option<String>,
    pub approval: Option<ApprovalStatus>,
    /// What the store knows of rejections; those that only the file has are shown too.
    pub rejections: Vec<Rejection>,
    pub comments: Vec<Comment>,
    pub planning: Vec<Planning>,
    /// The shell of contracts that name none.
    pub shell: &'a str,
    /// Status of each step, in plan order; missing ones are `pending`.
    pub step_statuses: Vec<&'static str>,
    /// When a run stops at each step and asks a person; missing ones do not.
    pub asks: Vec<Vec<String>>,
}

impl Plan {
    pub fn new(plan: &model::Plan, context: &PlanContext<'_>) -> Self {
        let too_many = plan.has_too_many_names();
        let steps = plan.steps.iter().enumerate().map(|(at, step)| {
            let status = context.step_statuses.get(at).copied().unwrap_or("pending");
            let depends_on = if too_many {
                plan.nearest_dependency_ids(at).map(str::to_owned).collect()
            } else {
                plan.dependency_ids(at).map(str::to_owned).collect()
            };
            let asks = context.asks.get(at).cloned().unwrap_or_default();
            Step {
                asks,
                ..Step::new(step, depends_on, status, context.shell)
            }
        });
        Self {
            schema: SCHEMA.to_owned(),
            dialect: context.dialect.to_owned(),
            id: plan.id.clone(),
            title: Some(plan.display_title().to_owned()),
            task: plan.task.clone(),
            context: plan.context.clone(),
            status: context.status.to_owned(),
            version: plan.version,
            owner: plan.owner.clone(),
            previous: plan.previous.clone(),
            priority: plan.priority.clone(),
            digest: context.digest.clone(),
            terms: context.terms.clone(),
            approval: context.approval.clone(),
            approval_required_from: plan.approval_required_from.clone(),
            budget: Budget::from(&plan.budget),
            tools: plan.tools.clone(),
            constraints: plan.constraints.clone(),
            risks: plan.risks.clone(),
            params: plan.params.clone(),
            executor_model: plan.executor_model.clone(),
            briefing: plan.briefing.clone(),
            asks_for: plan_demands(plan),
            rejections: all_rejections(plan, &context.rejections),
            comments: context.comments.clone(),
            planning: context.planning.clone(),
            metadata: metadata(plan),
            steps: steps.collect(),
        }
    }
}

/// The rejections of a plan, each once: those that its file keeps, then those that only the store knows
/// (because the dialect has no place for them, or nothing was said).
pub fn all_rejections(plan: &model::Plan, known: &[Rejection]) -> Vec<Rejection> {
    let mut all = rejections_in_file(plan);
    let mut unmatched: Vec<Option<String>> = all.iter().map(feedback_text).collect();
    for rejection in known {
        let said = feedback_text(rejection);
        match unmatched.iter().position(|other| *other == said) {
            Some(at) => drop(unmatched.swap_remove(at)),
            None => all.push(rejection.clone()),
        }
    }
    all
}

/// What was said, however the file wraps it.
fn feedback_text(rejection: &Rejection) -> Option<String> {
    let words = rejection.feedback.as_deref()?.split_whitespace();
    Some(words.collect::<Vec<_>>().join(" "))
}

/// The rejections that the file keeps.
fn rejections_in_file(plan: &model::Plan) -> Vec<Rejection> {
    let kept = plan.record.get("rejections").and_then(Value::as_array);
    let rejection = |one: &Value| Rejection {
        version: one.get("version").and_then(Value::as_u64),
        feedback: one
            .get("feedback")
            .and_then(Value::as_str)
            .map(str::to_owned),
    };
    kept.into_iter().flatten().map(rejection).collect()
}

fn metadata(plan: &model::Plan) -> BTreeMap<String, Value> {
    let mut kept = plan.record.clone();
    kept.remove("rejections");
    kept
}

impl From<&model::Budget> for Budget {
    fn from(budget: &model::Budget) -> Self {
        Self {
            tokens: budget.tokens,
            usd: budget.usd_e4.map(dollars),
            wall_s: budget.wall.map(|wall| wall.as_secs_f64()),
            agents: budget.agents,
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "no budget reaches 2^53 hundredths of a cent"
)]
fn dollars(hundredths_of_cents: u64) -> f64 {
    hundredths_of_cents as f64 / 10_000.0
}

impl Step {
    fn new(step: &model::Step, depends_on: Vec<String>, status: &str, shell: &str) -> Self {
        Self {
            id: step.id.clone(),
            number: step.number,
            title: step.title.clone(),
            status: status.to_owned(),
            depends_on,
            work: Work::from(&step.work),
            hint: step.hint.as_ref().map(Hint::from),
            contract: step
                .contract
                .as_ref()
                .map(|contract| Contract::new(contract, shell)),
            on_fail: OnFail {
                retries: step.on_fail.retries,
                failures: match step.on_fail.failures {
                    RetriedFailures::Every => "every".to_owned(),
                    RetriedFailures::Transient => "transient".to_owned(),
                },
                then: step.on_fail.then.name().to_owned(),
            },
            subscriptions: step.subscriptions.iter().map(ToString::to_string).collect(),
            produces: step.produces.clone(),
            protects: step.protects.clone(),
            tools: step.tools.clone(),
            approval: step.approval,
            asks: Vec::new(),
            when: step.when.clone(),
            for_each: step.for_each.clone(),
            max_items: step.max_items,
            timeout_s: step.timeout.map(|timeout| timeout.as_secs_f64()),
            budget: (!step.budget.is_empty()).then(|| Budget::from(&step.budget)),
            isolation: step.isolation.clone(),
            critical: step.critical,
            locks: step.locks.clone(),
            reviewer: step.reviewer.clone(),
            acceptance: step.acceptance.clone(),
            subtasks: step.subtasks.clone(),
            instructions: step.instructions.clone(),
            result: step.record.get("result").cloned(),
        }
    }
}

impl From<&model::Work> for Work {
    fn from(work: &model::Work) -> Self {
        match work {
            model::Work::Agent { role, task } => Self::Agent {
                role: role.clone(),
                task: task.clone(),
            },
            model::Work::Tool { tool, args } => Self::Tool {
                tool: tool.clone(),
                args: args.clone(),
            },
            model::Work::Ask { question, choices } => Self::Ask {
                question: question.clone(),
                choices: choices.clone(),
            },
            model::Work::Check => Self::Check,
        }
    }
}

impl From<&model::Hint> for Hint {
    fn from(hint: &model::Hint) -> Self {
        Self {
            tool: hint.tool.clone(),
            operation: hint.operation.clone(),
            target: hint.target.clone(),
        }
    }
}

impl Contract {
    fn new(contract: &model::Contract, shell: &str) -> Self {
        Self {
            command: contract.command.clone(),
            shell: contract.shell.clone().unwrap_or_else(|| shell.to_owned()),
            expect: contract.expect.iter().map(ToString::to_string).collect(),
            timeout_s: contract.timeout.map(|timeout| timeout.as_secs_f64()),
            baseline: contract.baseline,
            fewer_tests: if contract.fewer_tests_allowed {
                "allowed"
            } else {
                "forbidden"
            }
            .to_owned(),
            holds: if contract.holds_once {
                "once"
            } else {
                "always"
            }
            .to_owned(),
        }
    }
}

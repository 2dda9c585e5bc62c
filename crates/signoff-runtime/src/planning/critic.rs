//! A second model reads a draft before the person does. Its objections stand beside the steps, in the plan's log: they
//! decide nothing, and nothing is changed by them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use signoff_api::comments::Comment;
use signoff_api::plan_log::{CommentKind, ObjectionSeverity, PlanningTask};
use signoff_llm::{PromptName, Usage};

use super::model::Model;
use super::spending::{ModelRequest, record_planning};
use super::{ask_model, prompts};
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::{ActorContext, NewComment, comment};

/// More than a person reads.
const MOST: usize = 20;

/// What a critic says.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Critique {
    /// At most 20, the weightiest first.
    objections: Vec<CriticObjection>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CriticObjection {
    /// Id of a step, or null for the plan.
    step: Option<String>,
    severity: ObjectionSeverity,
    /// What is wrong, and what to write instead.
    text: String,
}

/// What a critic said about a plan.
#[derive(Debug, Clone)]
pub struct CritiqueReport {
    /// Its objections.
    pub objections: Vec<Comment>,
    /// What it used.
    pub usage: Usage,
}

/// Asks the critic about a plan, and puts its objections into the plan's log.
pub fn criticize(
    context: ActorContext<'_>,
    critic: &mut Model<'_>,
    plan: &PlanFile,
    task: &str,
) -> Result<CritiqueReport, Error> {
    let project = context.project;
    let steps = plan.checked.plan.steps.iter();
    let steps: Vec<&str> = steps.map(|step| step.id.as_str()).collect();
    let values = json!({"task": task, "plan": plan.source.text(), "steps": steps});
    let question = prompts(project)?.fill(PromptName::Critic, &values)?;
    let mut check = |critique: &Critique| problems(critique, &steps);
    let reply = ask_model(project, critic, &question, &mut check)?;
    let asked = ModelRequest {
        task: PlanningTask::Critique,
        by: critic.name(),
        rounds: reply.rounds,
        usage: &reply.usage,
    };
    record_planning(context, plan, asked)?;
    let by = format!("critic {}", critic.name());
    let objections = reply.value.objections.into_iter();
    let new: Vec<NewComment> = objections
        .map(|one| NewComment {
            step: one.step,
            text: one.text,
            kind: CommentKind::Objection,
            severity: Some(one.severity),
            by: Some(by.clone()),
        })
        .collect();
    let mut objections = if new.is_empty() {
        Vec::new()
    } else {
        comment(context, &plan.path, plan.source.name(), &new)?
            .comments
            .comments
    };
    let earlier = objections.len() - new.len();
    Ok(CritiqueReport {
        objections: objections.split_off(earlier),
        usage: reply.usage,
    })
}

fn problems(critique: &Critique, steps: &[&str]) -> Vec<String> {
    let objections = &critique.objections;
    let mut problems = Vec::new();
    if objections.len() > MOST {
        let found = objections.len();
        problems.push(format!("{found} objections are more than {MOST}"));
    }
    for (index, one) in objections.iter().enumerate() {
        if one.text.trim().is_empty() {
            problems.push(format!("`objections[{index}].text` says nothing"));
        }
        let step = one.step.as_deref();
        if let Some(step) = step.filter(|step| !steps.contains(step)) {
            problems.push(format!("`objections[{index}].step`: there is no `{step}`"));
        }
    }
    problems
}

//! Asks a step's reviewer what there is to say about the work of its agent. Whatever it says is advice: the contract has
//! decided already.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use signoff_engine::{ModelAnswer, Remark, RemarkSeverity, Run};
use signoff_llm::PromptName;
use signoff_plan::model::{Contract, Step, Work};

use super::Advice;
use crate::error::Error;
use crate::planning::{Model, ask_model, prompts};
use crate::project::Project;
use crate::trees::work_patch;

/// More than a person reads.
const MOST: usize = 20;
/// Bytes of a remark.
const LONGEST: usize = 2000;
/// Bytes of the changes that a reviewer is shown, and of what the agent said.
const PATCH_BYTES: usize = 128 * 1024;
const SAID_BYTES: usize = 8 * 1024;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Review {
    /// At most 20, the weightiest first.
    remarks: Vec<ReviewRemark>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReviewRemark {
    /// The file that it is about, or null.
    file: Option<String>,
    severity: Severity,
    /// What to look at, and why.
    text: String,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Severity {
    Minor,
    Major,
    Blocking,
}

pub(super) fn advice(
    project: &Project,
    run: &Run,
    step: usize,
    model: &mut Model<'_>,
) -> Result<Advice, Error> {
    let question = question(project, run, step)?;
    let reply = ask_model(project, model, &question, &mut problems)?;
    let remarks = reply.value.remarks.into_iter().map(to_remark).collect();
    Ok(Advice {
        answer: ModelAnswer::Review(remarks),
        usage: reply.usage,
    })
}

fn to_remark(said: ReviewRemark) -> Remark {
    Remark {
        file: said.file.filter(|file| !file.trim().is_empty()),
        severity: match said.severity {
            Severity::Minor => RemarkSeverity::Minor,
            Severity::Major => RemarkSeverity::Major,
            Severity::Blocking => RemarkSeverity::Blocking,
        },
        text: said.text.trim().to_owned(),
    }
}

fn problems(review: &Review) -> Vec<String> {
    let remarks = &review.remarks;
    let mut problems = Vec::new();
    if remarks.len() > MOST {
        let found = remarks.len();
        problems.push(format!("{found} remarks are more than {MOST}"));
    }
    for (index, one) in remarks.iter().enumerate() {
        if one.text.trim().is_empty() {
            problems.push(format!("`remarks[{index}].text` says nothing"));
        }
        let file = one.file.as_deref().unwrap_or_default();
        if one.text.len() + file.len() > LONGEST {
            problems.push(format!("`remarks[{index}]` is longer than {LONGEST} bytes"));
        }
    }
    problems
}

fn question(project: &Project, run: &Run, at: usize) -> Result<String, Error> {
    let Some((step, state)) = run.step(at) else {
        return Ok(String::new());
    };
    let Work::Agent { task, .. } = &step.work else {
        return Ok(String::new());
    };
    let patch = work_patch(project, run, &step.id, state.attempts);
    let values = json!({
        "task": task,
        "acceptance": step.acceptance,
        "contract": contract_text(step),
        "said": beginning(state.history.said.as_deref().unwrap_or_default(), SAID_BYTES),
        "files": state.changes.files.clone().unwrap_or_default(),
        "patch": beginning(patch.as_deref().unwrap_or_default(), PATCH_BYTES),
    });
    Ok(prompts(project)?.fill(PromptName::Reviewer, &values)?)
}

fn contract_text(step: &Step) -> String {
    let Some(Contract {
        command, expect, ..
    }) = &step.contract
    else {
        return "none: a person accepted the step".to_owned();
    };
    let conditions: Vec<String> = expect.iter().map(ToString::to_string).collect();
    format!("{command}\n{}", conditions.join("\n"))
}

fn beginning(text: &str, bytes: usize) -> String {
    let end = text.floor_char_boundary(bytes);
    let mut shown = text.get(..end).unwrap_or_default().to_owned();
    if end < text.len() {
        shown.push_str("\n[… the rest is left out …]\n");
    }
    shown
}

//! Asks a model which role does a step that names none and that several roles fit.

use serde_json::json;
use signoff_engine::{
    Failure, ModelAnswer, Outcome, RoleDecision, Run, StepState, StepStatus, fitting_roles,
};
use signoff_llm::PromptName;

use super::{Advice, ERROR_BYTES, tail};
use crate::error::Error;
use crate::planning::{Model, ask_model, prompts, request_of};
use crate::project::Project;

pub(super) fn advice(
    project: &Project,
    run: &Run,
    step: usize,
    model: &mut Model<'_>,
) -> Result<Advice, Error> {
    let question = arbiter_prompt(project, run, step)?;
    let roles = fitting_roles(run, step);
    let mut check = |decision: &RoleDecision| match decision {
        RoleDecision::Select { role, .. } if !roles.contains(&role.as_str()) => {
            vec![format!("`{role}` is none of `{}`", roles.join("`, `"))]
        }
        RoleDecision::Select { .. }
        | RoleDecision::Continue { .. }
        | RoleDecision::Complete { .. }
        | RoleDecision::Retry { .. } => Vec::new(),
    };
    let reply = ask_model(project, model, &question, &mut check)?;
    Ok(Advice {
        answer: ModelAnswer::Role(reply.value),
        usage: reply.usage,
    })
}

/// The context of an arbiter now: before the first step that is not done.
pub fn next_arbiter_prompt(project: &Project, run: &Run) -> Result<String, Error> {
    let is_open = |at: &usize| run.step(*at).is_some_and(|(_, state)| !state.satisfies);
    let next = run.order().find(is_open);
    arbiter_prompt(project, run, next.unwrap_or(run.plan().steps.len()))
}

/// The context of an arbiter before this step, without the values of secrets.
fn arbiter_prompt(project: &Project, run: &Run, at: usize) -> Result<String, Error> {
    let plan = run.plan();
    let step = run.step(at);
    let titled = |number: usize, title: &str| format!("Step {number}: {title}");
    let named: Vec<_> = run
        .steps()
        .filter(|(_, state)| state.item.is_none())
        .collect();
    let remaining = named.iter().filter(|(other, state)| {
        let is_open = matches!(state.status, StepStatus::Pending | StepStatus::Ready);
        is_open && step.is_none_or(|(step, _)| step.id != other.id)
    });
    let history = named.iter().filter(|(_, state)| state.attempts > 0);
    let history = history.map(|(step, state)| {
        let agent = state.usage.agent.as_deref().unwrap_or("the harness");
        let title = titled(step.number, &step.title);
        format!("{title} by {agent}: {}", progress(state))
    });
    let failure = step.and_then(|(_, state)| state.advice.failure.as_ref());
    let values = json!({
        "task": request_of(plan),
        "status": status(run),
        "done": run.done_steps(),
        "total": plan.steps.len(),
        "step": step.map(|(step, _)| titled(step.number, &step.title)).unwrap_or_default(),
        "suggested": run.role_of(at).unwrap_or("any"),
        "acceptance": step.map(|(step, _)| list_lines(&step.acceptance)).unwrap_or_default(),
        "remaining": list_lines(&remaining.map(|(step, _)| titled(step.number, &step.title)).collect::<Vec<_>>()),
        "history": history.collect::<Vec<_>>(),
        "last_error": failure.map(error_text).unwrap_or_default(),
        "roles": fitting_roles(run, at),
    });
    let prompt = prompts(project)?.fill(PromptName::Arbiter, &values)?;
    Ok(project.secrets().hide(&prompt).into_owned())
}

/// A line for each, as a list.
fn list_lines(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| format!("- {text}")).collect()
}

/// The state of the plan, in the words of the `record` dialect.
fn status(run: &Run) -> &'static str {
    match run.outcome() {
        Some(Outcome::Completed | Outcome::Partial) => "complete",
        Some(Outcome::Failed) => "failed",
        None if run.replan().is_some() => "replanning",
        None => "in_progress",
    }
}

/// How far a step has come that was begun.
fn progress(state: &StepState) -> String {
    let tries = match state.attempts {
        1 => "1 attempt".to_owned(),
        attempts => format!("{attempts} attempts"),
    };
    match state.status {
        StepStatus::Completed => format!("complete after {tries}"),
        StepStatus::Failed => format!("failed after {tries}"),
        StepStatus::Skipped => format!("skipped after {tries}"),
        StepStatus::Pending
        | StepStatus::Blocked
        | StepStatus::Ready
        | StepStatus::Running
        | StepStatus::Verifying
        | StepStatus::Waiting => format!("not done after {tries}"),
    }
}

/// The conditions that were not met, and the end of the output.
fn error_text(failure: &Failure) -> String {
    let output = format!("{}\n{}", failure.stdout.trim(), failure.stderr.trim());
    let text = format!("{}\n{}", failure.unmet.join("; "), output.trim());
    tail(text.trim(), ERROR_BYTES)
}

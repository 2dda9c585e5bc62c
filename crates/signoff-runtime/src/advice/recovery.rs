//! Asks how a step that failed goes on.

use serde_json::json;
use signoff_engine::{ModelAnswer, RecoveryDecision, Run, resolved_arguments};
use signoff_llm::PromptName;
use signoff_plan::model::Work;
use signoff_plan::tools::schema_problems;

use super::{Advice, ERROR_BYTES, tail};
use crate::error::Error;
use crate::planning::{Model, ask_model, prompts};
use crate::project::Project;
use crate::tools;

pub(super) fn advice(
    project: &Project,
    run: &Run,
    step: usize,
    model: &mut Model<'_>,
) -> Result<Advice, Error> {
    let schema = tool_schema(project, run, step);
    let question = prompt(project, run, step, schema.as_ref())?;
    let is_critical = run.definition(step).is_some_and(|step| step.critical);
    let mut check = |decision: &RecoveryDecision| match decision {
        RecoveryDecision::Skip { .. } if is_critical => {
            vec!["the step is critical and cannot be skipped".to_owned()]
        }
        RecoveryDecision::Retry {
            args: Some(args), ..
        } => match &schema {
            Some(schema) => schema_problems(args, schema),
            None => vec!["the step calls no tool, so leave out `args`".to_owned()],
        },
        RecoveryDecision::Retry { args: None, .. }
        | RecoveryDecision::Skip { .. }
        | RecoveryDecision::InsertSteps { .. }
        | RecoveryDecision::Abort { .. } => Vec::new(),
    };
    let reply = ask_model(project, model, &question, &mut check)?;
    Ok(Advice {
        answer: ModelAnswer::Recovery(reply.value),
        usage: reply.usage,
    })
}

fn tool_schema(project: &Project, run: &Run, step: usize) -> Option<serde_json::Value> {
    let Work::Tool { tool, .. } = &run.definition(step)?.work else {
        return None;
    };
    let known = tools::known_tools(project).into_iter();
    let mut found = known.filter(|known| known.name == *tool);
    found.next().map(|tool| tool.input_schema)
}

fn prompt(
    project: &Project,
    run: &Run,
    at: usize,
    schema: Option<&serde_json::Value>,
) -> Result<String, Error> {
    let step = run.step(at);
    let because = step.and_then(|(_, state)| state.activation.recovery_because.clone());
    let failure = step.and_then(|(_, state)| state.advice.failure.as_ref());
    let output = failure.map(|failure| format!("\n\n{}\n{}", failure.stdout, failure.stderr));
    let error = format!(
        "{}{}",
        because.unwrap_or_default(),
        output.unwrap_or_default()
    );
    let args = resolved_arguments(run, at).and_then(Result::ok);
    let remaining = run.steps().filter(|(_, state)| !state.satisfies);
    let remaining: Vec<String> = remaining
        .filter(|(other, _)| step.is_some_and(|(step, _)| step.id != other.id))
        .map(|(step, _)| format!("{}: {}", step.id, step.title))
        .collect();
    let values = json!({
        "step": step.map(|(step, _)| format!("{}: {}", step.id, step.title)).unwrap_or_default(),
        "critical": step.is_some_and(|(step, _)| step.critical),
        "error": tail(&error, ERROR_BYTES),
        "tool": step.map(|(step, _)| tool_name(&step.work)).unwrap_or_default(),
        "args": args.map(|args| args.to_string()).unwrap_or_default(),
        "schema": schema.map(ToString::to_string).unwrap_or_default(),
        "remaining": remaining,
    });
    Ok(prompts(project)?.fill(PromptName::Recovery, &values)?)
}

fn tool_name(work: &Work) -> &str {
    match work {
        Work::Tool { tool, .. } => tool,
        Work::Agent { .. } | Work::Ask { .. } | Work::Check => "",
    }
}

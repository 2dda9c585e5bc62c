//! Handing in: a new plan, a new version.

use std::path::Path;

use serde_json::{Map, Value, json};
use signoff_engine::PlanState;
use signoff_runtime::SystemClock;
use signoff_runtime::plans::{
    EditOptions, PlanReport, Revision, locate_inside, propose_path, propose_text, propose_text_as,
};

use crate::answers::Answer;
use crate::arguments::{self, Step};
use crate::context::{Context, by_agent};
use crate::errors::ToolError;
use crate::schema::read_arguments;

/// The forms in which a new plan can be given.
const ONE_FORM: &str = "give exactly one of: `title` with `steps`, `text`, or `path`";

pub(crate) fn propose(
    context: &Context,
    arguments: Map<String, Value>,
) -> Result<Answer, ToolError> {
    let wanted: arguments::Propose = read_arguments(arguments)?;
    let project = context.project()?;
    let clock = SystemClock::new();
    let acting = by_agent(&project, &clock);
    let request = request(wanted.title, wanted.steps, wanted.context)?;
    let done = match (request, wanted.text, wanted.dialect, wanted.path) {
        (Some(request), None, None, None) => propose_text(acting, request.as_bytes()),
        (None, Some(text), None, None) => propose_text(acting, text.as_bytes()),
        (None, Some(text), Some(dialect), None) => {
            propose_text_as(acting, text.as_bytes(), Some(dialect.into()))
        }
        (None, None, None, Some(path)) => propose_path(acting, Path::new(&path)),
        _ => return Err(ToolError::new("bad-arguments", ONE_FORM, &[])),
    };
    let done = done.map_err(|error| context.fail(error))?;
    Ok(plan_answer(&done, "proposed"))
}

pub(crate) fn revise(
    context: &Context,
    arguments: Map<String, Value>,
) -> Result<Answer, ToolError> {
    let wanted: arguments::Revise = read_arguments(arguments)?;
    let project = context.project()?;
    let clock = SystemClock::new();
    let request = request(wanted.title, wanted.steps, wanted.context)?;
    let revision = match (wanted.text, request) {
        (None, None) => Revision::InPlace,
        (Some(text), None) | (None, Some(text)) => Revision::Text(text.into_bytes()),
        (Some(_), Some(_)) => {
            let message = "give either `text`, or `title` with `steps`, or neither";
            return Err(ToolError::new("bad-arguments", message, &[]));
        }
    };
    let fail = || context.fail_about(&wanted.plan);
    let (path, name) = locate_inside(&project, &wanted.plan).map_err(fail())?;
    let acting = by_agent(&project, &clock);
    let version = wanted.expect_version;
    let expected = EditOptions {
        expect_version: version,
        expect_digest: None,
    };
    let done = signoff_runtime::advice::revise(acting, &path, &name, &revision, &expected);
    Ok(plan_answer(&done.map_err(fail())?, "revised"))
}

/// The JSON that plan mode hands in, if the arguments are in that form.
fn request(
    title: Option<String>,
    steps: Option<Vec<Step>>,
    context: Option<String>,
) -> Result<Option<String>, ToolError> {
    match (title, steps, context) {
        (None, None, None) => Ok(None),
        (Some(title), Some(steps), context) => {
            let mut request = json!({"title": title, "steps": steps});
            if let Some(context) = context {
                request["context"] = context.into();
            }
            Ok(Some(request.to_string()))
        }
        _ => Err(ToolError::new("bad-arguments", ONE_FORM, &[])),
    }
}

/// The plan, and what comes next.
fn plan_answer(done: &PlanReport, word: &str) -> Answer {
    let (id, state) = (&done.key, done.state);
    let next = match state {
        PlanState::Approved => "a policy signed it; `plan_run` starts it",
        _ => "now a person has to sign it: `plan_approve` asks them",
    };
    let text = format!("{word} {id}: {state}; {next}");
    let warnings = done.plan.checked.diagnostics.iter();
    let warnings = warnings.map(|one| format!("{}: {}", one.code.as_str(), one.message));
    let notes: Vec<String> = done.notes.iter().cloned().chain(warnings).collect();
    Answer::new(text, &done.to_api()).with_notes(&notes)
}

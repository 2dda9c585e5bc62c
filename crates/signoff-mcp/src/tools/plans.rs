//! Reading: the list, one plan, its problems.

use serde_json::{Map, Value};
use signoff_api::diagnostics::{Diagnostic, Diagnostics};
use signoff_runtime::Error;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::PlanView;
use signoff_runtime::project::{Project, load_config, workspace_at};

use crate::answers::Answer;
use crate::arguments;
use crate::context::Context;
use crate::errors::{ToolError, problem_lines};
use crate::schema::read_arguments;

pub(crate) fn get(context: &Context, arguments: Map<String, Value>) -> Result<Answer, ToolError> {
    let wanted: arguments::PlanName = read_arguments(arguments)?;
    let project = context.project()?;
    let plan = context.read_plan(&project, &wanted.plan)?;
    let view = PlanView::of(&project, &plan).map_err(context.fail_about(&wanted.plan))?;
    let status = view.status.as_ref();
    let note = status.and_then(|status| status.disagreement(plan.source.name()));
    let notes: Vec<String> = note.into_iter().collect();
    Ok(Answer::json(&view.to_api(&plan)).with_notes(&notes))
}

pub(crate) fn verify(
    context: &Context,
    arguments: Map<String, Value>,
) -> Result<Answer, ToolError> {
    let wanted: arguments::Verify = read_arguments(arguments)?;
    let plan = match (wanted.plan, wanted.text) {
        (Some(plan), None) if wanted.dialect.is_none() => {
            let project = context.project()?;
            context.read_plan(&project, &plan)?
        }
        (None, Some(text)) => check_text(context, &text, wanted.dialect)?,
        _ => {
            let message = "give either `plan`, or `text` with or without its `dialect`";
            return Err(ToolError::new("bad-arguments", message, &[]));
        }
    };
    let found = plan.checked.diagnostics.iter();
    let found = found.map(|one| Diagnostic::new(one, &plan.source));
    let shape = Diagnostics::new(found.collect());
    let text = match shape.diagnostics.len() {
        0 => format!("no problems: {} steps", plan.checked.plan.steps.len()),
        _ => problem_lines(&shape),
    };
    Ok(Answer::new(text, &shape))
}

/// Checks a text as it would be checked here, with or without a store.
fn check_text(
    context: &Context,
    text: &str,
    dialect: Option<arguments::DialectName>,
) -> Result<PlanFile, ToolError> {
    let process = &context.options.process;
    let workspace = match Project::open(process) {
        Ok(project) => project.workspace(),
        Err(Error::NoStore { .. }) => {
            let config = load_config(process, None).map_err(|error| context.fail(error))?;
            workspace_at(&process.directory, process, &config)
        }
        Err(error) => return Err(context.fail(error)),
    };
    let plan = PlanFile::of_text(text, dialect.map(Into::into), &workspace);
    plan.map_err(|error| context.fail(error))
}

//! Starting a signed plan.

use std::sync::Arc;

use serde_json::{Map, Value};
use signoff_api::run::Run;
use signoff_runtime::launch::{LaunchedBy, launch_run};
use signoff_runtime::plans::locate_inside;
use signoff_runtime::project::Project;
use signoff_runtime::runs::view::RunView;

use crate::answers::Answer;
use crate::arguments;
use crate::background::in_background;
use crate::context::Context;
use crate::errors::ToolError;
use crate::schema::read_arguments;

/// A run that goes on by itself.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) run: Run,
}

impl Started {
    pub(crate) fn to_answer(&self) -> Answer {
        let run = &self.run.run;
        let text = format!(
            "run {run} of {} has begun and goes on by itself. `plan_status` with {{\"run\": \"{run}\", \"wait\": true}} follows it",
            self.run.plan
        );
        Answer::new(text, &self.run)
    }
}

/// Starts a plan, and returns as soon as its run has begun.
pub(crate) async fn start(
    context: Arc<Context>,
    arguments: Map<String, Value>,
) -> Result<Started, ToolError> {
    let wanted: arguments::PlanName = read_arguments(arguments)?;
    in_background(move || {
        let project = context.project()?;
        launch_signed_plan(&context, &project, &wanted.plan)
    })
    .await
}

/// Starts a plan that is signed. The process that carries it out refuses any other.
pub(crate) fn launch_signed_plan(
    context: &Context,
    project: &Project,
    plan: &str,
) -> Result<Started, ToolError> {
    let fail = || context.fail_about(plan);
    let (_, name) = locate_inside(project, plan).map_err(fail())?;
    let program = &context.options.program;
    let launched = launch_run(project, program, &name, LaunchedBy::Agent).map_err(fail())?;
    let view = RunView::load(project, &launched.run).map_err(fail())?;
    Ok(Started { run: view.to_api() })
}

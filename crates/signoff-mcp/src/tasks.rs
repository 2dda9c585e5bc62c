//! Runs as tasks, for clients that know the extension. A task is named as its run, so that it outlives the server.

use rmcp::RoleServer;
use rmcp::model::{
    CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, ServerCapabilities,
    TASKS_EXTENSION_ID, Task, TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use serde_json::Value;
use signoff_api::run::Run;
use signoff_runtime::project::Secrets;
use signoff_runtime::runs::view::RunView;

use crate::answers::{Answer, to_result};
use crate::context::Context;
use crate::errors::ToolError;
use crate::tools::run::Started;
use crate::tools::status::run_text;

/// How often a client should ask.
const POLL_MS: u64 = 1000;

/// Says that the server has tasks.
pub(crate) fn announce_capability(capabilities: &mut ServerCapabilities) {
    let extensions = capabilities.extensions.get_or_insert_default();
    extensions.insert(TASKS_EXTENSION_ID.to_owned(), JsonObject::new());
}

/// Does the client know tasks?
pub(crate) fn are_known_to(client: &RequestContext<RoleServer>) -> bool {
    let capabilities = client.client_capabilities();
    capabilities.is_some_and(|capabilities| capabilities.supports_tasks())
}

/// A run that has just begun.
pub(crate) fn create_result(started: &Started) -> CreateTaskResult {
    CreateTaskResult::new(task(&started.run, TaskStatus::Working))
}

/// Where the run of this name stands.
pub(crate) fn get(context: &Context, run: &str) -> Result<GetTaskResult, ToolError> {
    let project = context.project()?;
    let view = RunView::find(&project, Some(run)).map_err(|error| context.fail(error))?;
    let run = view.to_api();
    let payload = if run.outcome.is_some() {
        call_result(&run, &context.secrets())
    } else if view.over {
        TaskPayload::Cancelled
    } else {
        TaskPayload::Working
    };
    let task = task(&run, payload.status());
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

/// The result that the call would have had.
fn call_result(run: &Run, secrets: &Secrets) -> TaskPayload {
    let answer = Answer::new(run_text(run), run);
    let answer = match run.status.as_str() {
        "completed" => Ok(answer),
        _ => Err(ToolError {
            text: answer.text,
            value: answer.value,
        }),
    };
    let result = serde_json::to_value(to_result(answer, secrets));
    let result = match result {
        Ok(Value::Object(result)) => result,
        Ok(_) | Err(_) => JsonObject::new(),
    };
    TaskPayload::Completed { result }
}

fn task(run: &Run, status: TaskStatus) -> Task {
    let message = match &run.inbox[..] {
        [] => format!("{}, {}% done", run.status, run.progress),
        [first, ..] => format!("waits on a person: {}", first.question),
    };
    Task::new(&run.run, status, &run.started_at, &run.updated_at)
        .with_status_message(message)
        .with_poll_interval_ms(POLL_MS)
}

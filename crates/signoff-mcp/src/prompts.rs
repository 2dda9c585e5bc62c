//! Prompts that a person picks in their client: "plan this".

use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role,
};
use serde_json::Value;
use signoff_runtime::threads::{Planning, overseer};

use crate::context::Context;
use crate::errors::ToolError;

/// How to plan one change.
const PLAN: &str = include_str!("prompts/plan.md");

/// The prompts there are.
pub(crate) fn list() -> ListPromptsResult {
    let task = PromptArgument::new("task")
        .with_description("What is to be done")
        .with_required(true);
    let session = PromptArgument::new("session")
        .with_description("The planning session's id; without it, `AGENTCTL_SESSION_ID`")
        .with_required(false);
    let plan = "Plan a change: read the project, write a plan with contracts, hand it in";
    let threads = "Plan a change in several threads, each in a directory of its own";
    ListPromptsResult::with_all_items(vec![
        Prompt::new("plan_this", Some(plan), Some(vec![task.clone()])).with_title("Plan this"),
        Prompt::new("plan_threads", Some(threads), Some(vec![task, session]))
            .with_title("Plan this in threads"),
    ])
}

/// The prompt of this name, filled in.
pub(crate) fn get(
    context: &Context,
    request: &GetPromptRequestParams,
) -> Result<GetPromptResult, ToolError> {
    let arguments = request.arguments.clone().unwrap_or_default();
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let task = text("task").map(str::trim).filter(|task| !task.is_empty());
    let task = task.ok_or_else(|| {
        ToolError::new("bad-arguments", "the prompt needs the argument `task`", &[])
    })?;
    let instructions = match request.name.as_str() {
        "plan_this" => PLAN.to_owned(),
        "plan_threads" => {
            let fail = |error| context.fail(error);
            let process = &context.options.process;
            let mut planning = Planning::of_process(process, text("session")).map_err(fail)?;
            let current = planning.current().map_err(fail)?;
            overseer(&current, &planning.additional().map_err(fail)?)
        }
        name => {
            let message = format!("there is no prompt `{name}`");
            return Err(ToolError::new("no-prompt", &message, &[]));
        }
    };
    let whole = format!("{instructions}\n## The task\n\n{task}\n");
    let message = PromptMessage::new_text(Role::User, whole);
    Ok(GetPromptResult::new(vec![message]))
}

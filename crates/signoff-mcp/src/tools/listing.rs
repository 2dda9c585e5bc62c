//! `plan_list`: no tool is called as often, so its last answer is given again for as long as it is true.

use std::fmt::Write as _;
use std::sync::Arc;

use rmcp::model::CallToolResult;
use serde_json::{Map, Value};
use signoff_api::plans::{Plans, SCHEMA};
use signoff_engine::PlanState;
use signoff_runtime::plans::{ListBasis, ListOptions, Listing};
use signoff_runtime::project::{Project, ProjectFingerprint};
use signoff_runtime::{Clock as _, SystemClock};

use crate::answers::{Answer, to_result};
use crate::arguments;
use crate::background::in_background;
use crate::context::{Context, by_agent};
use crate::errors::ToolError;
use crate::last_list::LastListAnswer;
use crate::schema::read_arguments;

/// What was answered last, if the same is asked and it is still true. Looking takes less time than having another thread do it.
fn last_answer(context: &Context, arguments: &Map<String, Value>) -> Option<CallToolResult> {
    let clock = SystemClock::new();
    let mut last = context.last_list.get(arguments)?;
    let surroundings = last.surroundings.as_ref();
    if !surroundings.is_some_and(|seen| seen.are_unchanged()) {
        let asked = clock.now();
        last.project = context.project().ok()?;
        last.surroundings = ProjectFingerprint::of(&last.project, asked).map(Arc::new);
        context.last_list.set(last.clone());
    }
    let is_true = last.basis.is_current(&last.project, &clock);
    is_true.then(|| CallToolResult::clone(&last.result))
}

pub(crate) async fn answer(context: Arc<Context>, arguments: Map<String, Value>) -> CallToolResult {
    if let Some(result) = last_answer(&context, &arguments) {
        return result;
    }
    let (shared, asked) = (Arc::clone(&context), arguments.clone());
    match in_background(move || list(&shared, asked)).await {
        Err(error) => to_result(Err(error), &context.secrets()),
        Ok((answer, project, basis)) => {
            let result = to_result(Ok(answer), &context.secrets());
            if let Some(basis) = basis {
                context.last_list.set(LastListAnswer {
                    arguments,
                    project,
                    surroundings: None,
                    basis,
                    result: Arc::new(result.clone()),
                });
            }
            result
        }
    }
}

type Listed = (Answer, Arc<Project>, Option<ListBasis>);

fn list(context: &Context, arguments: Map<String, Value>) -> Result<Listed, ToolError> {
    let wanted: arguments::List = read_arguments(arguments)?;
    let states = wanted.states.iter().map(|name| state(name));
    let options = ListOptions {
        states: states.collect::<Result<_, _>>()?,
        archived: wanted.archived,
        expire: false,
    };
    let project = context.project()?;
    let clock = SystemClock::new();
    let listing = signoff_runtime::plans::list(by_agent(&project, &clock), &options);
    let mut listing = listing.map_err(|error| context.fail(error))?;
    let basis = listing.basis.take();
    Ok((list_answer(context, listing), project, basis))
}

fn list_answer(context: &Context, listing: Listing) -> Answer {
    let here = &context.options.process.directory;
    let plans: Vec<_> = listing.plans.iter().map(|plan| plan.to_api(here)).collect();
    let mut text = match plans.len() {
        0 => "no plans".to_owned(),
        count => format!("{count} plans, {} pending", listing.pending),
    };
    for plan in &plans {
        let _ = write!(text, "\n{} ({}): {}", plan.id, plan.status, plan.title);
    }
    let unread = listing.troubles.into_iter().map(|trouble| {
        let why = context.fail(trouble.error).text;
        format!("{} is left out: {why}", trouble.path.display())
    });
    let notes: Vec<String> = listing.notes.into_iter().chain(unread).collect();
    let schema = SCHEMA.to_owned();
    Answer::new(text, &Plans { schema, plans }).with_notes(&notes)
}

fn state(name: &str) -> Result<PlanState, ToolError> {
    PlanState::from_name(name).ok_or_else(|| {
        let names = PlanState::ALL.map(PlanState::name).join(", ");
        let message = format!("`{name}` is not a state of plans");
        ToolError::new(
            "bad-arguments",
            &message,
            &[&format!("the states are {names}")],
        )
    })
}

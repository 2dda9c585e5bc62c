//! The threads of a planning session.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use signoff_api::threads::{TOPIC_SCHEMA, Topic};
use signoff_engine::Actor;
use signoff_runtime::SystemClock;
use signoff_runtime::plans::ActorContext;
use signoff_runtime::threads::{Planning, WithdrawReport};

use crate::answers::Answer;
use crate::arguments;
use crate::context::Context;
use crate::errors::ToolError;
use crate::schema::read_arguments;

/// The session that a call names, or else the environment.
fn planning(context: &Context, session: Option<&str>) -> Result<Planning, ToolError> {
    let planning = Planning::of_process(&context.options.process, session);
    planning.map_err(|error| context.fail(error))
}

pub(crate) fn dir(context: &Context, arguments: Map<String, Value>) -> Result<Answer, ToolError> {
    let wanted: arguments::SessionName = read_arguments(arguments)?;
    let mut planning = planning(context, wanted.session.as_deref())?;
    let current = planning.current().map_err(|error| context.fail(error))?;
    Ok(Answer::new(current.plan_dir.clone(), &current))
}

pub(crate) fn request(
    context: &Context,
    arguments: Map<String, Value>,
) -> Result<Answer, ToolError> {
    let wanted: arguments::SessionName = read_arguments(arguments)?;
    let mut planning = planning(context, wanted.session.as_deref())?;
    let made = planning.request().map_err(|error| context.fail(error))?;
    Ok(Answer::json(&made))
}

pub(crate) fn remove(
    context: &Context,
    arguments: Map<String, Value>,
) -> Result<Answer, ToolError> {
    let wanted: arguments::RemoveThread = read_arguments(arguments)?;
    let mut planning = planning(context, wanted.session.as_deref())?;
    let (process, clock) = (&context.options.process, SystemClock::new());
    let withdrawn = planning.remove(process, &clock, &wanted.thread_id);
    withdrawn
        .map(|withdrawn| withdrawal_answer(&withdrawn, "removed"))
        .map_err(|error| context.fail(error))
}

pub(crate) fn clear(context: &Context, arguments: Map<String, Value>) -> Result<Answer, ToolError> {
    let wanted: arguments::SessionName = read_arguments(arguments)?;
    let mut planning = planning(context, wanted.session.as_deref())?;
    let (process, clock) = (&context.options.process, SystemClock::new());
    let withdrawn = planning.clear_current(process, &clock);
    withdrawn
        .map(|withdrawn| withdrawal_answer(&withdrawn, "cleared"))
        .map_err(|error| context.fail(error))
}

fn withdrawal_answer(withdrawn: &WithdrawReport, word: &str) -> Answer {
    let thread = &withdrawn.thread;
    let text = format!("{word} {}: {}", thread.thread_id, thread.plan_dir);
    let cancelled = withdrawn.cancelled.iter();
    let cancelled = cancelled.map(|key| format!("cancelled plan {key}"));
    let notes: Vec<String> = withdrawn.notes.iter().cloned().chain(cancelled).collect();
    Answer::new(text, thread).with_notes(&notes)
}

pub(crate) fn commit(
    context: &Context,
    arguments: Map<String, Value>,
) -> Result<Answer, ToolError> {
    let wanted: arguments::SessionName = read_arguments(arguments)?;
    let project = context.project()?;
    let mut planning = planning(context, wanted.session.as_deref())?;
    let acting = ActorContext {
        project: &project,
        actor: Actor::Planner,
        clock: &SystemClock::new(),
    };
    let commit = planning
        .commit(acting)
        .map_err(|error| context.fail(error))?;
    let mut text = format!("committed {} plans", commit.plans.len());
    for plan in &commit.plans {
        let title = plan.plan.checked.plan.display_title();
        let id = &plan.thread.thread_id;
        let _ = write!(text, "\n{id} ({}): {title}", plan.state);
        for problem in plan.errors().chain(plan.strays()) {
            let _ = write!(text, "\n  {}: {}", problem.code.as_str(), problem.message);
        }
    }
    text.push_str("\nA person reads and signs them: `plan_approve` asks them");
    let cancelled = commit.withdrawn.iter().flat_map(|one| one.cancelled.iter());
    let notes: Vec<String> = cancelled
        .map(|key| format!("cancelled plan {key}"))
        .collect();
    Ok(Answer::new(text, &commit.payload()).with_notes(&notes))
}

pub(crate) fn set_topic(
    context: &Context,
    arguments: Map<String, Value>,
) -> Result<Answer, ToolError> {
    let wanted: arguments::SetTopic = read_arguments(arguments)?;
    let mut planning = planning(context, wanted.session.as_deref())?;
    let topic = planning.set_topic(&wanted.topic);
    let topic = topic.map_err(|error| context.fail(error))?;
    let text = format!("topic: {topic}");
    let shape = Topic {
        schema: TOPIC_SCHEMA.to_owned(),
        session_id: planning.session_id().to_owned(),
        topic,
    };
    Ok(Answer::new(text, &shape))
}

//! A call of an agent that a person started: decided by the session's mode and the configuration, and logged.

use std::path::Path;

use signoff_plan::guard::{Agent, Denial, GuardMode, GuardRules, ToolCall, decide};
use signoff_store::guard::plan_mode;

use super::decision_log::{LogContext, log};
use super::payload::Payload;
use super::plan_files::SessionPlans;
use super::settings::{self, CallSettings};
use super::{HookAnswer, HookContext, HookStore};
use crate::error::Error;
use crate::project::ProcessContext;

/// Decides a call.
pub(super) fn answer(
    context: &HookContext<'_>,
    payload: &Payload,
    store: HookStore,
    call: &ToolCall<'_>,
) -> Result<HookAnswer, Error> {
    let cwd = payload.text("cwd").map(Path::new);
    let settings = settings::load(context.process, cwd, store)?;
    let plan_mode = in_own_plan_mode(context, payload)?
        || in_plan_mode(context.process, context.session, settings.plan_mode)?;
    if !plan_mode && settings.mode == GuardMode::Off {
        return Ok(HookAnswer::no_objection());
    }
    let variables = &context.process.variables;
    let directory = cwd.unwrap_or(&context.process.directory);
    let files = SessionPlans::new(variables, context.agent, context.session, directory);
    let denied = decide(
        call,
        &GuardRules {
            plan_mode,
            mode: settings.mode,
            guarded: &settings.tools,
            files: &files,
        },
    );
    Ok(match denied {
        None => HookAnswer::no_objection(),
        Some(denied) => logged_answer(context, &settings, call, &denied),
    })
}

/// Whether the agent is in its own plan mode. The definition of a sub-agent, which may have come with a clone, can give it
/// another one (`permissionMode`), so that what the agent said last holds for its sub-agents, too.
fn in_own_plan_mode(context: &HookContext<'_>, payload: &Payload) -> Result<bool, Error> {
    let (says, is_sub_agent) = (payload.says_plan_mode(), payload.is_of_sub_agent());
    let (Some(state_dir), Some(session)) = (&context.process.state_dir, context.session) else {
        // What nothing is remembered of is strict.
        return Ok(says || is_sub_agent);
    };
    let said = plan_mode::was_said(state_dir, session)?;
    if is_sub_agent {
        return Ok(says || said);
    }
    if says != said {
        plan_mode::remember_said(state_dir, session, says)?;
    }
    Ok(says)
}

/// Says why a command line that is typed here would not pass in plan mode.
pub fn check_line(process: &ProcessContext, text: &str) -> Result<(), String> {
    let files = SessionPlans::new(&process.variables, Agent::Claude, None, &process.directory);
    signoff_plan::guard::check_line(text, &serde_json::Value::Null, &files)
}

/// Whether a session is in plan mode: as a person said last, else as the configuration says. A call whose session is not
/// known counts as one of any session that is.
pub(super) fn in_plan_mode(
    process: &ProcessContext,
    session: Option<&str>,
    default: bool,
) -> Result<bool, Error> {
    let Some(state_dir) = &process.state_dir else {
        return Ok(default);
    };
    Ok(match session {
        Some(session) => plan_mode::recorded_mode(state_dir, session)?.unwrap_or(default),
        None => default || plan_mode::any_on(state_dir)?,
    })
}

/// A call is refused whether or not that can be logged. One that is only to be logged passes in any case, and what
/// could not be written down is said.
fn logged_answer(
    context: &HookContext<'_>,
    settings: &CallSettings,
    call: &ToolCall<'_>,
    denied: &Denial,
) -> HookAnswer {
    let logged = log(&LogContext {
        process: context.process,
        agent: context.agent,
        session: context.session,
        project: settings.project.as_deref(),
        redact: &settings.redact,
        call,
        denied,
    });
    match (denied.blocks, logged) {
        (true, _) => HookAnswer::deny(&denied.reason),
        (false, Ok(())) => HookAnswer::no_objection(),
        (false, Err(why)) => HookAnswer {
            stderr: format!("signoff guard cannot log what it would have blocked: {why}\n"),
            ..HookAnswer::no_objection()
        },
    }
}

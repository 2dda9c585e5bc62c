//! A call of an agent that a person started: decided by the session's mode and the configuration, and logged.

use std::fmt;
use std::path::Path;

use signoff_plan::guard::{Agent, Denial, GuardMode, GuardRules, ToolCall, decide};
use signoff_store::FileError;
use signoff_store::guard::plan_mode;

use super::decision_log::{LogContext, log};
use super::payload::Payload;
use super::plan_files::SessionPlans;
use super::settings::{self, CallSettings};
use super::{HookAnswer, HookContext, HookFailure, HookStore};
use crate::project::ProcessContext;

/// Decides a call.
pub(super) fn answer(
    context: &HookContext<'_>,
    payload: &Payload,
    store: HookStore,
    call: &ToolCall<'_>,
) -> Result<HookAnswer, HookFailure> {
    let cwd = payload.text("cwd").map(Path::new);
    let settings = settings::load(context.process, cwd, store)?;
    let own = own_plan_mode(context, payload)?;
    let plan_mode =
        own.is_on || in_plan_mode(context.process, context.session, settings.plan_mode)?;
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
        Some(mut denied) => {
            denied.reason.push_str(&own.because);
            logged_answer(context, &settings, call, &denied)
        }
    })
}

/// Whether the agent is in its own plan mode, and what its person has to know about that.
#[derive(Debug, Default)]
struct OwnPlanMode {
    is_on: bool,
    because: String,
}

/// The definition of a sub-agent, which may have come with a clone, can give it another mode (`permissionMode`), so that what
/// the agent said last holds for its sub-agents, too. Where that cannot be remembered, sub-agents are always in plan mode, and
/// nobody else is disturbed.
fn own_plan_mode(context: &HookContext<'_>, payload: &Payload) -> Result<OwnPlanMode, HookFailure> {
    let (says, is_sub_agent) = (payload.says_plan_mode(), payload.is_of_sub_agent());
    let known = |is_on| OwnPlanMode {
        is_on,
        ..OwnPlanMode::default()
    };
    let (Some(state_dir), Some(session)) = (&context.process.state_dir, context.session) else {
        // What nothing is remembered of is strict.
        return Ok(known(says || is_sub_agent));
    };
    let said = plan_mode::was_said(state_dir, session)?;
    if !is_sub_agent {
        if says != said
            && let Err(why) = plan_mode::remember_said(state_dir, session, says)
            && plan_mode::can_remember(state_dir).is_ok()
        {
            return Err(why.into());
        }
        return Ok(known(says));
    }
    if says || said {
        return Ok(known(true));
    }
    Ok(match plan_mode::can_remember(state_dir) {
        Ok(()) => known(false),
        Err(why) => OwnPlanMode {
            is_on: true,
            because: format!(
                ". Sub-agents are always in plan mode while that of their agent cannot be remembered: {}",
                MemoryTrouble(&why)
            ),
        },
    })
}

/// What a person has to do where nothing can be remembered of sessions.
#[derive(Debug)]
pub struct MemoryTrouble<'a>(pub &'a FileError);

impl fmt::Display for MemoryTrouble<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(why) = self;
        write!(
            f,
            "{why}. Your person can repair that: `ls -ld` shows whose it is, `chmod u+rwx` makes it writable, and XDG_STATE_HOME chooses another place"
        )
    }
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
) -> Result<bool, FileError> {
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

//! What an agent tells of its session.

use std::path::PathBuf;

use serde_json::Value;

use super::{HookContext, plan_mode};
use crate::project::ProcessContext;

/// A session, as far as the agent tells.
#[derive(Debug)]
pub(super) struct ReportedSession {
    /// As if the hook had been called where the agent is.
    pub(super) process: ProcessContext,
    pub(super) in_plan_mode: bool,
}

pub(super) fn reported_session(context: &HookContext<'_>) -> ReportedSession {
    let text = |key: &str| context.payload.get(key).and_then(Value::as_str);
    let mut process = context.process.clone();
    let directory = text("cwd").map(PathBuf::from);
    if let Some(directory) = directory.filter(|path| path.is_absolute() && path.is_dir()) {
        process.directory = directory;
    }
    let says_so = text("permission_mode") == Some("plan");
    let is_on = || match context.session {
        // In doubt it is on.
        Some(session) => plan_mode::is_on(&process, session).unwrap_or(true),
        None => false,
    };
    let in_plan_mode = says_so || is_on();
    ReportedSession {
        process,
        in_plan_mode,
    }
}

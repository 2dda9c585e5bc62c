//! Inside a run: the step's scope decides, and nothing but the file that the harness wrote is asked.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;
use signoff_api::guard::{DENIED_VARIABLE, GuardScope, SCOPE_SCHEMA, SCOPE_VARIABLE};
use signoff_plan::guard::{StepScope, ToolCall, decide_in_run};
use signoff_work::environment::Variables;

use super::HookAnswer;

/// Largest file that is read.
const LARGEST: u64 = 1024 * 1024;

/// Whether this process belongs to a run.
pub(super) fn is_inside(variables: &Variables) -> bool {
    variables.contains_key(OsStr::new(signoff_sandbox::MARKER))
}

/// Decides a call; says why that is not possible.
pub(super) fn answer(variables: &Variables, call: &ToolCall<'_>) -> Result<HookAnswer, String> {
    let scope = scope(variables)?;
    let denied = decide_in_run(
        call,
        &StepScope {
            tools: scope.tools.as_deref(),
            servers: &scope.servers,
        },
    );
    Ok(match denied {
        Some(denied) => {
            note_denial(variables, call.tool);
            HookAnswer::deny(&denied.reason)
        }
        None => HookAnswer::no_objection(),
    })
}

/// Tells the harness which tool was refused, for the step's evidence. Not every agent's stream tells.
fn note_denial(variables: &Variables, tool: &str) {
    let path = variables.get(OsStr::new(DENIED_VARIABLE));
    // The agent may have put anything there, such as a pipe that nobody reads: a hook that waits lets the call pass.
    let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed();
    let file = path.and_then(|path| {
        let mut options = File::options();
        options.create(true).append(true).custom_flags(flags);
        options.open(path).ok()
    });
    if let Some(mut file) = file {
        let line = format!("{}\n", tool.replace(['\n', '\r'], " "));
        file.write_all(line.as_bytes()).ok();
    }
}

fn scope(variables: &Variables) -> Result<GuardScope, String> {
    let path = variables.get(OsStr::new(SCOPE_VARIABLE));
    let path =
        path.ok_or_else(|| format!("{SCOPE_VARIABLE} does not say what this step may do"))?;
    let path = Path::new(path);
    let cannot = |why: &dyn std::fmt::Display| format!("the step's scope cannot be read: {why}");
    let file = File::open(path).map_err(|why| cannot(&why))?;
    let mut text = String::new();
    (file.take(LARGEST).read_to_string(&mut text)).map_err(|why| cannot(&why))?;
    let scope: GuardScope = serde_json::from_str(&text).map_err(|why| cannot(&why))?;
    if scope.schema == SCOPE_SCHEMA {
        Ok(scope)
    } else {
        Err(cannot(&format!("its schema is `{}`", scope.schema)))
    }
}

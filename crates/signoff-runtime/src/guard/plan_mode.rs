//! Plan mode of an agent's session, as a person switches it.

use std::path::Path;

use signoff_store::guard::plan_mode;

use super::tool_call::in_plan_mode;
use super::{HookStore, settings};
use crate::error::Error;
use crate::project::ProcessContext;

/// Whether a session is in plan mode. An agent's own plan mode is known only to the agent.
pub fn is_on(process: &ProcessContext, session: &str) -> Result<bool, Error> {
    let settings = settings::load(process, None, HookStore::Optional)?;
    Ok(in_plan_mode(process, Some(session), settings.plan_mode)?)
}

/// Switches plan mode on or off for a session, until it is switched again.
pub fn switch(state_dir: &Path, session: &str, on: bool) -> Result<(), Error> {
    Ok(plan_mode::record(state_dir, session, on)?)
}

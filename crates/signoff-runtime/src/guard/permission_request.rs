//! What becomes of a request for leave, such as a plan that Claude Code shows when it leaves its plan mode.

use serde_json::Value;

use super::{HookAnswer, HookContext};
use crate::error::Error;

/// Answers the request of a tool; an error is a refusal.
#[expect(clippy::unnecessary_wraps, reason = "there is nothing to say yet")]
pub fn answer(
    _context: &HookContext<'_>,
    _tool: &str,
    _input: &Value,
) -> Result<HookAnswer, Error> {
    Ok(HookAnswer::nothing())
}

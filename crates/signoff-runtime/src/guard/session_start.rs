//! What a session is told when it begins.

use super::{HookAnswer, HookContext};
use crate::error::Error;

/// Answers the beginning of a session. An error is a refusal, so nothing may fail here that a session can do without.
#[expect(clippy::unnecessary_wraps, reason = "there is nothing to say yet")]
pub fn answer(_context: &HookContext<'_>, _source: Option<&str>) -> Result<HookAnswer, Error> {
    Ok(HookAnswer::nothing())
}

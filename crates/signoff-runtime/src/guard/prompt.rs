//! What is said to what a person typed.

use super::{HookAnswer, HookContext};
use crate::error::Error;

/// Answers a prompt; an error is a refusal.
#[expect(clippy::unnecessary_wraps, reason = "there is nothing to say yet")]
pub fn answer(_context: &HookContext<'_>, _text: &str) -> Result<HookAnswer, Error> {
    Ok(HookAnswer::nothing())
}

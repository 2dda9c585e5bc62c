//! What is said to what a person typed.

use super::{HookAnswer, HookContext};
use crate::error::Error;

/// Answers a prompt; an error is a refusal.
pub fn answer(_context: &HookContext<'_>, _text: &str) -> Result<HookAnswer, Error> {
    Ok(HookAnswer::nothing())
}

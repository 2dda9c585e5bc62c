//! Undoing what was done in place.

use super::names::texts;
use super::{GitError, Id, Own};

/// Paths: those that were changed, or else those that keep it from being done.
pub type Restored = Result<Vec<String>, Vec<String>>;

impl Own {
    /// Makes everything in the checkout that is not ignored as in the tree `to`, if it is still as in `left`, or as in
    /// `to` already; else nothing is changed, and the paths are given that are neither. Kept paths are let alone.
    pub fn restore(&self, to: &Id, left: &Id) -> Result<Restored, GitError> {
        let plan = self.plan(left, to, None)?;
        if !plan.differ.is_empty() {
            return Ok(Err(texts(&plan.differ)));
        }
        self.carry_out(&plan)?;
        Ok(Ok(texts(&plan.changing())))
    }
}

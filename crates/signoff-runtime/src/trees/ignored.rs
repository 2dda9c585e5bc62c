//! What an agent made and git ignores: it is no part of the work, and whoever misses it should know why.

use super::Trees;

/// How many are named.
const SHOWN: usize = 5;

impl Trees {
    /// Says which files a step made in its own worktree that git ignores, if there are any.
    pub(crate) fn ignored_work(&self, step: &str) -> Option<String> {
        let worktree = self.step_worktree(step);
        if !worktree.exists() {
            return None;
        }
        // It explains a failure, and is not worth another one.
        let found = worktree.ignored_since().unwrap_or_default();
        let shown: Vec<&str> = found.iter().map(String::as_str).take(SHOWN).collect();
        let more = match found.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!shown.is_empty()).then(|| {
            format!(
                "not part of the work, because git ignores it: {}{more}",
                shown.join(", ")
            )
        })
    }
}

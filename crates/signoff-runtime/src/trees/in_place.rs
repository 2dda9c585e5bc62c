//! Whether the checkout is as a run found it.

use signoff_engine::RunTree;
use signoff_work::git::Id;

use super::Trees;
use crate::error::Error;

impl Trees {
    /// In what the checkout is not as a run found it, each a sentence.
    pub(crate) fn changed_since(
        &self,
        found: &RunTree,
        start: &Id,
        is_ours: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, Error> {
        let mut changed = Vec::new();
        let now = self.repository.head()?.commit.map(|id| id.to_string());
        if now != found.base {
            changed.push("HEAD is not the commit that it was when the run began".to_owned());
        }
        let mut files = self.own.changed(start, &self.own.snapshot()?)?;
        files.retain(|file| !is_ours(file));
        if let Some(first) = files.first() {
            let more = match files.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            changed.push(format!("changed since the run began: `{first}`{more}"));
        }
        Ok(changed)
    }
}

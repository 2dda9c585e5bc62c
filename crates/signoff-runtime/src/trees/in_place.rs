//! What git remembers of the checkout: how a run found it, how one that worked in it left it.

use signoff_engine::RunTree;
use signoff_work::git::Id;

use super::Trees;
use crate::error::Error;

impl Trees {
    /// Remembers how the run left the checkout.
    pub(crate) fn note_left(&self) -> Result<(), Error> {
        let tree = self.own.snapshot()?;
        let commit = self.own.commit(&tree, &[], "Left by the run\n")?;
        Ok(self.remember("left", &commit)?)
    }

    /// How the run left the checkout, if it came to its end.
    pub(crate) fn left(&self) -> Result<Option<Id>, Error> {
        let Some(commit) = self.repository.read_ref(&self.ref_name("left"))? else {
            return Ok(None);
        };
        Ok(Some(self.own.tree_of(&commit)?))
    }

    /// Files that the run changed and somebody else changed once more.
    pub(crate) fn differ(
        &self,
        (left, now): (&Id, &Id),
        before: &Id,
        is_ours: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Vec<String>>, Error> {
        let mut differ = self.own.changed(left, now)?;
        // What is as it was before the run need not be put back.
        let touched = self.own.changed(before, now)?;
        differ.retain(|file| touched.contains(file) && !is_ours(file));
        Ok((!differ.is_empty()).then_some(differ))
    }

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

    /// Keeps what is about to be taken back.
    pub(crate) fn keep_undone(&self, now: &Id, start: &Id) -> Result<(), Error> {
        let commit = self
            .own
            .commit(now, std::slice::from_ref(start), "Undone\n")?;
        Ok(self.remember("undone", &commit)?)
    }
}

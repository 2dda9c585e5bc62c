//! What git remembers of a run that worked in the checkout: how it found it, how it left it.

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
        left: &Id,
        now: &Id,
        before: &Id,
    ) -> Result<Option<Vec<String>>, Error> {
        let mut differ = self.own.changed(left, now)?;
        // What is as it was before the run need not be put back.
        let touched = self.own.changed(before, now)?;
        differ.retain(|file| touched.contains(file));
        Ok((!differ.is_empty()).then_some(differ))
    }

    /// Keeps what is about to be taken back.
    pub(crate) fn keep_undone(&self, now: &Id, start: &Id) -> Result<(), Error> {
        let commit = self
            .own
            .commit(now, std::slice::from_ref(start), "Undone\n")?;
        Ok(self.remember("undone", &commit)?)
    }
}

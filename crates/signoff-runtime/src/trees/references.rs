//! The references that a run keeps in the repository, cached. Only the process that has the run moves them, so git is
//! asked once.

use std::collections::VecDeque;

use signoff_work::git::{GitError, Id};

use super::{Trees, lock};

/// At most this many steps are at work at a time.
const MOST: usize = 64;

/// A reference as it was last read or moved; it stands nowhere if it is not there.
#[derive(Debug)]
struct KnownReference {
    name: String,
    stands: Option<Id>,
}

/// The last references that were read or moved.
#[derive(Debug, Default)]
pub(super) struct KnownReferences(VecDeque<KnownReference>);

impl KnownReferences {
    fn get(&self, name: &str) -> Option<&KnownReference> {
        self.0.iter().find(|known| known.name == name)
    }

    fn set(&mut self, name: &str, stands: Option<Id>) {
        self.0.retain(|known| known.name != name);
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        let name = name.to_owned();
        self.0.push_back(KnownReference { name, stands });
    }
}

impl Trees {
    /// Names a commit or a tree, so that it is found again and git does not clear it away.
    pub(super) fn remember(&self, what: &str, object: &Id) -> Result<(), GitError> {
        // Most are new: git refuses if this one is not.
        let known = lock(&self.references)
            .get(what)
            .and_then(|known| known.stands.clone());
        if known.as_ref() == Some(object) {
            // It stays among the last ones.
            lock(&self.references).set(what, known);
            return Ok(());
        }
        let name = self.ref_name(what);
        if !self.repository.move_ref(&name, object, known.as_ref())? {
            let stands = self.repository.read_ref(&name)?;
            self.repository.move_ref(&name, object, stands.as_ref())?;
        }
        lock(&self.references).set(what, Some(object.clone()));
        if let Some(cluster) = &self.cluster {
            cluster.note_reference(&name, object.as_str());
        }
        Ok(())
    }

    /// The object that this reference names.
    pub(super) fn recorded_id(&self, what: &str) -> Result<Option<Id>, GitError> {
        if let Some(known) = lock(&self.references).get(what) {
            return Ok(known.stands.clone());
        }
        let stands = self.repository.read_ref(&self.ref_name(what))?;
        lock(&self.references).set(what, stands.clone());
        Ok(stands)
    }

    /// The references have been removed.
    pub(super) fn forget_references(&self) {
        *lock(&self.references) = KnownReferences::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_known_too_and_the_oldest_goes_first() {
        let id: Id = "1".repeat(40).parse().unwrap();
        let mut known = KnownReferences::default();
        assert!(known.get("a").is_none());
        known.set("a", None);
        assert!(known.get("a").is_some_and(|known| known.stands.is_none()));
        known.set("a", Some(id.clone()));
        assert!(known.get("a").is_some_and(|known| known.stands == Some(id)));
        for number in 0..MOST {
            known.set(&number.to_string(), None);
        }
        assert!(known.get("a").is_none() && known.get("0").is_some());
    }
}

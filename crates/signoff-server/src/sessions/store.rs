//! The sessions that are open. They end with the server: nothing on disk could be used to open one.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use super::secret::{SecretHash, random_text};
use super::{Session, SignInProof};

/// A session that nobody uses for so long is over.
const IDLE: Duration = Duration::from_hours(12);
/// Sessions at once: the one that was unused for longest gives way.
const LONGEST: usize = 256;

/// The open sessions, the one used last at the end.
#[derive(Debug, Default)]
pub(crate) struct SessionStore {
    open: VecDeque<OpenSession>,
}

#[derive(Debug)]
struct OpenSession {
    id: SecretHash,
    session: Session,
    used: Instant,
}

impl SessionStore {
    /// Opens a session; returns its secret name, which only the browser keeps.
    pub(crate) fn open(
        &mut self,
        person: &str,
        proof: SignInProof,
        now: Instant,
    ) -> io::Result<String> {
        let id = random_text()?;
        let session = Session {
            person: person.to_owned(),
            proof,
            csrf: random_text()?,
        };
        if self.open.len() >= LONGEST {
            self.open.pop_front();
        }
        self.open.push_back(OpenSession {
            id: SecretHash::of(&id),
            session,
            used: now,
        });
        Ok(id)
    }

    /// The session of this secret name.
    pub(crate) fn find(&mut self, id: &str, now: Instant) -> Option<Session> {
        let id = SecretHash::of(id);
        self.open.retain(|one| now.duration_since(one.used) < IDLE);
        let at = self.open.iter().position(|one| one.id.is(&id))?;
        let mut found = self.open.remove(at)?;
        found.used = now;
        let session = found.session.clone();
        self.open.push_back(found);
        Some(session)
    }

    pub(crate) fn close(&mut self, id: &str) {
        let id = SecretHash::of(id);
        self.open.retain(|one| !one.id.is(&id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_found_until_it_is_closed_or_left_alone() {
        let (mut store, now) = (SessionStore::default(), Instant::now());
        let id = store.open("Ada", SignInProof::Code, now).unwrap();
        assert_eq!(store.find(&id, now).unwrap().person, "Ada");
        assert!(store.find("", now).is_none());
        let later = now + IDLE.saturating_sub(Duration::from_secs(1));
        assert!(store.find(&id, later).is_some(), "it is used");
        assert!(store.find(&id, later + IDLE).is_none());
        let id = store.open("Ada", SignInProof::Code, later).unwrap();
        store.close(&id);
        assert!(store.find(&id, later).is_none());
    }

    #[test]
    fn the_session_that_is_used_least_gives_way() {
        let (mut store, now) = (SessionStore::default(), Instant::now());
        let first = store.open("Ada", SignInProof::Code, now).unwrap();
        let second = store.open("Bob", SignInProof::Code, now).unwrap();
        assert!(store.find(&first, now).is_some());
        for _ in 2..=LONGEST {
            store.open("Eve", SignInProof::Code, now).unwrap();
        }
        assert!(store.find(&second, now).is_none());
        assert!(store.find(&first, now).is_some());
    }
}

//! The threads of a session: each is planned in its own directory outside the project,
//! and all of them are committed to the project's store at once.
//!
//! Start reading at [`Planning`], then [`commit`].

pub mod commit;
mod location;
mod payload;
mod prepared_thread;
mod prompt;
mod rules;
mod topics;
mod withdraw;

use std::path::Path;

use signoff_api::threads::{CommittedProject, Session, Thread, ThreadDir};
use signoff_store::threads::{ThreadId, Threads};

pub use self::commit::Commit;
pub use self::location::{ROOT_VARIABLE, SESSION_VARIABLE, plans_root};
pub use self::prepared_thread::CommittedThread;
pub use self::prompt::overseer;
pub use self::topics::topics;
pub use self::withdraw::WithdrawReport;
use crate::error::{Error, ThreadError};
use crate::project::random;

/// One session at its threads, while nobody else is.
#[derive(Debug)]
pub struct Planning {
    threads: Threads,
    session: ThreadId,
}

impl Planning {
    /// Waits until nobody else is at the threads below `root`.
    pub fn open(root: &Path, session: &str) -> Result<Self, Error> {
        let session = ThreadId::new(session).map_err(|why| ThreadError::BadSession {
            session: session.to_owned(),
            why,
        })?;
        let threads = Threads::open(root).map_err(ThreadError::Store)?;
        let mut others = threads.sessions.sessions.iter();
        let owner = others.find(|(_, other)| {
            let mut ids = other.threads.iter().map(|thread| &thread.thread_id);
            ids.any(|id| id == session.as_str())
        });
        if let Some((owner, _)) = owner {
            return Err(ThreadError::TakenSession {
                session: session.to_string(),
                owner: owner.clone(),
            }
            .into());
        }
        Ok(Self { threads, session })
    }

    /// The directory of the current thread; it is made when it is first asked for.
    pub fn current(&mut self) -> Result<ThreadDir, Error> {
        let made = self
            .threads
            .ensure_directory(&self.session)
            .map_err(ThreadError::Store)?;
        let id = self.session.as_str();
        if !self.threads.sessions.sessions.contains_key(id) {
            self.session_record();
            self.save()?;
        }
        Ok(thread_dir(&self.session, &made))
    }

    /// The directories of the additional threads, oldest first.
    pub fn additional(&self) -> Result<Vec<ThreadDir>, Error> {
        let ids = self.additional_ids()?;
        let dirs = ids
            .iter()
            .map(|id| thread_dir(id, &self.threads.directory(id)));
        Ok(dirs.collect())
    }

    /// Allocates a directory for one more thread.
    pub fn request(&mut self) -> Result<ThreadDir, Error> {
        self.current()?;
        loop {
            let id = new_id()?;
            let sessions = &self.threads.sessions.sessions;
            let taken = sessions.iter().any(|(session, other)| {
                let mut ids = other.threads.iter().map(|thread| &thread.thread_id);
                session == id.as_str() || ids.any(|other| other == id.as_str())
            });
            if taken {
                continue;
            }
            let Some(made) = self.threads.make_new(&id).map_err(ThreadError::Store)? else {
                continue;
            };
            self.session_record().threads.push(Thread {
                thread_id: id.to_string(),
                committed: Vec::new(),
            });
            self.save()?;
            return Ok(thread_dir(&id, &made));
        }
    }

    /// Gives the session a title; returns it as it is kept.
    pub fn set_topic(&mut self, text: &str) -> Result<String, Error> {
        let topic = text.trim();
        let length = topic.chars().count();
        if topic.is_empty() {
            return Err(ThreadError::EmptyTopic.into());
        }
        if length > ThreadError::LONGEST_TOPIC {
            return Err(ThreadError::LongTopic { length }.into());
        }
        self.session_record().topic = Some(topic.to_owned());
        self.save()?;
        Ok(topic.to_owned())
    }

    fn additional_ids(&self) -> Result<Vec<ThreadId>, Error> {
        let session = self.threads.sessions.sessions.get(self.session.as_str());
        let threads = session.map_or(&[][..], |session| &session.threads);
        let ids = threads.iter().map(|thread| id(&thread.thread_id));
        ids.collect()
    }

    /// What is known of this session.
    fn session_record(&mut self) -> &mut Session {
        let sessions = &mut self.threads.sessions.sessions;
        sessions.entry(self.session.to_string()).or_default()
    }

    /// Where the plan of a thread was committed to.
    fn committed_places(&mut self, thread: &ThreadId) -> Option<&mut Vec<CommittedProject>> {
        if *thread == self.session {
            return Some(&mut self.session_record().committed);
        }
        let mut threads = self.session_record().threads.iter_mut();
        let found = threads.find(|known| known.thread_id == thread.as_str());
        found.map(|thread| &mut thread.committed)
    }

    fn save(&self) -> Result<(), Error> {
        Ok(self.threads.save().map_err(ThreadError::Store)?)
    }
}

fn new_id() -> Result<ThreadId, Error> {
    id(&format!("thread_{:08x}", random()))
}

/// An id that we made, or that was checked when it was read.
fn id(text: &str) -> Result<ThreadId, Error> {
    let bad = |why| ThreadError::BadSession {
        session: text.to_owned(),
        why,
    };
    Ok(ThreadId::new(text).map_err(bad)?)
}

fn thread_dir(id: &ThreadId, directory: &Path) -> ThreadDir {
    ThreadDir {
        thread_id: id.to_string(),
        plan_dir: directory.display().to_string(),
    }
}

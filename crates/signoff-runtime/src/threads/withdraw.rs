//! Withdraws the plan of a thread: in its directory, and in every store that it was committed to.

use std::path::Path;

use signoff_api::threads::ThreadDir;
use signoff_engine::{Actor, ForbiddenTransition, PlanState};
use signoff_store::threads::{ThreadId, copy};

use super::prepared_thread::given_up_by_us;
use super::{Planning, ThreadError, id, thread_dir};
use crate::clock::Clock;
use crate::error::{Error, ThreadConflict};
use crate::plan_history::PlanHistory;
use crate::plans;
use crate::plans::ActorContext;
use crate::project::{ProcessContext, Project};

/// What was given up.
#[derive(Debug)]
pub struct WithdrawReport {
    /// The thread.
    pub thread: ThreadDir,
    /// Names of the plans that are cancelled now.
    pub cancelled: Vec<String>,
    /// Something that a person should know.
    pub notes: Vec<String>,
}

impl Planning {
    /// Removes an additional thread and its directory.
    pub fn remove(
        &mut self,
        process: &ProcessContext,
        clock: &dyn Clock,
        thread: &str,
    ) -> Result<WithdrawReport, Error> {
        if thread == self.session.as_str() {
            return Err(ThreadError::CurrentThread {
                thread: thread.to_owned(),
            }
            .into());
        }
        let known = self.known_threads();
        if !known.iter().any(|id| id == thread) {
            return Err(ThreadError::UnknownThread {
                thread: thread.to_owned(),
                known,
            }
            .into());
        }
        let thread = id(thread)?;
        let withdrawn = self.withdraw(process, clock, &thread, "its thread was removed")?;
        // The directory first: repeating the command after a crash finishes it.
        self.threads.remove(&thread).map_err(ThreadError::Store)?;
        let threads = &mut self.session_record().threads;
        threads.retain(|known| known.thread_id != thread.as_str());
        self.save()?;
        Ok(withdrawn)
    }

    /// Removes the plan of the current thread; the directory stays.
    pub fn clear_current(
        &mut self,
        process: &ProcessContext,
        clock: &dyn Clock,
    ) -> Result<WithdrawReport, Error> {
        self.current()?;
        let thread = self.session.clone();
        let withdrawn = self.withdraw(process, clock, &thread, CLEARED)?;
        self.threads.clear(&thread).map_err(ThreadError::Store)?;
        self.save()?;
        Ok(withdrawn)
    }

    /// Cancels the plan of a thread wherever it was committed to. That it is ours there stays known:
    /// the next plan of the thread takes its place. The file that remembers it is the caller's to
    /// save.
    pub(super) fn withdraw(
        &mut self,
        process: &ProcessContext,
        clock: &dyn Clock,
        thread: &ThreadId,
        reason: &str,
    ) -> Result<WithdrawReport, Error> {
        let mut withdrawn = WithdrawReport {
            thread: thread_dir(thread, &self.threads.directory(thread)),
            cancelled: Vec::new(),
            notes: Vec::new(),
        };
        let committed = self.committed_places(thread).cloned().unwrap_or_default();
        let mut still = Vec::new();
        for locked in committed {
            let workspace = Path::new(&locked.workspace);
            let Some(project) = project_at(process, workspace)? else {
                let note = format!("{} is no longer a project", locked.workspace);
                withdrawn.notes.push(note);
                continue;
            };
            let context = ActorContext {
                project: &project,
                actor: Actor::Harness,
                clock,
            };
            let cancelled = cancel(context, thread, &locked.contents, reason)?;
            withdrawn.cancelled.extend(cancelled);
            still.push(locked);
        }
        if let Some(committed) = self.committed_places(thread) {
            *committed = still;
        }
        Ok(withdrawn)
    }

    fn known_threads(&self) -> Vec<String> {
        let session = self.threads.sessions.sessions.get(self.session.as_str());
        let threads = session.map_or(&[][..], |session| &session.threads);
        threads
            .iter()
            .map(|thread| thread.thread_id.clone())
            .collect()
    }
}

/// Why the plan of a cleared thread is cancelled.
pub(super) const CLEARED: &str = "its thread was cleared";

/// The project of this workspace itself, not one around it.
fn project_at(process: &ProcessContext, workspace: &Path) -> Result<Option<Project>, Error> {
    let there = ProcessContext {
        directory: workspace.to_path_buf(),
        ..process.clone()
    };
    match Project::open(&there) {
        Ok(project) if project.store.workspace() == workspace => Ok(Some(project)),
        Ok(_) | Err(Error::NoStore { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Cancels the plan in one store; returns its name there, unless there was nothing to cancel. A plan
/// that was given up before, and that somebody else has edited since, is theirs.
fn cancel(
    context: ActorContext<'_>,
    thread: &ThreadId,
    ours: &[String],
    reason: &str,
) -> Result<Option<String>, Error> {
    let store = &context.project.store;
    store.refuse_links()?;
    let path = store.plans_dir().join(thread.as_str());
    copy::recover(&path)?;
    let Some(hash) = copy::directory_hash(&path)? else {
        return Ok(None);
    };
    let history = PlanHistory::read(context.project, &store.key_of(None, &path))?;
    if given_up_by_us(&history) && !ours.contains(&hash) {
        return Ok(None);
    }
    match plans::withdraw(context, &path, thread.as_str(), reason) {
        Ok(done) => Ok(done.map(|done| done.key)),
        Err(Error::Forbidden(ForbiddenTransition::State { state, .. })) => {
            Err(still_running(thread, state))
        }
        Err(error) => Err(error),
    }
}

fn still_running(thread: &ThreadId, state: PlanState) -> Error {
    let thread = thread.to_string();
    ThreadError::Conflicts(vec![ThreadConflict::Running { thread, state }]).into()
}

//! A thread's plan that is about to be written to the store, under its lock.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use signoff_api::plan_log::PlanEvent;
use signoff_api::threads::ThreadDir;
use signoff_engine::{Actor, PlanState, may_delete};
use signoff_plan::diagnostic::{Code, Diagnostic, Severity};
use signoff_plan::source::Source;
use signoff_store::lock::PlanLock;
use signoff_store::plan_log;
use signoff_store::threads::ThreadId;
use signoff_store::threads::copy::{self, Files};

use super::{ThreadError, thread_dir};
use crate::clock::timestamp;
use crate::error::{Error, ThreadConflict};
use crate::plan_file::PlanFile;
use crate::plan_history::{PlanHistory, event_body};
use crate::plans::ActorContext;
use crate::plans::status::plan_status;
use crate::project::relative;

/// The plan of one thread, committed.
#[derive(Debug)]
pub struct CommittedThread {
    /// The thread.
    pub thread: ThreadDir,
    /// Its plan, as it is in the thread's directory.
    pub plan: PlanFile,
    /// Where it is in the store.
    pub path: PathBuf,
    /// Where it stands there.
    pub state: PlanState,
    /// The store did not have it like this.
    pub changed: bool,
}

impl CommittedThread {
    /// What does not keep it from being committed, but from being signed.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        let found = self.plan.checked.diagnostics.iter();
        found.filter(|problem| problem.severity == Severity::Error)
    }

    /// What lies in its directory and was not committed.
    pub fn strays(&self) -> impl Iterator<Item = &Diagnostic> {
        let found = self.plan.checked.diagnostics.iter();
        found.filter(|one| one.code == Code::BadFilename && one.severity == Severity::Warning)
    }
}

/// Where the plan of a thread is in the store, while nobody else does anything to it.
pub(super) struct LockedThreadPlan {
    key: String,
    path: PathBuf,
    lock: PlanLock,
}

/// The places of these threads, locked in one order, whoever takes them.
pub(super) fn lock_all<'a>(
    context: ActorContext<'_>,
    ids: impl Iterator<Item = &'a ThreadId>,
) -> Result<BTreeMap<ThreadId, LockedThreadPlan>, Error> {
    let store = &context.project.store;
    let mut sorted: Vec<_> = ids.collect();
    sorted.sort();
    let mut locked_plans = BTreeMap::new();
    for id in sorted {
        let path = store.plans_dir().join(id.as_str());
        let key = store.key_of(None, &path);
        let lock = plan_log::lock(store, &key)?;
        locked_plans.insert(id.clone(), LockedThreadPlan { key, path, lock });
    }
    Ok(locked_plans)
}

/// A plan that can be written.
pub(super) struct PreparedThread {
    pub(super) id: ThreadId,
    /// Hash of its files.
    pub(super) hash: String,
    thread: ThreadDir,
    plan: PlanFile,
    locked: LockedThreadPlan,
    files: Files,
    /// Hashes of what may be overwritten.
    expected: Vec<String>,
    changed: bool,
}

impl PreparedThread {
    /// Looks at what the store has; also why it may not be replaced.
    pub(super) fn new(
        context: ActorContext<'_>,
        id: ThreadId,
        plan: PlanFile,
        locked: LockedThreadPlan,
        expected: Vec<String>,
    ) -> Result<(Self, Option<ThreadConflict>), Error> {
        let files = files(&plan.source);
        let hash = copy::hash(&files);
        copy::recover(&locked.path)?;
        let found = copy::directory_hash(&locked.path)?;
        let changed = found.as_ref() != Some(&hash);
        let conflict = match found.filter(|_| changed) {
            Some(found) => conflict(context, &id, &locked.path, expected.contains(&found))?,
            None => None,
        };
        let prepared = Self {
            thread: thread_dir(&id, &plan.path),
            id,
            hash,
            plan,
            locked,
            files,
            expected,
            changed,
        };
        Ok((prepared, conflict))
    }

    pub(super) fn write(&self) -> Result<(), Error> {
        if !self.changed || copy::replace(&self.locked.path, &self.expected, &self.files)? {
            return Ok(());
        }
        let thread = self.thread.thread_id.clone();
        let path = self.locked.path.clone();
        Err(ThreadError::Conflicts(vec![ThreadConflict::Edited { thread, path }]).into())
    }

    /// Hands it in, unless its present text was handed in already, or a person decided about it.
    pub(super) fn record(&self, context: ActorContext<'_>, session: &str) -> Result<(), Error> {
        let store = &context.project.store;
        let kept = self.stored_plan(context)?;
        let status = plan_status(context.project, &kept)?;
        let open = match status.state {
            PlanState::Draft | PlanState::Verified => true,
            PlanState::Cancelled => given_up_by_us(&status.history),
            _ => false,
        };
        let digest = kept.digest().to_string();
        if !open || is_newest_proposal(&status.history, &digest) {
            return Ok(());
        }
        let event = PlanEvent::PlanProposed {
            path: relative(context.project, &self.locked.path),
            digest,
            version: None,
            by: format!("session {session}"),
            actor: context.actor.name().to_owned(),
            cloned_from: None,
            replaces: None,
        };
        let at = timestamp(context.clock.now());
        plan_log::append(
            store,
            &self.locked.key,
            &self.locked.lock,
            &at,
            &[event_body(&event)?],
        )?;
        Ok(())
    }

    /// The plan as it is in the store.
    fn stored_plan(&self, context: ActorContext<'_>) -> Result<PlanFile, Error> {
        let name = relative(context.project, &self.locked.path);
        PlanFile::read(&self.locked.path, &name, &context.project.workspace())
    }

    pub(super) fn committed_places(
        self,
        context: ActorContext<'_>,
    ) -> Result<CommittedThread, Error> {
        let state = plan_status(context.project, &self.stored_plan(context)?)?.state;
        Ok(CommittedThread {
            thread: self.thread,
            plan: self.plan,
            path: self.locked.path,
            state,
            changed: self.changed,
        })
    }
}

fn files(source: &Source) -> Files {
    let parts = source.split();
    parts
        .map(|(name, bytes)| (name.to_owned(), bytes.to_vec()))
        .collect()
}

/// What keeps a plan that is in the store from being replaced.
fn conflict(
    context: ActorContext<'_>,
    id: &ThreadId,
    path: &Path,
    ours: bool,
) -> Result<Option<ThreadConflict>, Error> {
    let thread = id.to_string();
    if !ours {
        let path = path.to_path_buf();
        return Ok(Some(ThreadConflict::Edited { thread, path }));
    }
    let plan = PlanFile::read(path, id.as_str(), &context.project.workspace())?;
    let state = plan_status(context.project, &plan)?.state;
    Ok((!may_delete(state)).then_some(ThreadConflict::Running { thread, state }))
}

/// Was it cancelled by the harness, and not by a person?
pub(super) fn given_up_by_us(history: &PlanHistory) -> bool {
    let last = history.entries.last().map(|entry| &entry.event);
    matches!(last, Some(PlanEvent::PlanCancelled { actor, .. }) if actor == Actor::Harness.name())
}

fn is_newest_proposal(history: &PlanHistory, present: &str) -> bool {
    let last = history.entries.last().map(|entry| &entry.event);
    matches!(last, Some(PlanEvent::PlanProposed { digest, .. }) if digest == present)
}

//! Commits the plans of all threads of a session: all of them or none.
//!
//! First everything is read and checked, then every plan's lock is taken and its place in the store
//! looked at; only then is anything written. What was written so far is known before it is written,
//! so that a commit that was killed is told apart from somebody else's edit, and the same command
//! finishes it.

use std::path::PathBuf;

use signoff_api::plan_log::PlanEvent;
use signoff_api::threads::{self, Committed, ThreadDir};
use signoff_engine::{PlanState, may_delete};
use signoff_plan::diagnostic::{Diagnostic, Severity};
use signoff_plan::dialect::{Dialect, parse_as};
use signoff_plan::source::Source;
use signoff_store::lock::PlanLock;
use signoff_store::threads::ThreadId;
use signoff_store::threads::copy::{self, Files};
use signoff_store::{atomic, failpoint, plan_log};

use super::error::Conflict;
use super::payload::payload;
use super::rules::stops;
use super::withdraw::{CLEARED, Withdrawn};
use super::{Planning, ThreadError, shown};
use crate::clock::timestamp;
use crate::error::Error;
use crate::plan_file::{PlanFile, read_source};
use crate::plans::history::body;
use crate::plans::{Doing, History};
use crate::project::relative;
use crate::state::standing;

/// What a commit did.
#[derive(Debug)]
pub struct Commit {
    /// The plans, that of the current thread first.
    pub plans: Vec<CommittedThread>,
    /// The plan that an emptied current thread had before.
    pub withdrawn: Option<Withdrawn>,
}

impl Commit {
    /// The seed's shape.
    pub fn payload(&self) -> threads::Commit {
        let plans = self.plans.iter();
        let plans = plans.map(|one| payload(&one.thread, &one.plan.source));
        threads::Commit {
            version: 1,
            plans: plans.collect(),
        }
    }
}

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
}

impl Planning {
    /// Commits every thread of the session to the project's store.
    pub fn commit(&mut self, doing: Doing<'_>) -> Result<Commit, Error> {
        self.current()?;
        let plans = self.read_all(doing)?;
        let plans_dir = doing.project.store.plans_dir();
        doing.project.store.complete()?;
        atomic::create_directories(&plans_dir)?;
        let mut prepared = self.prepare(doing, plans)?;
        let withdrawn = self.withdraw_emptied(doing, &prepared)?;
        self.announce(doing, &prepared)?;
        failpoint::reached("commit.announced");
        for one in &mut prepared {
            one.write()?;
        }
        for one in &prepared {
            one.record(doing, self.session.as_str())?;
            failpoint::reached("commit.recorded");
        }
        self.remember(doing, &prepared)?;
        failpoint::reached("commit.remembered");
        let plans = prepared.into_iter().map(|one| one.committed(doing));
        Ok(Commit {
            plans: plans.collect::<Result<_, _>>()?,
            withdrawn,
        })
    }

    /// Every plan there is, or every problem of every one.
    fn read_all(&self, doing: Doing<'_>) -> Result<Vec<(ThreadId, PlanFile)>, Error> {
        let mut plans = Vec::new();
        let (mut invalid, mut unreadable) = (Vec::new(), Vec::new());
        let ids = [self.session.clone()]
            .into_iter()
            .chain(self.additional_ids()?);
        for id in ids {
            match self.read(doing, &id) {
                Ok(Some(plan)) => match problems(&plan) {
                    Some(problems) => invalid.push((plan.source, problems)),
                    None => plans.push((id, plan)),
                },
                Ok(None) => {}
                Err(error) => unreadable.push(error),
            }
        }
        if invalid.is_empty() && unreadable.is_empty() {
            return Ok(plans);
        }
        Err(ThreadError::Problems {
            plans: invalid,
            unreadable,
        }
        .into())
    }

    /// The plan of a thread; `None` for the current one when it has none.
    fn read(&self, doing: Doing<'_>, id: &ThreadId) -> Result<Option<PlanFile>, Error> {
        let directory = self.threads.make(id).map_err(ThreadError::Store)?;
        let name = directory.display().to_string();
        let source = if self.threads.is_empty(id).map_err(ThreadError::Store)? {
            if *id == self.session {
                return Ok(None);
            }
            Source::directory(name, Vec::new())
        } else {
            read_source(&directory, &name)?
        };
        let workspace = doing.project.workspace();
        let dialect = Some(Dialect::Thread);
        Ok(Some(PlanFile::from_source(
            &directory, source, dialect, &workspace,
        )))
    }

    /// Takes the locks and looks at what the store has.
    fn prepare(
        &mut self,
        doing: Doing<'_>,
        plans: Vec<(ThreadId, PlanFile)>,
    ) -> Result<Vec<Prepared>, Error> {
        let workspace = doing.project.store.workspace().display().to_string();
        let mut locks = Vec::new();
        let mut keys: Vec<_> = plans.iter().map(|(id, _)| place(doing, id)).collect();
        // In one order, whoever takes them.
        keys.sort();
        for (key, _) in keys {
            let lock = plan_log::lock(&doing.project.store, &key)?;
            locks.push((key, lock));
        }
        let (mut prepared, mut conflicts) = (Vec::new(), Vec::new());
        for (id, plan) in plans {
            let (key, path) = place(doing, &id);
            let files = files(&plan.source);
            let hash = copy::hash(&files);
            copy::recover(&path)?;
            let known = self.committed(&id).cloned().unwrap_or_default();
            let known = known.into_iter().find(|one| one.workspace == workspace);
            let expected = known.map(|one| one.contents).unwrap_or_default();
            let found = copy::hash_of(&path)?;
            let changed = found.as_ref() != Some(&hash);
            if changed && let Some(found) = found {
                conflicts.extend(conflict(doing, &id, &path, expected.contains(&found))?);
            }
            let at = locks.iter().position(|(locked, _)| *locked == key);
            let Some((key, lock)) = at.map(|at| locks.swap_remove(at)) else {
                continue;
            };
            prepared.push(Prepared {
                thread: shown(&id, &plan.path),
                id,
                plan,
                path,
                key,
                lock,
                files,
                hash,
                expected,
                changed,
            });
        }
        if conflicts.is_empty() {
            return Ok(prepared);
        }
        Err(ThreadError::Conflicts(conflicts).into())
    }

    /// A current thread without a plan: what it had before is given up.
    fn withdraw_emptied(
        &mut self,
        doing: Doing<'_>,
        prepared: &[Prepared],
    ) -> Result<Option<Withdrawn>, Error> {
        let thread = self.session.clone();
        let committed = self
            .committed(&thread)
            .is_some_and(|places| !places.is_empty());
        if !committed || prepared.iter().any(|one| one.id == thread) {
            return Ok(None);
        }
        let around = &doing.project.around;
        let withdrawn = self.withdraw(around, doing.clock, &thread, CLEARED)?;
        Ok(Some(withdrawn))
    }

    /// Writes down what is about to be in the store, beside what is.
    fn announce(&mut self, doing: Doing<'_>, prepared: &[Prepared]) -> Result<(), Error> {
        for one in prepared {
            let contents = self.contents(doing, &one.id);
            if let Some(contents) = contents.filter(|contents| !contents.contains(&one.hash)) {
                contents.push(one.hash.clone());
            }
        }
        self.save()
    }

    /// Writes down what is in the store now.
    fn remember(&mut self, doing: Doing<'_>, prepared: &[Prepared]) -> Result<(), Error> {
        for one in prepared {
            if let Some(contents) = self.contents(doing, &one.id) {
                *contents = vec![one.hash.clone()];
            }
        }
        self.save()
    }

    /// What is known of the plan of a thread in this project.
    fn contents(&mut self, doing: Doing<'_>, thread: &ThreadId) -> Option<&mut Vec<String>> {
        let workspace = doing.project.store.workspace().display().to_string();
        let places = self.committed(thread)?;
        let at = match places.iter().position(|one| one.workspace == workspace) {
            Some(at) => at,
            None => {
                let contents = Vec::new();
                places.push(Committed {
                    workspace,
                    contents,
                });
                places.len() - 1
            }
        };
        places.get_mut(at).map(|place| &mut place.contents)
    }
}

/// A plan whose place in the store is ours.
struct Prepared {
    thread: ThreadDir,
    id: ThreadId,
    plan: PlanFile,
    path: PathBuf,
    key: String,
    lock: PlanLock,
    files: Files,
    hash: String,
    /// Hashes of what may be overwritten.
    expected: Vec<String>,
    changed: bool,
}

impl Prepared {
    fn write(&self) -> Result<(), Error> {
        if !self.changed || copy::replace(&self.path, &self.expected, &self.files)? {
            return Ok(());
        }
        let thread = self.thread.thread_id.clone();
        let path = self.path.clone();
        Err(ThreadError::Conflicts(vec![Conflict::Edited { thread, path }]).into())
    }

    /// Hands it in, unless its present text was handed in already, or a person decided about it.
    fn record(&self, doing: Doing<'_>, session: &str) -> Result<(), Error> {
        let store = &doing.project.store;
        let kept = self.kept(doing)?;
        let standing = standing(doing.project, &kept)?;
        let open = match standing.state {
            PlanState::Draft | PlanState::Verified => true,
            PlanState::Cancelled => given_up_by_us(&standing.history),
            _ => false,
        };
        let digest = kept.digest().to_string();
        if !open || is_newest_proposal(&standing.history, &digest) {
            return Ok(());
        }
        let event = PlanEvent::PlanProposed {
            path: relative(doing.project, &self.path),
            digest,
            version: None,
            by: format!("session {session}"),
            actor: doing.actor.name().to_owned(),
            cloned_from: None,
        };
        let at = timestamp(doing.clock.now());
        plan_log::append(store, &self.key, &self.lock, &at, &[body(&event)?])?;
        Ok(())
    }

    /// The plan as it is in the store.
    fn kept(&self, doing: Doing<'_>) -> Result<PlanFile, Error> {
        let name = relative(doing.project, &self.path);
        PlanFile::read(&self.path, &name, &doing.project.workspace())
    }

    fn committed(self, doing: Doing<'_>) -> Result<CommittedThread, Error> {
        let state = standing(doing.project, &self.kept(doing)?)?.state;
        Ok(CommittedThread {
            thread: self.thread,
            plan: self.plan,
            path: self.path,
            state,
            changed: self.changed,
        })
    }
}

/// Every error, if one of them keeps the plan from being committed.
fn problems(plan: &PlanFile) -> Option<Vec<Diagnostic>> {
    let draft = parse_as(&plan.source, Dialect::Thread);
    let all = &plan.checked.diagnostics;
    let errors = || {
        all.iter()
            .filter(|problem| problem.severity == Severity::Error)
    };
    errors()
        .any(|problem| stops(&draft, problem))
        .then(|| errors().cloned().collect())
}

/// Key and path of a thread's plan in the store.
fn place(doing: Doing<'_>, id: &ThreadId) -> (String, PathBuf) {
    let store = &doing.project.store;
    let path = store.plans_dir().join(id.as_str());
    (store.key_of(None, &path), path)
}

fn files(source: &Source) -> Files {
    let parts = source.split();
    parts
        .map(|(name, bytes)| (name.to_owned(), bytes.to_vec()))
        .collect()
}

/// What keeps a plan that is in the store from being replaced.
fn conflict(
    doing: Doing<'_>,
    id: &ThreadId,
    path: &std::path::Path,
    ours: bool,
) -> Result<Option<Conflict>, Error> {
    let thread = id.to_string();
    if !ours {
        let path = path.to_path_buf();
        return Ok(Some(Conflict::Edited { thread, path }));
    }
    let plan = PlanFile::read(path, id.as_str(), &doing.project.workspace())?;
    let state = standing(doing.project, &plan)?.state;
    Ok((!may_delete(state)).then_some(Conflict::Running { thread, state }))
}

/// Was it cancelled by the harness, and not by a person?
fn given_up_by_us(history: &History) -> bool {
    let last = history.entries.last().map(|entry| &entry.event);
    matches!(last, Some(PlanEvent::PlanCancelled { actor, .. }) if actor == "harness")
}

fn is_newest_proposal(history: &History, present: &str) -> bool {
    let last = history.entries.last().map(|entry| &entry.event);
    matches!(last, Some(PlanEvent::PlanProposed { digest, .. }) if digest == present)
}

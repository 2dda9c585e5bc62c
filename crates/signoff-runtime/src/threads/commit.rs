//! Commits the plans of all threads of a session: all of them or none.
//!
//! First everything is read and checked, then every plan's lock is taken and its place in the store
//! looked at; only then is anything written. What was written so far is known before it is written,
//! so that a commit that was killed is told apart from somebody else's edit, and the same command
//! finishes it.

use signoff_api::threads::{self, CommittedProject};
use signoff_plan::diagnostic::{Diagnostic, Severity};
use signoff_plan::dialect::{Dialect, parse_as};
use signoff_plan::source::Source;
use signoff_store::threads::ThreadId;
use signoff_store::{atomic, failpoint};

use super::payload::payload;
use super::prepared_thread::{CommittedThread, PreparedThread, lock_all};
use super::rules::prevents_commit;
use super::withdraw::{CLEARED, WithdrawReport};
use super::{Planning, ThreadError};
use crate::error::Error;
use crate::plan_file::{PlanFile, read_source};
use crate::plans::ActorContext;

/// What a commit did.
#[derive(Debug)]
pub struct Commit {
    /// The plans, that of the current thread first.
    pub plans: Vec<CommittedThread>,
    /// The plan that an emptied current thread had before.
    pub withdrawn: Option<WithdrawReport>,
}

impl Commit {
    /// The commit as `agentctl` prints it.
    pub fn payload(&self) -> threads::Commit {
        let plans = self.plans.iter();
        let plans = plans.map(|one| payload(&one.thread, &one.plan.source));
        threads::Commit {
            version: 1,
            plans: plans.collect(),
        }
    }
}

impl Planning {
    /// Commits every thread of the session to the project's store.
    pub fn commit(&mut self, context: ActorContext<'_>) -> Result<Commit, Error> {
        self.current()?;
        let plans = self.read_all(context)?;
        let plans_dir = context.project.store.plans_dir();
        context.project.store.create_missing()?;
        atomic::create_directories(&plans_dir)?;
        let prepared = self.prepare(context, plans)?;
        let withdrawn = self.withdraw_emptied(context, &prepared)?;
        self.announce(context, &prepared)?;
        failpoint::reach("commit.announced");
        for one in &prepared {
            one.write()?;
        }
        for one in &prepared {
            one.record(context, self.session.as_str())?;
            failpoint::reach("commit.recorded");
        }
        self.remember(context, &prepared)?;
        failpoint::reach("commit.remembered");
        let plans = prepared
            .into_iter()
            .map(|one| one.committed_places(context));
        Ok(Commit {
            plans: plans.collect::<Result<_, _>>()?,
            withdrawn,
        })
    }

    /// Every plan there is, or every problem of every one.
    fn read_all(&self, context: ActorContext<'_>) -> Result<Vec<(ThreadId, PlanFile)>, Error> {
        let mut plans = Vec::new();
        let (mut invalid, mut unreadable) = (Vec::new(), Vec::new());
        let ids = [self.session.clone()]
            .into_iter()
            .chain(self.additional_ids()?);
        for id in ids {
            match self.read(context, &id) {
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
    fn read(&self, context: ActorContext<'_>, id: &ThreadId) -> Result<Option<PlanFile>, Error> {
        let directory = self
            .threads
            .ensure_directory(id)
            .map_err(ThreadError::Store)?;
        let name = directory.display().to_string();
        let source = if self.threads.is_empty(id).map_err(ThreadError::Store)? {
            if *id == self.session {
                return Ok(None);
            }
            Source::directory(name, Vec::new())
        } else {
            read_source(&directory, &name)?
        };
        let workspace = context.project.workspace();
        let dialect = Some(Dialect::Thread);
        Ok(Some(PlanFile::from_source(
            &directory, source, dialect, &workspace,
        )))
    }

    /// Takes the locks and looks at what the store has; every conflict at once.
    fn prepare(
        &mut self,
        context: ActorContext<'_>,
        plans: Vec<(ThreadId, PlanFile)>,
    ) -> Result<Vec<PreparedThread>, Error> {
        let mut locked_plans = lock_all(context, plans.iter().map(|(id, _)| id))?;
        let (mut prepared, mut conflicts) = (Vec::new(), Vec::new());
        for (id, plan) in plans {
            let expected = self.contents(context, &id).cloned().unwrap_or_default();
            let Some(locked) = locked_plans.remove(&id) else {
                continue;
            };
            let (one, conflict) = PreparedThread::new(context, id, plan, locked, expected)?;
            prepared.push(one);
            conflicts.extend(conflict);
        }
        if conflicts.is_empty() {
            return Ok(prepared);
        }
        Err(ThreadError::Conflicts(conflicts).into())
    }

    /// A current thread without a plan: what it had before is given up.
    fn withdraw_emptied(
        &mut self,
        context: ActorContext<'_>,
        prepared: &[PreparedThread],
    ) -> Result<Option<WithdrawReport>, Error> {
        let thread = self.session.clone();
        let committed = self
            .committed_places(&thread)
            .is_some_and(|locked_plans| !locked_plans.is_empty());
        if !committed || prepared.iter().any(|one| one.id == thread) {
            return Ok(None);
        }
        let process = &context.project.process;
        let withdrawn = self.withdraw(process, context.clock, &thread, CLEARED)?;
        Ok(Some(withdrawn))
    }

    /// Writes down what is about to be in the store, beside what is.
    fn announce(
        &mut self,
        context: ActorContext<'_>,
        prepared: &[PreparedThread],
    ) -> Result<(), Error> {
        for one in prepared {
            let contents = self.contents(context, &one.id);
            if let Some(contents) = contents.filter(|contents| !contents.contains(&one.hash)) {
                contents.push(one.hash.clone());
            }
        }
        self.save()
    }

    /// Writes down what is in the store now.
    fn remember(
        &mut self,
        context: ActorContext<'_>,
        prepared: &[PreparedThread],
    ) -> Result<(), Error> {
        for one in prepared {
            if let Some(contents) = self.contents(context, &one.id) {
                *contents = vec![one.hash.clone()];
            }
        }
        self.save()
    }

    /// What is known of the plan of a thread in this project.
    fn contents(
        &mut self,
        context: ActorContext<'_>,
        thread: &ThreadId,
    ) -> Option<&mut Vec<String>> {
        let workspace = context.project.store.workspace().display().to_string();
        let locked_plans = self.committed_places(thread)?;
        let at = match locked_plans
            .iter()
            .position(|one| one.workspace == workspace)
        {
            Some(at) => at,
            None => {
                let contents = Vec::new();
                locked_plans.push(CommittedProject {
                    workspace,
                    contents,
                });
                locked_plans.len() - 1
            }
        };
        locked_plans.get_mut(at).map(|locked| &mut locked.contents)
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
        .any(|problem| prevents_commit(&draft, problem))
        .then(|| errors().cloned().collect())
}

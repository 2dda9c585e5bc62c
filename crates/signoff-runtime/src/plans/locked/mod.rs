//! A plan under its lock: only this process may change it.

pub(crate) mod expiry;
pub(crate) mod version;
pub(super) mod write_back;

use std::path::Path;

use serde_json::Value;
use signoff_api::plan_log::PlanEvent;
use signoff_engine::{
    Actor, ForbiddenTransition, PlanFact, PlanState, Transition, possible_transitions, state_after,
};
use signoff_plan::dialect::recognise;
use signoff_plan::edit::Edit;
use signoff_store::lock::PlanLock;
use signoff_store::{atomic, plan_log, signatures};

use self::write_back::{FileUpdate, VersionBump, write_back};
use super::status::{PlanStatus, plan_status};
use super::{ActorContext, PlanReport};
use crate::clock::timestamp;
use crate::drive::journal::torn_note;
use crate::error::Error;
use crate::plan_file::{PlanFile, require_no_errors, same_file};
use crate::plan_history::{PlanHistory, event_body, is_expiry, lifecycle_fact};
use crate::project::{Project, current_task, relative};
use crate::signing::current_signature::require_signed;

/// A plan under its lock: its file, its history and its state, none of which our own processes
/// change meanwhile. An editor that knows no lock is noticed when the file is written.
pub(crate) struct LockedPlan<'a> {
    pub(crate) context: ActorContext<'a>,
    pub(crate) key: String,
    pub(crate) plan: PlanFile,
    pub(crate) status: PlanStatus,
    pub(crate) notes: Vec<String>,
    lock: PlanLock,
    /// It expired just now; in words.
    expired: Option<String>,
}

impl<'a> LockedPlan<'a> {
    /// Waits for the plan's lock, then reads everything.
    pub(crate) fn open(context: ActorContext<'a>, path: &Path, name: &str) -> Result<Self, Error> {
        context.project.store.refuse_linked_plan(path)?;
        let seen = PlanFile::read(path, name, &context.project.workspace())?;
        Self::open_seen(context, &seen)
    }

    /// The same for a plan that was read just now. It is checked again only if its text has changed since.
    pub(crate) fn open_seen(context: ActorContext<'a>, seen: &PlanFile) -> Result<Self, Error> {
        let project = context.project;
        project.store.refuse_linked_plan(&seen.path)?;
        let mut seen = seen.clone();
        loop {
            let key = seen.key(project)?;
            let lock = plan_log::lock(&project.store, &key)?;
            let plan = seen.read_again(&project.workspace())?;
            // Its id was edited between the two readings: the lock is another plan's.
            if plan.key(project)? != key {
                seen = plan;
                continue;
            }
            atomic::remove_stray_temp(&plan.path)?;
            plan_log::clear_stray(&project.store, &key, &lock)?;
            signatures::clear_strays(&project.store, &key)?;
            let torn = plan_log::cut_torn_line(&project.store, &key, &lock)?;
            let status = plan_status(project, &plan)?;
            let locked = Self {
                context,
                key,
                plan,
                status,
                notes: torn.iter().map(|torn| torn_note("log", torn)).collect(),
                lock,
                expired: None,
            };
            refuse_duplicate(project, &locked.plan, locked.history())?;
            locked.finish_taking_back()?;
            return locked.expire_if_due();
        }
    }

    /// Checks that the actor may do this, and returns the state afterwards.
    pub(crate) fn allow(&self, act: Transition) -> Result<PlanState, Error> {
        self.allow_to(act, self.context.actor)
    }

    /// The same for this actor. A refusal says if the plan expired just now.
    pub(crate) fn allow_to(&self, act: Transition, actor: Actor) -> Result<PlanState, Error> {
        let state = self.status.state;
        let allowed = state_after(state, act, actor).map_err(|forbidden| match forbidden {
            // The caller's own possibilities, even if another actor would have done this.
            ForbiddenTransition::State { .. } => ForbiddenTransition::State {
                state,
                act,
                possible: possible_transitions(state, self.context.actor),
            },
            ForbiddenTransition::Actor { .. } => forbidden,
        });
        allowed.map_err(|forbidden| match &self.expired {
            Some(notice) => Error::Expired {
                notice: notice.clone(),
                forbidden,
            },
            None => self.status.explain(&self.plan, forbidden),
        })
    }

    /// Checks that the plan's state allows a run. For an unsigned plan the error says what changed.
    /// `again`: also if it is completed.
    pub(crate) fn may_start(&self, again: bool) -> Result<(), Error> {
        require_no_errors(&self.plan)?;
        match self.status.state {
            PlanState::Approved => Ok(()),
            // What only its file calls completed was not run here, and has no signature to run again under.
            PlanState::Completed if again && !self.status.is_claimed => {
                self.allow(Transition::RunAgain).map(|_| ())
            }
            PlanState::Draft | PlanState::Verified => {
                require_signed(self.context.project, &self.plan)?;
                // There is a signature, but the plan was handed in anew since: it needs another one.
                Err(Error::NotSigned {
                    plan: self.plan.source.name().to_owned(),
                })
            }
            PlanState::Stalled if self.status.lost_run.is_some() => Err(Error::LostRun {
                plan: self.plan.source.name().to_owned(),
                run: self.status.run_id().unwrap_or_default().to_owned(),
            }),
            _ => self.allow(Transition::Start).map(|_| ()),
        }
    }

    /// The plan has no errors. Whether what it names exists is checked when it is signed.
    pub(crate) fn require_no_plan_errors(&self) -> Result<(), Error> {
        if self.plan.checked.errors() == 0 {
            return Ok(());
        }
        Err(Error::Invalid {
            source: Box::new(self.plan.source.clone()),
            diagnostics: self.plan.checked.diagnostics.clone(),
        })
    }

    /// Is this a plan, whatever is wrong with it? Nothing happens to other files: an agent may give plans new texts, and what
    /// is no plan gets no log.
    pub(in crate::plans) fn require_plan(&self) -> Result<(), Error> {
        let is_known = self.history().newest_digest().is_some();
        // Nothing else lies there, however broken somebody left it.
        let store = &self.context.project.store;
        let is_kept = self.plan.path.parent() == Some(&*store.plans_dir());
        if is_known || is_kept || recognise(&self.plan.source).is_some() {
            return Ok(());
        }
        Err(Error::NotAPlan {
            file: self.plan.source.name().to_owned(),
        })
    }

    /// Writes down what happens, synced.
    pub(crate) fn record(&self, events: &[PlanEvent]) -> Result<(), Error> {
        self.require_plan()?;
        let bodies = events
            .iter()
            .map(event_body)
            .collect::<Result<Vec<_>, _>>()?;
        let at = timestamp(self.context.clock.now());
        plan_log::append(
            &self.context.project.store,
            &self.key,
            &self.lock,
            &at,
            &bodies,
        )?;
        Ok(())
    }

    /// Writes down that the plan was rejected or cancelled under these digests, then takes back the signatures over them.
    pub(crate) fn record_end(&self, events: &[PlanEvent], digests: &[String]) -> Result<(), Error> {
        self.record(events)?;
        Ok(signatures::take_back(
            &self.context.project.store,
            &self.key,
            digests,
        )?)
    }

    /// Takes back what the log says, where a killed process only wrote it down. What expired can be had again as it was.
    fn finish_taking_back(&self) -> Result<(), Error> {
        let digest = self.digest();
        let mut events = self
            .history()
            .entries
            .iter()
            .rev()
            .map(|entry| &entry.event);
        let last = events.find(|event| lifecycle_fact(event).is_some_and(|(_, of)| *of == digest));
        let is_over = last.is_some_and(|event| {
            let fact = lifecycle_fact(event).map(|(fact, _)| fact);
            let ended = matches!(
                fact,
                Some(PlanFact::Rejected | PlanFact::NeedsReview | PlanFact::Cancelled)
            );
            ended && !is_expiry(event)
        });
        if is_over {
            signatures::take_back(&self.context.project.store, &self.key, &[digest])?;
        }
        Ok(())
    }

    /// The file's path as the log writes it.
    pub(crate) fn path(&self) -> String {
        relative(self.context.project, &self.plan.path)
    }

    pub(crate) fn digest(&self) -> String {
        self.plan.digest().to_string()
    }

    pub(crate) fn version(&self) -> Option<u64> {
        self.plan.checked.plan.version
    }

    /// Who does it, by name.
    pub(crate) fn actor_name(&self) -> String {
        match self.context.actor {
            Actor::Person => self.context.project.process.person.clone(),
            actor => actor.name().to_owned(),
        }
    }

    pub(crate) fn history(&self) -> &PlanHistory {
        &self.status.history
    }

    /// What people said when they rejected it, with the version they rejected: first what only its file tells, which was
    /// said to another tool, then what the log tells.
    pub(crate) fn rejections(&self) -> Vec<(Option<u64>, Option<&str>)> {
        let logged: Vec<_> = self.history().feedback().collect();
        let numbers = (1..).zip(&logged);
        let versions: Vec<u64> = numbers
            .map(|(number, (version, _))| version.unwrap_or(number))
            .collect();
        let in_file = self.plan.checked.plan.record.get("rejections");
        let in_file = in_file.and_then(Value::as_array).into_iter().flatten();
        let said = in_file.map(|one| {
            let version = one.get("version").and_then(Value::as_u64);
            (version, one.get("feedback").and_then(Value::as_str))
        });
        // What the log tells was written into the file as well.
        let elsewhere = said.filter(|(version, feedback)| {
            let is_logged = logged.iter().any(|(_, known)| known == feedback);
            !is_logged && version.is_none_or(|version| !versions.contains(&version))
        });
        let mut all: Vec<_> = elsewhere.collect();
        all.extend(logged);
        all
    }

    /// Writes the new state, and these edits, into the file, and reads it again.
    pub(crate) fn conclude(self, state: PlanState, edits: Vec<Edit>) -> Result<PlanReport, Error> {
        let now = timestamp(self.context.clock.now());
        self.write_conclusion(&FileUpdate {
            state,
            edits,
            now,
            bump: VersionBump::WithOthers,
        })
    }

    /// The same, for a text that is new although nothing else in its file changes.
    pub(crate) fn conclude_counting(self, state: PlanState) -> Result<PlanReport, Error> {
        let now = timestamp(self.context.clock.now());
        self.write_conclusion(&FileUpdate {
            state,
            edits: Vec::new(),
            now,
            bump: VersionBump::Always,
        })
    }

    /// The same, for a text that has its version already.
    pub(crate) fn conclude_quietly(self, state: PlanState) -> Result<PlanReport, Error> {
        let now = timestamp(self.context.clock.now());
        self.write_conclusion(&FileUpdate {
            state,
            edits: Vec::new(),
            now,
            bump: VersionBump::Never,
        })
    }

    /// Continues with the text that was just written in its place.
    pub(crate) fn with_text(mut self, plan: PlanFile) -> Self {
        self.plan = plan;
        self
    }

    fn write_conclusion(mut self, wanted: &FileUpdate) -> Result<PlanReport, Error> {
        let state = wanted.state;
        if let Some(trouble) = write_back(&self.plan, wanted)? {
            self.notes.push(trouble);
        }
        current_task::update_status(self.context.project, &self.key, state)?;
        let plan = self.plan.read_again(&self.context.project.workspace())?;
        let state = if plan.digest() == self.plan.digest() {
            state
        } else {
            plan_status(self.context.project, &plan)?.state
        };
        Ok(PlanReport {
            key: self.key,
            state,
            plan,
            notes: self.notes,
            approval: None,
        })
    }

    /// A plan to which nothing happened for too long is cancelled, and that is reported.
    fn expire_if_due(mut self) -> Result<Self, Error> {
        let project = self.context.project;
        let digest = self.digest();
        let now = self.context.clock.now();
        let Some(days) = self::expiry::days_expired(&self.status, &self.plan, now, project) else {
            return Ok(self);
        };
        self.record(&[self::expiry::event(digest, days)])?;
        let state = PlanState::Cancelled;
        let now = timestamp(self.context.clock.now());
        let wanted = FileUpdate {
            state,
            edits: Vec::new(),
            now,
            bump: VersionBump::WithOthers,
        };
        let trouble = write_back(&self.plan, &wanted)?;
        current_task::update_status(project, &self.key, state)?;
        let name = self.plan.source.name().to_owned();
        let notice = self::expiry::notice(&name, days);
        self.notes.push(notice.clone());
        self.expired = Some(notice);
        self.notes.extend(trouble);
        self.plan = self.plan.read_again(&project.workspace())?;
        self.status = plan_status(project, &self.plan)?;
        Ok(self)
    }
}

/// Two files with one id: nobody could tell which of them was signed.
pub(crate) fn refuse_duplicate(
    project: &Project,
    plan: &PlanFile,
    history: &PlanHistory,
) -> Result<(), Error> {
    let Some(id) = &plan.checked.plan.id else {
        return Ok(());
    };
    let workspace = project.store.workspace();
    let Some(other) = history.path().map(|path| workspace.join(path)) else {
        return Ok(());
    };
    if same_file(&other, &plan.path) || !other.exists() {
        return Ok(());
    }
    let there = PlanFile::read(&other, "", &project.workspace())?;
    if there.checked.plan.id.as_ref() != Some(id) {
        return Ok(());
    }
    Err(Error::DuplicateId {
        id: id.clone(),
        paths: [other, plan.path.clone()],
    })
}

//! Makes the drafted version of a plan a plan of its own, and ends the old one. A crash may come at any point: what is
//! done already is not done again.

use signoff_api::plan_log::{PlanEvent, ReplacedPlan};
use signoff_engine::{Actor, PlanDraft, PlanState, Run};
use signoff_store::signatures::Proof;
use signoff_store::{atomic, failpoint};

use super::Advisor;
use crate::SystemClock;
use crate::error::Error;
use crate::plan_history::{PlanHistory, append_event};
use crate::plans::locked::LockedPlan;
use crate::plans::status::plan_status;
use crate::plans::{ActorContext, ApproveOptions, approve, requires_people};

/// Writes the new plan, ends the old one, and lets the policy sign. Has it?
pub(super) fn offer_draft(advisor: &Advisor, run: &Run) -> Result<bool, Error> {
    let Some(draft) = run.draft() else {
        return Ok(false);
    };
    if advisor.project.cluster.is_some() {
        // Whoever began the run has the plan's files and its log, and finds the draft beside the journal.
        return Ok(false);
    }
    let clock = SystemClock::new();
    let context = ActorContext {
        project: &advisor.project,
        actor: Actor::Planner,
        clock: &clock,
    };
    offer_to_people(advisor, run, draft)?;
    if !draft.narrows || !advisor.project.config.approval.narrowing.value {
        return Ok(false);
    }
    let is_signed = sign_by_policy(context, draft)?;
    failpoint::reach("replan.signed");
    Ok(is_signed)
}

/// The same without the policy, whose signature counts on no other machine.
pub(crate) fn offer_to_people(
    advisor: &Advisor,
    run: &Run,
    draft: &PlanDraft,
) -> Result<(), Error> {
    let clock = SystemClock::new();
    let context = ActorContext {
        project: &advisor.project,
        actor: Actor::Planner,
        clock: &clock,
    };
    propose_draft(advisor, context, run, draft)?;
    failpoint::reach("replan.proposed");
    end_old_plan(advisor, run, draft)?;
    failpoint::reach("replan.ended");
    Ok(())
}

fn propose_draft(
    advisor: &Advisor,
    context: ActorContext<'_>,
    run: &Run,
    draft: &PlanDraft,
) -> Result<(), Error> {
    let project = context.project;
    if PlanHistory::read(project, &draft.plan)?.entries.is_empty() {
        let kept = project.store.run_dir(run.id()).path().join(&draft.snapshot);
        let bytes = std::fs::read(&kept).map_err(|why| Error::Unreadable { path: kept, why })?;
        let path = project.store.workspace().join(&draft.path);
        if !path.exists() {
            atomic::replace(&path, None, &bytes, true)?;
        }
        failpoint::reach("replan.written");
        let locked = LockedPlan::open(context, &path, &draft.path)?;
        locked.record(&[PlanEvent::PlanProposed {
            path: locked.path(),
            digest: locked.digest(),
            version: locked.version(),
            by: writer(run, draft),
            actor: actor(draft).name().to_owned(),
            cloned_from: None,
            replaces: Some(ReplacedPlan {
                plan: advisor.key.clone(),
                run: run.id().to_owned(),
                reasoning: draft.reasoning.clone(),
            }),
        }])?;
        locked.conclude_quietly(PlanState::Verified)?;
    }
    Ok(())
}

/// Who wrote the version: the planner that the run asked, unless it was handed in.
fn actor(draft: &PlanDraft) -> Actor {
    let written = draft.actor.as_deref();
    let known = [Actor::Person, Actor::Agent].into_iter();
    let mut known = known.filter(|actor| written == Some(actor.name()));
    known.next().unwrap_or(Actor::Planner)
}

fn writer(run: &Run, draft: &PlanDraft) -> String {
    match (actor(draft), run.replan()) {
        (Actor::Person, Some(replan)) => replan.by.clone(),
        (actor, _) => actor.name().to_owned(),
    }
}

fn end_old_plan(advisor: &Advisor, run: &Run, draft: &PlanDraft) -> Result<(), Error> {
    let (project, key) = (&advisor.project, &advisor.key);
    let history = PlanHistory::read(project, key)?;
    if history.replaced_by(run.id()) == Some(draft.plan.as_str()) {
        return Ok(());
    }
    let replaced = PlanEvent::PlanReplaced {
        digest: run.signed_plan().digest().to_string(),
        by: draft.plan.clone(),
        run: run.id().to_owned(),
    };
    append_event(project, key, &replaced, &SystemClock::new())
}

/// Signs a version that only leaves out, as the configuration says.
fn sign_by_policy(context: ActorContext<'_>, draft: &PlanDraft) -> Result<bool, Error> {
    let project = context.project;
    let path = project.store.workspace().join(&draft.path);
    let plan = crate::plan_file::PlanFile::read(&path, &draft.path, &project.workspace())?;
    if requires_people(project, &plan, &draft.plan)? {
        return Ok(false);
    }
    let is_as_drafted = plan.digest().to_string() == draft.digest;
    if !is_as_drafted || plan_status(project, &plan)?.state != PlanState::Verified {
        return Ok(false);
    }
    let context = ActorContext {
        actor: Actor::Policy,
        ..context
    };
    let options = ApproveOptions {
        proof: Some(Proof::Policy),
        note: Some("`approval.narrowing`: it only leaves out".to_owned()),
        ..ApproveOptions::default()
    };
    match approve(context, &plan, &options) {
        Ok(_) => Ok(true),
        // A person has to see what the project lacks now.
        Err(Error::Invalid { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

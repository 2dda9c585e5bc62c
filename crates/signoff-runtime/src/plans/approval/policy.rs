//! Plans that the configuration lets be signed without a person. The signature names the policy.

use signoff_engine::{Actor, PlanState};
use signoff_store::signatures::Proof;

use super::approve::{ApproveOptions, ApproveReport, approve};
use super::replan::waiting_run;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plan_history::PlanHistory;
use crate::plans::status::plan_status;
use crate::plans::{ActorContext, PlanReport};
use crate::project::Project;
use crate::signing::approvers::RequiredApproval;

/// Signs a plan that waits for a signature, if a policy covers it.
pub fn sign_by_policy(
    context: ActorContext<'_>,
    plan: &PlanFile,
) -> Result<Option<ApproveReport>, Error> {
    let Some(why) = covering_policy(context, plan) else {
        return Ok(None);
    };
    // What a run goes on under is for a person to see, whoever wrote it.
    if waiting_run(context.project, plan)?.is_some()
        || plan_status(context.project, plan)?.state != PlanState::Verified
    {
        return Ok(None);
    }
    let context = ActorContext {
        actor: Actor::Policy,
        ..context
    };
    let options = ApproveOptions {
        proof: Some(Proof::Policy),
        note: Some(why),
        ..ApproveOptions::default()
    };
    approve(context, plan, &options).map(Some)
}

/// The same for a plan that was just handed in; why the policy could not sign it is only worth a note.
pub(crate) fn sign_after_proposal(context: ActorContext<'_>, mut done: PlanReport) -> PlanReport {
    match sign_by_policy(context, &done.plan) {
        Ok(None) => {}
        Ok(Some(approved)) => {
            let note = approved.signature.note.unwrap_or_default();
            done.notes.extend(approved.done.notes);
            done.notes.push(format!("signed by policy: {note}"));
            done.plan = approved.done.plan;
            done.state = approved.done.state;
        }
        Err(Error::Invalid { .. }) => done
            .notes
            .push("a policy will sign it once nothing is missing".to_owned()),
        Err(error) => done
            .notes
            .push(format!("the policy could not sign it: {error}")),
    }
    if done.state == PlanState::Verified {
        let asked = missing_before_signing(&done.plan);
        done.notes.extend(asked);
    }
    done
}

/// What is missing before the plan can be signed: it may be proposed before the files it names exist.
fn missing_before_signing(plan: &PlanFile) -> impl Iterator<Item = String> {
    let diagnostics = plan.checked.diagnostics.iter();
    let asked = diagnostics.filter(|problem| problem.code.is_environmental());
    asked.map(|problem| format!("before it can be signed: {}", problem.message))
}

/// Why no person is needed, if none is.
pub(crate) fn covering_policy(context: ActorContext<'_>, plan: &PlanFile) -> Option<String> {
    // Where people are named, or more than one has to sign, no rule signs for them.
    let project = context.project;
    let key = plan.key(project).ok()?;
    if requires_people(project, plan, &key).unwrap_or(true) {
        return None;
    }
    let approval = &context.project.config.approval;
    if !approval.required.value {
        return Some("the configuration requires no approval".to_owned());
    }
    let checked = &plan.checked;
    let covers = |at: &usize| {
        let policy = approval.auto.value.get(*at);
        policy.is_some_and(|policy| policy.covers(checked.dialect, &checked.plan))
    };
    let number = (0..approval.auto.value.len()).find(covers)?;
    Some(format!("policy {} of `approval.auto`", number + 1))
}

/// Do the settings or the plan say which people sign, or how many?
pub(crate) fn requires_people(
    project: &Project,
    plan: &PlanFile,
    key: &str,
) -> Result<bool, Error> {
    let history = PlanHistory::read(project, key)?;
    let required = RequiredApproval::of(project, &plan.checked.plan, &history)?;
    Ok(required.rule().is_demanding())
}

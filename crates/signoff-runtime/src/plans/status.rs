//! The state of a plan, derived from its log, its signatures and its runs.

use std::collections::BTreeSet;
use std::path::Path;

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{ForbiddenTransition, PlanFact, PlanFlags, PlanState, derive};
use signoff_plan::digest::Digest;
use signoff_store::root::StoreKind;

use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plan_history::{PlanHistory, plan_fact};
use crate::project::{Project, minimum_proof};
use crate::runs::view::RunView;
use crate::signing::proof::{SignatureCheck, valid_signature};

/// Where a plan stands, and why.
#[derive(Debug)]
pub struct PlanStatus {
    /// The derived state.
    pub state: PlanState,
    /// A signature over the present digests exists and counts.
    pub signed: bool,
    /// The run that decides it: one that has not ended, or the newest of the present definition.
    pub view: Option<RunView>,
    /// Digest of the present terms.
    pub terms: Digest,
    /// What happened to it.
    pub history: PlanHistory,
    /// The signature over them that counts, if one does.
    pub signature: SignatureCheck,
    /// Only its file says that it is in this state: nothing that was recorded here made it so.
    pub(crate) is_claimed: bool,
}

impl PlanStatus {
    /// Why something cannot be done to the plan; if only its file says so, with how to go on all the same.
    pub(crate) fn explain(&self, plan: &PlanFile, forbidden: ForbiddenTransition) -> Error {
        if !self.is_claimed {
            return Error::Forbidden(forbidden);
        }
        let (name, state) = (plan.source.name(), self.state);
        Error::Claimed {
            notice: format!(
                "{name} says that it is {state}, and nothing that was recorded here made it so. If it is to be taken up again as it is: `signoff revise {name}`, then sign it"
            ),
            forbidden,
        }
    }
}

/// Derives the status of a plan.
pub fn plan_status(project: &Project, plan: &PlanFile) -> Result<PlanStatus, Error> {
    let key = plan.key(project);
    let digest = plan.digest();
    let terms = Digest::of_json(&project.present_terms(&plan.checked.plan, &key)?);
    let signature = valid_signature(project, &key, &digest, &terms, minimum_proof(project))?;
    let signed = matches!(signature, SignatureCheck::Valid(_));
    let history = PlanHistory::read(project, &key)?;
    let (fact, view) = match newest_fact(&history, project, &digest)? {
        Some((fact, view)) => (Some(fact), view),
        None => (None, None),
    };
    let claimed = claimed_state(project, plan, &history, fact);
    let facts = fact.into_iter().chain(claimed.map(PlanFact::Claimed));
    let known = PlanFlags {
        has_errors: plan.checked.errors() > 0,
        signed,
        needs_person: history.needs_person(),
    };
    let state = derive(known, facts);
    Ok(PlanStatus {
        is_claimed: state != derive(known, fact),
        state,
        signed,
        view,
        terms,
        history,
        signature,
    })
}

/// What the file of a proposal says about its state, if another tool wrote that: nothing ever happened to it here, or, in
/// another tool's store, it only waits here, and our own word for that is not what the file says.
fn claimed_state(
    project: &Project,
    plan: &PlanFile,
    history: &PlanHistory,
    fact: Option<PlanFact>,
) -> Option<PlanState> {
    let waits = matches!(fact, Some(PlanFact::Proposed | PlanFact::Approved));
    let may_differ = waits && project.store.kind() != StoreKind::Own;
    let is_foreign =
        (history.entries.is_empty() || may_differ) && is_among_proposals(project, &plan.path);
    let word = plan.checked.plan.status.as_deref();
    word.filter(|_| is_foreign).and_then(PlanState::in_file)
}

/// Does it lie where the store keeps proposals?
pub(crate) fn is_among_proposals(project: &Project, path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let directory = path.parent().and_then(real);
    directory.is_some() && directory == real(&project.store.plans_dir())
}

/// The newest fact that decides about a definition, with the run it is about: one that has not
/// ended, whatever it runs, or one of this definition. Signing another version of a plan that runs
/// does not end its run.
fn newest_fact(
    history: &PlanHistory,
    project: &Project,
    present_digest: &Digest,
) -> Result<Option<(PlanFact, Option<RunView>)>, Error> {
    let present = present_digest.to_string();
    // Runs that a person gave up.
    let mut over = BTreeSet::new();
    let mut approved = None;
    for entry in history.entries.iter().rev() {
        if let PlanEvent::PlanExecuting { run, digest, .. } = &entry.event {
            let Some(view) = begun_run(project, run)? else {
                continue;
            };
            let goes_on = view.run.outcome().is_none() && !over.contains(run);
            let of_present = *digest == present && view.run.signed().digest() == *present_digest;
            if goes_on || (of_present && approved.is_none()) {
                return Ok(Some((PlanFact::Run(view.known()), Some(view))));
            }
            if approved.is_some() {
                break;
            }
            continue;
        }
        if let PlanEvent::PlanCancelled { run: Some(run), .. }
        | PlanEvent::PlanRetried { run, .. } = &entry.event
        {
            over.insert(run.clone());
        }
        if let Some((fact, digest)) = plan_fact(&entry.event)
            && *digest == present
            && approved.is_none()
        {
            if fact != PlanFact::Approved {
                return Ok(Some((fact, None)));
            }
            approved = Some((fact, None));
        }
    }
    Ok(approved)
}

/// The run, unless it ended before its first event.
fn begun_run(project: &Project, run: &str) -> Result<Option<RunView>, Error> {
    match RunView::load(project, run) {
        Ok(view) => Ok(Some(view)),
        // Runs are kept out of the repository: a clone has the log and not the runs.
        Err(Error::NeverBegun { .. } | Error::NoSuchRun { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

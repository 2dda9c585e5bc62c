//! The state of a plan, derived from its log, its signatures and its runs.

use signoff_engine::{PlanFlags, PlanState, derive};
use signoff_plan::digest::Digest;

use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::History;
use crate::project::{Project, minimum_proof};
use crate::proof::{Counted, counted};
use crate::view::View;

/// Where a plan stands, and why.
#[derive(Debug)]
pub struct Standing {
    /// The derived state.
    pub state: PlanState,
    /// A signature over the present digests exists and counts.
    pub signed: bool,
    /// The run that decides it: one that has not ended, or the newest of the present definition.
    pub view: Option<View>,
    /// Digest of the present terms.
    pub terms: Digest,
    /// What happened to it.
    pub history: History,
    /// The signature over them that counts, if one does.
    pub signature: Counted,
}

/// Derives the standing of a plan.
pub fn standing(project: &Project, plan: &PlanFile) -> Result<Standing, Error> {
    let key = plan.key(project);
    let digest = plan.digest();
    let terms = Digest::of_json(&project.present_terms(&plan.checked.plan, &key)?);
    let signature = counted(project, &key, (&digest, &terms), minimum_proof(project))?;
    let signed = matches!(signature, Counted::Yes(_));
    let history = History::read(project, &key)?;
    let (fact, view) = match history.newest_fact(project, &digest)? {
        Some((fact, view)) => (Some(fact), view),
        None => (None, None),
    };
    let known = PlanFlags {
        has_errors: plan.checked.errors() > 0,
        signed,
        needs_person: history.needs_person(),
    };
    Ok(Standing {
        state: derive(known, fact),
        signed,
        view,
        terms,
        history,
        signature,
    })
}

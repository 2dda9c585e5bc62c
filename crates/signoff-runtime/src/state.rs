//! The state of a plan, derived from signatures and journals.

use signoff_engine::{Known, PlanState, derive};
use signoff_plan::digest::Digest;

use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::project::{Project, minimum_proof};
use crate::proof::{Counted, counted};
use crate::view::View;

/// Where a plan stands, and its newest run if that is about the present text.
#[derive(Debug)]
pub struct Standing {
    /// The derived state.
    pub state: PlanState,
    /// The newest run of the present digest.
    pub view: Option<View>,
    /// Digest of the present terms.
    pub terms: Digest,
    /// The signature over them that counts, if one does.
    pub signature: Counted,
}

/// Derives the standing of a plan.
pub fn standing(project: &Project, plan: &PlanFile) -> Result<Standing, Error> {
    let key = plan.key(project);
    let digest = plan.digest();
    let terms = Digest::of_json(&project.terms(&plan.checked.plan));
    let signature = counted(project, &key, (&digest, &terms), minimum_proof(project))?;
    let view = View::newest(project, Some(&key))?
        .filter(|view| view.run.outcome().is_none() || view.run.signed().digest() == digest);
    let known = Known {
        has_errors: plan.checked.errors() > 0,
        signed: matches!(signature, Counted::Yes(_)),
        run: view.as_ref().map(View::known),
    };
    Ok(Standing {
        state: derive(known),
        view,
        terms,
        signature,
    })
}

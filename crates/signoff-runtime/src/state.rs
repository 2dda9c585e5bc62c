//! The state of a plan, derived from signatures and journals.

use signoff_engine::{Known, PlanState, derive};
use signoff_plan::digest::Digest;
use signoff_store::signatures;

use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::project::Project;
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
}

/// Derives the standing of a plan.
pub fn standing(project: &Project, plan: &PlanFile) -> Result<Standing, Error> {
    let key = plan.key(project);
    let digest = plan.digest();
    let terms = Digest::of_json(&project.present_terms(&plan.checked.plan, &key)?);
    let signed = signatures::matching(&project.store, &key, &digest, &terms)?.is_some();
    let view = View::newest(project, Some(&key))?
        .filter(|view| view.run.outcome().is_none() || view.run.signed().digest() == digest);
    let known = Known {
        has_errors: plan.checked.errors() > 0,
        signed,
        run: view.as_ref().map(View::known),
    };
    Ok(Standing {
        state: derive(known),
        view,
        terms,
    })
}

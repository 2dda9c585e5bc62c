//! Whether the signature of a person would count, asked before it is kept.

use signoff_engine::Signer;
use signoff_plan::signed::Signature;
use signoff_store::signatures::{KeyProof, Proof};

use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::status::PlanStatus;
use crate::project::Project;
use crate::signing::approvers::RequiredApproval;

/// Refuses a signature that would not bring the plan on. `key`: what a key said, where one was asked.
pub(super) fn require_counting(
    project: &Project,
    plan: &PlanFile,
    status: &PlanStatus,
    signature: &Signature,
    key: Option<&KeyProof>,
) -> Result<(), Error> {
    let signer = Signer {
        name: &signature.by,
        principal: key.map(|key| key.principal.as_str()),
        is_person: signature.proof != Proof::Policy.name(),
    };
    require_signer(project, plan, status, signer)
}

/// The same for the person who would sign with this proof.
pub(super) fn require_person_counting(
    project: &Project,
    plan: &PlanFile,
    status: &PlanStatus,
    proof: Proof,
) -> Result<(), Error> {
    if proof == Proof::Key {
        return Ok(());
    }
    let signer = Signer {
        name: &project.process.person,
        principal: None,
        is_person: proof != Proof::Policy,
    };
    require_signer(project, plan, status, signer)
}

fn require_signer(
    project: &Project,
    plan: &PlanFile,
    status: &PlanStatus,
    signer: Signer<'_>,
) -> Result<(), Error> {
    let required = RequiredApproval::of(project, &plan.checked.plan, &status.history)?;
    let (rule, name) = (required.rule(), plan.source.name().to_owned());
    if let Some(rule) = rule.impossible_rule() {
        return Err(Error::TooFewApprovers { plan: name, rule });
    }
    if let Err(why) = rule.admits(&signer) {
        return Err(Error::NotAnApprover {
            plan: name,
            by: signer.principal.unwrap_or(signer.name).to_owned(),
            why,
            named: rule.named_approvers(),
        });
    }
    match &status.approval {
        Some(progress) if !rule.would_add(progress, signer) => Err(Error::SignedAlready {
            plan: name,
            by: signer.principal.unwrap_or(signer.name).to_owned(),
            progress: Box::new(progress.clone()),
        }),
        _ => Ok(()),
    }
}

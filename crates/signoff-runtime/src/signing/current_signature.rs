//! The signature that counts for a plan, or what changed since the last one.

use serde_json::Value;
use signoff_plan::digest::Digest;
use signoff_plan::signed::{Signature, SignatureMismatch, SignedPlan};
use signoff_store::signatures::{self, PlanSignatures, SignatureRecord};

use super::approvers::RequiredApproval;
use super::proof::{SignatureCheck, count_signatures, valid_signature};
use crate::error::{Error, SignedDifference};
use crate::plan_file::PlanFile;
use crate::plan_history::PlanHistory;
use crate::project::{Project, minimum_proof};

/// A plan that may run, with the signature that counts for it.
pub(crate) struct CountedSignature {
    pub(crate) plan: SignedPlan,
    pub(crate) signature: Box<SignatureRecord>,
}

/// Finds the signature that counts for the present digests, or says what changed since the last one.
pub(crate) fn require_signed(
    project: &Project,
    plan: &PlanFile,
) -> Result<CountedSignature, Error> {
    let signatures = PlanSignatures::load(&project.store, &plan.key(project)?)?;
    let terms = project.terms_since(&plan.checked.plan, signatures.newest());
    let terms = Digest::of_json(&terms);
    let found = signatures.into_matching(&plan.digest(), &terms);
    let history = PlanHistory::read(project, &plan.key(project)?)?;
    let required = RequiredApproval::of(project, &plan.checked.plan, &history)?;
    match count_signatures(project, found, minimum_proof(project), &required)?.check {
        SignatureCheck::Valid(signature) => {
            let plan = join(plan, &terms, &signature)?;
            return Ok(CountedSignature { plan, signature });
        }
        SignatureCheck::Waiting(progress) => {
            let plan = plan.source.name().to_owned();
            let progress = Box::new(progress);
            return Err(Error::MoreSignatures { plan, progress });
        }
        SignatureCheck::Missing(doubted) if !doubted.is_empty() => {
            let plan = plan.source.name().to_owned();
            return Err(Error::NoneCounts { plan, doubted });
        }
        SignatureCheck::Missing(_) => {}
    }
    Err(not_signed_error(project, plan)?)
}

/// Why a plan without a valid signature has none: nobody ever signed it, or what changed since.
pub(crate) fn not_signed_error(project: &Project, plan: &PlanFile) -> Result<Error, Error> {
    let plan_name = plan.source.name().to_owned();
    Ok(match changes_since_signed(project, plan)? {
        None => Error::NotSigned { plan: plan_name },
        Some((_, difference)) => Error::Changed {
            plan: plan_name,
            difference,
        },
    })
}

/// What changed since somebody last signed the plan, whatever that signature counts for.
pub(crate) fn changes_since_signed(
    project: &Project,
    plan: &PlanFile,
) -> Result<Option<(Signature, SignedDifference)>, Error> {
    let Some(last) = signatures::newest(&project.store, &plan.key(project)?)? else {
        return Ok(None);
    };
    let terms = project.terms_since(&plan.checked.plan, Some(&last));
    let plans = if last.signature.digest == plan.digest() {
        // The same plan: comparing a large one with itself takes a while.
        (Value::Null, Value::Null)
    } else {
        (last.canonical_plan.to_value(), plan.canonical())
    };
    let before = (&plans.0, &last.canonical_terms);
    let difference = SignedDifference::compare(before, (&plans.1, &terms));
    Ok(Some((last.signature, difference)))
}

/// A run goes on only while a signature of its plan still counts.
pub(crate) fn require_still_signed(
    project: &Project,
    key: &str,
    plan: &SignedPlan,
) -> Result<Box<SignatureRecord>, Error> {
    match valid_signature(project, key, plan)? {
        SignatureCheck::Valid(signature) => Ok(signature),
        SignatureCheck::Waiting(progress) => Err(Error::MoreSignatures {
            plan: key.to_owned(),
            progress: Box::new(progress),
        }),
        SignatureCheck::Missing(doubted) if doubted.is_empty() => Err(Error::NotSigned {
            plan: key.to_owned(),
        }),
        SignatureCheck::Missing(doubted) => Err(Error::NoneCounts {
            plan: key.to_owned(),
            doubted,
        }),
    }
}

/// Joins a plan with a signature that counts.
fn join(plan: &PlanFile, terms: &Digest, found: &SignatureRecord) -> Result<SignedPlan, Error> {
    let name = plan.source.name().to_owned();
    let source = plan.source.clone();
    let checked = plan
        .checked
        .clone()
        .accept()
        .map_err(|diagnostics| Error::Invalid {
            source: Box::new(source),
            diagnostics,
        })?;
    SignedPlan::new(checked, terms, &found.signature)
        .map_err(|_: SignatureMismatch| Error::NotSigned { plan: name })
}

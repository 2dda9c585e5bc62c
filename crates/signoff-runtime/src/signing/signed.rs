//! The signature that counts for a plan, or what changed since the last one.

use signoff_plan::digest::Digest;
use signoff_plan::signed::{Signature, SignatureMismatch, SignedPlan};
use signoff_store::signatures::{self, SignatureRecord};

use super::proof::{SignatureCheck, valid_signature};
use crate::error::{Error, SignedDifference};
use crate::plan_file::PlanFile;
use crate::project::{Project, minimum_proof};

/// Finds the signature that counts for the present digests, or says what changed since the last one.
pub(crate) fn require_signed(project: &Project, plan: &PlanFile) -> Result<SignedPlan, Error> {
    let key = plan.key(project);
    let terms = project.present_terms(&plan.checked.plan, &key)?;
    let terms_digest = Digest::of_json(&terms);
    let digest = plan.digest();
    match valid_signature(
        project,
        &key,
        &digest,
        &terms_digest,
        minimum_proof(project),
    )? {
        SignatureCheck::Valid(found) => return join(plan, &terms_digest, &found),
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
    let key = plan.key(project);
    let Some(last) = signatures::newest(&project.store, &key)? else {
        return Ok(None);
    };
    let terms = project.present_terms(&plan.checked.plan, &key)?;
    let before = (&last.canonical_plan, &last.canonical_terms);
    let difference = SignedDifference::between(before, (&plan.canonical(), &terms));
    Ok(Some((last.signature, difference)))
}

/// A run goes on only while a signature of its plan still counts.
pub(crate) fn require_still_signed(
    project: &Project,
    key: &str,
    plan: &SignedPlan,
) -> Result<(), Error> {
    let (digest, terms) = (plan.digest(), plan.terms());
    match valid_signature(project, key, &digest, &terms, minimum_proof(project))? {
        SignatureCheck::Valid(_) => Ok(()),
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

//! How we know that a signature is a person's: asked for when they sign, and looked at again whenever
//! a signature is to count.

use std::io::{BufRead, BufReader, Write};

use signoff_engine::ApprovalProgress;
use signoff_plan::model::Plan;
use signoff_plan::signed::{Signature, SignedPlan};
use signoff_store::runs::RunDir;
use signoff_store::signatures::{self, KeyProof, Proof, SignatureRecord};
use signoff_store::trust::projects::ProjectStatus;

use super::approvers::RequiredApproval;
use super::ssh;
use super::terminal::{printable, terminal};
use crate::error::{Error, RejectedSignature, SignatureDefect};
use crate::plan_file::PlanFile;
use crate::plan_history::PlanHistory;
use crate::project::{Project, minimum_proof};

/// Digits of the plan's digest that are typed to confirm it.
const DIGITS: usize = 8;

/// The signature that counts for a plan, or why none does.
#[derive(Debug)]
pub enum SignatureCheck {
    /// The newest that counts.
    Valid(Box<SignatureRecord>),
    /// Some count, and more people have to sign.
    Waiting(ApprovalProgress),
    /// None does: those over the present digests, newest first, with what is wrong with them.
    Missing(Vec<RejectedSignature>),
}

/// What the signatures of a plan come to.
#[derive(Debug)]
pub(crate) struct SignatureCount {
    pub(crate) check: SignatureCheck,
    /// Who has signed and who is waited for, where more is asked for than one signature of whomever.
    pub(crate) approval: Option<ApprovalProgress>,
}

/// Finds the newest signature over these digests that counts, if enough people have signed.
pub(crate) fn valid_signature(
    project: &Project,
    key: &str,
    signed: &SignedPlan,
) -> Result<SignatureCheck, Error> {
    let (plan, terms) = (signed.digest(), signed.terms());
    let found = signatures::all_matching(&project.store, key, &plan, &terms)?;
    check_for_plan(project, key, signed.plan(), found)
}

/// The same for a run that has begun. It has its own copy of the signatures, for where the plan's are missing: on another
/// branch, for instance.
pub fn valid_signature_for_run(
    project: &Project,
    key: &str,
    run: &RunDir,
    signed: &SignedPlan,
) -> Result<SignatureCheck, Error> {
    let (plan, terms) = (signed.digest(), signed.terms());
    let mut found = signatures::all_matching(&project.store, key, &plan, &terms)?;
    if found.is_empty() {
        found = signatures::copies_of_run(run, key, &plan, &terms)?;
    }
    check_for_plan(project, key, signed.plan(), found)
}

fn check_for_plan(
    project: &Project,
    key: &str,
    plan: &Plan,
    found: Vec<SignatureRecord>,
) -> Result<SignatureCheck, Error> {
    let history = PlanHistory::read(project, key)?;
    let required = RequiredApproval::of(project, plan, &history)?;
    Ok(count_signatures(project, found, minimum_proof(project), &required)?.check)
}

/// Which of these, the newest first, are accepted and strong enough, and whether they are enough.
pub(crate) fn count_signatures(
    project: &Project,
    found: Vec<SignatureRecord>,
    minimum: Proof,
    required: &RequiredApproval<'_>,
) -> Result<SignatureCount, Error> {
    let (mut valid, mut doubted) = (Vec::new(), Vec::new());
    let (id, status) = project.id_status()?;
    let is_single = !required.rule().is_demanding();
    for signed in found {
        let bound = check_project(&signed, id.as_deref(), &status);
        let proved = bound.and_then(|()| check_proof(project, &signed, minimum));
        let named = proved.and_then(|()| {
            required
                .admits(&signed)
                .map_err(|why| SignatureDefect::NotCounted {
                    why,
                    named: required.rule().named_approvers(),
                })
        });
        match named {
            Ok(()) => valid.push(signed),
            Err(why) => doubted.push(RejectedSignature {
                by: signed.signature.by,
                at: signed.signature.at,
                why,
            }),
        }
        // Checking a key takes a while, and one is enough.
        if is_single && !valid.is_empty() {
            break;
        }
    }
    let approval = required.progress(&valid);
    let check = match (&approval, valid.into_iter().next()) {
        (Some(progress), _) if !progress.is_complete() && !progress.signed.is_empty() => {
            SignatureCheck::Waiting(progress.clone())
        }
        (Some(progress), _) if !progress.is_complete() => SignatureCheck::Missing(doubted),
        (_, Some(newest)) => SignatureCheck::Valid(Box::new(newest)),
        (_, None) => SignatureCheck::Missing(doubted),
    };
    Ok(SignatureCount { check, approval })
}

/// Was the signature given in this project?
fn check_project(
    signed: &SignatureRecord,
    id: Option<&str>,
    status: &ProjectStatus,
) -> Result<(), SignatureDefect> {
    match (&signed.signature.project, status) {
        (None, _) => Err(SignatureDefect::Unbound),
        (Some(project), _) if Some(project.as_str()) != id => Err(SignatureDefect::OtherProject),
        (Some(_), ProjectStatus::Copy { of }) => Err(SignatureDefect::Copy { of: of.clone() }),
        (Some(_), ProjectStatus::Known | ProjectStatus::First) => Ok(()),
    }
}

fn check_proof(
    project: &Project,
    signed: &SignatureRecord,
    minimum: Proof,
) -> Result<(), SignatureDefect> {
    let proof = signed.proof();
    if !proof.meets(minimum) {
        return Err(SignatureDefect::TooWeak { proof, minimum });
    }
    // Also where less would do: what claims a key and has none is forged.
    if let Some(said) = &signed.key {
        ssh::verify(project, &signed.signature, said).map_err(SignatureDefect::Key)?;
    }
    Ok(())
}

/// The proof to ask for: the person's choice, which must meet what is required.
pub(crate) fn choose_proof(requested: Option<Proof>, required: Proof) -> Result<Proof, Error> {
    match requested {
        // Whoever does not sign on the page confirms it where they are.
        None if required == Proof::Page => Ok(Proof::Terminal),
        None => Ok(required),
        // No person is asked; `minimum` decides whether it counts.
        Some(Proof::Policy) => Ok(Proof::Policy),
        Some(proof) if proof.meets(required) => Ok(proof),
        Some(proof) => Err(Error::WeakerProof { proof, required }),
    }
}

/// Lets the person prove that it is them, before anything is saved.
pub(crate) fn prove(
    project: &Project,
    plan: &PlanFile,
    proof: Proof,
    signature: &Signature,
) -> Result<Option<KeyProof>, Error> {
    match proof {
        // A surface that signs people in says so itself, and only for them.
        Proof::Policy | Proof::Client | Proof::Any | Proof::Page => Ok(None),
        Proof::Terminal => confirm(plan, signature).map(|()| None),
        Proof::Key => Ok(Some(ssh::sign(project, signature)?)),
    }
}

/// Shows on the terminal what is signed and has a part of it typed there.
fn confirm(plan: &PlanFile, signature: &Signature) -> Result<(), Error> {
    let mut terminal = terminal().map_err(|why| Error::NoTerminal { why })?;
    let digits: String = signature.digest.hex().chars().take(DIGITS).collect();
    let asked = format!(
        "{}\n  file   {}\n  plan   {}\n  terms  {}\nto sign it off as {}, type the first {DIGITS} digits of the plan's digest: ",
        printable(plan.checked.plan.display_title()),
        printable(plan.source.name()),
        signature.digest.short(),
        signature.terms.short(),
        printable(&signature.by),
    );
    let talk = |why| Error::NoTerminal { why };
    terminal.write_all(asked.as_bytes()).map_err(talk)?;
    let mut typed = String::new();
    BufReader::new(terminal)
        .read_line(&mut typed)
        .map_err(talk)?;
    if typed.trim().eq_ignore_ascii_case(&digits) {
        Ok(())
    } else {
        Err(Error::NotConfirmed { digits })
    }
}

#[cfg(test)]
mod tests;

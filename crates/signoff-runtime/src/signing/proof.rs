//! How we know that a signature is a person's: asked for when they sign, and looked at again whenever
//! a signature is to count.

use std::io::{BufRead, BufReader, Write};

use signoff_plan::digest::Digest;
use signoff_plan::signed::{Signature, SignedPlan};
use signoff_store::runs::RunDir;
use signoff_store::signatures::{self, KeyProof, Proof, SignatureRecord};
use signoff_store::trust::projects::ProjectStatus;

use super::ssh;
use super::terminal::{harmless, terminal};
use crate::error::{Error, RejectedSignature, SignatureDefect};
use crate::plan_file::PlanFile;
use crate::project::{Project, minimum_proof};

/// Digits of the plan's digest that are typed to confirm it.
const DIGITS: usize = 8;

/// The signature that counts for a plan, or why none does.
#[derive(Debug)]
pub enum SignatureCheck {
    /// The newest that counts.
    Valid(Box<SignatureRecord>),
    /// None does: those over the present digests, newest first, with what is wrong with them.
    Missing(Vec<RejectedSignature>),
}

/// Finds the newest signature over these digests whose proof is accepted and strong enough.
pub fn valid_signature(
    project: &Project,
    key: &str,
    plan: &Digest,
    terms: &Digest,
    minimum: Proof,
) -> Result<SignatureCheck, Error> {
    let found = signatures::all_matching(&project.store, key, plan, terms)?;
    first_valid(project, found, minimum)
}

/// The same for a run that has begun. It has its own copy of the signature, for where the plan's signatures are missing: on
/// another branch, for instance.
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
    first_valid(project, found, minimum_proof(project))
}

/// The first of these whose proof is accepted and strong enough.
pub(crate) fn first_valid(
    project: &Project,
    found: Vec<SignatureRecord>,
    minimum: Proof,
) -> Result<SignatureCheck, Error> {
    let mut doubted = Vec::new();
    let (id, status) = project.id_status()?;
    for signed in found {
        let bound = check_project(&signed, id.as_deref(), &status);
        match bound.and_then(|()| check_proof(project, &signed, minimum)) {
            Ok(()) => return Ok(SignatureCheck::Valid(Box::new(signed))),
            Err(why) => doubted.push(RejectedSignature {
                by: signed.signature.by,
                at: signed.signature.at,
                why,
            }),
        }
    }
    Ok(SignatureCheck::Missing(doubted))
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
        harmless(plan.checked.plan.display_title()),
        harmless(plan.source.name()),
        signature.digest.short(),
        signature.terms.short(),
        harmless(&signature.by),
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

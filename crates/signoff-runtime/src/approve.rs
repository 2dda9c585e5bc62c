//! A person signs the plan's digest and the digest of its terms.

use std::path::PathBuf;

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Act, Actor, Outcome, PlanState, after, after_signing_anew};
use signoff_plan::digest::Digest;
use signoff_plan::signed::Signature;
use signoff_store::signatures::{self, Proof, SignatureRecord};

use crate::clock::timestamp;
use crate::difference::Difference;
use crate::error::Error;
use crate::locks::take_run;
use crate::plan_file::PlanFile;
use crate::plans::held::Held;
use crate::plans::{Doing, Done, expect};
use crate::preflight;
use crate::project::{Project, required_proof};
use crate::proof::{chosen, prove};
use crate::replan::since_run;
use crate::state::{Standing, standing};
use crate::view::View;

/// How a plan is to be signed.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// How the person wants to prove that it is them; without it, as the settings ask. `policy` is for
    /// who signs without asking a person.
    pub proof: Option<Proof>,
    /// Anything the person wants to say.
    pub note: Option<String>,
    /// Refuse unless the digest begins with this.
    pub expect_digest: Option<String>,
    /// Refuse unless the plan has this version.
    pub expect_version: Option<u64>,
}

/// A plan that was signed just now.
#[derive(Debug)]
pub struct Approved {
    /// The signature.
    pub signature: Signature,
    /// Where it is kept.
    pub path: PathBuf,
    /// The plan, with what its file says now.
    pub done: Done,
}

/// What changed since somebody last signed this plan; an error if nobody ever did.
pub fn since_signed(project: &Project, plan: &PlanFile) -> Result<(Signature, Difference), Error> {
    preflight::since_signed(project, plan)?.ok_or_else(|| Error::NotSigned {
        plan: plan.source.name().to_owned(),
    })
}

/// A run that cannot go on because its plan or the terms are not what was signed.
#[derive(Debug)]
pub struct During {
    /// Its name.
    pub run: String,
    /// What it does not carry out yet.
    pub difference: Difference,
}

/// The run that would go on under this version of the plan, if it were signed; an error if a process
/// drives it.
pub fn during(project: &Project, plan: &PlanFile) -> Result<Option<During>, Error> {
    standing_still(project, &standing(project, plan)?)
}

fn standing_still(project: &Project, standing: &Standing) -> Result<Option<During>, Error> {
    let goes_on = |view: &&View| matches!(view.run.outcome(), None | Some(Outcome::Failed));
    let Some(view) = standing.view.as_ref().filter(goes_on) else {
        return Ok(None);
    };
    let Some(difference) = since_run(project, view)? else {
        return Ok(None);
    };
    let run = view.run.id().to_owned();
    // Whoever drives it has not seen the change yet, or lets what is under way end.
    take_run(&project.store.run_dir(&run), &run)?;
    Ok(Some(During { run, difference }))
}

/// The state after signing.
fn allowed(project: &Project, standing: &Standing, actor: Actor) -> Result<PlanState, Error> {
    match standing_still(project, standing)? {
        Some(_) => Ok(after_signing_anew(standing.state, actor)?),
        None => Ok(after(standing.state, Act::Approve, actor)?),
    }
}

/// Signs a plan that has no errors, as it was `seen`.
///
/// Whoever has to prove who they are takes their time, so that comes first; only then others wait.
pub fn approve(doing: Doing<'_>, seen: &PlanFile, wish: &Wish) -> Result<Approved, Error> {
    let project = doing.project;
    expect::version(seen, wish.expect_version)?;
    let digest = seen.digest();
    if let Some(expected) = &wish.expect_digest {
        expect_digest(expected, &digest)?;
    }
    preflight::no_errors(seen)?;
    allowed(project, &standing(project, seen)?, doing.actor)?;
    let proof = chosen(wish.proof, required_proof(project))?;
    let terms = project.terms(&seen.checked.plan);
    let signature = Signature {
        project: Some(project.require_id()?),
        plan: seen.key(project),
        digest,
        terms: Digest::of_json(&terms),
        by: match doing.actor {
            Actor::Policy => "policy".to_owned(),
            _ => project.around.person.clone(),
        },
        at: timestamp(doing.clock.now()),
        proof: proof.name().to_owned(),
        note: wish.note.clone(),
    };
    let key = prove(project, seen, proof, &signature)?;
    let signed = SignatureRecord {
        signature,
        canonical_plan: seen.canonical(),
        canonical_terms: terms,
        key,
    };
    kept(doing, seen, signed)
}

/// Keeps a signature, if the plan and its terms are still what was signed.
fn kept(doing: Doing<'_>, seen: &PlanFile, signed: SignatureRecord) -> Result<Approved, Error> {
    let project = doing.project;
    let held = Held::open(doing, &seen.path, seen.source.name())?;
    let state = match standing_still(project, &held.standing)? {
        Some(_) => allowed(project, &held.standing, doing.actor)?,
        None => held.allow(Act::Approve)?,
    };
    let terms = Digest::of_json(&project.terms(&held.plan.checked.plan));
    if (held.plan.digest(), terms) != (signed.signature.digest, signed.signature.terms) {
        return Err(Error::EditedMeanwhile {
            plan: seen.source.name().to_owned(),
        });
    }
    // First the log, then the signature: the line counts for nothing without it.
    held.record(&[recorded(&held, &signed.signature)])?;
    let path = signatures::save(&project.store, &signed)?;
    project.remember_id()?;
    let done = held.conclude(state, Vec::new())?;
    Ok(Approved {
        signature: signed.signature,
        path,
        done,
    })
}

fn recorded(held: &Held<'_>, signature: &Signature) -> PlanEvent {
    PlanEvent::PlanApproved {
        path: held.path(),
        digest: signature.digest.to_string(),
        terms: signature.terms.to_string(),
        version: held.version(),
        by: signature.by.clone(),
        proof: signature.proof.clone(),
        note: signature.note.clone(),
    }
}

fn expect_digest(expected: &str, digest: &Digest) -> Result<(), Error> {
    let found = digest.to_string();
    let plain = expected.strip_prefix("sha256:").unwrap_or(expected);
    // Too short a beginning would expect nothing.
    let readable = plain.len() >= 8 && plain.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !readable {
        return Err(Error::BadDigest {
            text: expected.to_owned(),
        });
    }
    let fits = found
        .strip_prefix("sha256:")
        .is_some_and(|hex| hex.starts_with(plain));
    if fits {
        Ok(())
    } else {
        Err(Error::Moved {
            expected: expected.to_owned(),
            found,
        })
    }
}

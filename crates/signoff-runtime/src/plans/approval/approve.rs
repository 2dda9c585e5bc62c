//! A person signs the plan's digest and the digest of its terms.

use std::path::PathBuf;

use serde_json::Value;
use signoff_api::plan_log::PlanEvent;
use signoff_engine::{
    Actor, Millis, Outcome, PlanState, Transition, state_after, state_after_signing_again,
};
use signoff_plan::digest::{CanonicalJson, Digest};
use signoff_plan::signed::Signature;
use signoff_store::signatures::{self, KeyProof, Proof, SignatureRecord, statement};

use super::approvers;
use super::replan::{changes_since_run, waiting_run};
use crate::clock::{millis, timestamp};
use crate::error::{Error, SignedDifference};
use crate::plan_file::{PlanFile, require_no_errors};
use crate::plans::locked::LockedPlan;
use crate::plans::locked::version::require_known_version;
use crate::plans::status::{PlanStatus, plan_status};
use crate::plans::{ActorContext, PlanReport};
use crate::project::locks::take_run;
use crate::project::{Project, required_proof};
use crate::runs::view::RunView;
use crate::signing::proof::{choose_proof, prove};
use crate::signing::{current_signature, ssh};

/// How a plan is to be signed.
#[derive(Debug, Clone, Default)]
pub struct ApproveOptions {
    /// How the person wants to prove that it is them; without it, as the settings ask. `policy` is for
    /// who signs without asking a person.
    pub proof: Option<Proof>,
    /// Anything the person wants to say.
    pub note: Option<String>,
    /// Refuse unless the digest begins with this.
    pub expect_digest: Option<String>,
    /// Refuse unless the plan has this version.
    pub expect_version: Option<u64>,
    /// Refuse unless the terms have this digest: what they were when the person was shown them.
    pub expect_terms: Option<String>,
}

/// A plan that was signed just now.
#[derive(Debug)]
pub struct ApproveReport {
    /// The signature.
    pub signature: Signature,
    /// Where it is kept.
    pub path: PathBuf,
    /// The plan, with what its file says now.
    pub done: PlanReport,
}

/// What changed since somebody last signed this plan; an error if nobody ever did.
pub fn changes_since_signed(
    project: &Project,
    plan: &PlanFile,
) -> Result<(Signature, SignedDifference), Error> {
    current_signature::changes_since_signed(project, plan)?.ok_or_else(|| Error::NotSigned {
        plan: plan.source.name().to_owned(),
    })
}

/// A run that cannot go on because its plan or the terms are not what was signed.
#[derive(Debug)]
pub struct ChangedRun {
    /// Its name.
    pub run: String,
    /// The changes that it does not carry out yet.
    pub difference: SignedDifference,
}

/// The run that would go on under this version of the plan, if it were signed; an error if a process
/// drives it.
pub fn changed_run(project: &Project, plan: &PlanFile) -> Result<Option<ChangedRun>, Error> {
    if let Some(waiting) = waiting_run(project, plan)? {
        return Ok(Some(ChangedRun {
            run: waiting.run,
            difference: waiting.difference,
        }));
    }
    idle_changed_run(project, &plan_status(project, plan)?)
}

fn idle_changed_run(project: &Project, status: &PlanStatus) -> Result<Option<ChangedRun>, Error> {
    let goes_on = |view: &&RunView| matches!(view.run.outcome(), None | Some(Outcome::Failed));
    let Some(view) = status.view.as_ref().filter(goes_on) else {
        return Ok(None);
    };
    let Some(difference) = changes_since_run(project, view)? else {
        return Ok(None);
    };
    let run = view.run.id().to_owned();
    // A process that drives it has not seen the change yet, or is finishing its steps.
    take_run(&project.store.run_dir(&run), &run)?;
    Ok(Some(ChangedRun { run, difference }))
}

/// The state after signing.
fn state_after_approval(
    project: &Project,
    plan: &PlanFile,
    status: &PlanStatus,
    actor: Actor,
) -> Result<PlanState, Error> {
    let state = match idle_changed_run(project, status)? {
        Some(_) => state_after_signing_again(status.state, actor),
        None => state_after(status.state, Transition::Approve, actor),
    };
    state.map_err(|forbidden| status.explain(plan, forbidden))
}

/// Signs a plan that has no errors, as it was `seen`.
///
/// Proving who one is may take a person minutes, so it comes before the plan's lock is taken.
pub fn approve(
    context: ActorContext<'_>,
    seen: &PlanFile,
    options: &ApproveOptions,
) -> Result<ApproveReport, Error> {
    let project = context.project;
    require_known_version(project, seen, options.expect_version)?;
    let digest = seen.digest();
    if let Some(expected) = &options.expect_digest {
        expect_digest(expected, &digest)?;
    }
    require_no_errors(seen)?;
    let status = plan_status(project, seen)?;
    state_after_approval(project, seen, &status, context.actor)?;
    let proof = choose_proof(options.proof, required_proof(project))?;
    let at = timestamp(context.clock.now());
    let (signature, terms) = unproved_signature(context, seen, options, (proof, at))?;
    // Before a person types what would not count. Whose key it is shows when it has signed.
    if proof != Proof::Key {
        approvers::require_counting(project, seen, &status, &signature, None)?;
    }
    let key = prove(project, seen, proof, &signature)?;
    let signed = SignatureRecord {
        signature,
        canonical_plan: CanonicalJson::of_plan(&seen.checked.plan),
        canonical_terms: terms,
        key,
    };
    save_signature(context, seen, signed)
}

/// What a signature would say, and the terms that it covers.
fn unproved_signature(
    context: ActorContext<'_>,
    seen: &PlanFile,
    options: &ApproveOptions,
    (proof, at): (Proof, String),
) -> Result<(Signature, Value), Error> {
    let project = context.project;
    let terms = project.terms(&seen.checked.plan);
    let terms_digest = Digest::of_json(&terms);
    let expected = options.expect_terms.as_deref();
    if expected.is_some_and(|expected| expected != terms_digest.to_string()) {
        return Err(Error::EditedMeanwhile {
            plan: seen.source.name().to_owned(),
        });
    }
    let signature = Signature {
        project: Some(project.require_id()?),
        plan: seen.key(project)?,
        digest: seen.digest(),
        terms: terms_digest,
        by: match context.actor {
            Actor::Policy => "policy".to_owned(),
            _ => project.process.person.clone(),
        },
        at,
        proof: proof.name().to_owned(),
        note: options.note.clone(),
    };
    Ok((signature, terms))
}

/// What a person signs with their key on a machine of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyStatement {
    /// The exact bytes.
    pub text: String,
    /// When it was made; it comes back with the signature.
    pub at: String,
}

/// The signature of a person's key over a [`KeyStatement`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenKey {
    /// Whose key, as the list of allowed signers calls them.
    pub principal: String,
    /// When the statement was made.
    pub at: String,
    /// What `ssh-keygen -Y sign` printed.
    pub signature: String,
}

/// How long a statement may be signed.
const STATEMENT_LIFE: Millis = 60 * 60 * 1000;

/// The statement that this person's key is to sign.
pub fn key_statement(
    context: ActorContext<'_>,
    seen: &PlanFile,
    options: &ApproveOptions,
    principal: &str,
) -> Result<KeyStatement, Error> {
    let at = timestamp(context.clock.now());
    let (signature, _) = unproved_signature(context, seen, options, (Proof::Key, at))?;
    Ok(KeyStatement {
        text: statement(&signature, principal),
        at: signature.at,
    })
}

/// Signs a plan with what a person's key said elsewhere.
pub fn approve_with_key(
    context: ActorContext<'_>,
    seen: &PlanFile,
    options: &ApproveOptions,
    given: &GivenKey,
) -> Result<ApproveReport, Error> {
    let (project, now) = (context.project, context.clock.now());
    let made = millis(&given.at);
    if made > now || now - made > STATEMENT_LIFE {
        let why = "the statement is not of the last hour: ask for another one".to_owned();
        return Err(Error::BadRequest { why });
    }
    require_known_version(project, seen, options.expect_version)?;
    if let Some(expected) = &options.expect_digest {
        expect_digest(expected, &seen.digest())?;
    }
    require_no_errors(seen)?;
    let of = (Proof::Key, given.at.clone());
    let (signature, terms) = unproved_signature(context, seen, options, of)?;
    let key = KeyProof {
        principal: given.principal.clone(),
        signature: given.signature.clone(),
    };
    ssh::verify(project, &signature, &key)?;
    let signed = SignatureRecord {
        signature,
        canonical_plan: CanonicalJson::of_plan(&seen.checked.plan),
        canonical_terms: terms,
        key: Some(key),
    };
    save_signature(context, seen, signed)
}

/// The digests of a plan and its terms that a person was shown before they decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownDigests {
    /// The plan's.
    pub plan: String,
    /// The terms'.
    pub terms: String,
}

impl ShownDigests {
    /// What a signature would cover now.
    pub fn of(project: &Project, plan: &PlanFile) -> Self {
        let terms = Digest::of_json(&project.terms(&plan.checked.plan));
        Self {
            plan: plan.digest().to_string(),
            terms: terms.to_string(),
        }
    }

    /// Refuses what is no longer what was shown.
    pub fn require_same(&self, project: &Project, plan: &PlanFile) -> Result<(), Error> {
        if *self == Self::of(project, plan) {
            return Ok(());
        }
        Err(Error::EditedMeanwhile {
            plan: plan.source.name().to_owned(),
        })
    }
}

/// Refuses what a person could not sign through a client anyway, before they are asked.
pub fn require_approvable(
    project: &Project,
    seen: &PlanFile,
    options: &ApproveOptions,
) -> Result<(), Error> {
    if let Some(expected) = &options.expect_digest {
        expect_digest(expected, &seen.digest())?;
    }
    let status = plan_status(project, seen)?;
    require_approvable_in(
        project,
        seen,
        &status,
        options.proof.unwrap_or(Proof::Client),
    )
}

/// The same where it is known how the plan stands.
fn require_approvable_in(
    project: &Project,
    seen: &PlanFile,
    status: &PlanStatus,
    proof: Proof,
) -> Result<(), Error> {
    require_no_errors(seen)?;
    state_after_approval(project, seen, status, Actor::Person)?;
    choose_proof(Some(proof), required_proof(project))?;
    approvers::require_person_counting(project, seen, status, proof)
}

/// Does only the signature of a person's key count?
pub fn requires_key(project: &Project) -> bool {
    required_proof(project) == Proof::Key
}

/// The same for a person who signed in to the page.
pub fn require_approvable_on_page(
    project: &Project,
    seen: &PlanFile,
    status: &PlanStatus,
) -> Result<(), Error> {
    require_approvable_in(project, seen, status, Proof::Page)
}

/// Signs a plan for a person who was shown it by a program that speaks for an agent, and who agreed there.
pub fn approve_through_client(
    context: ActorContext<'_>,
    seen: &PlanFile,
    options: &ApproveOptions,
) -> Result<ApproveReport, Error> {
    let by_person = ActorContext {
        actor: Actor::Person,
        ..context
    };
    let options = ApproveOptions {
        proof: Some(Proof::Client),
        ..options.clone()
    };
    approve(by_person, seen, &options)
}

/// Signs a plan for a person who signed in to the page.
pub fn approve_on_page(
    context: ActorContext<'_>,
    seen: &PlanFile,
    options: &ApproveOptions,
) -> Result<ApproveReport, Error> {
    let options = ApproveOptions {
        proof: Some(Proof::Page),
        ..options.clone()
    };
    approve(context, seen, &options)
}

/// Keeps a signature, if the plan and its terms are still what was signed.
fn save_signature(
    context: ActorContext<'_>,
    seen: &PlanFile,
    signed: SignatureRecord,
) -> Result<ApproveReport, Error> {
    let project = context.project;
    let locked = LockedPlan::open_seen(context, seen)?;
    let state = match idle_changed_run(project, &locked.status)? {
        Some(_) => state_after_approval(project, &locked.plan, &locked.status, context.actor)?,
        None => locked.allow(Transition::Approve)?,
    };
    let (by, key) = (&signed.signature, signed.key.as_ref());
    approvers::require_counting(project, &locked.plan, &locked.status, by, key)?;
    let terms = Digest::of_json(&project.terms(&locked.plan.checked.plan));
    if (locked.plan.digest(), terms) != (signed.signature.digest, signed.signature.terms) {
        return Err(Error::EditedMeanwhile {
            plan: seen.source.name().to_owned(),
        });
    }
    // First the log, then the signature: the line counts for nothing without it.
    locked.record(&[approval_event(&locked, &signed.signature)])?;
    let path = signatures::save(&project.store, &signed)?;
    project.remember_id()?;
    // More people may have to sign.
    let now = plan_status(project, &locked.plan)?;
    let state = match &now.approval {
        Some(approval) if !approval.is_complete() => now.state,
        _ => state,
    };
    let mut done = locked.conclude(state, Vec::new())?;
    done.approval = now.approval;
    Ok(ApproveReport {
        signature: signed.signature,
        path,
        done,
    })
}

fn approval_event(locked: &LockedPlan<'_>, signature: &Signature) -> PlanEvent {
    PlanEvent::PlanApproved {
        path: locked.path(),
        digest: signature.digest.to_string(),
        terms: signature.terms.to_string(),
        version: locked.version(),
        by: signature.by.clone(),
        proof: signature.proof.clone(),
        note: signature.note.clone(),
    }
}

pub(crate) fn expect_digest(expected: &str, digest: &Digest) -> Result<(), Error> {
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

//! A person signs the plan's digest and the digest of its terms.

use std::path::PathBuf;

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Act, Actor};
use signoff_plan::digest::Digest;
use signoff_plan::signed::Signature;
use signoff_store::signatures;

use crate::clock::timestamp;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::held::Held;
use crate::plans::{Doing, Done, expect};
use crate::preflight;

/// How a plan is to be signed.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// How we know that it was a person: `any`, or `policy` for the demo's own store.
    pub proof: String,
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

/// Signs a plan that has no errors, as it was `seen`.
pub fn approve(doing: Doing<'_>, seen: &PlanFile, wish: &Wish) -> Result<Approved, Error> {
    let project = doing.project;
    let held = Held::open(doing, &seen.path, seen.source.name())?;
    expect::version(&held.plan, wish.expect_version)?;
    let digest = held.plan.digest();
    if let Some(expected) = &wish.expect_digest {
        expect_digest(expected, &digest)?;
    }
    if digest != seen.digest() {
        return Err(Error::EditedMeanwhile {
            plan: seen.source.name().to_owned(),
        });
    }
    preflight::no_errors(&held.plan)?;
    let state = held.allow(Act::Approve)?;
    let terms = project.terms(&held.plan.checked.plan);
    let signature = Signature {
        plan: held.key.clone(),
        digest,
        terms: Digest::of_json(&terms),
        by: match doing.actor {
            Actor::Policy => "policy".to_owned(),
            _ => project.around.person.clone(),
        },
        at: timestamp(doing.clock.now()),
        proof: wish.proof.clone(),
        note: wish.note.clone(),
    };
    // First the log, then the signature: the line counts for nothing without it.
    held.record(&[recorded(&held, &signature)])?;
    let path = signatures::save(&project.store, &signature, &held.plan.canonical(), &terms)?;
    let done = held.conclude(state, Vec::new())?;
    Ok(Approved {
        signature,
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

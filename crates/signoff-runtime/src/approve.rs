//! A person signs the plan's digest and the digest of its terms.

use std::path::PathBuf;

use signoff_plan::digest::Digest;
use signoff_plan::signed::Signature;
use signoff_store::signatures::{self, Proof, Signed};

use crate::clock::{Clock, timestamp};
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::preflight;
use crate::project::{Project, required_proof};
use crate::proof::{chosen, prove};

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
}

/// Signs a plan that has no errors.
pub fn approve(
    project: &Project,
    plan: &PlanFile,
    wish: &Wish,
    clock: &dyn Clock,
) -> Result<Approved, Error> {
    preflight::no_errors(plan)?;
    preflight::supported(plan)?;
    let digest = plan.digest();
    if let Some(expected) = wish.expect_version {
        expect_version(expected, plan)?;
    }
    if let Some(expected) = &wish.expect_digest {
        expect(expected, &digest)?;
    }
    let proof = chosen(wish.proof, required_proof(project))?;
    let terms = project.terms(&plan.checked.plan);
    let signature = Signature {
        plan: plan.key(project),
        digest,
        terms: Digest::of_json(&terms),
        by: project.around.person.clone(),
        at: timestamp(clock.now()),
        proof: proof.name().to_owned(),
        note: wish.note.clone(),
    };
    let key = prove(project, plan, proof, &signature)?;
    let signed = Signed {
        signature,
        canonical_plan: plan.canonical(),
        canonical_terms: terms,
        key,
    };
    let path = signatures::save(&project.store, &signed)?;
    Ok(Approved {
        signature: signed.signature,
        path,
    })
}

fn expect_version(expected: u64, plan: &PlanFile) -> Result<(), Error> {
    match plan.checked.plan.version {
        Some(found) if found == expected => Ok(()),
        Some(found) => Err(Error::OtherVersion { expected, found }),
        None => Err(Error::NoVersion {
            plan: plan.source.name().to_owned(),
        }),
    }
}

fn expect(expected: &str, digest: &Digest) -> Result<(), Error> {
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

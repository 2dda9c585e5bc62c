//! A person signs the plan's digest and the digest of its terms.

use std::path::PathBuf;

use signoff_plan::digest::Digest;
use signoff_plan::signed::Signature;
use signoff_store::signatures;

use crate::clock::{Clock, timestamp};
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::preflight;
use crate::project::Project;

/// How a plan is to be signed.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// How we know that it was a person: `any`, or `policy` for the demo's own store.
    pub proof: String,
    /// Anything the person wants to say.
    pub note: Option<String>,
    /// Refuse unless the digest begins with this.
    pub expect_digest: Option<String>,
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
    if let Some(expected) = &wish.expect_digest {
        expect(expected, &digest)?;
    }
    let terms = project.terms(&plan.checked.plan);
    let signature = Signature {
        plan: plan.key(project),
        digest,
        terms: Digest::of_json(&terms),
        by: project.around.person.clone(),
        at: timestamp(clock.now()),
        proof: wish.proof.clone(),
        note: wish.note.clone(),
    };
    let path = signatures::save(&project.store, &signature, &plan.canonical(), &terms)?;
    Ok(Approved { signature, path })
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

//! Plans that passed the checks, and plans that were signed.
//!
//! The stages are types, so that the wrong order cannot be written: only
//! [`Checked::accept`](crate::check::Checked::accept) makes a [`CheckedPlan`], or a digest that was recorded of one, only a matching
//! [`Signature`] makes a [`SignedPlan`], and only that can be run.

use std::fmt;
use std::sync::Arc;

pub use crate::digest::Digest;
use crate::model::Plan;
use crate::spelling::Dialect;

/// A plan without errors, and the digest that a signature would name.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedPlan {
    plan: Arc<Plan>,
    dialect: Dialect,
    digest: Digest,
}

impl CheckedPlan {
    /// For [`crate::check`] only, which has made sure that there are no errors and that this is its digest.
    pub(crate) fn new(plan: Arc<Plan>, dialect: Dialect, digest: Digest) -> Self {
        Self {
            plan,
            dialect,
            digest,
        }
    }

    /// A plan that passed the checks when it was signed, as the recorded digest says: the same definition is not checked again,
    /// whatever a later version of the checks would make of it. Of any other plan its digest is returned.
    pub fn from_recorded_digest(
        plan: Plan,
        dialect: Dialect,
        recorded: &str,
    ) -> Result<Self, Digest> {
        let digest = Digest::of_plan(&plan);
        let found = Self::new(Arc::new(plan), dialect, digest).under_recorded_digest(recorded);
        if found.digest.to_string() == recorded {
            Ok(found)
        } else {
            Err(digest)
        }
    }

    /// The same plan under the digest that it had [before](Digest::before_briefings), if this is that one: a run that began
    /// then names it so.
    fn under_recorded_digest(mut self, recorded: &str) -> Self {
        if self.digest.to_string() != recorded {
            let earlier = Digest::before_briefings(&self.plan);
            if earlier.to_string() == recorded {
                self.digest = earlier;
            }
        }
        self
    }

    /// The resolved plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The spelling it was read from.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What a signature of this plan names.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

/// A signer's word that exactly this plan may run under exactly these terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Id of the project that it counts in; none in one from before signatures named it.
    pub project: Option<String>,
    /// Key of the plan: its id, else its path.
    pub plan: String,
    /// Digest of the plan.
    pub digest: Digest,
    /// Digest of what else decides: agents, sandbox, tools, defaults.
    pub terms: Digest,
    /// Who.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
    /// How we know it was them: `policy`, `client`, `any`, `terminal`, `key`.
    pub proof: String,
    /// What they wanted to add.
    pub note: Option<String>,
}

/// A plan that may run.
#[derive(Debug, Clone, PartialEq)]
pub struct SignedPlan {
    checked: CheckedPlan,
    signature: Signature,
}

impl SignedPlan {
    /// Joins a plan with its signature, if that is over this plan and these terms.
    pub fn new(
        checked: CheckedPlan,
        terms: &Digest,
        signature: &Signature,
    ) -> Result<Self, SignatureMismatch> {
        if signature.digest != checked.digest {
            return Err(SignatureMismatch::Plan {
                signed: signature.digest,
                present: checked.digest,
            });
        }
        if signature.terms != *terms {
            return Err(SignatureMismatch::Terms {
                signed: signature.terms,
                present: *terms,
            });
        }
        Ok(Self {
            checked,
            signature: signature.clone(),
        })
    }

    /// The resolved plan.
    pub fn plan(&self) -> &Plan {
        &self.checked.plan
    }

    /// The spelling it was read from.
    pub fn dialect(&self) -> Dialect {
        self.checked.dialect
    }

    /// Digest of the plan.
    pub fn digest(&self) -> Digest {
        self.checked.digest
    }

    /// Digest of the terms.
    pub fn terms(&self) -> Digest {
        self.signature.terms
    }

    /// The signature itself.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }
}

/// Why a signature does not cover what is at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureMismatch {
    /// The plan was edited after it was signed.
    Plan {
        /// What was signed.
        signed: Digest,
        /// What is there now.
        present: Digest,
    },
    /// The terms changed after the plan was signed.
    Terms {
        /// What was signed.
        signed: Digest,
        /// What is there now.
        present: Digest,
    },
}

impl fmt::Display for SignatureMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, signed, present) = match self {
            Self::Plan { signed, present } => ("plan", signed, present),
            Self::Terms { signed, present } => ("terms", signed, present),
        };
        let (signed, present) = (signed.short(), present.short());
        write!(
            f,
            "the {what} changed since it was signed: signed `{signed}`, now `{present}`"
        )
    }
}

impl std::error::Error for SignatureMismatch {}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(digest: Digest, terms: Digest) -> Signature {
        Signature {
            project: None,
            plan: "plan.md".to_owned(),
            digest,
            terms,
            by: "ada".to_owned(),
            at: "2026-11-15T09:00:00Z".to_owned(),
            proof: "terminal".to_owned(),
            note: None,
        }
    }

    #[test]
    fn only_the_recorded_digest_says_that_a_plan_was_checked() {
        let plan = Plan {
            briefing: Some("record".to_owned()),
            ..Plan::default()
        };
        let recorded = |digest: &Digest| {
            let text = digest.to_string();
            let found = CheckedPlan::from_recorded_digest(plan.clone(), Dialect::Workunit, &text);
            found.map(|plan| plan.digest())
        };
        let digest = Digest::of_plan(&plan);
        let earlier = Digest::before_briefings(&plan);
        assert_ne!(digest, earlier);
        assert_eq!(recorded(&digest), Ok(digest));
        assert_eq!(recorded(&earlier), Ok(earlier));
        assert_eq!(recorded(&Digest::of_bytes(b"other")), Err(digest));
    }

    #[test]
    fn a_signature_covers_one_plan_under_one_set_of_terms() {
        let plan = Arc::new(Plan::default());
        let digest = Digest::of_plan(&plan);
        let checked = CheckedPlan::new(plan, Dialect::Workunit, digest);
        let terms = Digest::of_bytes(b"terms");
        let other = Digest::of_bytes(b"other");

        let signed = SignedPlan::new(checked.clone(), &terms, &signature(digest, terms));
        assert_eq!(signed.map(|plan| plan.digest()), Ok(digest));
        assert_eq!(
            SignedPlan::new(checked.clone(), &terms, &signature(other, terms)),
            Err(SignatureMismatch::Plan {
                signed: other,
                present: digest
            })
        );
        assert_eq!(
            SignedPlan::new(checked, &terms, &signature(digest, other)),
            Err(SignatureMismatch::Terms {
                signed: other,
                present: terms
            })
        );
    }
}

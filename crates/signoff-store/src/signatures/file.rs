//! The file format `signoff.signature/1`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use signoff_plan::signed::{Digest, Signature};

use super::Signed;
use crate::timestamp;

const SCHEMA: &str = "signoff.signature/1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignatureFile {
    schema: String,
    plan: String,
    digest: String,
    terms: String,
    by: String,
    at: String,
    proof: String,
    note: Option<String>,
    canonical_plan: Value,
    canonical_terms: Value,
}

impl SignatureFile {
    pub(super) fn new(
        signature: &Signature,
        canonical_plan: &Value,
        canonical_terms: &Value,
    ) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            plan: signature.plan.clone(),
            digest: signature.digest.to_string(),
            terms: signature.terms.to_string(),
            by: signature.by.clone(),
            at: signature.at.clone(),
            proof: signature.proof.clone(),
            note: signature.note.clone(),
            canonical_plan: canonical_plan.clone(),
            canonical_terms: canonical_terms.clone(),
        }
    }

    /// Pretty, because it is committed and people read the difference.
    pub(super) fn to_text(&self) -> String {
        format!("{:#}\n", serde_json::json!(self))
    }

    /// Checks that the signed digests are those of what the file holds; else says which is not.
    fn digests_match(&self) -> Result<(Digest, Digest), &'static str> {
        let fits = |digest: &str, value: &Value| {
            let present = Digest::of_json(value);
            (present.to_string() == digest).then_some(present)
        };
        let plan = fits(&self.digest, &self.canonical_plan).ok_or("plan")?;
        let terms = fits(&self.terms, &self.canonical_terms).ok_or("terms")?;
        Ok((plan, terms))
    }

    pub(super) fn parse(bytes: &[u8], key: &str) -> Result<Signed, String> {
        let file: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if file.schema != SCHEMA {
            return Err(format!("its schema is `{}`, not `{SCHEMA}`", file.schema));
        }
        if file.plan != key {
            return Err(format!("it is for the plan `{}`, not `{key}`", file.plan));
        }
        let (digest, terms) = file
            .digests_match()
            .map_err(|what| format!("the {what} in it is not what was signed"))?;
        if timestamp::parse(&file.at).is_none() {
            return Err(format!("its time `{}` is none", file.at.escape_debug()));
        }
        Ok(Signed {
            signature: Signature {
                plan: file.plan,
                digest,
                terms,
                by: file.by,
                at: file.at,
                proof: file.proof,
                note: file.note,
            },
            canonical_plan: file.canonical_plan,
            canonical_terms: file.canonical_terms,
        })
    }
}

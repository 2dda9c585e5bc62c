//! The file format `signoff.signature/2`. Version 1 did not name the project; it is still read.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use signoff_plan::signed::{Digest, Signature};

use super::{KeyProof, Proof, SignatureRecord};
use crate::files::timestamp;

const SCHEMA: &str = "signoff.signature/2";
const UNBOUND: &str = "signoff.signature/1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignatureFile {
    schema: String,
    /// Only, and always, in version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    plan: String,
    digest: String,
    terms: String,
    by: String,
    at: String,
    proof: String,
    note: Option<String>,
    canonical_plan: Value,
    canonical_terms: Value,
    /// Files from before there were keys have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<KeyProof>,
}

impl SignatureFile {
    pub(super) fn new(signed: &SignatureRecord) -> Self {
        let signature = &signed.signature;
        Self {
            schema: match signature.project {
                Some(_) => SCHEMA.to_owned(),
                None => UNBOUND.to_owned(),
            },
            project: signature.project.clone(),
            plan: signature.plan.clone(),
            digest: signature.digest.to_string(),
            terms: signature.terms.to_string(),
            by: signature.by.clone(),
            at: signature.at.clone(),
            proof: signature.proof.clone(),
            note: signature.note.clone(),
            canonical_plan: signed.canonical_plan.clone(),
            canonical_terms: signed.canonical_terms.clone(),
            key: signed.key.clone(),
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

    /// The proof is one we know, and what a key said is there if and only if one is claimed.
    fn proof_fits(&self) -> Result<(), String> {
        let Some(proof) = Proof::parse(&self.proof) else {
            let names = Proof::ALL.map(Proof::name).join(", ");
            let found = self.proof.escape_debug();
            return Err(format!("its proof `{found}` is none of {names}"));
        };
        match (proof, &self.key) {
            (Proof::Key, None) => Err("it claims a key and holds no key's signature".to_owned()),
            (Proof::Key, Some(_)) | (_, None) => Ok(()),
            (_, Some(_)) => Err(format!("its proof is `{proof}`, yet a key has signed it")),
        }
    }

    pub(super) fn parse(bytes: &[u8], key: &str) -> Result<SignatureRecord, String> {
        let file: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        match (file.schema.as_str(), &file.project) {
            (SCHEMA, Some(_)) | (UNBOUND, None) => {}
            (SCHEMA, None) => return Err("it names no project".to_owned()),
            (UNBOUND, Some(_)) => return Err(format!("`{UNBOUND}` names no project")),
            (other, _) => return Err(format!("its schema is `{other}`, not `{SCHEMA}`")),
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
        file.proof_fits()?;
        Ok(SignatureRecord {
            signature: Signature {
                project: file.project,
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
            key: file.key,
        })
    }
}

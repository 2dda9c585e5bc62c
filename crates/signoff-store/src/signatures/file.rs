//! The file format `signoff.signature/2`. Version 1 did not name the project; it is still read.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use signoff_plan::digest::CanonicalJson;
use signoff_plan::signed::{Digest, Signature};

use super::{KeyProof, Proof, SignatureRecord};
use crate::files::timestamp;

const SCHEMA: &str = "signoff.signature/2";
const UNBOUND: &str = "signoff.signature/1";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignatureFile {
    schema: String,
    /// Only, and always, in version 2.
    #[serde(default)]
    project: Option<String>,
    plan: String,
    digest: String,
    terms: String,
    by: String,
    at: String,
    proof: String,
    note: Option<String>,
    canonical_plan: CanonicalJson,
    canonical_terms: Value,
    /// Files from before there were keys have none.
    #[serde(default)]
    key: Option<KeyProof>,
}

/// The members of a file before what was signed.
#[derive(Serialize)]
struct Head<'a> {
    schema: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    plan: &'a str,
    digest: String,
    terms: String,
    by: &'a str,
    at: &'a str,
    proof: &'a str,
    note: Option<&'a str>,
}

/// The text of a file. Pretty, because it is committed and people read the difference.
pub(super) fn text(signed: &SignatureRecord) -> String {
    let signature = &signed.signature;
    let head = Head {
        schema: match signature.project {
            Some(_) => SCHEMA,
            None => UNBOUND,
        },
        project: signature.project.as_deref(),
        plan: &signature.plan,
        digest: signature.digest.to_string(),
        terms: signature.terms.to_string(),
        by: &signature.by,
        at: &signature.at,
        proof: &signature.proof,
        note: signature.note.as_deref(),
    };
    let mut members = json_text(&head);
    members.pop();
    for (name, value) in [
        ("canonical_plan", signed.canonical_plan.as_str()),
        ("canonical_terms", &signed.canonical_terms.to_string()),
    ] {
        members.extend([",\"", name, "\":", value]);
    }
    if let Some(key) = &signed.key {
        members.extend([",\"key\":", &json_text(key)]);
    }
    members.push('}');
    let mut text = indented_json(&members);
    text.push('\n');
    text
}

fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("text and numbers can be written as JSON")
}

/// JSON without white space, on lines of its own.
fn indented_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    let mut letters = json.chars().peekable();
    while let Some(letter) = letters.next() {
        if in_text {
            out.push(letter);
            in_text = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            continue;
        }
        let closes = matches!(letters.peek(), Some('}' | ']'));
        match letter {
            '{' | '[' if closes => {
                out.push(letter);
                out.extend(letters.next());
            }
            '{' | '[' | ',' => {
                depth += usize::from(letter != ',');
                out.push(letter);
                new_line(&mut out, depth);
            }
            '}' | ']' => {
                depth -= 1;
                new_line(&mut out, depth);
                out.push(letter);
            }
            ':' => out.push_str(": "),
            _ => {
                in_text = letter == '"';
                out.push(letter);
            }
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

impl SignatureFile {
    /// Checks that the signed digests are those of what the file holds; else says which is not.
    fn digests_match(&self) -> Result<(Digest, Digest), &'static str> {
        let fits =
            |digest: &str, present: Digest| (present.to_string() == digest).then_some(present);
        let plan = fits(&self.digest, self.canonical_plan.digest()).ok_or("plan")?;
        let terms = fits(&self.terms, Digest::of_json(&self.canonical_terms)).ok_or("terms")?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_pretty_json() {
        let value = serde_json::json!({
            "a": [], "b": {}, "c": [1, [2.5, null], {"d": "{[,:\\\"\n\\"}],
            "é: \"x\"": {"e": true}, "f": "",
        });
        assert_eq!(indented_json(&value.to_string()), format!("{value:#}"));
    }
}

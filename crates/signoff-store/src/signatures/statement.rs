//! What a key signs: everything the signature says, as one text.

use serde_json::json;
use signoff_plan::digest::canonical_json;
use signoff_plan::signed::Signature;

/// Version of the text. A key that signed it has signed exactly these members.
const SCHEMA: &str = "signoff.statement/2";
/// The version without `project`: what keys signed before signatures named one.
const UNBOUND: &str = "signoff.statement/1";

/// The namespace of SSH signatures over it: one made for git or a file is none for a plan.
pub const NAMESPACE: &str = "signoff";

/// The text that the key of `principal` signs: RFC 8785 JSON, so that it has one spelling.
// Every member by name: a field of the signature that is left out could be changed afterwards.
pub fn statement(signature: &Signature, principal: &str) -> String {
    let Signature {
        project,
        plan,
        digest,
        terms,
        by,
        at,
        proof,
        note,
    } = signature;
    let mut text = json!({
        "schema": if project.is_some() { SCHEMA } else { UNBOUND },
        "principal": principal,
        "plan": plan,
        "digest": digest.to_string(),
        "terms": terms.to_string(),
        "by": by,
        "at": at,
        "proof": proof,
        "note": note,
    });
    if let (Some(project), Some(members)) = (project, text.as_object_mut()) {
        members.insert("project".to_owned(), project.as_str().into());
    }
    canonical_json(&text)
}

#[cfg(test)]
mod tests {
    use signoff_plan::signed::Digest;

    use super::*;

    fn signature() -> Signature {
        Signature {
            project: Some("00112233445566778899aabbccddeeff".to_owned()),
            plan: "docs/plan.md".to_owned(),
            digest: Digest::of_bytes(b"plan"),
            terms: Digest::of_bytes(b"terms"),
            by: "ada".to_owned(),
            at: "2026-11-15T09:30:12.345Z".to_owned(),
            proof: "key".to_owned(),
            note: None,
        }
    }

    /// Signatures are kept for years: a changed spelling would void every one of them.
    #[test]
    fn its_spelling_is_fixed() {
        assert_eq!(
            statement(&signature(), "ada@example.org"),
            "{\"at\":\"2026-11-15T09:30:12.345Z\",\"by\":\"ada\",\
             \"digest\":\"sha256:64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525\",\
             \"note\":null,\"plan\":\"docs/plan.md\",\"principal\":\"ada@example.org\",\
             \"project\":\"00112233445566778899aabbccddeeff\",\
             \"proof\":\"key\",\"schema\":\"signoff.statement/2\",\
             \"terms\":\"sha256:51d2361f4faea3bc8f9facdbc7d99abb555596a2e51f7b25fd3b41c93587e616\"}"
        );
    }

    #[test]
    fn without_a_project_it_is_what_it_was() {
        let unbound = Signature {
            project: None,
            ..signature()
        };
        assert_eq!(
            statement(&unbound, "ada@example.org"),
            "{\"at\":\"2026-11-15T09:30:12.345Z\",\"by\":\"ada\",\
             \"digest\":\"sha256:64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525\",\
             \"note\":null,\"plan\":\"docs/plan.md\",\"principal\":\"ada@example.org\",\
             \"proof\":\"key\",\"schema\":\"signoff.statement/1\",\
             \"terms\":\"sha256:51d2361f4faea3bc8f9facdbc7d99abb555596a2e51f7b25fd3b41c93587e616\"}"
        );
    }

    #[test]
    fn no_two_signatures_have_one_text() {
        let base = signature();
        let change = |edit: fn(&mut Signature)| {
            let mut changed = base.clone();
            edit(&mut changed);
            statement(&changed, "ada@example.org")
        };
        let mut texts = vec![
            statement(&base, "ada@example.org"),
            statement(&base, "bob@example.org"),
            change(|one| one.project = None),
            change(|one| one.project = Some("ffeeddccbbaa99887766554433221100".to_owned())),
            change(|one| one.plan.push('x')),
            change(|one| one.digest = one.terms),
            change(|one| one.terms = one.digest),
            change(|one| one.by.push('x')),
            change(|one| one.at.push('x')),
            change(|one| one.proof.push('x')),
            change(|one| one.note = Some(String::new())),
            change(|one| one.note = Some("null".to_owned())),
        ];
        let count = texts.len();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), count);
    }
}

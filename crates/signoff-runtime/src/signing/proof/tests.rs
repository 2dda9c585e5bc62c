use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;
use signoff_plan::digest::{CanonicalJson, Digest};
use signoff_store::root::Store;
use tempfile::TempDir;

use super::*;
use crate::error::KeyError;
use crate::project::ProcessContext;

const KEY: &str = "docs/plan.md";

/// A project without settings, and a home beside it.
fn project() -> (TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    let [directory, home] = ["project", "home"].map(|name| folder.path().join(name));
    fs::create_dir(&home).unwrap();
    fs::create_dir(&directory).unwrap();
    Store::create(&directory).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let variables = BTreeMap::from([
        ("HOME".into(), home.into_os_string()),
        ("PATH".into(), path),
        ("TMPDIR".into(), folder.path().into()),
    ]);
    let process = ProcessContext {
        variables,
        directory,
        user_config: None,
        state_dir: None,
        person: "ada".to_owned(),
        services: crate::project::ExternalServices::default(),
    };
    let project = Project::open(&process).unwrap();
    (folder, project)
}

fn digests() -> (Digest, Digest) {
    (Digest::of_json(&json!({})), Digest::of_json(&json!([])))
}

fn sign(project: &Project, proof: Proof, second: u32) {
    let (digest, terms) = digests();
    let signed = SignatureRecord {
        signature: Signature {
            project: project.store.project_id().unwrap(),
            plan: KEY.to_owned(),
            digest,
            terms,
            by: proof.to_string(),
            at: format!("2026-11-15T09:00:{second:02}Z"),
            proof: proof.to_string(),
            note: None,
        },
        canonical_plan: CanonicalJson::of(&json!({})),
        canonical_terms: json!([]),
        key: None,
    };
    signatures::save(&project.store, &signed).unwrap();
}

/// Signs with these proofs one after the other; says whose counts, or why none does.
fn counts(proofs: &[Proof], minimum: Proof) -> Result<String, Vec<String>> {
    let (_folder, project) = project();
    for (second, proof) in (0..).zip(proofs) {
        sign(&project, *proof, second);
    }
    let (plan, terms) = digests();
    let found = signatures::all_matching(&project.store, KEY, &plan, &terms).unwrap();
    let history = PlanHistory::default();
    let required = RequiredApproval::of(&project, &Plan::default(), &history).unwrap();
    match count_signatures(&project, found, minimum, &required)
        .unwrap()
        .check
    {
        SignatureCheck::Valid(signed) => Ok(signed.signature.by),
        SignatureCheck::Waiting(progress) => Err(vec![progress.to_string()]),
        SignatureCheck::Missing(doubted) => Err(doubted.iter().map(ToString::to_string).collect()),
    }
}

#[test]
fn the_newest_that_is_strong_enough_counts() {
    use Proof::{Any, Key, Policy, Terminal};
    let check = |proofs: &[Proof], minimum, by: &str| {
        assert_eq!(
            counts(proofs, minimum),
            Ok(by.to_owned()),
            "{proofs:?} {minimum}"
        );
    };
    check(&[Terminal, Any], Any, "any");
    check(&[Terminal, Any], Terminal, "terminal");
    check(&[Terminal, Policy], Any, "policy");
    assert_eq!(counts(&[], Any), Err(Vec::new()));
    assert_eq!(
        counts(&[Any, Terminal], Key),
        Err(vec![
            "the signature by terminal of 2026-11-15T09:00:01Z: its proof is `terminal`, and `key` is the least that counts".to_owned(),
            "the signature by any of 2026-11-15T09:00:00Z: its proof is `any`, and `key` is the least that counts".to_owned(),
        ])
    );
}

#[test]
fn a_wish_can_only_raise_what_is_required() {
    use Proof::{Any, Client, Key, Policy, Terminal};
    for (requested, required, expected) in [
        (None, Any, Some(Any)),
        (None, Terminal, Some(Terminal)),
        (Some(Key), Terminal, Some(Key)),
        (Some(Terminal), Terminal, Some(Terminal)),
        (Some(Any), Terminal, None),
        (Some(Terminal), Key, None),
        (Some(Client), Any, Some(Client)),
        (Some(Client), Key, None),
        (Some(Policy), Key, Some(Policy)),
    ] {
        let found = choose_proof(requested, required).ok();
        assert_eq!(
            found, expected,
            "{requested:?} where {required} is required"
        );
    }
}

/// Signatures are kept for years: what a key signed with the first version is still believed.
#[test]
fn the_stored_sample_of_a_keys_signature_is_still_believed() {
    let (folder, project) = project();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../signoff-store/tests/samples");
    let directory = project
        .store
        .workspace()
        .join(".signoff/signatures/docs%2Fplan.md");
    fs::create_dir_all(&directory).unwrap();
    let sample = directory.join("20261115T124046.196Z-0001.json");
    fs::copy(samples.join("signature-v1-key.json"), sample).unwrap();
    let list = samples.join("signature-v1-key.allowed_signers");
    let settings = format!("[gpg \"ssh\"]\n\tallowedSignersFile = {}\n", list.display());
    fs::write(folder.path().join("home/.gitconfig"), settings).unwrap();

    let signed = signatures::newest(&project.store, KEY).unwrap().unwrap();
    check_proof(&project, &signed, Proof::Key).unwrap();
    let mut changed = signed;
    changed.signature.note = None;
    let doubt = check_proof(&project, &changed, Proof::Key);
    assert!(
        matches!(doubt, Err(SignatureDefect::Key(KeyError::DoesNotFit))),
        "{doubt:?}"
    );
}

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::*;

const PROJECT: &str = "00112233445566778899aabbccddeeff";

fn store() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::create(dir.path()).unwrap();
    (dir, store)
}

fn plan(title: &str) -> CanonicalJson {
    let value = json!({"schema": "signoff.digest/1", "title": title, "steps": [1.5, 1e21]});
    CanonicalJson::of(&value)
}

fn signature(plan: &CanonicalJson, at: &str, by: &str) -> Signature {
    Signature {
        project: Some(PROJECT.to_owned()),
        plan: "docs/plan.md".to_owned(),
        digest: plan.digest(),
        terms: Digest::of_json(&json!({})),
        by: by.to_owned(),
        at: at.to_owned(),
        proof: "terminal".to_owned(),
        note: Some("after \"review\"\n".to_owned()),
    }
}

fn signed(signature: Signature, plan: CanonicalJson) -> SignatureRecord {
    SignatureRecord {
        signature,
        canonical_plan: plan,
        canonical_terms: json!({}),
        key: None,
    }
}

fn save_one(store: &Store, title: &str, at: &str, by: &str) -> PathBuf {
    let plan = plan(title);
    save(store, &signed(signature(&plan, at, by), plan)).unwrap()
}

const AT: &str = "2026-11-15T09:30:12.345Z";

#[test]
fn what_is_saved_is_found_again() {
    let (_dir, store) = store();
    assert_eq!(newest(&store, "docs/plan.md").unwrap(), None);
    let path = save_one(&store, "a", AT, "ada");
    assert!(path.ends_with("signatures/docs%2Fplan.md/20261115T093012.345Z-0001.json"));
    let mode = path.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o733, 0o600, "0644, less what the umask takes");
    let found = newest(&store, "docs/plan.md").unwrap().unwrap();
    assert_eq!(found.signature, signature(&plan("a"), AT, "ada"));
    assert_eq!(found.canonical_plan, plan("a"));
    assert_eq!(found.canonical_terms, json!({}));
    assert_eq!(newest(&store, "plan.md").unwrap(), None);
}

#[test]
fn the_stored_samples_of_every_version_are_still_read() {
    let project = |version| sample_is_read(&format!("signature-v{version}.json"));
    assert_eq!(project(1), None);
    assert_eq!(project(2).as_deref(), Some(PROJECT));
}

/// Reads a stored sample, saves it again, and reads the same; the project that it names.
fn sample_is_read(name: &str) -> Option<String> {
    let (_dir, store) = store();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let sample = samples.join(name);
    let directory = store.signatures_dir("docs/plan.md");
    fs::create_dir_all(&directory).unwrap();
    fs::copy(&sample, directory.join("20261115T093012.345Z-0001.json")).unwrap();
    let read = newest(&store, "docs/plan.md").unwrap().unwrap();
    assert_eq!(
        (read.signature.by.as_str(), read.signature.note.as_deref()),
        ("ada", None)
    );
    let again = save(&store, &read).unwrap();
    assert_eq!(load(&again, "docs/plan.md").unwrap(), read);
    assert_eq!(lines(&again), lines(&sample));
    read.signature.project
}

/// Members of the plan were in another order once.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text
        .lines()
        .map(|line| line.trim_end_matches(',').to_owned());
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}

#[test]
fn a_link_is_no_signature() {
    let (_dir, store) = store();
    let path = save_one(&store, "a", AT, "ada");
    let elsewhere = store.workspace().join("elsewhere.json");
    fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    match newest(&store, "docs/plan.md") {
        Err(SignatureError::File(error)) => assert!(error.is_link(), "{error}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_newest_is_by_time_then_by_order_of_saving() {
    let (_dir, store) = store();
    save_one(&store, "later", "2026-11-15T10:00:00Z", "ada");
    save_one(&store, "earlier", "2026-11-15T09:59:59.999Z", "ada");
    let by = |store: &Store| newest(store, "docs/plan.md").unwrap().unwrap().signature.by;
    save_one(&store, "later", "2026-11-15T10:00:00Z", "bob");
    assert_eq!(by(&store), "bob");
    for number in 0..12 {
        save_one(&store, "later", "2026-11-15T10:00:00Z", &number.to_string());
    }
    assert_eq!(by(&store), "11");
}

#[test]
fn a_match_needs_both_digests() {
    let (_dir, store) = store();
    save_one(&store, "a", AT, "ada");
    save_one(&store, "b", "2026-11-15T09:30:13.000Z", "bob");
    let (a, b) = (plan("a").digest(), plan("b").digest());
    let terms = Digest::of_json(&json!({}));
    let by = |plan, terms| {
        let found = matching(&store, "docs/plan.md", plan, terms).unwrap();
        found.map(|signed| signed.signature.by)
    };
    assert_eq!(by(&a, &terms).as_deref(), Some("ada"));
    assert_eq!(by(&b, &terms).as_deref(), Some("bob"));
    assert_eq!(by(&a, &b), None);
    assert_eq!(by(&terms, &terms), None);
}

#[test]
fn a_file_that_was_touched_is_no_signature() {
    let (_dir, store) = store();
    let path = save_one(&store, "a", AT, "ada");
    let text = fs::read_to_string(&path).unwrap();
    let forged = plan("forged").digest().to_string();
    let signed = plan("a").digest().to_string();
    for (from, to) in [
        ("\"title\": \"a\"", "\"title\": \"b\""),
        ("\"canonical_terms\": {}", "\"canonical_terms\": {\"x\": 1}"),
        (signed.as_str(), forged.as_str()),
        (signed.as_str(), "sha256:0"),
        ("signoff.signature/2", "signoff.signature/1"),
        ("signoff.signature/2", "signoff.signature/3"),
        ("\"project\"", "\"prospect\""),
        ("docs/plan.md", "docs/other.md"),
        ("\"by\"", "\"buy\""),
        (AT, "yesterday"),
        ("{", "<<<<<<< HEAD\n{"),
        ("\"proof\": \"terminal\",", ""),
        ("\"terminal\"", "\"terminals\""),
        ("\"terminal\"", "\"key\""),
    ] {
        let touched = text.replacen(from, to, 1);
        assert_ne!(touched, text, "{from}");
        fs::write(&path, touched).unwrap();
        let error = newest(&store, "docs/plan.md").unwrap_err().to_string();
        assert!(error.contains(&path.display().to_string()), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    fs::write(&path, "").unwrap();
    assert!(newest(&store, "docs/plan.md").is_err());
}

#[test]
fn a_broken_file_beside_a_good_one_is_still_said() {
    let (_dir, store) = store();
    let path = save_one(&store, "a", AT, "ada");
    fs::write(path.with_file_name("20270101T000000.000Z-0001.json"), "{}").unwrap();
    assert!(newest(&store, "docs/plan.md").is_err());
    let (plan, terms) = (plan("a").digest(), Digest::of_json(&json!({})));
    assert!(matching(&store, "docs/plan.md", &plan, &terms).is_err());
}

#[test]
fn nothing_is_saved_that_would_be_refused_later() {
    let (_dir, store) = store();
    let good = || signed(signature(&plan("a"), AT, "ada"), plan("a"));
    let refused = |edit: fn(&mut SignatureRecord)| {
        let mut bad = good();
        edit(&mut bad);
        assert!(save(&store, &bad).is_err(), "{bad:?}");
    };
    refused(|bad| bad.canonical_plan = plan("b"));
    refused(|bad| bad.canonical_terms = json!([]));
    refused(|bad| bad.signature.at = "now".to_owned());
    refused(|bad| bad.signature.proof = "trust me".to_owned());
    refused(|bad| bad.signature.proof = "key".to_owned());
    refused(|bad| bad.key = Some(by_key()));
    assert_eq!(newest(&store, "docs/plan.md").unwrap(), None);
}

#[test]
fn signing_at_once_loses_nothing() {
    let (_dir, store) = store();
    std::thread::scope(|scope| {
        for number in 0..16 {
            let store = &store;
            scope.spawn(move || save_one(store, "a", AT, &number.to_string()));
        }
    });
    assert_eq!(
        load_all(&store.signatures_dir("docs/plan.md"), "docs/plan.md")
            .unwrap()
            .len(),
        16
    );
}

fn by_key() -> KeyProof {
    KeyProof {
        principal: "ada@example.org".to_owned(),
        signature: "-----BEGIN SSH SIGNATURE-----\n…\n".to_owned(),
    }
}

#[test]
fn what_a_key_said_is_kept_and_found_again() {
    let (_dir, store) = store();
    let mut one = signed(signature(&plan("a"), AT, "ada"), plan("a"));
    one.signature.proof = "key".to_owned();
    one.key = Some(by_key());
    let path = save(&store, &one).unwrap();
    let found = newest(&store, "docs/plan.md").unwrap();
    assert_eq!(found.as_ref(), Some(&one));
    assert_eq!(found.map(|found| found.proof()), Some(Proof::Key));
    let text = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("\"principal\"", "\"who\""),
        ("\"proof\": \"key\"", "\"proof\": \"any\""),
        ("\"principal\":", "\"extra\": 1, \"principal\":"),
    ] {
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        assert!(newest(&store, "docs/plan.md").is_err(), "{from}");
    }
}

#[test]
fn all_that_match_come_newest_first() {
    let (_dir, store) = store();
    save_one(&store, "a", AT, "ada");
    save_one(&store, "b", "2026-11-15T09:30:13.000Z", "bob");
    save_one(&store, "a", "2026-11-15T09:30:14.000Z", "eve");
    let (plan, terms) = (plan("a").digest(), Digest::of_json(&json!({})));
    let all = all_matching(&store, "docs/plan.md", &plan, &terms).unwrap();
    let by: Vec<&str> = all.iter().map(|one| one.signature.by.as_str()).collect();
    assert_eq!(by, ["eve", "ada"]);
}

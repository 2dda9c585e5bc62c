//! No two types of one crate share a name, as far as other files can see them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::crate_files::{Files, files_of, is_in, test_files, without_tests};

/// Names that two types of a crate share all the same: crate, name, reason.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

/// The type that a line declares, if other files can see it.
fn shared_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let (kind, rest) = rest.trim_start().split_once(' ')?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    let is_type = ["struct", "enum", "trait", "type", "union"].contains(&kind);
    is_type.then(|| &rest[..end.unwrap_or(rest.len())])
}

/// Names that several files of a crate give to a type, with these files.
fn shared_names(files: &Files) -> BTreeMap<String, Vec<String>> {
    let tests = test_files(files);
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in files {
        if tests.iter().any(|test| is_in(file, test)) {
            continue;
        }
        for name in without_tests(text).lines().filter_map(shared_type) {
            let files = declared.entry(name.to_owned()).or_default();
            files.push(file.clone());
        }
    }
    declared.retain(|_, files| files.len() > 1);
    declared
}

#[test]
fn types_of_one_crate_have_names_of_their_own() {
    let xtask = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    let crates = Path::new(&xtask).join("../crates");
    for entry in fs::read_dir(crates).expect("the crates") {
        let path = entry.expect("a crate").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let mut files = Files::new();
        files_of(&path.join("src"), "", &mut files);
        assert!(!files.is_empty(), "{name} has sources");
        let mut shared = shared_names(&files);
        let excepted = EXCEPTIONS.iter().filter(|(of, ..)| *of == name);
        for (_, name, reason) in excepted {
            let found = shared.remove(*name);
            assert!(found.is_some(), "`{name}` needs no exception: {reason}");
        }
        assert!(shared.is_empty(), "{name}: {shared:?}");
    }
}

#[test]
fn a_shared_name_is_found() {
    let files: Files = [
        ("a.rs", "pub struct Found<'a> {}\nstruct Own;\n"),
        (
            "b/mod.rs",
            "    pub(crate) enum Found {\n#[cfg(test)]\nmod tests;\n",
        ),
        ("b/tests.rs", "pub(super) struct Tested;\n"),
        (
            "c.rs",
            "pub(super) struct Tested;\nstruct Own;\npub type Id = u8;\n",
        ),
        (
            "d.rs",
            "#[cfg(test)]\npub(crate) struct Id;\npub fn type_of() {}\n",
        ),
    ]
    .map(|(file, text)| (file.to_owned(), text.to_owned()))
    .into();
    let found = shared_names(&files);
    let expected = ["a.rs", "b/mod.rs"].map(str::to_owned);
    assert_eq!(found, [("Found".to_owned(), expected.into())].into());
}

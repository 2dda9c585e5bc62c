//! The top-level modules of a crate build on each other in one direction.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::crate_files::{Files, files_of, is_in, test_files, without_tests};

/// Crates without cycles between their top-level modules.
const CHECKED: &[&str] = &[
    "signoff",
    "signoff-api",
    "signoff-engine",
    "signoff-mcp",
    "signoff-plan",
    "signoff-runtime",
    "signoff-sandbox",
    "signoff-store",
    "signoff-work",
];

/// For each module the modules it uses, each with a file that does.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// The first name of each path that begins with `crate::`.
fn crate_paths(text: &str) -> BTreeSet<String> {
    let name = |text: &str| {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
        text[..end.unwrap_or(text.len())].to_owned()
    };
    let mut found = BTreeSet::new();
    for rest in text.split("crate::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            found.insert(name(rest));
            continue;
        };
        let (mut depth, mut begins) = (0, true);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                c if begins && !c.is_whitespace() => {
                    found.insert(name(&group[at..]));
                    begins = false;
                }
                _ => {}
            }
        }
    }
    found
}

/// The module behind each name that the crate root re-exports: `pub use a::{B, C}` makes `crate::B` mean `a`.
fn reexports(files: &Files) -> BTreeMap<String, String> {
    let root = files
        .iter()
        .filter(|(name, _)| matches!(name.as_str(), "lib.rs" | "main.rs"));
    let lines = root.flat_map(|(_, text)| text.split(';'));
    let uses = lines.filter_map(|line| line.trim().rsplit_once("use ")?.1.split_once("::"));
    let mut found = BTreeMap::new();
    for (module, names) in uses {
        for name in names.split(|c: char| !c.is_alphanumeric() && c != '_') {
            found.insert(name.to_owned(), module.to_owned());
        }
    }
    found
}

fn uses(files: &Files) -> Uses {
    let tests = test_files(files);
    let reexports = reexports(files);
    let top = |file: &str| {
        file.split('/')
            .next()
            .unwrap_or(file)
            .trim_end_matches(".rs")
            .to_owned()
    };
    let modules: BTreeSet<String> = files.iter().map(|(file, _)| top(file)).collect();
    let mut uses = Uses::new();
    for (file, text) in files {
        let module = top(file);
        let root = matches!(module.as_str(), "lib" | "main");
        if root || tests.iter().any(|tests| is_in(file, tests)) {
            continue;
        }
        for name in crate_paths(&without_tests(text)) {
            let used = reexports.get(&name).cloned().unwrap_or(name);
            if used != module && modules.contains(&used) {
                let places = uses.entry(module.clone()).or_default();
                places.entry(used).or_insert_with(|| file.clone());
            }
        }
    }
    uses
}

/// A cycle of modules, each step with a file that uses the next one.
fn cycle(uses: &Uses) -> Option<Vec<String>> {
    fn visit(
        module: &str,
        uses: &Uses,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> bool {
        for (used, file) in uses.get(module).into_iter().flatten() {
            let step = format!("`{module}` uses `{used}` in {file}");
            let open = format!("`{used}` uses ");
            if let Some(at) = way.iter().position(|step| step.starts_with(&open)) {
                way.drain(..at);
                way.push(step);
                return true;
            }
            if !done.contains(used) {
                way.push(step);
                if visit(used, uses, way, done) {
                    return true;
                }
                way.pop();
            }
        }
        done.insert(module.to_owned());
        false
    }
    let (mut way, mut done) = (Vec::new(), BTreeSet::new());
    let found = uses.keys().any(|module| {
        way.clear();
        visit(module, uses, &mut way, &mut done)
    });
    found.then_some(way)
}

#[test]
fn modules_build_on_each_other_in_one_direction() {
    let xtask = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    for name in CHECKED {
        let mut files = Files::new();
        let source = Path::new(&xtask).join("../crates").join(name).join("src");
        files_of(&source, "", &mut files);
        let uses = uses(&files);
        assert!(uses.len() > 5, "{name} has modules: {uses:?}");
        assert_eq!(cycle(&uses), None, "{name}");
    }
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: Option<&[&str]>) {
    let files = files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let found = cycle(&uses(&files.collect()));
    let found = found
        .as_ref()
        .map(|way| way.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(found.as_deref(), expected);
}

#[test]
fn a_cycle_is_found_and_shown() {
    check(
        &[
            ("a.rs", "use crate::b::X;\n"),
            ("b/mod.rs", "mod inner;\n"),
            ("b/inner.rs", "use crate::{d::{Y, a}, c};\n"),
            ("c.rs", "fn f() {\n    crate::a::f();\n}\n"),
            ("d.rs", ""),
        ],
        Some(&[
            "`a` uses `b` in a.rs",
            "`b` uses `c` in b/inner.rs",
            "`c` uses `a` in c.rs",
        ]),
    );
    check(
        &[
            ("lib.rs", "mod a;\nmod b;\n\npub use a::{One, Two};\n"),
            ("a.rs", "use crate::b;\n"),
            ("b.rs", "use crate::Two;\n"),
        ],
        Some(&["`a` uses `b` in a.rs", "`b` uses `a` in b.rs"]),
    );
}

#[test]
fn tests_and_comments_may_use_what_they_like() {
    check(
        &[
            ("a.rs", "use crate::b::X;\n"),
            (
                "b.rs",
                "//! As in [`crate::a`].\n#[cfg(test)]\nuse crate::a;\n\n#[cfg(test)]\nmod cases;\n\n\
                 #[cfg(test)]\nmod tests {\n    use crate::a;\n}\n",
            ),
            ("b/cases.rs", "use crate::a;\n"),
        ],
        None,
    );
}

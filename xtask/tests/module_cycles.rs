//! The top-level modules of a crate form no cycle: each can be read with nothing but those below it.

#[path = "sources/lexer.rs"]
mod lexer;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use lexer::split;

/// Crates that keep the rule.
const CRATES: [&str; 1] = ["signoff-sandbox"];

/// Which top-level modules each top-level module uses, and a file that shows it.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// The crate's files, each with its path in `src`.
fn uses(files: &[(String, String)]) -> Uses {
    let root = files.iter().find(|(path, _)| path == "lib.rs");
    let exports = root.map_or_else(BTreeMap::new, |(_, source)| exports(&split(source).code));
    let modules: BTreeSet<&str> = files.iter().map(|(path, _)| module_of(path)).collect();
    let mut uses = Uses::new();
    for (path, source) in files.iter().filter(|(path, _)| !is_test(path)) {
        let from = module_of(path);
        let code = split(source).code;
        let code = code.split("#[cfg(test)]\nmod ").next().unwrap_or(&code);
        for name in names_used(code) {
            let to = exports.get(name).map_or(name, String::as_str);
            if from != "lib" && to != from && modules.contains(to) {
                let users = uses.entry(from.to_owned()).or_default();
                users.entry(to.to_owned()).or_insert_with(|| path.clone());
            }
        }
    }
    uses
}

/// The top-level module that a file belongs to.
fn module_of(path: &str) -> &str {
    let first = path.split('/').next().unwrap_or(path);
    first.strip_suffix(".rs").unwrap_or(first)
}

fn is_test(path: &str) -> bool {
    path.split('/')
        .any(|part| part == "tests" || part == "tests.rs")
}

/// The names that the root gives to items of its modules, each with the module.
fn exports(root: &str) -> BTreeMap<String, String> {
    let statements = root.split(';').filter_map(|text| text.split_once("use "));
    let named = statements.flat_map(|(_, path)| {
        let module = leading_name(path.trim_start());
        let words = path.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.map(move |word| (word.to_owned(), module.to_owned()))
    });
    named.filter(|(name, module)| name != module).collect()
}

/// The first name of each path that begins at the crate's root, also of several in braces.
fn names_used(code: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (start, root) in code.match_indices("crate::") {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        if code[..start].ends_with(is_word) {
            continue;
        }
        let rest = &code[start + root.len()..];
        match rest.strip_prefix('{') {
            Some(list) => names.extend(parts(list).into_iter().map(leading_name)),
            None => names.push(leading_name(rest)),
        }
    }
    names
}

/// The parts of a list in braces, up to the brace that closes it.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.push(list[start..at].trim_start());
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

fn leading_name(path: &str) -> &str {
    let end = path.find(|c: char| !c.is_alphanumeric() && c != '_');
    &path[..end.unwrap_or(path.len())]
}

/// The uses that are left when everything that is in no cycle is taken away, from either end.
fn cycles(mut uses: Uses) -> Vec<String> {
    loop {
        let users: BTreeSet<String> = uses.keys().cloned().collect();
        let used: BTreeSet<String> = uses.values().flat_map(|to| to.keys().cloned()).collect();
        let before: usize = uses.values().map(BTreeMap::len).sum();
        uses.retain(|from, to| {
            to.retain(|name, _| users.contains(name));
            !to.is_empty() && used.contains(from)
        });
        if uses.values().map(BTreeMap::len).sum::<usize>() == before {
            break;
        }
    }
    let edges = uses.iter().flat_map(|(from, to)| {
        to.iter()
            .map(move |(to, path)| format!("`{from}` uses `{to}` in {path}"))
    });
    edges.collect()
}

fn source_files(folder: &Path, root: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path: PathBuf = entry.expect("a readable entry").path();
        if path.is_dir() {
            source_files(&path, root, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let inner = path.strip_prefix(root).expect("under the root");
            let source = fs::read_to_string(&path).expect("UTF-8 text");
            found.push((inner.to_string_lossy().into_owned(), source));
        }
    }
}

#[test]
fn top_level_modules_form_no_cycle() {
    let xtask = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    let workspace = Path::new(&xtask).parent().expect("xtask is in the root");
    for name in CRATES {
        let root = workspace.join("crates").join(name).join("src");
        let mut files = Vec::new();
        source_files(&root, &root, &mut files);
        let found = cycles(uses(&files));
        assert!(found.is_empty(), "{name}:\n{}", found.join("\n"));
    }
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let owned = |(path, source): &(&str, &str)| ((*path).to_owned(), (*source).to_owned());
    let files: Vec<(String, String)> = files.iter().map(owned).collect();
    assert_eq!(cycles(uses(&files)), expected);
}

#[test]
fn a_cycle_is_found_however_it_is_written() {
    let lib = ("lib.rs", "mod a;\nmod b;\npub use b::Thing;");
    let a = ("a.rs", "use crate::b::Thing;");
    let found = ["`a` uses `b` in a.rs", "`b` uses `a` in b/inner.rs"];
    for inner in [
        "use crate::a;",
        "use crate::{c, a::{x, y}};",
        "fn f() { crate::a::x() }",
    ] {
        check(&[lib, a, ("b/inner.rs", inner)], &found);
    }
    let by_export = ("a.rs", "use crate::Thing;");
    check(&[lib, by_export, ("b/inner.rs", "use crate::a;")], &found);
}

#[test]
fn one_direction_is_none_and_neither_are_tests_and_comments() {
    let a = ("a.rs", "use crate::b::Thing;");
    let c = ("c.rs", "use crate::{a, b};");
    for b in [
        "use crate::b::inner;",
        "// crate::a\nfn f() {}",
        "fn f() {}\n#[cfg(test)]\nmod tests { use crate::a; }",
    ] {
        check(&[a, ("b.rs", b), c], &[]);
    }
    check(&[a, ("b.rs", ""), ("b/tests.rs", "use crate::a;")], &[]);
}

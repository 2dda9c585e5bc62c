//! ARCHITECTURE.md names files and items that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Everything that the sources define, and the path of everything that is there.
struct Sources {
    paths: Vec<String>,
    items: BTreeSet<String>,
}

impl Sources {
    fn read(root: &Path) -> Self {
        let mut sources = Self {
            paths: Vec::new(),
            items: BTreeSet::new(),
        };
        for folder in ["crates", "xtask"] {
            sources.visit(root, &root.join(folder));
        }
        sources
    }

    fn visit(&mut self, root: &Path, at: &Path) {
        let path = at
            .strip_prefix(root)
            .expect("it lies below")
            .to_string_lossy();
        self.paths.push(path.into_owned());
        if at.is_dir() {
            for entry in fs::read_dir(at).expect("a directory") {
                self.visit(root, &entry.expect("an entry").path());
            }
        } else if at.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(at).expect("text");
            self.items.extend(text.lines().filter_map(defined));
        }
    }

    /// Is there a path that ends in this one?
    fn has_path(&self, named: &str) -> bool {
        let named = named.trim_end_matches('/');
        self.paths.iter().any(|path| {
            let before = path.strip_suffix(named);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    }
}

/// What a line defines: an item, or a variant of an enum.
fn defined(line: &str) -> Option<String> {
    const KINDS: [&str; 7] = ["const", "fn", "struct", "enum", "trait", "type", "static"];
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = words.iter().position(|word| KINDS.contains(word));
    let word = words.get(after.map_or(0, |at| at + 1))?;
    let name: String = word
        .chars()
        .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
        .collect();
    // Without a keyword it can only be a variant.
    let is_known = after.is_some() || name.starts_with(char::is_uppercase);
    (!name.is_empty() && is_known).then_some(name)
}

/// What the page says in code, without blocks.
fn code(page: &str) -> Vec<&str> {
    let text = page.split("\n```").step_by(2);
    text.flat_map(|text| text.split('`').skip(1).step_by(2))
        .collect()
}

/// Words of blocks and text that are paths of sources.
fn source_paths(page: &str) -> impl Iterator<Item = &str> {
    let words = page.split(|letter: char| letter.is_whitespace() || "`()|,;:".contains(letter));
    words.filter(|word| {
        Path::new(word)
            .extension()
            .is_some_and(|ending| ending == "rs")
    })
}

/// The items that a piece of code names: `Run::new`, `due(state)`, `SignedPlan`. Modules on the way are not among them.
fn items(code: &str) -> Vec<&str> {
    let name = code.split(['(', ' ']).next().unwrap_or_default();
    let is_type = |part: &str| part.starts_with(char::is_uppercase);
    let is_name = name
        .chars()
        .all(|letter| letter.is_alphanumeric() || letter == '_' || letter == ':');
    let parts: Vec<&str> = name.split("::").filter(|part| !part.is_empty()).collect();
    let names_item =
        code.contains('(') || parts.len() > 1 || parts.iter().any(|part| is_type(part));
    let is_item = |(at, part): &(usize, &str)| is_type(part) || at + 1 == parts.len();
    let all = parts.iter().copied().enumerate().filter(is_item);
    all.map(|(_, part)| part)
        .filter(|_| is_name && names_item)
        .collect()
}

#[test]
fn everything_that_the_page_names_exists() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().expect("the workspace");
    let page = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("the page");
    let sources = Sources::read(&root);
    let mut missing: Vec<&str> = source_paths(&page)
        .filter(|path| !sources.has_path(path))
        .collect();
    for code in code(&page) {
        let is_folder = code.starts_with("signoff-") && code.contains('/');
        if is_folder && !sources.has_path(code) {
            missing.push(code);
        }
        let unknown = items(code)
            .into_iter()
            .filter(|name| !sources.items.contains(*name));
        missing.extend(unknown);
    }
    assert!(missing.is_empty(), "ARCHITECTURE.md names {missing:?}");
}

#[test]
fn what_is_not_there_is_noticed() {
    let sources = Sources {
        paths: vec!["crates/a/src/live/mod.rs".to_owned()],
        items: ["start".to_owned()].into(),
    };
    assert!(sources.has_path("live/mod.rs") && sources.has_path("crates/a/src/live/mod.rs"));
    assert!(!sources.has_path("ive/mod.rs") && !sources.has_path("live.rs"));
    assert_eq!(items("signoff_engine::Run::start"), ["Run", "start"]);
    assert_eq!(items("due(state) → actions"), ["due"]);
    assert!(items("approve").is_empty() && items("unsafe").is_empty());
    assert_eq!(
        defined("    pub(crate) fn start(&self) {"),
        Some("start".to_owned())
    );
    assert_eq!(defined("    Shared,"), Some("Shared".to_owned()));
    assert_eq!(defined("    here();"), None);
    assert_eq!(code("a `b`\n```text\n`c`\n```\n`d`"), ["b", "d"]);
    let paths: Vec<&str> = source_paths("see (`a/b.rs`), c.rs: d").collect();
    assert_eq!(paths, ["a/b.rs", "c.rs"]);
}

//! Patterns over workspace paths: `*` and `?` within a name, `**` over any number of folders, `{a,b}` for either.

use crate::source::text_up_to;

/// Whether a pattern covers a path. A pattern that ends in `/` covers everything below it.
pub fn matches(pattern: &str, path: &str) -> bool {
    if !pattern.contains('{') {
        return one_matches(pattern, path);
    }
    let mut alternatives = alternatives(pattern).into_iter();
    alternatives.any(|pattern| one_matches(&pattern, path))
}

/// The same where a pattern that names a directory means everything below it.
pub fn covers(pattern: &str, path: &str) -> bool {
    let last = pattern.rsplit('/').next().unwrap_or_default();
    let is_name = !last.is_empty() && !last.contains(['*', '?']);
    matches(pattern, path) || (is_name && matches(&format!("{pattern}/**"), path))
}

/// The folder that everything lies in which a pattern covers, as far as its text says.
pub fn fixed_folder(pattern: &str) -> &str {
    let fixed = pattern.find(['*', '?', '{']).unwrap_or(pattern.len());
    let folder = text_up_to(pattern, fixed);
    folder.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A pattern once for each choice that its braces leave.
pub fn alternatives(pattern: &str) -> Vec<String> {
    let mut left = vec![pattern.to_owned()];
    let mut found = Vec::new();
    while let Some(pattern) = left.pop() {
        let choices = innermost_braces(&pattern);
        match choices {
            Some((before, inside, after)) if left.len() + found.len() < MOST_ALTERNATIVES => {
                let choices = inside.split(',');
                left.extend(choices.map(|choice| format!("{before}{choice}{after}")));
            }
            Some(_) | None => found.push(pattern),
        }
    }
    found
}

/// More than anybody writes.
const MOST_ALTERNATIVES: usize = 64;

/// What stands before, in and after the first braces with a choice and without others in them.
fn innermost_braces(pattern: &str) -> Option<(&str, &str, &str)> {
    let mut opened = None;
    for (at, letter) in pattern.char_indices() {
        match (letter, opened) {
            ('{', _) => opened = Some(at),
            ('}', Some(from)) => {
                let inside = pattern.get(from + 1..at)?;
                if inside.contains(',') {
                    return Some((pattern.get(..from)?, inside, pattern.get(at + 1..)?));
                }
                opened = None;
            }
            _ => {}
        }
    }
    None
}

fn one_matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let path = path.strip_prefix("./").unwrap_or(path);
    let folder = pattern.strip_suffix('/');
    let mut wanted: Vec<&str> = folder.unwrap_or(pattern).split('/').collect();
    if folder.is_some() {
        wanted.push("**");
    }
    let names: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    sequence(
        &wanted,
        &names,
        |wanted| *wanted == "**",
        |wanted, name| name_matches(wanted, name),
    )
}

/// Whether a pattern without folders covers a name.
fn name_matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    sequence(
        &pattern,
        &name,
        |wanted| *wanted == '*',
        |wanted, found| *wanted == '?' || wanted == found,
    )
}

/// Whether a sequence in which some items stand for any number of others covers another one.
// Remembers only the last such item, which is enough and keeps the work quadratic at worst.
pub fn sequence<W, F>(
    wanted: &[W],
    found: &[F],
    is_any: impl Fn(&W) -> bool,
    same: impl Fn(&W, &F) -> bool,
) -> bool {
    let (mut at, mut next) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while let Some(item) = found.get(next) {
        match wanted.get(at) {
            Some(any) if is_any(any) => {
                retry = Some((at, next));
                at += 1;
            }
            Some(one) if same(one, item) => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((any, from)) = retry else {
                    return false;
                };
                retry = Some((any, from + 1));
                at = any + 1;
                next = from + 1;
            }
        }
    }
    wanted.iter().skip(at).all(is_any)
}

#[cfg(test)]
mod tests {
    use super::{covers, fixed_folder, matches};

    #[test]
    fn patterns_cover_paths() {
        for (pattern, path) in [
            ("a.md", "a.md"),
            ("./a.md", "a.md"),
            ("docs/*.md", "docs/a.md"),
            ("docs/", "docs/a/b.md"),
            ("docs/**", "docs/a/b.md"),
            ("**/*.rs", "a/b/c.rs"),
            ("**/*.rs", "c.rs"),
            ("src/**/x.?s", "src/a/b/x.rs"),
            ("*a*b", "xaayb"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn braces_are_alternatives() {
        for path in ["tests/a", "spec/b/c"] {
            assert!(matches("{tests,spec}/**", path), "{path}");
        }
        assert!(matches("a/{b,c{d,e}}.rs", "a/ce.rs"));
        assert!(!matches("a/{b,c{d,e}}.rs", "a/c.rs"));
        assert!(!matches("{tests,spec}/**", "docs/a"));
        // No choice, no braces.
        assert!(matches("{{name}}/x", "{{name}}/x"));
        assert!(matches("{a}/x", "{a}/x"));
        matches(&"{a,b}".repeat(50), "a");
        assert_eq!(fixed_folder("a/{b,c}/d/*"), "a");
    }

    #[test]
    fn a_directory_covers_what_is_below_it() {
        for (pattern, path) in [
            ("tests", "tests/a/b"),
            ("tests", "tests"),
            ("./tests", "tests/a"),
            ("{tests,spec}", "spec/a"),
            ("*/tests", "x/tests/a"),
        ] {
            assert!(covers(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("tests", "testsx/a"),
            ("*", "a/b"),
            ("tests/*.py", "tests/a.py/b"),
        ] {
            assert!(!covers(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn and_no_others() {
        for (pattern, path) in [
            ("a.md", "b.md"),
            ("docs/*.md", "docs/a/b.md"),
            ("*", "a/b"),
            ("docs/", "docsx/a"),
            ("docs/**/x", "docs/a/y"),
            ("?", ""),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
        assert!(!matches(&"*a".repeat(2000), &"a".repeat(1999)));
    }
}

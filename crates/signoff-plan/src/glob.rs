//! Patterns over workspace paths: `*` and `?` within a name, `**` over any number of folders.

/// Whether a pattern covers a path. A pattern that ends in `/` covers everything below it.
pub fn matches(pattern: &str, path: &str) -> bool {
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
    use super::matches;

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

//! Whether two patterns can cover the same path.

use crate::glob::alternatives;

/// Whether some path is covered by both patterns, as [`crate::glob::matches`] reads them.
pub(super) fn overlap(a: &str, b: &str) -> bool {
    let mut some = alternatives(a).into_iter();
    let others = alternatives(b);
    some.any(|a| others.iter().any(|b| one_overlaps(&a, b)))
}

fn one_overlaps(a: &str, b: &str) -> bool {
    let (a, b) = (parts(a), parts(b));
    sequences(&a, &b, &|part| *part == "**", &|a, b| names(a, b))
}

fn parts(pattern: &str) -> Vec<&str> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let folder = pattern.strip_suffix('/');
    let mut parts: Vec<&str> = folder.unwrap_or(pattern).split('/').collect();
    if folder.is_some() {
        parts.push("**");
    }
    parts
}

fn names(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    sequences(&a, &b, &|c| *c == '*', &|a, b| {
        a == b || *a == '?' || *b == '?'
    })
}

/// Whether two sequences, in which some items stand for any number of others, have one in common.
// Row by row over all pairs of places: both may hold such items, so that greedy matching fails.
fn sequences<T>(
    a: &[T],
    b: &[T],
    is_any: &dyn Fn(&T) -> bool,
    same: &dyn Fn(&T, &T) -> bool,
) -> bool {
    // `row[j]`: the first items of `a` so far and the first `j` of `b` have one in common.
    let mut row = vec![true];
    for item in b {
        let before = row.last().copied().unwrap_or(false);
        row.push(before && is_any(item));
    }
    for item in a {
        let at = |row: &[bool], position: usize| row.get(position).copied().unwrap_or(false);
        let mut next = vec![at(&row, 0) && is_any(item)];
        for (position, other) in b.iter().enumerate() {
            // An item for any number of others stands for none here, or for one more.
            let any = is_any(item) || is_any(other);
            let both = at(&row, position) && !any && same(item, other);
            let more = any && (at(&row, position + 1) || at(&next, position));
            next.push(both || more);
        }
        row = next;
    }
    row.last().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::glob::matches;

    #[test]
    fn patterns_overlap_where_one_path_fits_both() {
        for (a, b) in [
            ("a.md", "a.md"),
            ("./a.md", "a.md"),
            ("a/*.md", "a/b.md"),
            ("a/**", "a/b/c"),
            ("a/", "a/b/*.rs"),
            ("**/x", "a/**"),
            ("*a", "b*"),
            ("a?c", "ab*"),
            ("**", "x"),
        ] {
            assert!(overlap(a, b) && overlap(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("a.md", "b.md"),
            ("a/*.md", "a/b/c.md"),
            ("a/", "b/"),
            ("*.rs", "*.md"),
            ("a/**/x", "a/**/y"),
            ("a?", "a"),
        ] {
            assert!(!overlap(a, b) && !overlap(b, a), "{a} {b}");
        }
    }

    proptest! {
        #[test]
        fn what_fits_both_shows_that_they_overlap(
            path in "[ab]{1,2}(/[ab]{1,2}){0,2}",
            a in "[ab*?]{1,3}(/([ab*?]{1,2}|\\*\\*)){0,2}",
            b in "[ab*?]{1,3}(/([ab*?]{1,2}|\\*\\*)){0,2}",
        ) {
            if matches(&a, &path) && matches(&b, &path) {
                prop_assert!(overlap(&a, &b), "{a} {b} {path}");
            }
            prop_assert_eq!(overlap(&a, &path), matches(&a, &path));
        }
    }
}

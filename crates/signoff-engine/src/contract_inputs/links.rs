//! Symbolic links of a tree: which of them lead out of it, and which names they give to something that changed.

use std::collections::{BTreeMap, BTreeSet};

use signoff_plan::links::end_of;

use super::details::TreeChange;
use crate::changes::{ChangeDetails, LinkEnd};

/// How many names of one file are found at most.
const MOST_NAMES: usize = 1_000;

/// The links of a tree after a change.
pub(super) struct Links<'c> {
    change: &'c TreeChange,
    targets: BTreeMap<&'c str, &'c str>,
}

impl<'c> Links<'c> {
    pub(super) fn after_change(change: &'c TreeChange) -> Self {
        let changed: BTreeSet<&str> = change.files.iter().map(String::as_str).collect();
        let before = change.links_before.iter();
        let kept = before.filter(|(link, _)| !changed.contains(link.as_str()));
        let targets = kept.chain(&change.links);
        Self {
            change,
            targets: targets
                .map(|(link, to)| (link.as_str(), to.as_str()))
                .collect(),
        }
    }

    /// Where a link ends; `None`: outside of the tree.
    fn end(&self, link: &str) -> Option<String> {
        end_of(link, |path| {
            self.targets.get(path).map(|to| (*to).to_owned())
        })
    }

    /// The links that differ, with their ends.
    pub(super) fn changed_links(&self) -> impl Iterator<Item = (&'c str, Option<String>)> {
        let links = self.change.links.iter();
        links.map(|(link, _)| (link.as_str(), self.end(link)))
    }

    /// The links that differ, and those that lead to something that differs.
    pub(super) fn leading_to_changes(&self) -> Vec<LinkEnd> {
        let mut changed: BTreeSet<String> = self.change.files.iter().cloned().collect();
        let ends = self.targets.keys().filter_map(|link| {
            let (link, end) = ((*link).to_owned(), self.end(link)?);
            Some(LinkEnd { link, end })
        });
        let mut left: Vec<LinkEnd> = ends.collect();
        let mut found = Vec::new();
        // One link may lead to another one.
        loop {
            let is_changed =
                |one: &mut LinkEnd| changed.contains(&one.link) || has_below(&changed, &one.end);
            let now: Vec<LinkEnd> = left.extract_if(.., is_changed).collect();
            if now.is_empty() {
                break;
            }
            changed.extend(now.iter().map(|one| one.link.clone()));
            found.extend(now);
        }
        found.sort();
        found
    }
}

/// Whether one of these paths is this one or lies below it.
pub(super) fn has_below(paths: &BTreeSet<String>, folder: &str) -> bool {
    let below = format!("{folder}/");
    folder.is_empty()
        || paths.contains(folder)
        || paths
            .range(below.clone()..)
            .next()
            .is_some_and(|next| next.starts_with(&below))
}

/// The names of a changed file: its own, and those that links give to it.
pub fn names_of(path: &str, details: &ChangeDetails) -> Vec<String> {
    names_by(path, &details.links.iter().collect::<Vec<_>>())
}

/// Its own name, and those that these links give to it.
pub(super) fn names_by(path: &str, links: &[&LinkEnd]) -> Vec<String> {
    let mut names = vec![super::plain_path(path).to_owned()];
    // A link to a directory above itself gives names without end: each is taken once for a name.
    let mut taken: Vec<Vec<usize>> = vec![Vec::new()];
    let mut next = 0;
    while next < names.len() && names.len() < MOST_NAMES {
        for (number, LinkEnd { link, end }) in links.iter().enumerate() {
            let (Some(name), Some(by)) = (names.get(next), taken.get(next)) else {
                break;
            };
            let rest = match name.strip_prefix(end.as_str()) {
                Some(rest) if end.is_empty() => format!("/{rest}"),
                Some(rest) if rest.is_empty() || rest.starts_with('/') => rest.to_owned(),
                Some(_) | None => continue,
            };
            let other = format!("{link}{rest}");
            if !by.contains(&number) && !names.contains(&other) {
                taken.push(by.iter().copied().chain([number]).collect());
                names.push(other);
            }
        }
        next += 1;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(links: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(link, to): &(&str, &str)| ((*link).to_owned(), (*to).to_owned());
        links.iter().map(owned).collect()
    }

    /// A change of these files in a tree with those links.
    fn change(files: &[&str], links: &[(&str, &str)], before: &[(&str, &str)]) -> TreeChange {
        TreeChange {
            files: files.iter().map(|&file| file.to_owned()).collect(),
            links: pairs(links),
            links_before: pairs(before).into(),
            ..TreeChange::default()
        }
    }

    #[track_caller]
    fn check(change: &TreeChange, path: &str, expected: &[&str]) {
        let details = ChangeDetails {
            links: Links::after_change(change).leading_to_changes(),
            ..ChangeDetails::default()
        };
        assert_eq!(names_of(path, &details), expected);
    }

    #[test]
    fn a_changed_file_has_the_names_of_all_links_to_it() {
        let before = [
            ("check.sh", "tools/scripts/check.sh"),
            ("scripts", "tools/scripts"),
            ("s", "scripts"),
            ("other", "docs"),
            ("docs/inner", "../check.sh"),
        ];
        let change = change(&["tools/scripts/check.sh"], &[], &before);
        check(
            &change,
            "tools/scripts/check.sh",
            &[
                "tools/scripts/check.sh",
                "check.sh",
                "docs/inner",
                "s/check.sh",
                "scripts/check.sh",
                "other/inner",
            ],
        );
    }

    #[test]
    fn a_new_link_gives_names_too_and_an_old_one_that_was_replaced_none() {
        let files = [".cargo", "cfg/config.toml"];
        let with = change(&files, &[(".cargo", "cfg")], &[]);
        check(
            &with,
            "cfg/config.toml",
            &["cfg/config.toml", ".cargo/config.toml"],
        );
        let replaced = change(&files, &[(".cargo", "other")], &[(".cargo", "cfg")]);
        check(&replaced, "cfg/config.toml", &["cfg/config.toml"]);
    }

    #[test]
    fn circles_end() {
        let change = change(
            &["a/x"],
            &[],
            &[("a/all", ".."), ("b", "a"), ("c", "b"), ("c2", "c2")],
        );
        let details = ChangeDetails {
            links: Links::after_change(&change).leading_to_changes(),
            ..ChangeDetails::default()
        };
        let names = names_of("a/x", &details);
        assert!(names.contains(&"a/all/a/x".to_owned()));
        assert!(names.len() < 40, "{}", names.len());
    }
}

//! Bare repositories among a project's files: git takes a directory for one because of what lies in it, and whoever asks
//! there for the status runs what its `config` names.

use std::collections::BTreeSet;

/// What git reads of a repository.
const PARTS: [&str; 8] = [
    "head",
    "config",
    "config.worktree",
    "commondir",
    "hooks",
    "objects",
    "packed-refs",
    "refs",
];
/// What makes a repository of a directory that has a `HEAD`.
const CONTENTS: [&str; 3] = ["objects", "refs", "commondir"];

/// The paths that tell, if a tree has them, which directories around these changed files are repositories.
pub fn paths_that_tell(changed: &[String]) -> BTreeSet<String> {
    let places = changed.iter().flat_map(|path| places(path));
    let paths = places.flat_map(|(folder, part)| {
        // Where large and small letters are the same, git finds its files under other names, too.
        let written = std::iter::once(part);
        let all = written.chain(["HEAD"]).chain(CONTENTS);
        all.map(move |name| format!("{folder}{name}"))
    });
    paths.collect()
}

/// The bare repositories of a tree that has these paths.
pub fn bare_repositories(there: &BTreeSet<String>) -> BareRepositories {
    let there: BTreeSet<String> = there.iter().map(|path| path.to_lowercase()).collect();
    let heads = there.iter().filter_map(|path| path.strip_suffix("head"));
    let is_repository = |folder: &&str| {
        let has = |name: &str| there.contains(&format!("{folder}{name}"));
        (folder.is_empty() || folder.ends_with('/')) && CONTENTS.iter().any(|name| has(name))
    };
    BareRepositories(heads.filter(is_repository).map(str::to_owned).collect())
}

/// Directories that are bare repositories, with a `/` behind each.
#[derive(Debug, Default)]
pub struct BareRepositories(BTreeSet<String>);

impl BareRepositories {
    /// Is this file a part of one?
    pub fn have(&self, path: &str) -> bool {
        places(path).any(|(folder, _)| self.0.contains(&folder.to_lowercase()))
    }
}

/// The directories, with a `/` behind each, in which a file would be a part of a repository, and that part.
fn places(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let starts = path.match_indices('/').map(|(at, _)| at + 1);
    std::iter::once(0).chain(starts).filter_map(|start| {
        let (folder, rest) = path.split_at(start);
        let part = rest.split('/').next()?;
        PARTS
            .contains(&part.to_lowercase().as_str())
            .then_some((folder, part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the changed files of a tree are held.
    #[track_caller]
    fn check(tree: &[&str], changed: &[&str], held: &[&str]) {
        let changed: Vec<String> = changed.iter().map(|path| (*path).to_owned()).collect();
        let is_there = |asked: &String| {
            let below = format!("{asked}/");
            tree.iter()
                .any(|path| path == asked || path.starts_with(&below))
        };
        let asked = paths_that_tell(&changed).into_iter();
        let found = bare_repositories(&asked.filter(is_there).collect());
        let now: Vec<&String> = changed.iter().filter(|path| found.have(path)).collect();
        assert_eq!(now, held);
    }

    #[test]
    fn parts_of_a_bare_repository_are_known() {
        let whole = ["docs/v/HEAD", "docs/v/config", "docs/v/refs/.k"];
        check(&whole, &whole, &whole);
        check(&whole, &["docs/v/config", "docs/a"], &["docs/v/config"]);
        let hook = ["a/HEAD", "a/objects/k", "a/hooks/x", "a/description"];
        check(&hook, &hook, &["a/HEAD", "a/objects/k", "a/hooks/x"]);
        let at_the_top = ["HEAD", "commondir", "src/config"];
        check(&at_the_top, &at_the_top, &["HEAD", "commondir"]);
        let other_letters = ["v/head", "v/Objects/k", "v/CONFIG"];
        check(&other_letters, &other_letters, &other_letters);
    }

    #[test]
    fn a_part_that_comes_last_completes_it() {
        let tree = ["v/HEAD", "v/config", "v/objects/k"];
        check(&tree, &["v/HEAD"], &["v/HEAD"]);
        check(&tree, &["v/objects/k"], &["v/objects/k"]);
    }

    #[test]
    fn other_directories_are_none() {
        let tree = ["src/config", "src/objects/a.rs", "src/ahead", "v/HEAD"];
        check(&tree, &tree, &[]);
    }
}

//! What has to be known of changed files beyond their names: links that lead out of the tree, and Python
//! modules that are loaded in the place of others.

use std::collections::BTreeSet;

use super::modules::{Module, is_known, module_of};
use crate::event::ChangeDetails;

/// What a look at two trees tells of the paths that differ.
#[derive(Debug, Clone, Default)]
pub struct TreeChange {
    /// Paths that differ.
    pub files: Vec<String>,
    /// Those of them that are gone.
    pub removed: BTreeSet<String>,
    /// Those of them that are symbolic links now, with their targets.
    pub links: Vec<(String, String)>,
}

/// Paths of which [`change_details`] has to know whether they were there before.
pub fn asked_before(change: &TreeChange) -> BTreeSet<String> {
    let mut asked = BTreeSet::new();
    for (path, module) in modules(change) {
        asked.extend(hidden_by(path, &module));
        if is_known(module.name) {
            asked.insert(path.to_owned());
            asked.insert(module.directory.to_owned());
            asked.insert(joined(module.directory, "__init__.py"));
        }
    }
    asked.remove("");
    asked
}

/// What is worth knowing of a change, given which of the paths that were asked for were there before.
pub fn change_details(change: &TreeChange, there_before: &BTreeSet<String>) -> ChangeDetails {
    let mut details = ChangeDetails::default();
    for (path, target) in &change.links {
        if leads_out(path, target) {
            details.links_out.push(path.clone());
        }
    }
    for (path, module) in modules(change) {
        let remains =
            |hidden: &String| there_before.contains(hidden) && !change.removed.contains(hidden);
        if module.is_compiled || hidden_by(path, &module).iter().any(remains) {
            details.hides.push(path.to_owned());
        }
        if !is_known(module.name) || there_before.contains(path) {
            continue;
        }
        details.new_modules.push(path.to_owned());
        let directory = module.directory;
        let is_package = there_before.contains(&joined(directory, "__init__.py"));
        let is_new = !directory.is_empty() && !there_before.contains(directory);
        if !is_package && !is_new {
            details.loose_modules.push(path.to_owned());
        }
    }
    details
}

/// The modules that a change makes or changes, with the path that is one.
fn modules(change: &TreeChange) -> impl Iterator<Item = (&str, Module<'_>)> {
    let is_link = |path: &String| change.links.iter().any(|(link, _)| link == path);
    let files = change.files.iter();
    let there = files.filter(|path| !change.removed.contains(*path));
    there.filter_map(move |path| {
        Some((path.as_str(), module_of(super::plain(path), is_link(path))?))
    })
}

/// Files that Python no longer loads once this one is there. It takes a package before a compiled
/// extension, and that before a source.
fn hidden_by(path: &str, module: &Module<'_>) -> Vec<String> {
    let beside = joined(module.directory, module.name);
    let mut hidden = Vec::new();
    if module.is_package {
        hidden.extend([format!("{beside}.py"), format!("{beside}.pyc")]);
    }
    if module.is_extension {
        hidden.extend([format!("{beside}.py"), format!("{beside}/__init__.py")]);
    }
    hidden.retain(|hidden| hidden != path);
    hidden
}

/// Whether a link leads to what is not versioned with it: an absolute path, or one above the root.
fn leads_out(path: &str, target: &str) -> bool {
    if target.starts_with('/') {
        return true;
    }
    let mut depth = path.matches('/').count();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

fn joined(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    /// The details of these new files in a tree that had those.
    fn details(files: &[&str], before: &[&str], removed: &[&str]) -> ChangeDetails {
        let change = TreeChange {
            files: texts(files),
            removed: texts(removed).into_iter().collect(),
            links: Vec::new(),
        };
        let mut before: BTreeSet<String> = texts(before).into_iter().collect();
        let asked = asked_before(&change);
        before.retain(|path| asked.contains(path));
        change_details(&change, &before)
    }

    #[test]
    fn a_module_that_hides_one_that_stays_is_told() {
        for hides in [
            "test_x/__init__.py",
            "test_x/__init__.pyc",
            "test_x/__init__.cpython-311-x86_64-linux-gnu.so",
            "test_x.so",
            "test_x.abi3.so",
            "test_x.pyd",
        ] {
            assert_eq!(details(&[hides], &["test_x.py"], &[]).hides, [hides]);
            assert_eq!(
                details(&[hides], &["a/test_x.py"], &[]).hides.len(),
                usize::from(hides.contains(".pyc"))
            );
        }
        // Compiled files are taken for the source that lies beside them.
        for compiled in ["__pycache__/test_x.cpython-311.pyc", "a.pyc", "a.pyo"] {
            assert_eq!(details(&[compiled], &[], &[]).hides, [compiled]);
            assert_eq!(details(&[compiled], &[], &[compiled]).hides, [""; 0]);
        }
        // A module that became a package hides nothing.
        let moved = details(&["x.py", "x/__init__.py"], &["x.py"], &["x.py"]);
        assert_eq!(moved, ChangeDetails::default());
    }

    #[test]
    fn a_new_module_with_a_known_name_is_told_and_where_it_lies() {
        let found = details(
            &[
                "app/unittest.py",
                "pkg/json.py",
                "new/types.py",
                "lib/queue/__init__.py",
                "app/x.py",
            ],
            &["app", "pkg", "pkg/__init__.py", "lib"],
            &[],
        );
        assert_eq!(
            found.new_modules,
            [
                "app/unittest.py",
                "pkg/json.py",
                "new/types.py",
                "lib/queue/__init__.py"
            ]
        );
        assert_eq!(
            found.loose_modules,
            ["app/unittest.py", "lib/queue/__init__.py"]
        );
        // One that was there is somebody's own.
        assert_eq!(
            details(&["app/json.py"], &["app", "app/json.py"], &[]),
            ChangeDetails::default()
        );
    }

    #[test]
    fn links_out_of_the_tree_are_told_and_links_to_packages_are_modules() {
        let links = |links: &[(&str, &str)]| {
            let change = TreeChange {
                files: links.iter().map(|(path, _)| (*path).to_owned()).collect(),
                removed: BTreeSet::new(),
                links: links
                    .iter()
                    .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
                    .collect(),
            };
            change_details(&change, &BTreeSet::from(["test_x.py".to_owned()]))
        };
        assert_eq!(
            links(&[("out.txt", "/proc/self/cmdline")]).links_out,
            ["out.txt"]
        );
        assert_eq!(links(&[("a/b", "../../x")]).links_out, ["a/b"]);
        assert_eq!(links(&[("a/b", "c/../../../x")]).links_out, ["a/b"]);
        assert_eq!(
            links(&[("a/b", "../x"), ("c", "./d/../e")]),
            ChangeDetails::default()
        );
        assert_eq!(links(&[("unittest", "evil")]).loose_modules, ["unittest"]);
        assert_eq!(links(&[("test_x", "evil")]).hides, ["test_x"]);
    }
}

//! What must be known of changed files beyond their names: links that lead out of the tree, and Python modules that are
//! loaded in place of others.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::known_files::{self, Role};
use super::links::{Links, has_below};
use super::local_configuration::{self, HarmlessIf};
use super::modules::{Module, is_known, module_of};
use super::runners::Runners;
use super::search_order::{displaced_endings, displaced_siblings, ends_in, maybe_beside};
use crate::changes::{ChangeDetails, Displaced};

/// What differs between two trees.
#[derive(Debug, Clone, Default)]
pub struct TreeChange {
    /// Paths that differ.
    pub files: Vec<String>,
    /// Those of them that are gone.
    pub removed: BTreeSet<String>,
    /// Those of them that are symbolic links now, with their targets.
    pub links: Vec<(String, String)>,
    /// Every symbolic link that the tree had before.
    pub links_before: Arc<[(String, String)]>,
    /// Paths that were not there before.
    pub added: BTreeSet<String>,
    /// Names of packages that Python finds installed.
    pub installed: Arc<BTreeSet<String>>,
}

/// The paths of which [`change_details`] must know whether they existed before the change.
pub fn paths_to_query(change: &TreeChange) -> BTreeSet<String> {
    let mut asked = BTreeSet::new();
    for (path, module) in modules(change) {
        asked.extend(hidden_by(path, &module));
        if is_taken(change, &module) {
            asked.insert(path.to_owned());
            asked.insert(module.directory.to_owned());
            asked.insert(join_path(module.directory, "__init__.py"));
        }
    }
    for path in new_files(change) {
        asked.extend(displaced_siblings(path));
        asked.extend(maybe_beside(path));
        if !displaced_endings(path).is_empty() {
            let folder = module_of(path, false).map_or(folder_of(path), |one| one.directory);
            asked.extend([folder.to_owned(), join_path(folder, "__init__.py")]);
        }
    }
    for path in settings(change) {
        asked.extend(neighbours_to_query(path));
    }
    asked.extend(
        Links::after_change(change)
            .changed_links()
            .filter_map(|(_, end)| end),
    );
    asked.remove("");
    asked
}

/// How the paths end of which [`change_details`] must know all that existed before the change, wherever they lie.
pub fn endings_to_query(change: &TreeChange) -> BTreeSet<String> {
    new_files(change).flat_map(displaced_endings).collect()
}

/// The details of a change; `there_before` are those of the queried paths that existed before it, and all with queried endings.
pub fn change_details(change: &TreeChange, there_before: &BTreeSet<String>) -> ChangeDetails {
    let mut details = ChangeDetails {
        created: change.added.iter().cloned().collect(),
        displaces: new_files(change)
            .flat_map(|path| displaced_by(path, change, there_before))
            .collect(),
        ..ChangeDetails::default()
    };
    let links = Links::after_change(change);
    for (link, end) in links.changed_links() {
        if end.is_none_or(|end| !is_versioned(change, there_before, &end)) {
            details.links_out.push(link.to_owned());
        }
    }
    details.links = links.leading_to_changes();
    for path in settings(change) {
        details.added.push(path.to_owned());
        if is_apart(path, change, there_before) {
            details.apart.push(path.to_owned());
        }
    }
    for (path, module) in modules(change) {
        let remains =
            |hidden: &String| there_before.contains(hidden) && !change.removed.contains(hidden);
        if module.is_compiled || hidden_by(path, &module).iter().any(remains) {
            details.hides.push(path.to_owned());
        }
        if !is_taken(change, &module) || there_before.contains(path) {
            continue;
        }
        details.new_modules.push(path.to_owned());
        let directory = module.directory;
        let is_package = there_before.contains(&join_path(directory, "__init__.py"));
        let is_new = !directory.is_empty() && !there_before.contains(directory);
        if !is_package && !is_new {
            details.loose_modules.push(path.to_owned());
        }
    }
    details
}

/// The new files that are there after the change.
fn new_files(change: &TreeChange) -> impl Iterator<Item = &str> {
    change.added.iter().map(|path| super::plain_path(path))
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The files that stay and that a new one is found before, or may be.
fn displaced_by(
    path: &str,
    change: &TreeChange,
    there_before: &BTreeSet<String>,
) -> Vec<Displaced> {
    let stays = |hidden: &&String| {
        there_before.contains(*hidden) && !change.removed.contains(*hidden) && *hidden != path
    };
    let of = |hidden: &String, maybe| Displaced {
        file: path.to_owned(),
        hides: hidden.clone(),
        maybe,
    };
    let (sure, unsure) = (displaced_siblings(path), maybe_beside(path));
    let mut found: Vec<Displaced> = sure
        .iter()
        .filter(stays)
        .map(|one| of(one, false))
        .collect();
    found.extend(unsure.iter().filter(stays).map(|one| of(one, true)));
    let endings = displaced_endings(path);
    if !endings.is_empty() && is_searched(path, change, there_before) {
        let others = there_before.iter().filter(stays);
        let has_name = |one: &&String| endings.iter().any(|ending| ends_in(one, ending));
        found.extend(others.filter(has_name).map(|one| of(one, true)));
    }
    found
}

/// Whether a language may look for modules where a new one lies: not within a package of Python, nor in a new directory.
fn is_searched(path: &str, change: &TreeChange, there_before: &BTreeSet<String>) -> bool {
    let directory = module_of(path, false).map_or(folder_of(path), |module| module.directory);
    let init = join_path(directory, "__init__.py");
    let is_package = there_before.contains(&init) || change.added.contains(&init);
    directory.is_empty() || (!is_package && there_before.contains(directory))
}

/// The new files that configure a runner by their names.
fn settings(change: &TreeChange) -> impl Iterator<Item = &str> {
    let added = change.added.iter().map(String::as_str);
    added.filter(|path| {
        let path = super::plain_path(path);
        path.ends_with(known_files::VENDOR)
            || known_files::role(path, &Runners::any()) == Some(Role::Configures)
    })
}

/// The paths near a new configuration file of which must be known whether they existed before.
fn neighbours_to_query(path: &str) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    match local_configuration::harmless_if(path) {
        None => Vec::new(),
        Some(HarmlessIf::NewDirectory) => vec![folder.to_owned()],
        Some(HarmlessIf::WithoutStart) => local_configuration::start_files()
            .map(|name| join_path(folder, name))
            .collect(),
        Some(HarmlessIf::WithoutManifest) => {
            let above = Path::new(folder).ancestors().filter_map(Path::to_str);
            above
                .map(|folder| join_path(folder, "Cargo.toml"))
                .collect()
        }
    }
}

/// Whether a new file that configures lies where no runner could be started before.
fn is_apart(path: &str, change: &TreeChange, there_before: &BTreeSet<String>) -> bool {
    let mut neighbours = neighbours_to_query(path).into_iter();
    let is_manifest = |path: &String| path.ends_with("Cargo.toml") && change.files.contains(path);
    local_configuration::harmless_if(path).is_some()
        && !neighbours.any(|path| there_before.contains(&path) || is_manifest(&path))
}

/// The modules that a change makes or changes, with the path that is one.
fn modules(change: &TreeChange) -> impl Iterator<Item = (&str, Module<'_>)> {
    let is_link = |path: &String| change.links.iter().any(|(link, _)| link == path);
    let files = change.files.iter();
    let there = files.filter(|path| !change.removed.contains(*path));
    there.filter_map(move |path| {
        Some((
            path.as_str(),
            module_of(super::plain_path(path), is_link(path))?,
        ))
    })
}

/// Files that Python no longer loads once this one is there. It takes a package before a compiled
/// extension, and that before a source.
fn hidden_by(path: &str, module: &Module<'_>) -> Vec<String> {
    let beside = join_path(module.directory, module.name);
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

/// Whether a module has the name of one that Python, a runner or the machine has.
fn is_taken(change: &TreeChange, module: &Module<'_>) -> bool {
    is_known(module.name) || change.installed.contains(module.name)
}

/// Whether a tree has something at a path after a change.
fn is_versioned(change: &TreeChange, there_before: &BTreeSet<String>, path: &str) -> bool {
    let files = change.files.iter().cloned();
    let now: BTreeSet<String> = files
        .filter(|file| !change.removed.contains(file))
        .collect();
    let stays = there_before.contains(path) && !change.removed.contains(path);
    stays || has_below(&now, path)
}

fn join_path(directory: &str, name: &str) -> String {
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
            ..TreeChange::default()
        };
        let mut before: BTreeSet<String> = texts(before).into_iter().collect();
        let asked = paths_to_query(&change);
        before.retain(|path| asked.contains(path));
        change_details(&change, &before)
    }

    #[test]
    fn a_module_named_like_an_installed_package_is_told() {
        let change = TreeChange {
            files: texts(&["hamcrest.py", "anyio/__init__.py", "shop.py"]),
            installed: Arc::new(texts(&["anyio", "hamcrest"]).into_iter().collect()),
            ..TreeChange::default()
        };
        let found = change_details(&change, &BTreeSet::new());
        assert_eq!(found.new_modules, ["hamcrest.py", "anyio/__init__.py"]);
    }

    #[test]
    fn a_new_file_that_configures_is_told_and_whether_something_is_started_there() {
        let check = |files: &[&str], before: &[&str], apart: &[&str]| {
            let change = TreeChange {
                files: texts(files),
                added: texts(files).into_iter().collect(),
                ..TreeChange::default()
            };
            let mut before: BTreeSet<String> = texts(before).into_iter().collect();
            let asked = paths_to_query(&change);
            before.retain(|path| asked.contains(path));
            let found = change_details(&change, &before);
            assert_eq!(found.apart, apart, "{files:?}");
            found.added
        };
        let far = [
            "docs/Makefile",
            "examples/demo/build.rs",
            "examples/demo/package.json",
            "tests/fixtures/proj/pyproject.toml",
        ];
        assert_eq!(check(&far, &["docs", "tests"], &far), far);
        check(&["docs/GNUmakefile"], &["docs/Makefile"], &[]);
        check(&["web/package.json"], &["web"], &[]);
        check(&["Makefile", "package.json"], &[], &[]);
        check(&["a/b/build.rs"], &["Cargo.toml"], &[]);
        check(&["a/build.rs", "a/Cargo.toml"], &[], &[]);
        let anywhere = ["x/conftest.py", "x/ruff.toml", "x/sitecustomize.py"];
        assert_eq!(check(&anywhere, &[], &[]), anywhere);
        assert_eq!(
            check(&["vendor/modules.txt", "a.rs"], &[], &[]),
            ["vendor/modules.txt"]
        );
    }

    #[test]
    fn a_new_file_that_is_found_before_another_one_is_told() {
        let check = |new: &str, before: &[&str], expected: &[(&str, bool)]| {
            let change = TreeChange {
                files: texts(&[new]),
                added: texts(&[new]).into_iter().collect(),
                ..TreeChange::default()
            };
            let (asked, endings) = (paths_to_query(&change), endings_to_query(&change));
            let mut there: BTreeSet<String> = texts(before).into_iter().collect();
            there.retain(|path| {
                asked.contains(path) || endings.iter().any(|one| ends_in(path, one))
            });
            let found = change_details(&change, &there).displaces;
            let found: Vec<_> = found
                .iter()
                .map(|one| (one.hides.as_str(), one.maybe))
                .collect();
            assert_eq!(found, expected, "{new}");
        };
        check(
            "helper",
            &["helper.js", "other.js"],
            &[("helper.js", false)],
        );
        check("lib", &["lib.sh"], &[("lib.sh", true)]);
        check("lib/Foo.pmc", &["lib/Foo.pm"], &[("lib/Foo.pm", false)]);
        let module = &["lib", "lib/spec.py", "tests", "src", "src/__init__.py"];
        check("spec/__init__.py", module, &[("lib/spec.py", true)]);
        check("tests/spec.py", module, &[("lib/spec.py", true)]);
        check("src/spec.py", module, &[]);
        check("new/spec.py", module, &[]);
        let header = &["tests", "include/spec.h"];
        check("tests/spec.h", header, &[("include/spec.h", true)]);
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
        // A module that was there before is the project's own.
        assert_eq!(
            details(&["app/json.py"], &["app", "app/json.py"], &[]),
            ChangeDetails::default()
        );
    }

    /// The details of these new links in a tree that has those links and files.
    fn with_links(links: &[(&str, &str)], before: &[(&str, &str)]) -> ChangeDetails {
        let pairs = |links: &[(&str, &str)]| -> Vec<(String, String)> {
            let owned = |(link, to): &(&str, &str)| ((*link).to_owned(), (*to).to_owned());
            links.iter().map(owned).collect()
        };
        let change = TreeChange {
            files: links.iter().map(|(path, _)| (*path).to_owned()).collect(),
            links: pairs(links),
            links_before: pairs(before).into(),
            ..TreeChange::default()
        };
        let mut there: BTreeSet<String> = texts(&["test_x.py", "x", "e", "evil", "sub", "sub/x"])
            .into_iter()
            .collect();
        let asked = paths_to_query(&change);
        there.retain(|path| asked.contains(path));
        change_details(&change, &there)
    }

    #[test]
    fn links_out_of_the_tree_are_told_and_links_to_packages_are_modules() {
        let links = |links: &[(&str, &str)]| with_links(links, &[]);
        assert_eq!(
            links(&[("out.txt", "/proc/self/cmdline")]).links_out,
            ["out.txt"]
        );
        assert_eq!(links(&[("a/b", "../../x")]).links_out, ["a/b"]);
        assert_eq!(links(&[("a/b", "c/../../../x")]).links_out, ["a/b"]);
        assert_eq!(
            links(&[("a/b", "../x"), ("c", "./d/../e")]).links_out,
            [""; 0]
        );
        assert_eq!(links(&[("unittest", "evil")]).loose_modules, ["unittest"]);
        assert_eq!(links(&[("test_x", "evil")]).hides, ["test_x"]);
    }

    #[test]
    fn links_lead_out_through_others_and_to_what_is_not_versioned() {
        let before = [("ext", "/etc"), ("s", "sub")];
        for (links, out) in [
            (&[("r", "ext/passwd")][..], &["r"][..]),
            (&[("r", "sub/../ext/passwd")], &["r"]),
            (
                &[("sub/e", "../ext"), ("r", "sub/e/passwd")],
                &["sub/e", "r"],
            ),
            // Ignored, or nothing at all.
            (&[("r", "build/out.txt")], &["r"]),
            (&[("r", ".git/config")], &["r"]),
            (&[("d", "build"), ("r", "d/out.txt")], &["d", "r"]),
            (&[("r", "r")], &["r"]),
            (&[("r", "s/x"), ("q", "r"), ("all", ".")], &[]),
            (&[("r", "s/y")], &["r"]),
        ] {
            assert_eq!(with_links(links, &before).links_out, out, "{links:?}");
        }
    }
}

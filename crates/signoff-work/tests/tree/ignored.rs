//! What git ignores, with git as the judge.

use std::fs;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;

use super::{Site, told};

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .expect("git is there");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("names in UTF-8")
}

const FILES: [&str; 16] = [
    "a", "b", "ab", "a.o", "b.o", "x/a", "x/b.o", "x/y/a", "x/y/b.o", "x/y/z/ab", "y/a", "y/x/b",
    "a-b/c", "#c", "!d", "x/[a]",
];

/// A repository with these files and these `.gitignore` files.
fn repository(ignoring: &[(&str, String)]) -> Site {
    let site = Site::new();
    git(&site.root, &["init", "--quiet"]);
    for file in FILES {
        site.write(file, "");
    }
    for (folder, text) in ignoring {
        site.write(Path::new(folder).join(".gitignore"), text);
    }
    site
}

/// What git would add.
fn by_git(folder: &Path) -> Vec<String> {
    let listed = git(folder, &["ls-files", "-co", "--exclude-standard", "-z"]);
    let mut paths: Vec<String> = listed.split_terminator('\0').map(str::to_owned).collect();
    paths.sort();
    paths
}

#[track_caller]
fn same_as_git(site: &mut Site, ignoring: &str) {
    let ours: Vec<String> = site.look().paths().collect();
    assert_eq!(ours, by_git(&site.root), "{ignoring:?}");
}

#[test]
fn each_kind_of_pattern() {
    let mut site = repository(&[]);
    for line in [
        "a",
        "/a",
        "a/",
        "x/",
        "x/y",
        "/x/y",
        "*.o",
        "/*.o",
        "x/*.o",
        "**/a",
        "**/y/a",
        "x/**",
        "x/**/a",
        "**",
        "*",
        "/*",
        "?",
        "[ab]",
        "[!a]",
        "[^a]",
        "[a-c]",
        "[]a]",
        "[[:alpha:]]",
        "[[:bogus:]]",
        "[a",
        "a\\",
        "\\a",
        "\\#c",
        "#c",
        "\\!d",
        "!d",
        "a ",
        "a\\ ",
        "a\r",
        "x/\\[a]",
        "x/[[]a]",
        "a**b",
        "*b*",
        "*\n!a",
        "*\n!x/\n!x/a",
        "x/*\n!x/y",
        "*.o\n!b.o",
        "/x/**/",
        "**/",
        "x/**/y/",
        "a/b/c/",
        "//a",
        "/",
        "[a-]",
        "[\\]a]",
        "[b-a]",
        "a*.o",
        "*a*b",
        "x/y/z/**",
        "**/z/**",
        "\u{feff}a",
        "x//a",
        "./a",
        "***",
    ] {
        site.write(".gitignore", line);
        same_as_git(&mut site, line);
    }
}

#[test]
fn files_of_patterns_in_folders_and_in_the_repository() {
    let mut site = repository(&[
        ("", "*.o\nab\n".to_owned()),
        ("x", "!b.o\n/a\ny/z\n".to_owned()),
        ("x/y", "*\n!a\n".to_owned()),
    ]);
    same_as_git(&mut site, "nested");
    fs::write(site.path(".git/info/exclude"), "y/\n*.o\n/b\n").unwrap();
    same_as_git(&mut site, "exclude");
}

#[test]
fn a_workspace_within_a_repository_keeps_its_rules() {
    let mut site = repository(&[
        ("", "*.o\n/x/a\nz/\n".to_owned()),
        ("x/y", "!b.o\n".to_owned()),
    ]);
    let root = site.root.clone();
    for inner in ["x", "x/y"] {
        let workspace = root.join(inner);
        site.keeper = signoff_work::tree::Keeper::new(&workspace, &root.with_file_name("store"));
        site.root = workspace;
        same_as_git(&mut site, inner);
    }
}

#[test]
fn a_linked_worktree_has_the_repositorys_exclude_file() {
    let mut site = repository(&[]);
    git(
        &site.root,
        &[
            "-c",
            "user.name=n",
            "-c",
            "user.email=e",
            "commit",
            "-qm",
            "x",
            "--allow-empty",
        ],
    );
    let linked = site.root.with_file_name("linked");
    git(
        &site.root,
        &[
            "worktree",
            "add",
            "-q",
            "--detach",
            linked.to_str().unwrap(),
        ],
    );
    fs::write(site.path(".git/info/exclude"), "*.o\n").unwrap();
    site.root = linked;
    site.keeper = signoff_work::tree::Keeper::new(&site.root, &site.root.with_file_name("store"));
    site.write("a.o", "");
    site.write("a", "");
    same_as_git(&mut site, "linked");
    assert_eq!(site.look().len(), 1);
}

#[test]
fn without_a_repository_nothing_is_ignored() {
    let mut site = Site::new();
    site.write(".gitignore", "*");
    site.write("a", "");
    assert_eq!(site.look().len(), 2);
}

#[test]
fn ignored_files_may_change() {
    let mut site = repository(&[("", "*.o\nx/\n".to_owned())]);
    let before = site.look();
    site.write("a.o", "new");
    site.write("x/new", "new");
    assert_eq!(site.told(&before), [""; 0]);
}

#[test]
fn work_cannot_hide_what_it_does() {
    let mut site = repository(&[("", "*.o\n".to_owned())]);
    let before = site.look();
    site.write(".gitignore", "a\nconftest.py\nnode_modules\n");
    site.write("conftest.py", "new");
    site.write("node_modules/m/index.js", "new");
    site.write("a", "changed");
    site.write("b.o", "changed, and was always ignored");
    let after = site.keeper.snapshot_since(&before).unwrap();
    let changes = site.keeper.changes(&before, &after);
    let expected = [
        "modified .gitignore",
        "modified a",
        "added conftest.py",
        "added node_modules/m/index.js",
    ];
    assert_eq!(told(&changes), expected);
    let hidden = changes
        .iter()
        .map(|change| change.ignored_now)
        .collect::<Vec<_>>();
    assert_eq!(hidden, [false, true, true, true]);
    // From here on the new rules hold.
    let before = site.look();
    site.write("conftest.py", "newer");
    assert_eq!(site.told(&before), [""; 0]);
}

/// Lines of a `.gitignore` file over the few names that there are.
fn lines() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[abxyz]", 2 => Just("*".to_owned()), 2 => Just("**".to_owned()), 1 => "\\*\\.o|a\\?|\\?b|\\[ab\\]|\\[!a\\]",
    ];
    let path = (
        any::<bool>(),
        proptest::collection::vec(part, 1..4),
        any::<bool>(),
        0..4,
    )
        .prop_map(|(anchored, parts, folder, negated)| {
            format!(
                "{}{}{}{}",
                if negated == 0 { "!" } else { "" },
                if anchored { "/" } else { "" },
                parts.join("/"),
                if folder { "/" } else { "" }
            )
        });
    proptest::collection::vec(path, 0..5).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_patterns(root in lines(), inner in lines()) {
        let mut site = repository(&[("", root.clone()), ("x", inner.clone())]);
        let ours: Vec<String> = site.look().paths().collect();
        prop_assert_eq!(ours, by_git(&site.root), "{:?} and in x {:?}", root, inner);
    }
}

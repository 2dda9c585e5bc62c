//! What a manifest of cargo says about which tests there are, and where they are.

use toml::{Table, Value};

/// Parts that say which tests of a package there are.
const TARGETS: [&str; 3] = ["test", "bench", "example"];
/// Keys of `[lib]` that do.
const LIBRARY: [&str; 5] = ["path", "test", "doctest", "bench", "harness"];
/// Keys of `[package]` that do.
const PACKAGE: [&str; 7] = [
    "autolib",
    "autobins",
    "autotests",
    "autobenches",
    "autoexamples",
    "build",
    "workspace",
];
/// Keys of `[workspace_settings]` that say which packages are tested and how.
const WORKSPACE: [&str; 4] = ["members", "exclude", "default-members", "lints"];
/// Parts that say what the tests are built with.
const WHOLE: [&str; 4] = ["patch", "replace", "profile", "lints"];

/// Whether two versions of a manifest differ in what selects or redirects tests. A new package may have
/// its own: no tests are among them yet.
pub fn selects_tests(before: Option<&str>, after: Option<&str>) -> bool {
    let (Some(old), Some(new)) = (parse_manifest(before), parse_manifest(after)) else {
        // What cannot be read says nothing, until it can be again.
        return before.is_some();
    };
    let of_all = |manifest: &Table| (whole_settings(manifest), workspace_settings(manifest));
    let of_package = |manifest: &Table| (target_settings(manifest), package_settings(manifest));
    of_all(&old) != of_all(&new) || (before.is_some() && of_package(&old) != of_package(&new))
}

fn parse_manifest(text: Option<&str>) -> Option<Table> {
    text.map_or_else(|| Some(Table::new()), |text| text.parse().ok())
}

fn whole_settings(manifest: &Table) -> Table {
    select_keys(manifest, &WHOLE)
}

/// `None` if it is not a workspace.
fn workspace_settings(manifest: &Table) -> Option<Table> {
    Some(select_keys(table(manifest, "workspace")?, &WORKSPACE))
}

fn target_settings(manifest: &Table) -> (Table, Option<Table>) {
    let library = table(manifest, "lib").map(|library| select_keys(library, &LIBRARY));
    let library = library.filter(|library| !library.is_empty());
    (select_keys(manifest, &TARGETS), library)
}

fn package_settings(manifest: &Table) -> Table {
    let package = table(manifest, "package");
    package
        .map(|package| select_keys(package, &PACKAGE))
        .unwrap_or_default()
}

fn table<'m>(manifest: &'m Table, key: &str) -> Option<&'m Table> {
    manifest.get(key).and_then(Value::as_table)
}

fn select_keys(table: &Table, keys: &[&str]) -> Table {
    let parts = table.iter().filter(|(key, _)| keys.contains(&key.as_str()));
    parts
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "[package]\nname = 'x'\nversion = '0.1.0'\n";

    #[track_caller]
    fn check(before: &str, after: &str, expected: bool) {
        let after = format!("{PLAIN}{after}");
        let before = format!("{PLAIN}{before}");
        assert_eq!(
            selects_tests(Some(&before), Some(&after)),
            expected,
            "{after}"
        );
        assert_eq!(
            selects_tests(Some(&after), Some(&before)),
            expected,
            "{before}"
        );
    }

    #[test]
    fn what_selects_or_redirects_tests_counts() {
        for part in [
            "[[test]]\nname = 'it'\npath = 'src/it2.rs'",
            "[[bench]]\nname = 'b'",
            "[[example]]\nname = 'e'\ntest = true",
            "[lib]\npath = 'other.rs'",
            "[lib]\nharness = false",
            "autotests = false",
            "build = 'evil.rs'",
            "[workspace]",
            "[workspace]\nmembers = ['sub']",
            "[patch.crates-io]\nx = { path = 'y' }",
            "[profile.test]\ndebug-assertions = false",
            "[lints.clippy]\nall = 'allow'",
        ] {
            check("", part, true);
        }
    }

    #[test]
    fn everyday_changes_do_not() {
        for part in [
            "edition = '2024'",
            "[dependencies]\nserde = '1'",
            "[dev-dependencies]\nserde = '1'",
            "[features]\na = []",
            "[[bin]]\nname = 'b'",
            "[lib]\ncrate-type = ['cdylib']",
        ] {
            check("", part, false);
        }
        check("[workspace]", "[workspace]\nresolver = '2'", false);
    }

    #[test]
    fn a_new_package_has_tests_of_its_own_but_rules_no_other() {
        let new = |text: &str| selects_tests(None, Some(&format!("{PLAIN}{text}")));
        assert!(!new("[[test]]\nname = 'it'\npath = 'a.rs'"));
        assert!(!new("build = 'b.rs'"));
        assert!(new("[workspace]\nmembers = ['sub']"));
        assert!(new("[profile.dev]\nopt-level = 1"));
        assert!(!selects_tests(None, Some("no manifest")));
        assert!(selects_tests(Some(PLAIN), Some("no manifest")));
        assert!(!selects_tests(Some(PLAIN), None));
    }
}

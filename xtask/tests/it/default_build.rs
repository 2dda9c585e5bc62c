//! What is shipped has nothing of what only shared runs need.

use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn the_default_build_has_no_crate_of_another_feature() {
    // At run time: a shared target directory may hold a test that another clone compiled.
    let xtask = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    let tree = |features: &[&str]| {
        let output = Command::new("cargo")
            .args([
                "tree",
                "--locked",
                "--package",
                "signoff",
                "--prefix",
                "none",
            ])
            .args(["--edges", "normal,build", "--format", "{p}"])
            .args(features)
            .current_dir(&xtask)
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("names are text")
    };
    let names = |tree: &str| {
        let found = ["signoff-distributed", "dbos", "sqlx", "signoff-telemetry"].into_iter();
        let is_there = |name: &&str| {
            tree.lines()
                .any(|line| line.split(' ').next() == Some(*name))
        };
        found.filter(is_there).collect::<Vec<_>>()
    };
    assert_eq!(names(&tree(&[])), Vec::<&str>::new());
    let with = tree(&["--features", "distributed"]);
    assert_eq!(names(&with), ["signoff-distributed", "dbos", "sqlx"]);
    // Telling a collector needs nothing that is not there anyway.
    let ours = |tree: String| tree.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (default, with) = (ours(tree(&[])), ours(tree(&["--features", "otel"])));
    let added = with.difference(&default);
    let added: Vec<&str> = added.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(added, ["signoff-telemetry"]);
}

//! The edges between our crates are those of the table in ARCHITECTURE.md, and no others; within a crate
//! modules build on each other in one direction.

mod modules;

use std::process::Command;

use serde_json::{Value, json};

/// What each crate may use. Change ARCHITECTURE.md in the same commit.
const TABLE: [(&str, Uses); 18] = [
    ("signoff-plan", Uses::Only(&[])),
    ("signoff-engine", Uses::Only(&["signoff-plan"])),
    (
        "signoff-api",
        Uses::Only(&["signoff-plan", "signoff-engine"]),
    ),
    (
        "signoff-store",
        Uses::Only(&["signoff-plan", "signoff-engine", "signoff-api"]),
    ),
    ("signoff-sandbox", Uses::Only(&[])),
    (
        "signoff-work",
        Uses::Only(&["signoff-plan", "signoff-sandbox"]),
    ),
    ("signoff-stub", Uses::Only(&[])),
    ("signoff-llm", Uses::Only(&["signoff-plan"])),
    (
        "signoff-runtime",
        Uses::Only(&[
            "signoff-plan",
            "signoff-engine",
            "signoff-api",
            "signoff-store",
            "signoff-sandbox",
            "signoff-work",
            "signoff-llm",
        ]),
    ),
    (
        "signoff-mcp",
        Uses::Only(&[
            "signoff-plan",
            "signoff-engine",
            "signoff-api",
            "signoff-runtime",
        ]),
    ),
    (
        "signoff-page",
        Uses::Only(&["signoff-plan", "signoff-engine", "signoff-api"]),
    ),
    (
        "signoff-server",
        Uses::Only(&[
            "signoff-plan",
            "signoff-engine",
            "signoff-api",
            "signoff-runtime",
            "signoff-mcp",
            "signoff-page",
        ]),
    ),
    ("signoff-tui", SURFACE),
    (
        "signoff-distributed",
        Uses::Only(&[
            "signoff-plan",
            "signoff-engine",
            "signoff-api",
            "signoff-store",
            "signoff-sandbox",
            "signoff-runtime",
        ]),
    ),
    (
        "signoff-telemetry",
        Uses::Only(&[
            "signoff-engine",
            "signoff-sandbox",
            "signoff-work",
            "signoff-runtime",
        ]),
    ),
    ("signoff", Uses::All),
    (TESTKIT, Uses::All),
    (XTASK, Uses::All),
];

const SURFACE: Uses = Uses::Only(&["signoff-runtime", "signoff-api", "signoff-plan"]);
const TESTKIT: &str = "signoff-testkit";
const XTASK: &str = "xtask";

#[derive(Debug, Clone, Copy)]
enum Uses {
    Only(&'static [&'static str]),
    /// Every crate that ships.
    All,
}

impl Uses {
    fn allows(self, crate_name: &str) -> bool {
        let ships = crate_name != TESTKIT && crate_name != XTASK;
        match self {
            Self::Only(names) => names.contains(&crate_name),
            Self::All => ships,
        }
    }
}

/// Every way in which this output of `cargo metadata` departs from the table.
fn violations(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let name_of = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    let ours: Vec<String> = packages.iter().map(name_of).collect();
    let mut found = Vec::new();
    for package in packages {
        let from = name_of(package);
        let Some((_, uses)) = TABLE.iter().find(|(name, _)| *name == from) else {
            found.push(format!("`{from}` is not in the table"));
            continue;
        };
        for dependency in package["dependencies"].as_array().expect("a list") {
            let to = name_of(dependency);
            let for_tests = dependency["kind"] == "dev" && to == TESTKIT;
            if ours.contains(&to) && !for_tests && !uses.allows(&to) {
                found.push(format!("`{from}` must not use `{to}`"));
            }
        }
    }
    found
}

#[test]
fn crates_depend_only_on_what_the_table_allows() {
    // At run time: a shared target directory may hold a test that another clone compiled.
    let xtask = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--no-deps", "--locked"])
        .current_dir(xtask)
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{output:?}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let packages = metadata["packages"].as_array().map_or(0, Vec::len);
    assert!(packages >= 10, "cargo metadata lists {packages} packages");
    assert_eq!(violations(&metadata), Vec::<String>::new());
}

/// Name and kind, as `cargo metadata` gives them.
type Dependency = (&'static str, Option<&'static str>);

/// A workspace of these packages, each with its dependencies.
fn workspace(packages: &[(&str, &[Dependency])]) -> Value {
    let packages: Vec<Value> = packages
        .iter()
        .map(|(name, dependencies)| {
            let dependencies: Vec<Value> = dependencies
                .iter()
                .map(|(name, kind)| json!({"name": name, "kind": kind}))
                .collect();
            json!({"name": name, "dependencies": dependencies})
        })
        .collect();
    json!({ "packages": packages })
}

#[test]
fn refuses_an_edge_against_the_direction() {
    let metadata = workspace(&[
        (
            "signoff-plan",
            &[("serde_json", None), ("signoff-engine", None)],
        ),
        ("signoff-engine", &[("signoff-plan", None)]),
    ]);
    assert_eq!(
        violations(&metadata),
        ["`signoff-plan` must not use `signoff-engine`"]
    );
}

#[test]
fn refuses_build_and_test_dependencies_too() {
    let metadata = workspace(&[
        ("signoff-sandbox", &[("signoff-plan", Some("dev"))]),
        ("signoff-work", &[("signoff-store", Some("build"))]),
        ("signoff-plan", &[]),
        ("signoff-store", &[]),
    ]);
    assert_eq!(
        violations(&metadata),
        [
            "`signoff-sandbox` must not use `signoff-plan`",
            "`signoff-work` must not use `signoff-store`",
        ]
    );
}

#[test]
fn the_testkit_is_for_tests_and_xtask_for_nobody() {
    let metadata = workspace(&[
        (
            "signoff",
            &[("signoff-testkit", None), ("xtask", Some("dev"))],
        ),
        ("signoff-runtime", &[("signoff-testkit", Some("dev"))]),
        ("signoff-testkit", &[]),
        ("xtask", &[]),
    ]);
    assert_eq!(
        violations(&metadata),
        [
            "`signoff` must not use `signoff-testkit`",
            "`signoff` must not use `xtask`",
        ]
    );
}

#[test]
fn refuses_a_crate_that_the_table_does_not_know() {
    let metadata = workspace(&[("signoff-utils", &[])]);
    assert_eq!(
        violations(&metadata),
        ["`signoff-utils` is not in the table"]
    );
}

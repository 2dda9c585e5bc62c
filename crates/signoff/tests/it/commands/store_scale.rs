//! A store with many plans, and many processes looking at it at once. How fast it is,
//! `cargo xtask bench` measures; here it is only right.

use std::fmt::Write as _;

use serde_json::Value;
use signoff_testkit::Project;

use crate::support::BINARY;

const PLANS: usize = 200;

fn filled() -> Project {
    let project = Project::new(BINARY);
    let agent = "[agents.default]\ndriver = \"command\"\ncommand = [\"true\"]\n";
    project.write(".signoff/config.toml", agent);
    for at in 0..PLANS {
        let mut text = format!(
            "---\nid: PLAN-{at:08x}\ntitle: Plan {at}\nstatus: proposed\nversion: 1\ntools_required: []\n---\n\n## Steps\n"
        );
        writeln!(text, "1. Look (odoo: read)").expect("a string takes everything");
        project.write(format!(".signoff/plans/PLAN-{at:08x}.md"), &text);
    }
    project
}

fn sorted(listing: &Value) -> Vec<String> {
    let plans = listing["plans"].as_array().expect("plans");
    let mut lines: Vec<String> = plans.iter().map(Value::to_string).collect();
    lines.sort();
    lines
}

#[test]
fn with_or_without_its_index_a_list_is_the_same() {
    let project = filled();
    let first = sorted(&project.json(["list"]));
    assert_eq!(first.len(), PLANS);
    assert!(project.exists(".signoff/index.json"));
    assert_eq!(sorted(&project.json(["list"])), first);
    std::fs::remove_file(project.path().join(".signoff/index.json")).expect("it is there");
    assert_eq!(sorted(&project.json(["list"])), first);
}

#[test]
fn lists_and_changes_at_once_do_not_hurt_each_other() {
    let project = filled();
    let changed: Vec<String> = (0..8).map(|at| format!("PLAN-{at:08x}")).collect();
    let lists: Vec<_> = (0..6)
        .map(|_| project.spawn(["list", "--format", "json"]))
        .collect();
    let acts: Vec<_> = changed
        .iter()
        .map(|id| project.spawn(["approve", id]))
        .collect();
    for list in lists {
        assert_eq!(sorted(&list.wait().assert_success().json()).len(), PLANS);
    }
    for act in acts {
        act.wait().assert_success();
    }
    let listing = project.json(["list", "--status", "approved"]);
    let plans = listing["plans"].as_array().expect("plans");
    let mut ids: Vec<_> = plans
        .iter()
        .filter_map(|plan| plan["id"].as_str())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, changed, "whatever the index said meanwhile");
}

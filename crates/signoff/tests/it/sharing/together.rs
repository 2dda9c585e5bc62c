//! A plan is carried out by several processes, and it ends as it would on one machine.

use super::fleet::Fleet;
use crate::support::{agent, makes_out, plan};

#[test]
fn a_plan_runs_on_a_worker_and_lands_where_it_began() {
    let Some(fleet) = Fleet::new(&makes_out(), &plan(&[&agent("Make it.", "out")])) else {
        return;
    };
    let _orchestrator = fleet.orchestrator();
    let mut worker = fleet.worker("coder");
    let ran = fleet.project.signoff(["run", "plan.md"]);
    let said = format!("{ran}\n{}", worker.stderr_so_far());
    assert_eq!(ran.code, Some(0), "{said}");
    ran.assert_stdout_contains("completed");
    // The evidence names the machine that judged.
    let status = fleet.project.json(["status"]);
    let facts = &status["steps"][0]["facts"];
    let judged = facts["judged_on"].as_str().unwrap_or_default();
    assert!(
        judged.contains("ed25519:") && judged.contains("terms"),
        "{status}"
    );
    assert_eq!(status["steps"][0]["evidence"], "proved", "{status}");
    assert!(!fleet.project.exists("out"));
    fleet.project.signoff(["land"]).assert_success();
    assert_eq!(fleet.project.read("out"), "x\n");
    assert!(worker.is_running());
}

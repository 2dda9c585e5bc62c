//! What shows and steers runs reaches one that other machines drive.

use serde_json::json;

use super::fleet::Fleet;
use crate::serve::browser::Served;
use crate::support::{agent, makes_out, only_item, plan};

#[test]
fn the_server_and_agents_see_and_steer_a_run_that_others_drive() {
    let gated = format!("{}**approval:** required\n", agent("Make it.", "out"));
    let Some(fleet) = Fleet::new(&makes_out(), &plan(&[&gated])) else {
        return;
    };
    let _all = fleet.everything();
    let run = fleet.hand_over();
    fleet.wait_for(&run, "waiting");
    let project = &fleet.project;
    let served = Served::signed_in(project);
    let shown = served.get(&format!("/api/runs/{run}"));
    assert_eq!(shown.status, 200, "{shown:?}");
    let page = served.get(&format!("/runs/{run}"));
    assert!(page.body.contains("Step 1"), "{page:?}");
    let inbox = served.get("/api/inbox").json();
    let id = only_item(project)["id"].clone();
    assert!(inbox.to_string().contains(&id.to_string()), "{inbox}");
    let name = id.as_str().unwrap_or_default().replace('/', "%2F");
    let path = format!("/api/inbox/{name}/answer");
    let answered = served.post(&path, &json!({"choice": "approve"}));
    assert_eq!(answered.status, 200, "{answered:?}");
    let mut events = served.follow(&format!("/api/runs/{run}/events"), None);
    assert!(events.any(|event| event.name == "run_finished"));
    fleet.wait_for(&run, "completed");
    project
        .signoff(["report", &run])
        .assert_success()
        .assert_stdout_contains("Step 1");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "plan_status", "arguments": {"run": run}}});
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let input = format!("{hello}\n{ready}\n{call}\n");
    let told = project.signoff_with_input(["mcp"], &input);
    told.assert_stdout_contains("completed");
}

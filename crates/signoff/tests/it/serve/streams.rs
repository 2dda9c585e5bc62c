//! Events as they come: without gap or duplicate, whatever is cut off.

use serde_json::json;
use signoff_testkit::Script;

use super::browser::Served;
use crate::support::{agent, makes_out, plan, project, signed, waits_then_makes_out};

#[test]
fn a_stream_goes_on_where_it_was_cut_off_also_with_another_server() {
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["run", "plan.md"]).assert_success();
    let served = Served::signed_in(&project);
    let run = served.get("/api/runs").json()["runs"][0]["run"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("/api/runs/{run}/events");
    let mut all = Vec::new();
    for event in served.follow(&path, None) {
        all.push(event);
        if all.last().unwrap().name == "run_finished" {
            break;
        }
    }
    let ids: Vec<u64> = all.iter().map(|event| event.id).collect();
    assert_eq!(
        ids,
        (0..ids.len() as u64).collect::<Vec<_>>(),
        "the journal's numbers"
    );
    assert_eq!(all[0].name, "plan_created");
    let middle = ids.len() as u64 / 2;
    drop(served.server.kill());
    let served = Served::signed_in(&project);
    let rest: Vec<_> = served
        .follow(&path, Some(middle))
        .take(all.len() - middle as usize - 1)
        .collect();
    assert_eq!(rest, all[middle as usize + 1..]);
    let asked: Vec<_> = served
        .follow(&format!("{path}?after={middle}"), None)
        .take(1)
        .collect();
    assert_eq!(asked[..], all[middle as usize + 1..][..1]);
    // The progress of its steps, as the toolplan specification has it.
    let last = served.follow(&format!("/api/tasks/{run}/events"), None);
    let last = last
        .into_iter()
        .find(|event| event.data["status"] == "completed")
        .unwrap();
    assert_eq!(last.name, "progress");
    assert_eq!(last.data["stepId"], "step-1");
    assert_eq!(last.data["taskId"], run.as_str());
    assert_eq!(last.data["progress"], 100);
}

#[test]
fn what_becomes_of_plans_is_told_also_to_who_was_away() {
    let project = project(&Script::new(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["propose", "plan.md"]).assert_success();
    let served = Served::signed_in(&project);
    let mut events = served.follow("/api/events", None);
    let first = events.next().unwrap();
    assert_eq!(
        (first.name.as_str(), &first.data["plan"]),
        ("plan_verified", &json!("plan.md"))
    );
    let digest = served.get("/api/plans/plan.md").json()["digest"].clone();
    served.post(
        "/api/plans/plan.md/approve",
        &json!({"expect_digest": digest}),
    );
    let second = events.next().unwrap();
    assert_eq!(second.name, "plan_approved");
    assert_eq!(second.id, first.id + 1);
    drop(events);
    drop(served.server.kill());
    project.signoff(["cancel", "plan.md"]).assert_success();
    let served = Served::signed_in(&project);
    let mut events = served.follow("/api/events", Some(first.id));
    assert_eq!(
        events.next().unwrap(),
        second,
        "neither lost nor told twice"
    );
    let third = events.next().unwrap();
    assert_eq!(
        (third.name.as_str(), third.id),
        ("plan_cancelled", second.id + 1)
    );
}

#[test]
fn a_stopped_server_ends_its_streams_and_runs_go_on() {
    let script = Script::new().reply(waits_then_makes_out());
    let project = signed(&script, &plan(&[&agent("Make it.", "out")]));
    let served = Served::signed_in(&project);
    let started = served.post("/api/plans/plan.md/start", &json!({}));
    let run = started.json()["run"].as_str().unwrap().to_owned();
    let mut events = served.follow(&format!("/api/runs/{run}/events"), None);
    assert!(events.any(|event| event.name == "process_started"));
    project
        .bash(
            &format!("kill -TERM {}", served.server.id()),
            &project.path(),
        )
        .assert_success();
    assert_eq!(events.by_ref().count(), 0, "the stream ends");
    let ended = served.server.wait();
    assert_eq!(ended.code, Some(0), "{ended}");
    project.write("go", "x");
    project.signoff(["log", &run, "--follow"]).assert_success();
    let status = project.json(["status", &run]);
    assert_eq!(status["status"], "completed", "{status}");
}

#[test]
fn a_stream_ends_when_its_person_signs_out() {
    let project = project(&Script::new(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["propose", "plan.md"]).assert_success();
    let served = Served::signed_in(&project);
    let mut events = served.follow("/api/events", None);
    events.next().unwrap();
    let page = served.get("/").body;
    let (_, rest) = page.split_once("data-csrf=\"").unwrap();
    let (csrf, _) = rest.split_once('"').unwrap();
    let signed_out = served.form("/sign-out", &format!("csrf={csrf}"));
    assert_eq!(signed_out.status, 303, "{signed_out:?}");
    assert_eq!(events.next(), None);
}

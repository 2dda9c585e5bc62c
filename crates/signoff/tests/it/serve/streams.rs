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
    // A task is named by its plan, too. What is told is the toolplan specification's event, and nothing else.
    let fields = ["taskId", "stepId", "status", "progress", "result", "logs"];
    let words = [
        "pending",
        "blocked",
        "ready",
        "running",
        "completed",
        "failed",
        "skipped",
    ];
    let mut told = served.follow("/api/tasks/plan.md/events", None);
    let done = told
        .find(|event| {
            let given = event.data.as_object().unwrap();
            assert!(
                given.keys().all(|key| fields.contains(&key.as_str())),
                "{event:?}"
            );
            assert!(
                fields[..3].iter().all(|key| given.contains_key(*key)),
                "{event:?}"
            );
            assert!(
                words.contains(&event.data["status"].as_str().unwrap()),
                "{event:?}"
            );
            event.data["status"] == "completed"
        })
        .unwrap();
    let result = done.data["result"].as_object().unwrap();
    assert_eq!(result["ok"], true, "{result:?}");
    assert!(
        result["duration"].is_number() && result["timestamp"].is_string(),
        "{result:?}"
    );
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

#[test]
fn a_stream_of_a_live_run_goes_on_with_another_server() {
    let script = Script::new().reply(waits_then_makes_out());
    let project = signed(&script, &plan(&[&agent("Make it.", "out")]));
    let served = Served::signed_in(&project);
    let started = served.post("/api/plans/plan.md/start", &json!({}));
    let run = started.json()["run"].as_str().unwrap().to_owned();
    let path = format!("/api/runs/{run}/events");
    let mut ids = Vec::new();
    for event in served.follow(&path, None) {
        ids.push(event.id);
        if event.name == "process_started" {
            break;
        }
    }
    drop(served.server.kill());
    let served = Served::signed_in(&project);
    // A second server of the same project follows the same run.
    let other = Served::signed_in(&project);
    let mut events = served.follow(&path, ids.last().copied());
    let mut others = other.follow(&path, ids.last().copied());
    project.write("go", "x");
    let mut seen = Vec::new();
    for event in events.by_ref() {
        ids.push(event.id);
        seen.push(event);
        if seen.last().unwrap().name == "run_finished" {
            break;
        }
    }
    let expected: Vec<u64> = (0..ids.len() as u64).collect();
    assert_eq!(ids, expected, "without gap or duplicate");
    let same: Vec<_> = others.by_ref().take(seen.len()).collect();
    assert_eq!(same, seen);
}

#[test]
fn whoever_was_away_is_told_every_state_with_the_time_of_then() {
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    let served = Served::signed_in(&project);
    let first = served.follow("/api/events", None).next().unwrap();
    assert_eq!(first.name, "plan_approved");
    drop(served.server.kill());
    project.signoff(["run", "plan.md"]).assert_success();
    let log = project.read(".signoff/log/plan.md.jsonl");
    let time = |kind: &str| {
        let line = log.lines().rev().find(|line| line.contains(kind)).unwrap();
        serde_json::from_str::<serde_json::Value>(line).unwrap()["at"].clone()
    };
    let served = Served::signed_in(&project);
    let mut events = served.follow("/api/events", Some(first.id));
    for kind in ["plan_executing", "plan_completed"] {
        let event = events.next().unwrap();
        assert_eq!(event.name, kind);
        assert_eq!(event.data["at"], time(kind), "{kind}");
    }
    // Signed and started at once: each of its states is told.
    let text = plan(&[&agent("Make it again.", "out")]);
    project.write("second.md", &text);
    project
        .signoff(["run", "second.md", "--approve"])
        .assert_success();
    let mut told: Vec<String> = Vec::new();
    for event in events
        .by_ref()
        .filter(|event| event.data["plan"] == "second.md")
    {
        told.push(event.name);
        if told.last().unwrap() == "plan_completed" {
            break;
        }
    }
    // It may have been seen on its way; then nothing is missing after that.
    let all = ["plan_approved", "plan_executing", "plan_completed"];
    assert!(
        all.ends_with(&told.iter().map(String::as_str).collect::<Vec<_>>()),
        "{told:?}"
    );
}

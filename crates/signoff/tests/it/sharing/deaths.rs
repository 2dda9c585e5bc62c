//! Everything may die at any time: every step completes exactly once, no agent stays, and nothing is merged twice.

use std::collections::BTreeMap;

use signoff_testkit::{Reply, Script};

use super::fleet::Fleet;
use crate::support::{agent, plan};

/// Steps of the plan: two chains side by side.
const STEPS: usize = 8;

/// How long an agent takes, so that there is something to kill.
const WORK_MS: u64 = 150;

fn fleet() -> Option<Fleet> {
    let mut script = Script::new().ledger("LEDGER");
    let mut bodies = Vec::new();
    for number in 1..=STEPS {
        let task = format!("Make part {number}.");
        let file = format!("part{number}");
        script = script.reply(
            Reply::when([task.clone()])
                .pause_ms(WORK_MS)
                .write(&file, "x\n")
                .say("done"),
        );
        let mut body = agent(&task, &file);
        if number > 2 {
            body = format!("**depends_on:** {}\n{body}", number - 2);
        } else {
            body = format!("**depends_on:** none\n{body}");
        }
        bodies.push(body);
    }
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    Fleet::new(&script, &plan(&bodies))
}

/// Does the plan to its end, and checks from outside that everything happened once.
fn check(fleet: &Fleet, run: &str) {
    fleet.project.signoff(["status", run]).assert_success();
    let events = fleet
        .project
        .signoff(["log", run, "--format", "json"])
        .json_lines();
    let mut completed: BTreeMap<String, usize> = BTreeMap::new();
    let mut merged: BTreeMap<String, usize> = BTreeMap::new();
    for event in &events {
        let step = event["step"].as_str().unwrap_or_default().to_owned();
        match event["type"].as_str() {
            Some("step_completed") => *completed.entry(step).or_default() += 1,
            Some("merged") => *merged.entry(step).or_default() += 1,
            _ => {}
        }
    }
    assert_eq!(completed.len(), STEPS, "{completed:?}");
    assert!(completed.values().all(|count| *count == 1), "{completed:?}");
    assert!(merged.values().all(|count| *count == 1), "{merged:?}");
    // The branch has one commit for each step, whatever the journal says.
    let commits = fleet.project.git(&format!("log --format=%B signoff/{run}"));
    for number in 1..=STEPS {
        let trailers = commits
            .matches(&format!("Signoff-Attempt: {run}/step-{number}/"))
            .count();
        assert_eq!(trailers, 1, "step {number}: {commits}");
    }
    let left = fleet.agents();
    assert!(left.is_empty(), "agents are left: {left:?}");
}

#[test]
fn a_killed_worker_is_replaced() {
    let Some(fleet) = fleet() else {
        return;
    };
    let _orchestrator = fleet.orchestrator();
    let worker = fleet.worker("coder");
    let run = fleet.hand_over();
    fleet.wait_for_sql(
        "SELECT count(*) > 0 FROM signoff.orders WHERE claim > 0 AND report IS NULL",
        "t",
    );
    worker.kill();
    let _other = fleet.worker("coder");
    fleet.wait_for(&run, "completed");
    check(&fleet, &run);
}

#[test]
fn a_killed_orchestrator_is_replaced_and_no_work_is_lost() {
    let Some(fleet) = fleet() else {
        return;
    };
    let orchestrator = fleet.orchestrator();
    let _worker = fleet.worker("coder");
    let run = fleet.hand_over();
    fleet.wait_for_sql(
        "SELECT count(*) > 1 FROM signoff.orders WHERE report IS NOT NULL",
        "t",
    );
    orchestrator.kill();
    let _other = fleet.orchestrator();
    fleet.wait_for(&run, "completed");
    check(&fleet, &run);
    // What was under way was not begun again.
    let events = fleet
        .project
        .signoff(["log", &run, "--format", "json"])
        .json_lines();
    let interrupted = events
        .iter()
        .filter(|event| event["type"] == "attempt_interrupted");
    assert_eq!(interrupted.count(), 0, "{events:#?}");
}

/// A plan of one call whose effect stays outside of the run, and how often it was made.
fn calling() -> Option<(Fleet, impl Fn() -> usize)> {
    let fleet = Fleet::unsigned(&Script::new())?;
    let calls = fleet.project.outside("calls");
    let command = serde_json::json!({"command": format!("echo x >> {}", calls.display())});
    fleet.sign(&plan(&[&format!(
        "**tool:** run_command\n**tools:** run_command\n**args:**\n```json\n{command}\n```\n"
    )]));
    let made = move || {
        let text = std::fs::read_to_string(&calls).unwrap_or_default();
        text.lines().count()
    };
    Some((fleet, made))
}

#[test]
fn a_call_that_a_dead_worker_may_have_made_is_not_made_again_without_a_person() {
    let Some((fleet, made)) = calling() else {
        return;
    };
    let _orchestrator = fleet.orchestrator();
    let worker = ["worker", "--lease", "2", "--roles", "tools"];
    let armed = [("SIGNOFF_FAILPOINT", "effect.after:1")];
    let killed = fleet.project.spawn_with(&armed, worker);
    let run = fleet.hand_over();
    let killed = killed.wait();
    assert_eq!(killed.code, None, "{killed}");
    let _other = fleet.worker("tools");
    fleet.wait_for(&run, "waiting");
    assert_eq!(made(), 1);
    let item = &fleet.project.json(["inbox"])["items"][0];
    assert_eq!(item["kind"], "unknown_call", "{item:#}");
    let id = item["id"].as_str().expect("an id");
    fleet
        .project
        .signoff(["answer", id, "happened", "--note", "{\"exit_code\": 0}"])
        .assert_success();
    fleet.wait_for(&run, "completed");
    assert_eq!(made(), 1);
}

#[test]
fn a_call_that_nobody_can_have_made_is_made_by_the_next_worker() {
    let Some((fleet, made)) = calling() else {
        return;
    };
    let _orchestrator = fleet.orchestrator();
    let worker = ["worker", "--lease", "2", "--roles", "tools"];
    let armed = [("SIGNOFF_FAILPOINT", "order.claimed:1")];
    let killed = fleet.project.spawn_with(&armed, worker);
    let run = fleet.hand_over();
    let killed = killed.wait();
    assert_eq!(killed.code, None, "{killed}");
    let _other = fleet.worker("tools");
    fleet.wait_for(&run, "completed");
    assert_eq!(made(), 1);
    assert_eq!(fleet.events(&run, "inbox_opened"), 0);
    let role = "SELECT role FROM signoff.orders WHERE id LIKE '%/call/%'";
    assert_eq!(fleet.postgres.sql(role), "tools");
}

#[test]
fn a_call_that_waits_for_a_worker_when_the_run_is_stopped_is_made_when_it_goes_on() {
    let Some((fleet, made)) = calling() else {
        return;
    };
    let _orchestrator = fleet.orchestrator();
    let run = fleet.hand_over();
    fleet.wait_for_sql("SELECT count(*) FROM signoff.orders", "1");
    fleet.project.signoff(["stop"]).assert_success();
    fleet.wait_for(&run, "paused");
    let _worker = fleet.worker("tools");
    fleet.project.signoff(["resume"]).assert_code(0);
    assert_eq!(made(), 1);
    assert_eq!(fleet.events(&run, "inbox_opened"), 0);
}

#[test]
fn two_that_drive_do_not_meet() {
    let Some(fleet) = fleet() else {
        return;
    };
    let _one = fleet.orchestrator();
    let _other = fleet.orchestrator();
    let _worker = fleet.worker("coder");
    let run = fleet.hand_over();
    fleet.wait_for(&run, "completed");
    check(&fleet, &run);
}

#[test]
fn the_database_may_restart() {
    let Some(mut fleet) = fleet() else {
        return;
    };
    let _orchestrator = fleet.process(&["orchestrator", "--lease", "20"]);
    let _worker = fleet.process(&["worker", "--lease", "20", "--roles", "coder"]);
    let run = fleet.hand_over();
    fleet.wait_for_sql(
        "SELECT count(*) > 1 FROM signoff.orders WHERE report IS NOT NULL",
        "t",
    );
    fleet.postgres.kill();
    fleet.postgres.come_up();
    fleet.wait_for(&run, "completed");
    check(&fleet, &run);
}

#[test]
fn a_worker_without_its_database_ends_its_agents() {
    let Some(mut fleet) = fleet() else {
        return;
    };
    let _orchestrator = fleet.orchestrator();
    let mut worker = fleet.worker("coder");
    fleet.hand_over();
    fleet.wait_for_sql(
        "SELECT count(*) > 0 FROM signoff.orders WHERE claim > 0",
        "t",
    );
    fleet.postgres.kill();
    assert!(worker.wait_until(|| false) || !worker.is_running());
    let ended = worker.wait();
    ended
        .assert_code(6)
        .assert_stderr_contains("lost its lease");
    assert!(fleet.agents().is_empty(), "{:?}", fleet.agents());
    fleet.postgres.come_up();
}

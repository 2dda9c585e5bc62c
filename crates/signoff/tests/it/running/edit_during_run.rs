//! The plan or its terms change while a run is under way: nothing new starts, and the run goes on
//! with what was restored or with what was signed anew.

use std::fmt::Write as _;

use serde_json::Value;
use signoff_testkit::ledger::Ledger;
use signoff_testkit::{Output, Project, Reply, Script};

use crate::support::{agent, events, signed};

/// Every task writes the file it names; `Make one` waits for `go` first.
fn script() -> Script {
    let writes = |text: &str, file: &str| Reply::when([text]).write(file, "whole\n").say("done");
    Script::new()
        .ledger("LEDGER")
        .reply(
            Reply::when(["Make one."])
                .write("begun", "x")
                .wait_for("go")
                .write("out-1", "whole\n")
                .say("done"),
        )
        .reply(writes("Make one again", "out-1"))
        .reply(writes("Make two", "out-2"))
        .reply(writes("Make three", "out-3"))
}

fn one() -> String {
    agent("Make one.", "out-1")
}

fn two() -> String {
    agent("Make two.", "out-2")
}

fn three() -> String {
    agent("Make three.", "out-3")
}

/// A plan of steps with titles of their own.
fn plan(steps: &[(&str, &str)]) -> String {
    let mut text = crate::support::plan(&[]);
    for (at, (title, body)) in steps.iter().enumerate() {
        write!(text, "\n### {}. {title}\n\n{body}\n", at + 1).expect("a string takes everything");
    }
    text
}

fn started() -> String {
    plan(&[("One", &one()), ("Two", &two())])
}

/// Changes something while the first agent works; it ends and is judged.
fn changed_while_at_work(change: impl FnOnce(&Project)) -> (Project, Output) {
    let project = signed(&script(), &started());
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.exists("begun")));
    change(&project);
    // Whoever drives the run has to see the change first.
    project.signoff(["approve", "plan.md"]).assert_code(5);
    project.write("go", "");
    let output = running.wait();
    output.assert_code(4);
    (project, output)
}

fn edited_to(text: &str) -> Project {
    let (project, output) = changed_while_at_work(|project| {
        project.write("plan.md", text);
    });
    output
        .assert_stderr_contains("is not what was signed")
        .assert_stderr_contains("signoff approve plan.md")
        .assert_stderr_contains("signoff resume");
    project
}

fn status_of(project: &Project, step: &str) -> Value {
    let status = project.json(["status"]);
    let steps = status["steps"].as_array().expect("steps").iter();
    let mut found = steps.filter(|found| found["id"] == step);
    let found = found.next().cloned();
    found.expect("the run has the step")
}

fn strings(value: &Value) -> Vec<&str> {
    let list = value.as_array().expect("a list").iter();
    list.filter_map(Value::as_str).collect()
}

/// Signs what is there, goes on to the end, and returns what was kept and what was reset.
#[track_caller]
fn sign_and_finish(project: &Project) -> (Vec<String>, Vec<String>) {
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(["resume"]).assert_success();
    assert_done(project);
    let events = events(project, "plan_replanned");
    assert_eq!(events.len(), 1, "{events:#?}");
    let owned = |name: &str| {
        strings(&events[0][name])
            .into_iter()
            .map(str::to_owned)
            .collect()
    };
    (owned("kept"), owned("reset"))
}

#[track_caller]
fn assert_done(project: &Project) {
    let status = project.json(["status"]);
    assert_eq!(status["status"], "completed", "{status:#}");
    assert_eq!(project.json(["show", "plan.md"])["status"], "completed");
    // The run is at the version that is there, and so are its marks.
    assert_eq!(
        status["digest"],
        project.json(["show", "plan.md"])["digest"]
    );
    let steps = status["steps"].as_array().map_or(0, Vec::len);
    let text = project.read("plan.md");
    assert_eq!(text.matches("✅").count(), steps, "{text}");
    assert!(text.contains("status: done"), "{text}");
    Ledger::read(project.outside("ledger")).assert_each_attempt_once();
}

fn starts(project: &Project, step: &str) -> usize {
    Ledger::read(project.outside("ledger")).starts_of(step)
}

#[test]
fn what_is_at_work_ends_and_is_judged_and_nothing_new_starts() {
    let (project, output) = changed_while_at_work(|project| {
        project.write(
            "plan.md",
            &started().replace("Make two", "Make two and a half"),
        );
    });
    output.assert_stderr_contains("Make two and a half");
    assert_eq!(status_of(&project, "step-1")["status"], "completed");
    assert_eq!(starts(&project, "step-2"), 0);
    let paused = events(&project, "run_paused");
    assert_eq!(paused[0]["reason"], "changed");
    // Nobody signed it: asked again, the same is said.
    project
        .signoff(["resume"])
        .assert_code(4)
        .assert_stderr_contains("Make two and a half")
        .assert_stderr_contains("signoff approve plan.md");
    assert_eq!(starts(&project, "step-2"), 0);
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(5)
        .assert_stderr_contains("has not ended");
}

#[test]
fn restored_it_goes_on_as_it_was() {
    let project = edited_to(&plan(&[("One", &one())]));
    project.write("plan.md", &started());
    project.signoff(["resume"]).assert_success();
    assert_done(&project);
    assert_eq!(events(&project, "plan_replanned").len(), 0);
}

#[test]
fn restored_after_signing_it_goes_on_as_it_was_too() {
    let project = edited_to(&plan(&[("One", &one())]));
    project.signoff(["approve", "plan.md"]).assert_success();
    project.write("plan.md", &started());
    project.signoff(["resume"]).assert_success();
    assert_eq!(project.json(["status"])["status"], "completed");
    assert_eq!(events(&project, "plan_replanned").len(), 0);
    assert_eq!(
        (starts(&project, "step-1"), starts(&project, "step-2")),
        (1, 1)
    );
}

#[test]
fn only_the_difference_is_shown_and_signing_it_starts_nothing() {
    let text = plan(&[("One", &one()), ("Two", &two()), ("Three", &three())]);
    let project = edited_to(&text);
    let output = project.signoff(["approve", "plan.md"]);
    output
        .assert_success()
        .assert_stderr_contains("+ step step-3: Three")
        .assert_stderr_contains("signoff resume");
    assert!(!output.stderr.contains("Make one"), "{output}");
    assert_eq!(project.json(["show", "plan.md"])["status"], "stalled");
    assert_eq!(starts(&project, "step-2"), 0);
    project.signoff(["run", "plan.md"]).assert_code(5);
    project
        .signoff(["diff", "--signed", "plan.md"])
        .assert_code(0);
    let output = project.signoff(["resume"]);
    output.assert_success();
    assert_done(&project);
    project
        .signoff(["log"])
        .assert_success()
        .assert_stdout_contains("`step-1` stays done");
}

#[test]
fn signing_can_go_on_at_once() {
    let project = edited_to(&plan(&[("One", &one()), ("Two", &three())]));
    project
        .signoff(["approve", "plan.md", "--run"])
        .assert_success();
    assert_done(&project);
    assert_eq!(starts(&project, "step-1"), 1);
    assert!(project.exists("out-3") && !project.exists("out-2"));
}

#[test]
fn an_added_step_runs_and_what_is_done_stays_done() {
    let text = plan(&[("Three", &three()), ("One", &one()), ("Two", &two())]);
    let project = edited_to(&text);
    let (kept, reset) = sign_and_finish(&project);
    assert_eq!((kept, reset), (vec!["step-2".to_owned()], vec![]));
    // `step-1` is another one now: its attempts go on counting where the old one's ended.
    assert_eq!(status_of(&project, "step-1")["attempts"], 2);
    assert_eq!(status_of(&project, "step-2")["attempts"], 1);
}

#[test]
fn a_removed_step_is_gone() {
    let project = edited_to(&plan(&[("One", &one())]));
    let (kept, reset) = sign_and_finish(&project);
    assert_eq!((kept, reset), (vec!["step-1".to_owned()], vec![]));
    assert!(!project.exists("out-2"));
}

#[test]
fn steps_in_another_order_are_the_same_steps() {
    let project = edited_to(&plan(&[("Two", &two()), ("One", &one())]));
    let (kept, _) = sign_and_finish(&project);
    assert_eq!(kept, ["step-2"]);
    assert_eq!(starts(&project, "step-1"), 2);
    assert_eq!(starts(&project, "step-2"), 0);
}

#[test]
fn a_finished_step_that_was_changed_runs_again() {
    let project = edited_to(&started().replace("Make one.", "Make one again."));
    assert_eq!(status_of(&project, "step-1")["status"], "completed");
    let (kept, reset) = sign_and_finish(&project);
    assert_eq!((kept, reset), (vec![], vec!["step-1".to_owned()]));
    assert_eq!(status_of(&project, "step-1")["attempts"], 2);
}

#[test]
fn a_step_that_is_marked_done_and_changed_runs_again() {
    // Stopped after the first step, with our mark in the file.
    let project = signed(&script(), &started());
    project.write("go", "");
    project
        .signoff(["run", "plan.md", "--until", "step-1"])
        .assert_success();
    let text = project.read("plan.md");
    assert_eq!(text.matches("✅").count(), 1, "{text}");
    project.write("plan.md", &text.replace("Make one.", "Make one again."));
    project.signoff(["resume"]).assert_code(4);
    let (kept, reset) = sign_and_finish(&project);
    assert_eq!((kept, reset), (vec![], vec!["step-1".to_owned()]));
    assert_eq!(starts(&project, "step-1"), 2);
    assert_eq!(status_of(&project, "step-1")["attempts"], 2);
}

#[test]
fn terms_can_change_too() {
    let (project, output) = changed_while_at_work(|project| {
        let config = project.read(".signoff/config.toml");
        let config = config.replacen("command = [", "command = [\"env\", ", 1);
        project.write(".signoff/config.toml", &config);
        project.signoff(["trust"]).assert_success();
    });
    output.assert_stderr_contains("agents.coder.command");
    let (kept, reset) = sign_and_finish(&project);
    assert_eq!((kept, reset), (vec!["step-1".to_owned()], vec![]));
}

#[test]
fn a_question_stays_open_or_is_withdrawn_with_its_step() {
    let gated = format!("{}**approval:** required\n", two());
    let text = |last: &str| plan(&[("One", &one()), ("Two", last), ("Three", &three())]);
    for (edit, left) in [
        (text(&gated).replace("### 3. Three", "### 3. Last"), 1),
        (text(&two()), 0),
    ] {
        let project = signed(&script(), &text(&gated));
        project.write("go", "");
        project.signoff(["run", "plan.md"]).assert_code(3);
        project.write("plan.md", &edit);
        project.signoff(["approve", "plan.md"]).assert_success();
        project
            .signoff(["resume"])
            .assert_code(if left == 1 { 3 } else { 0 });
        let inbox = project.json(["inbox"]);
        assert_eq!(
            inbox["items"].as_array().map(Vec::len),
            Some(left),
            "{inbox:#}"
        );
        if let Some(item) = inbox["items"][0]["id"].as_str() {
            project
                .signoff(["answer", item, "approve"])
                .assert_success();
            project.signoff(["resume"]).assert_success();
        }
        assert_done(&project);
    }
}

#[test]
fn a_failed_run_goes_on_with_a_plan_or_terms_that_were_set_right() {
    let wrong = format!("{}**on_fail:** abort\n", agent("Make two.", "out-9"));
    let first = plan(&[("One", &one()), ("Two", &wrong)]);
    let failed = || {
        let project = signed(&script(), &first);
        project.write("go", "");
        project.signoff(["run", "plan.md"]).assert_code(1);
        project
    };
    let project = failed();
    project.write("plan.md", &started());
    project
        .signoff(["resume"])
        .assert_code(4)
        .assert_stderr_contains("signoff approve plan.md");
    let (kept, reset) = sign_and_finish(&project);
    assert_eq!(kept, ["step-1"]);
    assert_eq!(reset, ["step-2"]);
    assert_eq!(starts(&project, "step-1"), 1);

    let project = failed();
    project.signoff(["approve", "plan.md"]).assert_code(5);
    let config = project.read(".signoff/config.toml");
    let config = config.replace("command = [", "command = [\"env\", ");
    project.write(".signoff/config.toml", &config);
    project.signoff(["trust"]).assert_success();
    project.write("out-9", "by hand\n");
    project.signoff(["resume"]).assert_code(4);
    let (kept, _) = sign_and_finish(&project);
    assert_eq!(kept, ["step-1"]);
}

#[test]
fn a_plan_with_errors_is_no_version() {
    let project = edited_to(&plan(&[
        ("One", &one()),
        ("Two", &format!("{}**depends_on:** 9\n", two())),
    ]));
    project
        .signoff(["resume"])
        .assert_code(4)
        .assert_stderr_contains("has errors now");
}

#[test]
fn several_versions_replay_to_the_same_state() {
    let project = edited_to(&plan(&[
        ("One", &one()),
        ("Three", &three()),
        ("Two", &two()),
    ]));
    project.signoff(["approve", "plan.md"]).assert_success();
    let run = project.json(["status"])["run"]
        .as_str()
        .expect("a run")
        .to_owned();
    project.signoff(["resume"]).assert_success();
    let before = project.json(["status"]);
    assert_eq!(before["steps"].as_array().map(Vec::len), Some(3));
    assert!(project.exists(format!(".signoff/runs/{run}/plan-2.md")));
    // A version that is not what was signed is said loudly.
    let snapshot = format!(".signoff/runs/{run}/plan-2.md");
    let text = project.read(&snapshot);
    project.write(&snapshot, &text.replace("Make three", "Make four"));
    project
        .signoff(["status"])
        .assert_code(6)
        .assert_stderr_contains("snapshot");
    project.write(&snapshot, &text);
    assert_eq!(project.json(["status"]), before);
}

#[test]
fn killed_between_the_version_and_its_event_nothing_is_lost() {
    // The first line is the plan's log's, the second says that the run goes on, the third under what.
    for point in [
        "replan.kept:1",
        "append.before:1",
        "append.after:1",
        "append.before:2",
        "append.before:3",
        "append.torn:3",
        "append.after:3",
    ] {
        let text = plan(&[("One", &one()), ("Three", &three()), ("Two", &two())]);
        let project = edited_to(&text);
        project.signoff(["approve", "plan.md"]).assert_success();
        let project = project.env("SIGNOFF_FAILPOINT", point);
        let killed = project.signoff(["resume"]);
        let project = project.env("SIGNOFF_FAILPOINT", "");
        assert_eq!(killed.code, None, "{point}: {killed}");
        // Meanwhile another version is signed: it takes the place of what nobody named.
        if point.starts_with("replan") {
            let text = plan(&[("One", &one()), ("Three", &three())]);
            project.write("plan.md", &text);
            project.signoff(["approve", "plan.md"]).assert_success();
        }
        project.signoff(["resume"]).assert_success();
        assert_done(&project);
        assert_eq!(events(&project, "plan_replanned").len(), 1, "{point}");
        assert_eq!(starts(&project, "step-1"), 1, "{point}");
    }
}

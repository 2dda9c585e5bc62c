//! A run that is replanned, killed at every point of that: the journal tells which version is in force, no finished step
//! runs again, and there is one new version.

use signoff_testkit::{Output, Project};

use crate::support::{BINARY, replannable};

/// Killed while the run goes on under the first version.
const BEFORE_SIGNING: [(&str, usize); 7] = [
    ("replan.asked", 1),
    ("replan.drafted", 1),
    ("answered.before", 1),
    ("answered.after", 1),
    ("replan.written", 1),
    ("replan.proposed", 1),
    ("replan.ended", 1),
];
/// Killed while the run takes up the second one.
const SWITCHING: [&str; 3] = ["replan.kept", "replan.switching", "resume.ready"];

fn versions(project: &Project) -> Vec<String> {
    let entries = std::fs::read_dir(project.path()).expect("the project");
    let names = entries.flatten().map(|entry| entry.file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let is_version = |name: &String| name.starts_with("plan") && name.ends_with("md");
    let mut names: Vec<String> = names.filter(is_version).collect();
    names.sort();
    names
}

#[track_caller]
fn completes(project: &Project, resumed: &Output, what: &str) {
    assert_eq!(resumed.code, Some(0), "{what}: {resumed}");
    let status = project.json(["status"]);
    assert_eq!(status["status"], "completed", "{what}: {status:#}");
    assert_eq!(status["plan"], "plan-v2", "{what}: {status:#}");
    let log = project.signoff(["log", "--format", "json"]).json_lines();
    let count = |kind: &str| log.iter().filter(|event| event["type"] == kind).count();
    assert_eq!(count("plan_replanned"), 1, "{what}");
    let first = log
        .iter()
        .filter(|event| event["type"] == "attempt_started" && event["step"] == "step-1");
    assert_eq!(first.count(), 1, "{what}: the finished step ran again");
    let processes = project.processes();
    assert!(processes.is_empty(), "{what}: {processes:#?}");
}

fn sign_and_go_on(project: &Project, what: &str) {
    assert_eq!(versions(project), ["plan-v2.md", "plan.md"], "{what}");
    project.signoff(["approve", "plan-v2"]).assert_success();
    let resumed = project.signoff(["resume"]);
    completes(project, &resumed, what);
}

#[test]
fn killed_while_the_new_version_is_drafted_and_offered() {
    for (point, occasion) in BEFORE_SIGNING {
        let what = format!("{point}:{occasion}");
        let project = replannable(BINARY, "replan").env("SIGNOFF_FAILPOINT", what.as_str());
        let killed = project.signoff(["run", "plan.md"]);
        assert_eq!(killed.code, None, "{what}: {killed}");
        let project = project.env("SIGNOFF_FAILPOINT", "");
        let status = project.json(["status"]);
        assert_eq!(status["plan"], "plan.md", "{what}: {status:#}");
        let waiting = project.signoff(["resume"]);
        assert_eq!(waiting.code, Some(3), "{what}: {waiting}");
        sign_and_go_on(&project, &what);
    }
}

#[test]
fn killed_while_the_difference_is_signed() {
    for point in ["append.before:1", "append.after:1", "replace.after:1"] {
        let project = replannable(BINARY, "replan");
        assert_eq!(project.signoff(["run", "plan.md"]).code, Some(3));
        let project = project.env("SIGNOFF_FAILPOINT", point);
        drop(project.signoff(["approve", "plan-v2"]));
        let project = project.env("SIGNOFF_FAILPOINT", "");
        if project.json(["show", "plan-v2"])["state"] != "approved" {
            drop(project.signoff(["approve", "plan-v2"]));
        }
        let resumed = project.signoff(["resume"]);
        completes(&project, &resumed, point);
    }
}

#[test]
fn killed_while_the_run_takes_up_the_new_version() {
    for point in SWITCHING {
        let what = format!("{point}:1");
        let project = replannable(BINARY, "replan");
        assert_eq!(project.signoff(["run", "plan.md"]).code, Some(3), "{what}");
        project.signoff(["approve", "plan-v2"]).assert_success();
        let project = project.env("SIGNOFF_FAILPOINT", what.as_str());
        let killed = project.signoff(["resume"]);
        assert_eq!(killed.code, None, "{what}: {killed}");
        let project = project.env("SIGNOFF_FAILPOINT", "");
        let resumed = project.signoff(["resume"]);
        completes(&project, &resumed, &what);
    }
}

//! A run whose plan is replanned: by its policy, by an answer, by a command. The planner is a program that a test wrote.

use signoff_testkit::Project;

use crate::support::{BINARY, allow_narrowing, leave_out_last, replannable};

fn state(project: &Project, plan: &str) -> String {
    let listed = project.json(["list"]);
    let plans = listed["plans"].as_array().expect("plans");
    let found = plans.iter().find(|found| found["id"] == plan);
    found.map_or_else(String::new, |found| {
        found["status"].as_str().unwrap_or_default().to_owned()
    })
}

#[test]
fn a_failed_step_is_replanned_the_difference_signed_and_the_run_goes_on() {
    let project = replannable(BINARY, "replan");
    let waiting = project.signoff(["run", "plan.md"]);
    assert_eq!(waiting.code, Some(3), "{waiting}");
    assert_eq!(state(&project, "plan.md"), "failed");
    assert_eq!(state(&project, "plan-v2"), "verified");
    let text = project.read("plan-v2.md");
    assert!(
        text.contains("previous: plan.md") && text.contains("version: 2"),
        "{text}"
    );

    let refused = project.signoff(["run", "plan-v2", "--approve"]);
    assert_eq!(refused.code, Some(5), "{refused}");
    let signed = project.signoff(["approve", "plan-v2"]);
    signed.assert_success();
    assert!(
        signed.stderr.contains("Make it wrong. → Make two."),
        "{signed}"
    );
    project.signoff(["resume"]).assert_success();
    assert_eq!(state(&project, "plan.md"), "failed");
    assert_eq!(state(&project, "plan-v2"), "completed");
    let status = project.json(["status"]);
    assert_eq!(status["plan"], "plan-v2", "{status:#}");
    // What was finished before kept its evidence.
    assert_eq!(status["steps"][0]["attempts"], 1, "{status:#}");
    assert_eq!(project.read("out-2"), "x\n");
}

#[test]
fn a_refused_version_leaves_the_run_as_it_was() {
    let project = replannable(BINARY, "replan");
    assert_eq!(project.signoff(["run", "plan.md"]).code, Some(3));
    project
        .signoff(["answer", "step-2-1", "refuse", "--note", "no"])
        .assert_success();
    let resumed = project.signoff(["resume"]);
    assert_eq!(resumed.code, Some(3), "{resumed}");
    assert_eq!(state(&project, "plan.md"), "executing");
    let inbox = project.json(["inbox"]);
    let question = inbox["items"][0]["question"].as_str().expect("a question");
    assert!(question.contains("refused by"), "{question}");
}

#[test]
fn a_person_has_a_failed_run_replanned() {
    let project = replannable(BINARY, "abort");
    let failed = project.signoff(["run", "plan.md"]);
    assert_eq!(failed.code, Some(1), "{failed}");
    let because = [
        "replan",
        "--because",
        "wrong file",
        "--discovery",
        "it is two",
        "--resume",
    ];
    let drafted = project.signoff(because);
    assert_eq!(drafted.code, Some(3), "{drafted}");
    project
        .signoff(["approve", "plan-v2", "--run"])
        .assert_success();
    let again = project.signoff(["replan", "--because", "more"]);
    assert_eq!(again.code, Some(5), "{again}");
}

#[test]
fn a_policy_signs_only_what_narrows_and_only_if_it_is_switched_on() {
    for (setting, narrows, expected) in [(true, true, 0), (false, true, 3), (true, false, 3)] {
        let project = replannable(BINARY, "replan");
        if setting {
            allow_narrowing(&project);
        }
        if narrows {
            leave_out_last(&project);
        }
        let ran = project.signoff(["run", "plan.md"]);
        assert_eq!(ran.code, Some(expected), "{setting} {narrows}: {ran}");
    }
}

//! A run that is replanned, killed at every point of that: the journal tells which version is in force, no finished step
//! runs again, and there is one new version.

use serde_json::json;
use signoff_testkit::{Output, Project};

use crate::support::{BINARY, agent, allow_narrowing, events, leave_out_last, plan, replannable};

/// Killed while the run goes on under the first version.
const BEFORE_SIGNING: [(&str, usize); 8] = [
    ("model.asked", 1),
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
    let points = [
        "append.before",
        "append.after",
        "replace.before",
        "replace.temp",
        "replace.swapped",
        "replace.after",
    ];
    let points = points
        .iter()
        .flat_map(|point| [1, 2].map(|time| format!("{point}:{time}")));
    for point in points {
        let point = point.as_str();
        let project = replannable(BINARY, "replan");
        assert_eq!(project.signoff(["run", "plan.md"]).code, Some(3));
        let project = project.env("SIGNOFF_FAILPOINT", point);
        drop(project.signoff(["approve", "plan-v2"]));
        let project = project.env("SIGNOFF_FAILPOINT", "");
        // Whatever is signed: the run carries out the first version until it takes up the second.
        let status = project.json(["status"]);
        assert_eq!(status["plan"], "plan.md", "{point}: {status:#}");
        if project.json(["show", "plan-v2"])["status"] != "approved" {
            project.signoff(["approve", "plan-v2"]).assert_success();
        }
        let resumed = project.signoff(["resume"]);
        completes(&project, &resumed, point);
    }
}

/// Nobody is asked to sign what the policy has signed.
#[test]
fn killed_after_the_policy_has_signed() {
    let project = replannable(BINARY, "replan").env("SIGNOFF_FAILPOINT", "replan.signed:1");
    allow_narrowing(&project);
    leave_out_last(&project);
    let killed = project.signoff(["run", "plan.md"]);
    assert_eq!(killed.code, None, "{killed}");
    let project = project.env("SIGNOFF_FAILPOINT", "");
    assert_eq!(project.json(["show", "plan-v2"])["status"], "approved");
    let resumed = project.signoff(["resume"]);
    completes(&project, &resumed, "replan.signed");
    assert_eq!(project.json(["inbox"])["items"], json!([]));
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
        // The journal, and nothing else, tells which version is in force.
        let switched = events(&project, "plan_replanned").len();
        let in_force = ["plan.md", "plan-v2"].get(switched).copied();
        let status = project.json(["status"]);
        assert_eq!(status["plan"].as_str(), in_force, "{what}: {status:#}");
        let resumed = project.signoff(["resume"]);
        completes(&project, &resumed, &what);
    }
}

/// Killed while a version is handed in for a run that no process drives.
#[test]
fn killed_while_a_new_version_is_handed_in() {
    for point in [
        "hand_in.kept",
        "answer.before",
        "answer.after",
        "hand_in.recorded",
        "replan.written",
        "replan.proposed",
        "replan.ended",
    ] {
        let project = replannable(BINARY, "escalate");
        assert_eq!(project.signoff(["run", "plan.md"]).code, Some(3), "{point}");
        let what = format!("{point}:1");
        let project = project.env("SIGNOFF_FAILPOINT", what.as_str());
        let revise = ["revise", "plan.md", "--with", "next.md"];
        let killed = project.signoff(revise);
        assert_eq!(killed.code, None, "{point}: {killed}");
        let project = project.env("SIGNOFF_FAILPOINT", "");
        let status = project.json(["status"]);
        assert_eq!(status["plan"], "plan.md", "{point}: {status:#}");
        // The journal tells whether it was handed in.
        let handed_in = events(&project, "version_handed_in").len();
        if handed_in == 0 {
            project.signoff(revise).assert_success();
        }
        assert_eq!(project.signoff(["resume"]).code, Some(3), "{point}");
        assert_eq!(events(&project, "version_handed_in").len(), 1, "{point}");
        sign_and_go_on(&project, point);
    }
}

#[test]
fn two_that_resume_after_a_crash_do_it_once() {
    for point in ["replan.drafted:1", "replan.ended:1"] {
        let project = replannable(BINARY, "replan").env("SIGNOFF_FAILPOINT", point);
        assert_eq!(project.signoff(["run", "plan.md"]).code, None, "{point}");
        let project = project.env("SIGNOFF_FAILPOINT", "");
        let both = [project.spawn(["resume"]), project.spawn(["resume"])];
        for resumed in both {
            let code = resumed.wait().code;
            assert!(matches!(code, Some(3 | 5)), "{point}: {code:?}");
        }
        sign_and_go_on(&project, point);
    }
    for point in ["replan.switching:1", "resume.ready:1"] {
        let project = replannable(BINARY, "replan");
        assert_eq!(project.signoff(["run", "plan.md"]).code, Some(3), "{point}");
        project.signoff(["approve", "plan-v2"]).assert_success();
        let project = project.env("SIGNOFF_FAILPOINT", point);
        assert_eq!(project.signoff(["resume"]).code, None, "{point}");
        let project = project.env("SIGNOFF_FAILPOINT", "");
        let both = [project.spawn(["resume"]), project.spawn(["resume"])];
        let codes = both.map(|resumed| resumed.wait().code);
        assert!(codes.contains(&Some(0)), "{point}: {codes:?}");
        let others = codes.iter().all(|code| matches!(code, Some(0 | 5)));
        assert!(others, "{point}: {codes:?}");
        let done = project.signoff(["status"]);
        completes(&project, &done, point);
    }
}

/// Where a question to a model can be cut off.
const ASKING: [&str; 3] = ["model.asked:1", "answered.before:1", "answered.after:1"];

/// A project in which a model, asked about a step, says this.
fn advised(text: &str, llm: &str, roles: &[&str], decision: &str) -> Project {
    let project = Project::new(BINARY);
    let role = |name: &&str| {
        format!("[agents.{name}]\ndriver = 'command'\ncommand = ['sh', 'worker.sh']\n")
    };
    let roles: Vec<String> = roles.iter().map(role).collect();
    let planner = "[agents.planner]\ndriver = 'command'\ncommand = ['cat', 'decision.json']\n";
    project
        .write("decision.json", decision)
        .write("there.txt", "hello\n")
        .write("worker.sh", "cat > /dev/null\necho x >> out\n")
        .write("plan.md", text)
        .write(
            ".signoff/config.toml",
            &format!("{llm}\n{planner}{}", roles.concat()),
        );
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// Kills the run at this point and lets it go on to its end: the model has decided once, as the journal tells.
#[track_caller]
fn decides_once(project: Project, point: &str) {
    let project = project.env("SIGNOFF_FAILPOINT", point);
    let killed = project.signoff(["run", "plan.md"]);
    assert_eq!(killed.code, None, "{point}: {killed}");
    let project = project.env("SIGNOFF_FAILPOINT", "");
    let both = [project.spawn(["resume"]), project.spawn(["resume"])];
    let codes = both.map(|resumed| resumed.wait().code);
    assert!(codes.contains(&Some(0)), "{point}: {codes:?}");
    let status = project.json(["status"]);
    assert_eq!(status["status"], "completed", "{point}: {status:#}");
    let answered = events(&project, "model_answered");
    assert_eq!(answered.len(), 1, "{point}: {answered:#?}");
    let processes = project.processes();
    assert!(processes.is_empty(), "{point}: {processes:#?}");
}

#[test]
fn killed_while_a_model_decides_how_a_step_goes_on() {
    let reads = "**tool:** read_file\n**args:**\n```json\n{\"path\": \"missing.txt\"}\n```\n**on_fail:** recover\n";
    let decision = r#"{"action": "retry", "args": {"path": "there.txt"}, "reason": "a typo"}"#;
    for point in ASKING {
        let project = advised(&plan(&[reads]), "", &[], decision);
        decides_once(project, point);
    }
}

#[test]
fn killed_while_the_arbiter_chooses_a_role() {
    let open = agent("Make it.", "out").replace("**target:** coder\n", "");
    let decision = r#"{"action": "select", "role": "developer", "reason": "it knows"}"#;
    for point in ASKING {
        let llm = "[llm]\narbiter = 'planner'\n";
        let roles = ["coder", "developer", "default"];
        let project = advised(&plan(&[&open]), llm, &roles, decision);
        decides_once(project, point);
    }
}

//! A new text of a plan that is carried out: by a person, by an agent, to a process that drives the run. It is a new
//! version of the plan, and nothing of it takes effect before a person has signed the difference.

use signoff_testkit::{Project, Script};

use crate::support::{
    BINARY, agent, events, first_item_id, newest_run, only_item, plan, project, replannable,
    waits_then_makes_out,
};

/// A run whose second step waits on a person.
fn waiting() -> Project {
    let project = replannable(BINARY, "escalate");
    project.signoff(["run", "plan.md"]).assert_code(3);
    project
}

fn status(project: &Project, plan: &str) -> String {
    let shown = project.json(["show", plan]);
    shown["status"].as_str().unwrap_or_default().to_owned()
}

const REVISE: [&str; 4] = ["revise", "plan.md", "--with", "next.md"];

#[test]
fn a_plan_that_runs_is_not_edited_under_it() {
    let project = waiting();
    let before = project.read("plan.md");
    project
        .signoff(REVISE)
        .assert_success()
        .assert_stdout_contains("plan-v2")
        .assert_stderr_contains("nothing of it takes effect before");
    assert_eq!(project.read("plan.md"), before);
    assert_eq!(status(&project, "plan-v2"), "verified");
    // The question about the step is still there, and nothing goes on before the signature.
    let items = project.json(["inbox"])["items"].clone();
    let kinds = items.as_array().expect("items").iter();
    let kinds: Vec<&str> = kinds.filter_map(|item| item["kind"].as_str()).collect();
    assert!(kinds.contains(&"new_version"), "{kinds:?}");
    project.signoff(["resume"]).assert_code(3);
    project
        .signoff(["approve", "plan-v2"])
        .assert_success()
        .assert_stderr_contains("- Make it wrong.")
        .assert_stderr_contains("+ Make two.");
    project.signoff(["resume"]).assert_success();
    let run = project.json(["status"]);
    assert_eq!(run["plan"], "plan-v2", "{run:#}");
    assert_eq!(run["steps"][0]["attempts"], 1, "{run:#}");
}

#[test]
fn what_an_agent_hands_in_is_only_ever_signed_by_a_person() {
    let project = waiting();
    // Policies that would sign whatever anybody hands in.
    let settings = project.home().join(".config/signoff/config.toml");
    let text = std::fs::read_to_string(&settings).expect("the user's settings");
    let policies = "[approval]\nnarrowing = true\nauto = [{ owner = 'orchestrator' }]\n";
    std::fs::write(&settings, format!("{text}\n{policies}")).expect("the home is ours");
    // What is left out has not begun: it only narrows.
    let narrower = project.read("next.md");
    let (narrower, _) = narrower.split_once("### 3.").expect("three steps");
    project.write("next.md", &narrower.replace("Make two.", "Make it wrong."));
    let inside = project.env("CLAUDECODE", "1");
    inside.signoff(REVISE).assert_success();
    assert_eq!(status(&inside, "plan-v2"), "verified");
    inside.signoff(["approve", "plan-v2"]).assert_code(4);
    let ran = inside.signoff(["run", "plan-v2"]);
    assert!(matches!(ran.code, Some(4 | 5)), "{ran}");
    inside.signoff(["resume"]).assert_code(3);
    assert_eq!(status(&inside, "plan-v2"), "verified");
    assert_eq!(inside.json(["status"])["plan"], "plan.md");
    let handed_in = crate::support::events(&inside, "version_handed_in");
    assert_eq!(handed_in[0]["by"], "agent", "{handed_in:#?}");
    let log = inside.read(".signoff/log/plan-v2.jsonl");
    assert!(log.contains(r#""actor":"agent""#), "{log}");
}

#[test]
fn an_agent_does_not_touch_what_is_finished() {
    let project = waiting().env("CLAUDECODE", "1");
    let changed = project
        .read("next.md")
        .replace("Make one.", "Make one more.");
    project.write("next.md", &changed);
    project
        .signoff(REVISE)
        .assert_code(5)
        .assert_stderr_contains("step `step-1` is finished and was changed");
    assert!(!project.exists("plan-v2.md"));
}

#[test]
fn a_version_that_cannot_be_one_is_refused_and_changes_nothing() {
    let project = waiting();
    project.write("same.md", &project.read("plan.md"));
    let revise = |file: &str| project.signoff(["revise", "plan.md", "--with", file]);
    assert_ne!(revise("same.md").code, Some(0));
    project.write(
        "broken.md",
        &project.read("next.md").replace("**task:**", "**task**"),
    );
    revise("broken.md").assert_code(1);
    project.write("other.json", r#"{"steps": [{"id": "a", "description": "d", "tool": "read_file", "args": {"path": "plan.md"}, "dependsOn": []}]}"#);
    let other = revise("other.json");
    assert!(matches!(other.code, Some(1 | 5)), "{other}");
    assert_eq!(only_item(&project)["kind"], "escalation");
    assert!(!project.exists("plan-v2.md"));
}

#[test]
fn not_more_often_than_a_plan_may_be_replanned() {
    let project = replannable(BINARY, "escalate");
    let config = project.read(".signoff/config.toml");
    project.write(
        ".signoff/config.toml",
        &format!("[run]\nmax_replans = 1\n\n{config}"),
    );
    project.signoff(["trust"]).assert_success();
    project.signoff(["run", "plan.md"]).assert_code(3);
    project.signoff(REVISE).assert_success();
    project
        .signoff(REVISE)
        .assert_code(5)
        .assert_stderr_contains("`plan-v2` waits for a signature already");
    let items = project.json(["inbox"])["items"].clone();
    let items = items.as_array().expect("items").iter();
    let mut versions = items.filter(|item| item["kind"] == "new_version");
    let id = versions.next().expect("a version")["id"].clone();
    let id = id.as_str().expect("an id");
    project.signoff(["answer", id, "refuse"]).assert_success();
    project
        .signoff(REVISE)
        .assert_code(5)
        .assert_stderr_contains("it was replanned 1 of 1 times");
}

#[test]
fn a_process_that_drives_the_run_ends_what_is_under_way_first() {
    let first = agent("Make it.", "out");
    let text = plan(&[&first, "**contract:**\n```shell\ntest -s out\n```\n"]);
    let script = Script::new().reply(waits_then_makes_out());
    let project = project(&script, &text);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project.write("next.md", &text.replace("test -s out\n", "grep -q x out\n"));
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.exists("begun")));
    project.signoff(REVISE).assert_success();
    assert!(!project.exists("plan-v2.md"), "its step is under way");
    project.write("go", "");
    running.wait().assert_code(3);
    assert_eq!(only_item(&project)["kind"], "new_version");
    project.signoff(["approve", "plan-v2"]).assert_success();
    project.signoff(["resume"]).assert_success();
    let run = project.json(["status"]);
    assert_eq!(run["plan"], "plan-v2", "{run:#}");
    assert_eq!(run["steps"][0]["attempts"], 1, "{run:#}");
}

#[test]
fn the_planner_of_a_plan_that_runs_writes_a_new_version() {
    let project = waiting();
    let planner = ["revise", "plan.md", "--plan"];
    project
        .signoff(planner)
        .assert_code(2)
        .assert_stderr_contains("nobody has said");
    project
        .signoff([
            "revise",
            "plan.md",
            "--plan",
            "--step",
            "step-2",
            "--feedback",
            "x",
        ])
        .assert_code(2)
        .assert_stderr_contains("`--step` is not for a plan that is carried out");
    project
        .signoff(["revise", "plan.md", "--plan", "--feedback", "name the file"])
        .assert_success()
        .assert_stdout_contains("has another version of its plan drafted");
    project.signoff(["resume"]).assert_code(3);
    let wanted = crate::support::events(&project, "replan_requested");
    assert_eq!(wanted[0]["because"], "name the file");
    assert_eq!(status(&project, "plan-v2"), "verified");
}

#[test]
fn a_replan_says_why() {
    let project = waiting();
    let run = newest_run(&project);
    for because in ["", "  "] {
        project
            .signoff(["replan", &run, "--because", because])
            .assert_code(2)
            .assert_stderr_contains("it says nothing");
    }
    project
        .signoff(["replan", &run, "--because", "x", "--discovery", ""])
        .assert_code(2);
}

#[test]
fn replan_is_offered_only_where_somebody_can_be_asked() {
    let choices = |project: &Project| only_item(project)["choices"].to_string();
    assert!(choices(&waiting()).contains("\"replan\""));
    let project = replannable(BINARY, "escalate");
    let config = project.read(".signoff/config.toml");
    let (_, coder) = config.split_once("\n\n").expect("two roles");
    project.write(".signoff/config.toml", coder);
    project.signoff(["trust"]).assert_success();
    project.signoff(["run", "plan.md"]).assert_code(3);
    assert!(!choices(&project).contains("\"replan\""));
    project
        .signoff(["answer", &first_item_id(&project), "replan"])
        .assert_code(5)
        .assert_stderr_contains("no planner is configured");
    for command in [
        vec!["replan", "--because", "x"],
        vec!["replan", "--because", "x", "--resume"],
    ] {
        project
            .signoff(&command)
            .assert_code(6)
            .assert_stderr_contains("no agent is configured for the role `planner`")
            .assert_stderr_contains("`[llm] agent` or `[llm] provider`");
    }
    assert_eq!(events(&project, "replan_requested").len(), 0);
}

//! Plans of the other dialects carried out: threads and records. (Proposals have their own file.)

use serde_json::{Value, json};
use signoff_testkit::{Project, Reply, Running, Script};

use crate::support::BINARY;

fn project(script: &Script) -> Project {
    let project = Project::new(BINARY);
    let path = project.outside("script.json");
    std::fs::write(&path, script.to_string()).expect("the test's folder is writable");
    let command = json!([BINARY, "scripted-agent", path]);
    let config = format!(
        "[run]\nbackoff = \"5ms\"\n[agents.default]\ndriver = \"command\"\ncommand = {command}\n"
    );
    project.write(".signoff/config.toml", &config);
    project.signoff(["trust"]).assert_success();
    project
}

/// A thread whose steps wait for the files `go-1` and `go-2`, so that a test can act meanwhile.
fn thread() -> Project {
    let script = Script::new()
        .reply(
            Reply::when(["the schema"])
                .wait_for("go-1")
                .write("schema.sql", "x\n")
                .say("made"),
        )
        .reply(
            Reply::when(["the service"])
                .wait_for("go-2")
                .write("service.go", "x\n"),
        );
    let project = project(&script);
    project
        .write("auth/plan.md", "---\ntitle: \"Auth\"\n---\n\nValidate tokens.\n")
        .write(
            "auth/tasks/01-create-schema.md",
            "---\nid: create-schema\ndepends_on: []\nsubtasks:\n  - Name the columns\ncontract: test -s schema.sql\n---\n\nCreate the schema.\n",
        )
        .write(
            "auth/tasks/02-implement-service.md",
            "---\nid: implement-service\ndepends_on: [create-schema]\ncontract: test -s service.go\n---\n\nImplement the service.\n",
        );
    project.signoff(["approve", "auth"]).assert_success();
    project
}

fn prompts(events: &[Value]) -> Vec<String> {
    let items = events.iter().filter(|event| event["type"] == "work_item");
    items
        .filter_map(|event| event["item"]["input"]["prompt"].as_str())
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_thread_is_run_and_its_files_stay_as_they_are() {
    let project = thread();
    project.write("go-1", "").write("go-2", "");
    let before = project.read("auth/tasks/01-create-schema.md");
    let events = project.signoff(["run", "auth", "--format", "json"]);
    let events = events.assert_success().json_lines();
    assert_eq!(
        prompts(&events).first().map(String::as_str),
        Some(
            "Create the schema.\n\n## Subtasks\n\n- Name the columns\n\n## Background\n\nValidate tokens.\n"
        )
    );
    assert_eq!(project.read("auth/tasks/01-create-schema.md"), before);
    let shape = project.json(["status"]);
    assert_eq!(shape["status"], "completed");
    assert_eq!(shape["steps"][1]["evidence"], "held");
}

/// Until a step of the newest run is at work.
fn until_working(project: &Project, running: &mut Running, step: usize) {
    loop {
        let status = project.signoff(["status", "--format", "json"]);
        // Not while its contract runs before the work: what appears then is put back.
        let begun = |shape: &Value| {
            let step = &shape["steps"][step];
            step["status"] == "running" && step["attempts"] != 0
        };
        if status.code == Some(0) && begun(&status.json()) {
            return;
        }
        assert!(running.is_running(), "it ended early");
    }
}

#[test]
fn a_thread_that_was_killed_goes_on_from_its_own_copy() {
    let project = thread();
    project.write("go-1", "");
    let mut running = project.spawn(["run", "auth"]);
    until_working(&project, &mut running, 1);
    running.kill();
    assert_eq!(project.json(["show", "auth"])["status"], "stalled");
    project.write("go-2", "");
    project.signoff(["resume"]).assert_success();
    assert_eq!(project.json(["status"])["steps"][0]["attempts"], 1);
}

#[test]
fn a_new_task_stops_a_thread_before_its_next_agent() {
    let project = thread();
    let mut running = project.spawn(["run", "auth"]);
    until_working(&project, &mut running, 0);
    project
        .write("auth/tasks/03-more.md", "---\nid: more\n---\n\nMore.\n")
        .write("go-1", "");
    let output = running.wait();
    output.assert_code(4).assert_stderr_contains("more");
    assert!(!project.exists("service.go"));
    std::fs::remove_file(project.path().join("auth/tasks/03-more.md")).expect("it is there");
    project.write("go-2", "");
    project.signoff(["resume"]).assert_success();
}

#[test]
fn a_record_is_told_its_constraints_and_says_how_far_it_is() {
    let script = Script::new()
        .reply(Reply::when(["the tests"]).write("b", "x\n"))
        .reply(Reply::when(["the middleware"]).write("a", "x\n"));
    let project = project(&script);
    project.write(
        "auth.yaml",
        "id: plan-auth\ntask: \"Auth\"\nstatus: draft\nversion: 1\nmetadata: {constraints: [No new dependency]}\nsteps:\n\
         \x20 - index: 0\n    description: \"Write the middleware\"\n    status: pending\n    instructions: Use the router.\n\
         \x20   contract: test -s a\n\
         \x20 - index: 1\n    description: \"Write the tests\"\n    status: pending\n    contract: test -s b\n",
    );
    project.signoff(["approve", "auth.yaml"]).assert_success();
    let events = project.signoff(["run", "auth.yaml", "--format", "json"]);
    let events = events.assert_success().json_lines();
    assert_eq!(
        prompts(&events).first().map(String::as_str),
        Some(
            "Write the middleware\n\n## Instructions\n\nUse the router.\n\n## The whole task, of which this is one step\n\nAuth\n\n## Constraints\n\n- No new dependency\n"
        )
    );
    let text = project.read("auth.yaml");
    assert!(text.contains("\nstatus: complete\n"), "{text}");
    assert!(!text.contains("status: pending"), "{text}");
}

/// While the second step is at work for an hour, the file says so, and that the first is done.
#[test]
fn a_record_follows_its_run_while_nothing_happens() {
    let script = Script::new()
        .reply(Reply::when(["Second"]).wait_for("go").write("b", "x\n"))
        .reply(Reply::when(["First"]).write("a", "x\n").say("made a"));
    let project = project(&script);
    let step = |index: usize, title: &str, file: &str| {
        format!(
            "  - index: {index}\n    description: \"{title}\"\n    status: pending\n    contract: test -s {file}\n"
        )
    };
    let (first, second) = (step(0, "First", "a"), step(1, "Second", "b"));
    project.write(
        ".rawko/plans/p.yaml",
        &format!("id: p\ntask: \"Two things\"\nstatus: draft\nversion: 1\nsteps:\n{first}{second}"),
    );
    let mut running = project.spawn(["run", "p", "--approve"]);
    let text = || project.read(".rawko/plans/p.yaml");
    assert!(running.wait_until(|| {
        let text = text();
        text.contains("status: complete\n") && text.contains("    status: in_progress\n")
    }));
    assert!(text().contains("output: made a"), "{}", text());
    assert_eq!(
        project.read(".rawko/current-task.yaml"),
        "task: \"Two things\"\nplanId: p\nstatus: in_progress\n"
    );
    project.write("go", "");
    running.wait().assert_success();
    assert!(!text().contains("in_progress"), "{}", text());
    assert_eq!(
        project.read(".rawko/current-task.yaml"),
        "task: \"Two things\"\nplanId: p\nstatus: complete\n"
    );
}

#[test]
fn a_toolplan_is_called_by_the_harness_itself() {
    let project = project(&Script::new());
    project
        .write(
            "copy.json",
            "{\"steps\": [{\"id\": \"read\", \"description\": \"Read it\", \"tool\": \"read_file\", \"args\": {\"path\": \"copy.json\"}}]}",
        )
        .signoff(["approve", "copy.json"])
        .assert_success();
    project
        .signoff(["run", "copy.json"])
        .assert_success()
        .assert_stdout_contains("observed");
}

/// Each time as `TIME`, each duration as `MS`.
fn timeless(text: &str) -> String {
    let time = |part: &str| part.len() == 24 && part.starts_with("20") && part.ends_with('Z');
    let parts = text
        .split('"')
        .map(|part| if time(part) { "TIME" } else { part });
    let text = parts.collect::<Vec<_>>().join("\"");
    let mut pieces = text.split("\"duration\": ");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push_str("\"duration\": MS");
        out.push_str(piece.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}

/// The record's file without its times. Marks are also written while a step runs, so it depends on the machine whether its
/// executor or its end is noted first.
fn record(project: &Project) -> String {
    timeless(&project.read("auth.yaml"))
        .replace(
            "executedBy: default, completedAt: \"TIME\"",
            "completedAt: \"TIME\", executedBy: default",
        )
        .replace(
            "executedBy: default\n    completedAt: \"TIME\"",
            "completedAt: \"TIME\"\n    executedBy: default",
        )
}

fn digest(project: &Project, plan: &str) -> Value {
    let shown = project.json(["show", plan]);
    assert!(shown["digest"].is_string(), "{shown}");
    shown["digest"].clone()
}

const RECORD: &str = "# Ours.
id: plan-auth
task: \"Auth\"   # as agreed
status: draft
steps:
  # First the middleware.
  - index: 0
    description: \"Write the middleware\"
    status: pending # who knows
    contract: test -s a
  - {index: 1, description: Write the tests, contract: test -s b, onFail: abort} # then these
";

/// Comments, quotes and flow style stay; the signature holds; what is no longer true goes.
#[test]
fn a_record_says_when_by_whom_and_what_came_of_it() {
    let tests = |texts: &[&str]| Reply::when(texts.iter().copied());
    let script = Script::new()
        .reply(
            tests(&["the tests", "the left one"])
                .write("b", "x\n")
                .say("both"),
        )
        .reply(tests(&["the tests"]).write("c", "x\n").say("nearly"))
        .reply(
            tests(&["the middleware"])
                .write("a", "x\n")
                .say("a: made # b"),
        );
    let project = project(&script);
    project.write("auth.yaml", RECORD);
    project.signoff(["approve", "auth.yaml"]).assert_success();
    let signed = digest(&project, "auth.yaml");
    project.signoff(["run", "auth.yaml"]).assert_code(1);

    let first = "\n    startedAt: \"TIME\"\n    completedAt: \"TIME\"\n    executedBy: default\n    \
                 output: \"a: made # b\"\n    affectedFiles: [\"a\"]\n  - {";
    let times = ", startedAt: \"TIME\", completedAt: \"TIME\", executedBy: default";
    let failed = RECORD
        .replace(
            "draft\n",
            "failed\ncurrentStepIndex: 1\nupdatedAt: \"TIME\"\n",
        )
        .replace("pending", "complete")
        .replace("\n  - {", first)
        .replace(
            "abort}",
            &format!(
                "abort, status: failed{times}, error: \"exit_code == 0 (was: exit code 1)\", \
                 affectedFiles: [\"c\"]}}"
            ),
        );
    assert_eq!(record(&project), failed);
    assert_eq!(digest(&project, "auth.yaml"), signed);
    project.signoff(["verify", "auth.yaml"]).assert_success();

    let run = project.json(["status"])["run"].clone();
    let run = run.as_str().expect("it has an id");
    project
        .signoff(["step", "retry", run, "step-2", "--hint", "the left one"])
        .assert_success();
    project.signoff(["resume", run]).assert_success();
    let done = failed
        .replace(
            "failed\ncurrentStepIndex: 1",
            "complete\ncurrentStepIndex: 2",
        )
        .replace("status: failed", "status: complete")
        .replace(", error: \"exit_code == 0 (was: exit code 1)\"", "")
        .replace(
            "affectedFiles: [\"c\"]",
            // What the attempt before left is the step's too.
            "output: both, affectedFiles: [\"b\", \"c\"]",
        );
    assert_eq!(record(&project), done);
    assert_eq!(digest(&project, "auth.yaml"), signed);
    project.signoff(["verify", "auth.yaml"]).assert_success();
}

/// What another tool did, and wrote down, is not taken away because its contract holds here, too.
#[test]
fn what_a_file_says_of_a_step_that_was_done_elsewhere_stays() {
    let project = project(&Script::new().reply(Reply::always().write("b", "x\n")));
    let done = "status: complete\n    startedAt: \"2026-01-23T10:00:00Z\"\n    executedBy: developer\n    output: \"Found it.\"\n    affectedFiles: [\"a\"]\n";
    let text = format!(
        "id: auth\ntask: Auth\nstatus: draft\nversion: 1\nsteps:\n  - index: 0\n    description: Look\n    contract: test -s plan.yaml\n    {done}\
         \x20 - index: 1\n    description: Build\n    contract: test -s b\n"
    );
    project.write("plan.yaml", &text);
    project.signoff(["approve", "plan.yaml"]).assert_success();
    project.signoff(["run", "plan.yaml"]).assert_success();
    let after = project.read("plan.yaml");
    assert!(after.contains(done), "{after}");
    assert!(
        after.contains("status: complete\nversion: 1\ncurrentStepIndex: 2"),
        "{after}"
    );
}

#[test]
fn a_record_says_what_a_person_answered() {
    let project = project(&Script::new());
    let plan =
        "id: p\ntask: Name it\nstatus: draft\nsteps:\n  - {index: 0, ask: What is it called?}\n";
    project.write("name.yaml", plan);
    project.signoff(["approve", "name.yaml"]).assert_success();
    project.signoff(["run", "name.yaml"]).assert_code(3);
    let text = timeless(&project.read("name.yaml"));
    assert!(
        text.contains("status: in_progress, startedAt: \"TIME\"}"),
        "{text}"
    );
    let item = project.json(["inbox"])["items"][0]["id"].clone();
    let item = item.as_str().expect("it has an id");
    project
        .signoff(["answer", item, "Ada", "--resume"])
        .assert_success();
    let text = timeless(&project.read("name.yaml"));
    assert!(text.contains("executedBy: tester, output: Ada}"), "{text}");
}

const TOOLPLAN: &str = r#"{
  "id": "copy", // ours
  "steps": [
    {
      "id": "read",
      "tool": "read_file",
      "args": {"path": "data.txt"} // the data
    },
    {"id": "more", "tool": "read_file", "args": {"path": "missing.txt"}, "onFail": "abort"}
  ]
}
"#;

#[test]
fn a_toolplan_says_what_each_call_gave() {
    let project = project(&Script::new());
    project
        .write("copy.json", TOOLPLAN)
        .write("data.txt", "x\n");
    project.signoff(["approve", "copy.json"]).assert_success();
    let signed = digest(&project, "copy.json");
    project.signoff(["run", "copy.json"]).assert_code(1);
    let read = r#"}, // the data
      "status": "completed",
      "result": {"ok": true, "value": {"path": "data.txt", "content": "x\n"}, "duration": MS, "timestamp": "TIME"}"#;
    let more = r#""abort", "status": "failed", "result": {"ok": false, "error": "cannot read `missing.txt`: there is no such file", "duration": MS, "timestamp": "TIME"}}"#;
    let expected = TOOLPLAN
        .replace("} // the data", read)
        .replace("\"abort\"}", more);
    assert_eq!(timeless(&project.read("copy.json")), expected);
    assert_eq!(digest(&project, "copy.json"), signed);
    project.signoff(["verify", "copy.json"]).assert_success();
}

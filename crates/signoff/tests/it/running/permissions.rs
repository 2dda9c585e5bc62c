//! An agent that speaks ACP asks whether it may use a tool, and the policy does not say: a person is asked.

use serde_json::Value;
use signoff_testkit::{Project, Running};

use crate::support::{BINARY, agent, events, first_item_id, plan, statuses};

/// Asks before it makes `out`, writes down all that it hears, and does as it is told. Asked to end, it reads on.
const AGENT: &str = r#"
trap : TERM
say() { printf '%s\n' "$1"; }
ends() { say '{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}'; }
while IFS= read -r line; do
  printf '%s\n' "$line" >> HEARD
  case $line in
    *'"initialize"'*) say '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}' ;;
    *'"session/new"'*) say '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}' ;;
    *'"session/prompt"'*) say '{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","title":"Install it","kind":"execute","rawInput":{"command":"make install"}},"options":[{"optionId":"always","kind":"allow_always"},{"optionId":"yes","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}}' ;;
    *'"yes"'*) echo x > out; ends ;;
    *'"no"'*) ends ;;
    *'"cancelled"'*) exit ;;
  esac
done
"#;

/// A project whose agent asks once in every attempt.
fn project() -> Project {
    let project = Project::new(BINARY);
    let script = project.outside("agent.sh");
    let heard = project.outside("heard");
    let text = AGENT.replace("HEARD", &heard.to_string_lossy());
    std::fs::write(&script, text).expect("the test's folder is writable");
    let command = serde_json::json!(["bash", script]);
    let config = format!("[agents.coder]\ndriver = \"acp\"\ncommand = {command}\n");
    let step = format!("{}**on_fail:** abort\n", agent("Make it.", "out"));
    project
        .write(".signoff/config.toml", &config)
        .write("plan.md", &plan(&[&step]));
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// What the agent heard.
fn heard(project: &Project) -> String {
    std::fs::read_to_string(project.outside("heard")).unwrap_or_default()
}

fn items(project: &Project) -> Vec<Value> {
    let items = project.json(["inbox"])["items"].clone();
    items.as_array().cloned().unwrap_or_default()
}

/// A run whose agent waits for an answer.
fn asking(project: &Project, command: &[&str]) -> Running {
    let mut running = project.spawn(command);
    let asks = running.wait_until(|| !items(project).is_empty());
    assert!(asks, "{}", running.wait());
    running
}

/// The events of a run in which a person allows what the agent asks.
pub(super) fn allowed() -> Vec<Value> {
    let project = project();
    let running = asking(&project, &["run", "plan.md"]);
    project
        .signoff(["answer", &first_item_id(&project), "allow"])
        .assert_success();
    running.wait().assert_success();
    project.signoff(["log", "--format", "json"]).json_lines()
}

#[test]
fn an_allowed_call_is_made_once_and_the_run_goes_on() {
    let project = project();
    let running = asking(&project, &["run", "plan.md"]);
    assert_eq!(statuses(&project), ["waiting"]);
    let item = items(&project)[0].clone();
    assert_eq!(item["kind"], "permission");
    let question = item["question"].as_str().unwrap_or_default();
    assert!(
        question.ends_with("Install it (execute: make install)"),
        "{item}"
    );
    project
        .signoff(["answer", &first_item_id(&project), "retry"])
        .assert_code(5)
        .assert_stderr_contains("allow, deny");
    project
        .signoff(["answer", &first_item_id(&project), "allow"])
        .assert_success()
        .assert_stdout_contains("the run continues");
    running
        .wait()
        .assert_success()
        .assert_stderr_contains("with allow, deny");
    let heard = heard(&project);
    assert!(
        heard.contains("\"yes\"") && !heard.contains("\"always\""),
        "{heard}"
    );
    assert_eq!(events(&project, "inbox_answered")[0]["choice"], "allow");
    assert_eq!(statuses(&project), ["completed"]);
}

#[test]
fn a_denied_call_is_not_made_and_the_evidence_says_so() {
    let project = project();
    let running = asking(&project, &["run", "plan.md"]);
    project
        .signoff(["answer", &first_item_id(&project), "deny"])
        .assert_success();
    running.wait().assert_code(1);
    assert!(heard(&project).contains("\"no\""), "{}", heard(&project));
    let finished = &events(&project, "work_finished")[0];
    assert_eq!(finished["report"]["denied"], serde_json::json!(["execute"]));
}

#[test]
fn stopping_cancels_the_question_and_the_next_attempt_asks_again() {
    let project = project();
    let running = asking(&project, &["run", "plan.md"]);
    project.signoff(["stop"]).assert_success();
    running.wait().assert_code(130);
    let cancelled = r#"{"outcome":{"outcome":"cancelled"}}"#;
    assert!(heard(&project).contains(cancelled), "{}", heard(&project));
    assert_eq!(items(&project), Vec::<Value>::new());
    assert_eq!(statuses(&project), ["ready"]);
    let resumed = asking(&project, &["resume"]);
    project
        .signoff(["answer", &first_item_id(&project), "allow"])
        .assert_success();
    resumed.wait().assert_success();
}

#[test]
fn a_question_does_not_outlive_the_harness() {
    let project = project();
    let running = asking(&project, &["run", "plan.md"]);
    let item = first_item_id(&project);
    running.kill();
    assert_eq!(items(&project), Vec::<Value>::new());
    project
        .signoff(["answer", &item, "allow"])
        .assert_code(5)
        .assert_stderr_contains("the agent that asked ended");
    let mut resumed = project.spawn(["resume"]);
    // For a moment the journal knows only the first question.
    let is_new = |open: &Value| open["id"] != item.as_str();
    assert!(resumed.wait_until(|| items(&project).first().is_some_and(is_new)));
    project
        .signoff(["answer", &first_item_id(&project), "allow"])
        .assert_success();
    resumed.wait().assert_success();
    assert_eq!(events(&project, "attempt_interrupted").len(), 1);
}

#[test]
fn a_person_at_the_terminal_is_asked_in_place() {
    let project = project();
    let mut run = project.on_terminal("signoff run plan.md");
    run.expect("may the agent of step `step-1` do this: Install it")
        .expect("[a]llow [d]eny; empty: later")
        .expect("answer> ")
        .type_line("a");
    run.wait().assert_success();
    assert_eq!(statuses(&project), ["completed"]);
}

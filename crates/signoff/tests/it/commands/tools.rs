//! `tools`, and what the record that it makes is good for, with the real binary.

use serde_json::{Value, json};
use signoff_testkit::Project;

/// A server with one tool, whose argument is named in a file.
const SERVER: &str = r#"
while IFS= read -r line; do
  [[ $line =~ \"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]}
  argument=$(cat argument)
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"get","description":"gets","inputSchema":{"type":"object","properties":{"'$argument'":{"type":"string"}},"additionalProperties":false}}]}' ;;
    *) continue ;;
  esac
  printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
done
"#;

/// A project with a server that works and one that does not exist, both trusted.
fn project() -> Project {
    let project = Project::new(env!("CARGO_BIN_EXE_signoff"));
    project.signoff(["init"]).assert_success();
    project.write("server.sh", SERVER);
    project.write("argument", "name");
    configure(&project, "server.sh");
    project
}

fn configure(project: &Project, script: &str) {
    let text = format!("[mcp.servers.toy]\ncommand = [\"bash\", \"{script}\"]\n");
    project.write(".signoff/config.toml", &text);
    project.signoff(["trust"]).assert_success();
}

fn step(args: &str) -> String {
    format!(
        r#"{{"steps": [{{"id": "a", "description": "Get it", "tool": "toy.get", "args": {args}}}]}}"#
    )
}

#[test]
fn every_tool_is_listed_with_its_schema() {
    let project = project();
    let shape = project.json(["tools"]);
    assert_eq!(shape["schema"], "signoff.tools/1");
    let tools = shape["tools"].as_array().expect("a list");
    assert_eq!(tools.len(), 10);
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).expect(name);
    assert_eq!(tool("write_file")["approval"], "overwriting");
    assert_eq!(tool("http_request")["approval"], "sending");
    assert_eq!(tool("read_file")["repeatable"], true);
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": false});
    assert_eq!(
        *tool("toy.get"),
        json!({"name": "toy.get", "description": "gets", "server": "toy", "approval": "always",
            "read_only": false, "repeatable": false, "input_schema": schema})
    );
    let server = |changed: bool| json!([{"name": "toy", "command": ["bash", "server.sh"], "tools": 1, "changed": changed, "error": null}]);
    assert_eq!(shape["servers"], server(false));
    project.write("argument", "other");
    assert_eq!(project.json(["tools"])["servers"], server(true));
    assert_eq!(project.json(["tools"])["servers"], server(false));
    assert_eq!(project.processes(), [""; 0]);
}

#[test]
fn a_server_that_does_not_start_is_said_and_the_others_are_listed() {
    let project = project();
    let text =
        project.read(".signoff/config.toml") + "[mcp.servers.absent]\ncommand = [\"no-such\"]\n";
    project.write(".signoff/config.toml", &text);
    project.signoff(["trust"]).assert_success();
    let output = project.signoff(["tools", "--format", "json"]);
    output.assert_code(6);
    let shape: Value = output.json();
    let errors: Vec<_> = shape["servers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|server| &server["error"])
        .collect();
    let why = json!("server `absent` does not start: program `no-such` not found");
    assert_eq!(errors, [&why, &Value::Null]);
    assert_eq!(shape["tools"].as_array().map(Vec::len), Some(10));
    project
        .signoff(["tools"])
        .assert_code(6)
        .assert_stdout_contains("toy.get(name?)")
        .assert_stderr_contains("program `no-such` not found");
}

#[test]
fn nothing_of_a_project_starts_before_it_is_trusted() {
    let project = project();
    project.write(
        ".signoff/config.toml",
        "[mcp.servers.toy]\ncommand = [\"touch\", \"started\"]\n",
    );
    project
        .signoff(["tools"])
        .assert_code(4)
        .assert_stderr_contains("signoff trust");
    assert!(!project.exists("started"));
}

#[test]
fn plans_are_checked_against_the_record_without_starting_anything() {
    let project = project();
    project.write("plan.json", &step(r#"{"nme": "x"}"#));
    project
        .signoff(["verify", "plan.json"])
        .assert_code(1)
        .assert_stdout_contains("nobody has asked server `toy` for its tools yet");
    project.signoff(["tools"]).assert_success();
    // From here on no server is needed.
    project.write("server.sh", "touch started");
    project
        .signoff(["verify", "plan.json"])
        .assert_code(1)
        .assert_stdout_contains("did you mean `name`?");
    assert!(!project.exists("started"));
    // What another command would offer nobody knows.
    configure(&project, "other.sh");
    project
        .signoff(["verify", "plan.json"])
        .assert_code(1)
        .assert_stdout_contains("nobody has asked server `toy`");
}

#[test]
fn a_tool_that_is_another_one_must_be_signed_again() {
    let project = project();
    project.signoff(["tools"]).assert_success();
    project.write("plan.json", &step("{}"));
    project.signoff(["approve", "plan.json"]).assert_success();
    project.write("argument", "other");
    project.signoff(["tools"]).assert_success();
    project
        .signoff(["run", "plan.json"])
        .assert_code(4)
        .assert_stderr_contains("tool `toy.get` is not described as it was when it was signed");
    project.write("other.sh", &project.read("server.sh"));
    configure(&project, "other.sh");
    project.signoff(["tools"]).assert_success();
    project
        .signoff(["run", "plan.json"])
        .assert_code(4)
        .assert_stderr_contains(
            r#"terms: servers.toy.command: ["bash","server.sh"] → ["bash","other.sh"]"#,
        );
}

#[test]
fn a_run_that_calls_a_server_can_be_looked_at_answered_and_gone_on_with() {
    let project = project();
    project.signoff(["tools"]).assert_success();
    project.write("plan.json", &step(r#"{"name": "x"}"#));
    project
        .signoff(["run", "plan.json", "--approve"])
        .assert_code(3);
    project.signoff(["status"]).assert_success();
    let inbox = project.json(["inbox"]);
    let item = inbox["items"][0]["id"].as_str().expect("an approval");
    project
        .signoff(["answer", item, "deny", "--note", "not today", "--resume"])
        .assert_code(0);
    let status = project.json(["status"]);
    let reason = "User denied approval: not today";
    assert_eq!(status["steps"][0]["reason"], reason);
    project
        .signoff(["log"])
        .assert_stdout_contains(": deny (not today)\n");
}

#[test]
fn a_note_that_looks_like_arguments_and_is_none_is_refused() {
    let project = project();
    project.signoff(["tools"]).assert_success();
    project.write("plan.json", &step(r#"{"name": "x"}"#));
    project
        .signoff(["run", "plan.json", "--approve"])
        .assert_code(3);
    let inbox = project.json(["inbox"]);
    let item = inbox["items"][0]["id"].as_str().expect("an approval");
    project
        .signoff(["answer", item, "approve", "--note", "{\"name\": \"y\""])
        .assert_code(5)
        .assert_stderr_contains("not a JSON object");
}

#[test]
fn a_command_put_together_at_run_time_is_shown_to_a_person() {
    let project = project();
    project.write("words", "$(touch pwned)");
    let read =
        r#"{"id": "r", "description": "Read", "tool": "read_file", "args": {"path": "words"}}"#;
    let say = r#"{"id": "s", "description": "Say", "tool": "run_command", "args": {"command": "echo ${r.content}"}}"#;
    let text =
        format!("{{\"tools\": [\"read_file\", \"run_command\"], \"steps\": [{read}, {say}]}}");
    project.write("plan.json", &text);
    project
        .signoff(["run", "plan.json", "--approve"])
        .assert_code(3)
        .assert_stderr_contains("$(touch pwned)");
    assert!(!project.exists("pwned"));
}

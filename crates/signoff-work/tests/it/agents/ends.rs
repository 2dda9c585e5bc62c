//! Ends and events that the recorded streams do not have.

use serde_json::{Value, json};
use signoff_sandbox::ExitStatus;
use signoff_work::agent::{AgentEvent, AgentProblem, DriverKind, TodoState};

use super::world::{Reading, read};

fn read_lines(driver: DriverKind, lines: &[Value]) -> Reading {
    let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
    read(
        driver,
        lines.join("\n").as_bytes(),
        ExitStatus::Exited(0),
        b"",
    )
}

fn todo_states(reading: &Reading) -> Vec<TodoState> {
    let last = reading.events.iter().rev().find_map(|event| match event {
        AgentEvent::Todo { entries } => Some(entries),
        _ => None,
    });
    last.unwrap().iter().map(|entry| entry.state).collect()
}

fn claude_call(name: &str, input: Value) -> Value {
    json!({ "type": "assistant", "message": { "content": [{ "type": "tool_use", "id": "t", "name": name, "input": input }] } })
}

fn claude_result(text: &str) -> Value {
    json!({ "type": "result", "subtype": "success", "result": text })
}

#[test]
fn a_limit_of_the_agent_is_told() {
    let result = json!({ "type": "result", "subtype": "error_max_budget_usd", "is_error": true, "errors": ["Reached maximum budget ($1)"] });
    let problem = read_lines(DriverKind::Claude, &[result]).end.problem;
    assert_eq!(
        problem,
        Some(AgentProblem::LimitReached(
            "Reached maximum budget ($1)".to_owned()
        ))
    );
}

#[test]
fn a_question_instead_of_work_is_told() {
    let asks = "I can do this in two ways.\nWhich one do you want?";
    let problem = |lines: &[Value]| read_lines(DriverKind::Claude, lines).end.problem;
    let question = AgentProblem::AskedQuestion("Which one do you want?".to_owned());
    assert_eq!(problem(&[claude_result(asks)]), Some(question.clone()));
    let worked = claude_call("Bash", json!({ "command": "ls" }));
    assert_eq!(problem(&[worked.clone(), claude_result(asks)]), None);
    let asked = claude_call(
        "AskUserQuestion",
        json!({ "questions": [{ "question": "Which one do you want?" }] }),
    );
    assert_eq!(
        problem(&[asked.clone(), claude_result("I wait.")]),
        Some(question)
    );
    assert_eq!(problem(&[asked, worked, claude_result("Done.")]), None);
}

#[test]
fn lists_of_what_to_do_are_read() {
    let todos = json!([{ "content": "a", "status": "completed" }, { "content": "b", "status": "in_progress" }]);
    let claude = read_lines(
        DriverKind::Claude,
        &[claude_call("TodoWrite", json!({ "todos": todos }))],
    );
    assert_eq!(
        todo_states(&claude),
        [TodoState::Done, TodoState::InProgress]
    );
    let tasks = [
        claude_call("TaskCreate", json!({ "subject": "a" })),
        claude_call("TaskCreate", json!({ "subject": "b" })),
        claude_call(
            "TaskUpdate",
            json!({ "taskId": "1", "status": "in_progress" }),
        ),
    ];
    let claude = read_lines(DriverKind::Claude, &tasks);
    assert_eq!(
        todo_states(&claude),
        [TodoState::InProgress, TodoState::Pending]
    );
    let items = json!([{ "text": "a", "completed": true }, { "text": "b", "completed": false }]);
    let item = json!({ "type": "item.updated", "item": { "id": "1", "type": "todo_list", "items": items } });
    let codex = read_lines(DriverKind::Codex, &[item]);
    assert_eq!(todo_states(&codex), [TodoState::Done, TodoState::Pending]);
}

#[test]
fn codex_tells_files_and_declined_commands() {
    let lines = [
        json!({ "type": "item.completed", "item": { "id": "1", "type": "file_change", "status": "completed", "changes": [{ "path": "a.rs", "kind": "add" }] } }),
        json!({ "type": "item.completed", "item": { "id": "2", "type": "command_execution", "command": "rm x", "status": "declined" } }),
        json!({ "type": "turn.completed", "usage": { "input_tokens": 10, "cached_input_tokens": 4, "cache_write_input_tokens": 1, "output_tokens": 2 } }),
    ];
    let reading = read_lines(DriverKind::Codex, &lines);
    assert!(reading.events.contains(&AgentEvent::FileChanged {
        path: "a.rs".to_owned()
    }));
    assert!(matches!(
        reading.end.problem,
        Some(AgentProblem::Denied { .. })
    ));
    let total = &reading.end.totals[0];
    assert_eq!(
        (total.input, total.cached, total.cache_write, total.output),
        (5, 4, 1, 2)
    );
}

#[test]
fn gemini_counts_thoughts_as_output_and_tells_denials() {
    let lines = [
        json!({ "type": "tool_use", "tool_name": "run_shell_command", "tool_id": "1", "parameters": {} }),
        json!({ "type": "tool_result", "tool_id": "1", "status": "error", "error": { "type": "policy_violation", "message": "no" } }),
        json!({ "type": "result", "status": "success", "stats": { "total_tokens": 130, "input_tokens": 100, "cached": 60, "output_tokens": 20 } }),
    ];
    let reading = read_lines(DriverKind::Gemini, &lines);
    let problem = reading.end.problem.unwrap().to_string();
    assert_eq!(
        problem,
        "the agent was not allowed to use `run_shell_command`: no"
    );
    let total = &reading.end.totals[0];
    assert_eq!((total.input, total.cached, total.output), (40, 60, 30));
}

#[test]
fn subagents_count_but_do_not_speak() {
    let message = json!({ "id": "m", "model": "x", "usage": { "input_tokens": 5 }, "content": [{ "type": "text", "text": "inner" }] });
    let line = json!({ "type": "assistant", "message": message, "parent_tool_use_id": "t" });
    let reading = read_lines(DriverKind::Claude, &[line, claude_result("outer")]);
    assert_eq!((reading.tokens(), reading.end.text.as_str()), (5, "outer"));
    assert!(
        !reading
            .events
            .iter()
            .any(|event| matches!(event, AgentEvent::Said { .. }))
    );
}

#[test]
fn a_plain_program_says_its_lines() {
    let reading = read(
        DriverKind::Command,
        b"one\n\ntwo?\n",
        ExitStatus::Exited(0),
        b"",
    );
    assert_eq!(
        (reading.events.len(), reading.end.text.as_str()),
        (2, "one\ntwo?")
    );
    assert_eq!(reading.end.problem, None);
    let failed = read(DriverKind::Command, b"", ExitStatus::Exited(3), b"oh\nno\n")
        .end
        .problem;
    assert_eq!(failed, Some(AgentProblem::Other("no".to_owned())));
    let silent = read(DriverKind::Command, b"", ExitStatus::Exited(3), b"");
    let silent = silent.end.problem.expect("it failed");
    assert_eq!(silent, AgentProblem::ExitCode(3));
    assert!(!silent.is_explained());
}

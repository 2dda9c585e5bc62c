//! Dialogues with agents that speak ACP.

use serde_json::{Value, json};
use signoff_sandbox::ExitStatus;
use signoff_work::agent::{
    AcpClient, AcpOptions, AcpStep, AgentEnd, AgentEvent, AgentExit, AgentProblem, LaunchOptions,
    TodoState,
};

use super::world::plain_options;

struct Dialogue {
    client: AcpClient,
}

impl Dialogue {
    fn new(options: &LaunchOptions<'_>) -> Self {
        Self {
            client: AcpClient::new(AcpOptions::new(options)),
        }
    }

    /// A dialogue whose prompt was sent.
    fn prompted(options: &LaunchOptions<'_>) -> Self {
        let mut dialogue = Self::new(options);
        dialogue.receive(initialized());
        let step = dialogue
            .receive(json!({ "jsonrpc": "2.0", "id": 1, "result": { "sessionId": "s-1" } }));
        assert_eq!(step.send[0]["method"], "session/prompt");
        dialogue
    }

    fn receive(&mut self, message: Value) -> AcpStep {
        self.client.receive(message.to_string().as_bytes())
    }

    fn update(&mut self, update: Value) -> Vec<AgentEvent> {
        let params = json!({ "sessionId": "s-1", "update": update });
        self.receive(json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }))
            .events
    }

    fn ask(&mut self, kind: &str) -> AcpStep {
        let params = json!({
            "sessionId": "s-1",
            "toolCall": { "toolCallId": "c-1", "title": "Do something", "kind": kind, "rawInput": { "command": "make" } },
            "options": [
                { "optionId": "always", "name": "Always", "kind": "allow_always" },
                { "optionId": "once", "name": "Once", "kind": "allow_once" },
                { "optionId": "never", "name": "No", "kind": "reject_once" },
            ],
        });
        self.receive(json!({ "jsonrpc": "2.0", "id": 70, "method": "session/request_permission", "params": params }))
    }

    fn end(&mut self, status: ExitStatus) -> AgentEnd {
        self.client.finish(AgentExit {
            status,
            stderr: b"",
        })
    }
}

fn initialized() -> Value {
    json!({ "jsonrpc": "2.0", "id": 0, "result": {
        "protocolVersion": 1, "agentCapabilities": { "loadSession": true }, "agentInfo": { "name": "a", "version": "9.1" },
    } })
}

fn chosen(message: &Value) -> &str {
    message["result"]["outcome"]["optionId"]
        .as_str()
        .unwrap_or("none")
}

#[test]
fn a_whole_turn() {
    let first = AcpClient::start();
    assert_eq!(first[0]["method"], "initialize");
    assert_eq!(
        first[0]["params"]["clientCapabilities"]["fs"]["writeTextFile"],
        false
    );
    let mut dialogue = Dialogue::new(&plain_options());
    let step = dialogue.receive(initialized());
    assert_eq!(
        step.events,
        [AgentEvent::Version {
            text: "9.1".to_owned()
        }]
    );
    assert_eq!(
        step.send[0]["params"],
        json!({ "cwd": "/w", "mcpServers": [] })
    );
    let step =
        dialogue.receive(json!({ "jsonrpc": "2.0", "id": 1, "result": { "sessionId": "s-1" } }));
    assert_eq!(
        step.events,
        [AgentEvent::Session {
            id: "s-1".to_owned()
        }]
    );
    assert_eq!(step.send[0]["params"]["prompt"][0]["text"], "do it");

    for part in ["Let me ", "look."] {
        let events = dialogue.update(json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": part } }));
        assert_eq!(events, []);
    }
    let plan = json!([{ "content": "look", "status": "completed" }, { "content": "edit", "status": "in_progress" }]);
    let events = dialogue.update(json!({ "sessionUpdate": "plan", "entries": plan }));
    assert!(
        matches!(&events[1], AgentEvent::Todo { entries } if entries[1].state == TodoState::InProgress)
    );
    assert_eq!(
        events[0],
        AgentEvent::Said {
            text: "Let me look.".to_owned()
        }
    );
    let events = dialogue.update(json!({ "sessionUpdate": "tool_call", "toolCallId": "c-1", "title": "Edit a.rs", "kind": "edit", "status": "pending" }));
    assert!(
        matches!(&events[0], AgentEvent::ToolStarted { tool, about, .. } if tool == "edit" && about == "Edit a.rs")
    );
    let diff = json!([{ "type": "diff", "path": "/w/a.rs", "oldText": null, "newText": "x" }]);
    let events = dialogue.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c-1", "status": "completed", "content": diff }));
    assert!(matches!(&events[0], AgentEvent::ToolEnded { ok: true, .. }));
    assert_eq!(
        events[1],
        AgentEvent::FileChanged {
            path: "/w/a.rs".to_owned()
        }
    );
    dialogue.update(json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "Done." } }));

    let usage = json!({ "inputTokens": 100, "outputTokens": 10, "cachedReadTokens": 40, "totalTokens": 110 });
    let step = dialogue.receive(json!({ "jsonrpc": "2.0", "id": 2, "result": { "stopReason": "end_turn", "usage": usage } }));
    assert!(step.finished);
    // We end an agent that stays after its turn.
    let end = dialogue.end(ExitStatus::Stopped);
    assert_eq!((end.text.as_str(), end.problem), ("Done.", None));
    assert_eq!(
        (
            end.totals[0].input,
            end.totals[0].cached,
            end.totals[0].output
        ),
        (60, 40, 10)
    );
}

#[test]
fn permission_is_given_once_by_kind() {
    let reads = ["read_file".to_owned()];
    let scoped = LaunchOptions {
        tools: Some(&reads),
        ..plain_options()
    };
    assert_eq!(
        chosen(&Dialogue::prompted(&plain_options()).ask("execute").send[0]),
        "once"
    );
    assert_eq!(
        chosen(&Dialogue::prompted(&scoped).ask("read").send[0]),
        "once"
    );
    let mut dialogue = Dialogue::prompted(&scoped);
    let step = dialogue.ask("execute");
    assert_eq!(chosen(&step.send[0]), "never");
    assert!(matches!(&step.events[0], AgentEvent::Denied { tool, .. } if tool == "execute"));
    dialogue.receive(json!({ "id": 2, "result": { "stopReason": "end_turn" } }));
    let problem = dialogue.end(ExitStatus::Exited(0)).problem;
    assert!(matches!(
        problem,
        Some(AgentProblem::Denied { calls: 1, .. })
    ));
}

#[test]
fn what_the_policy_does_not_say_is_asked() {
    let alone = LaunchOptions {
        confined: false,
        ..plain_options()
    };
    let mut dialogue = Dialogue::prompted(&alone);
    let step = dialogue.ask("execute");
    assert_eq!(step.send, [] as [Value; 0]);
    let question = step.ask.unwrap();
    assert_eq!(
        (question.kind.as_str(), question.about.as_str()),
        ("execute", "make")
    );
    let answer = dialogue.client.answer(&question, true).unwrap();
    assert_eq!((chosen(&answer), &answer["id"]), ("once", &json!(70)));
    assert_eq!(dialogue.client.answer(&question, true), None);

    let question = dialogue.ask("execute").ask.unwrap();
    assert_eq!(
        chosen(&dialogue.client.answer(&question, false).unwrap()),
        "never"
    );
}

#[test]
fn never_more_than_one_call() {
    let mut dialogue = Dialogue::prompted(&plain_options());
    let only = |kind: &str| {
        json!({ "jsonrpc": "2.0", "id": "q", "method": "session/request_permission", "params": {
            "toolCall": { "toolCallId": "c", "kind": "execute" }, "options": [{ "optionId": "a", "kind": kind }],
        } })
    };
    let answer = &dialogue.receive(only("allow_always")).send[0];
    assert_eq!(
        answer["result"]["outcome"],
        json!({ "outcome": "cancelled" })
    );
    assert_eq!(chosen(&dialogue.receive(only("allow_once")).send[0]), "a");
}

#[test]
fn a_cancelled_turn_answers_what_is_open() {
    let mut dialogue = Dialogue::prompted(&LaunchOptions {
        confined: false,
        ..plain_options()
    });
    dialogue.ask("execute");
    let sent = dialogue.client.cancel();
    assert_eq!(sent[0]["result"]["outcome"]["outcome"], "cancelled");
    assert_eq!(
        sent[1],
        json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": "s-1" } })
    );
}

#[test]
fn what_we_do_not_offer_is_refused() {
    let mut dialogue = Dialogue::prompted(&plain_options());
    for method in [
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
        "_vendor/new",
    ] {
        let step =
            dialogue.receive(json!({ "jsonrpc": "2.0", "id": 9, "method": method, "params": {} }));
        assert_eq!(step.send[0]["error"]["code"], -32601, "{method}");
        assert_eq!(step.send[0]["id"], 9);
    }
    let step =
        dialogue.receive(json!({ "jsonrpc": "2.0", "method": "_vendor/note", "params": {} }));
    assert_eq!(step, AcpStep::default());
}

#[test]
fn a_login_that_is_missing_ends_it() {
    let mut dialogue = Dialogue::new(&plain_options());
    dialogue.receive(initialized());
    let error = json!({ "code": -32000, "message": "Authentication required" });
    let step = dialogue.receive(json!({ "jsonrpc": "2.0", "id": 1, "error": error }));
    assert!(step.finished);
    assert_eq!(
        dialogue.end(ExitStatus::Stopped).problem,
        Some(AgentProblem::LoginRequired)
    );
}

#[test]
fn another_protocol_ends_it() {
    let mut dialogue = Dialogue::new(&plain_options());
    let step = dialogue.receive(json!({ "id": 0, "result": { "protocolVersion": 2 } }));
    assert!(step.finished && step.send.is_empty());
}

#[test]
fn an_agent_that_dies_is_told_so() {
    let mut dialogue = Dialogue::prompted(&plain_options());
    dialogue.update(json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "Half a" } }));
    let end = dialogue.end(ExitStatus::Exited(0));
    assert_eq!(
        (end.text.as_str(), end.problem),
        ("Half a", Some(AgentProblem::Incomplete))
    );
    let killed = Dialogue::prompted(&plain_options()).end(ExitStatus::Signaled(9));
    assert_eq!(killed.problem, Some(AgentProblem::Signaled(9)));
}

#[test]
fn a_session_is_continued_without_repeating_it() {
    let mut dialogue = Dialogue::new(&LaunchOptions {
        resume: Some("old"),
        ..plain_options()
    });
    let step = dialogue.receive(initialized());
    assert_eq!(step.send[0]["method"], "session/load");
    assert_eq!(step.send[0]["params"]["sessionId"], "old");
    let events = dialogue
        .update(json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "old call" }));
    assert_eq!(events, []);
    let step = dialogue.receive(json!({ "id": 1, "result": null }));
    assert_eq!(step.send[0]["params"]["sessionId"], "old");
}

#[test]
fn the_model_is_asked_for_where_the_agent_has_models() {
    let options = LaunchOptions {
        model: Some("big"),
        ..plain_options()
    };
    let mut dialogue = Dialogue::new(&options);
    dialogue.receive(initialized());
    let models = json!({ "currentModelId": "small", "availableModels": [] });
    let step =
        dialogue.receive(json!({ "id": 1, "result": { "sessionId": "s-1", "models": models } }));
    assert_eq!(step.send[0]["method"], "session/set_model");
    let error = json!({ "code": -32602, "message": "no such model" });
    let step = dialogue.receive(json!({ "id": 3, "error": error }));
    assert!(matches!(&step.events[0], AgentEvent::Problem { .. }));
    assert_eq!(step.send[0]["method"], "session/prompt");
}

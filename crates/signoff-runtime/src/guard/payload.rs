//! Reads what an agent hands to the hook.

use serde_json::Value;
use signoff_plan::guard::Agent;

use super::event::HookEvent;

/// Largest payload that is read: a call that writes a file carries its content.
pub const LARGEST_PAYLOAD: u64 = 16 * 1024 * 1024;

/// A payload that is JSON, and whose it is.
#[derive(Debug)]
pub(super) struct Payload {
    pub(super) value: Value,
    pub(super) agent: Agent,
}

impl Payload {
    /// Reads the bytes; says why that is not possible.
    pub(super) fn read(bytes: &[u8], agent: Option<Agent>) -> Result<Self, String> {
        if bytes.len() as u64 > LARGEST_PAYLOAD {
            return Err(format!(
                "the call is larger than {} MiB",
                LARGEST_PAYLOAD / 1024 / 1024
            ));
        }
        if bytes.trim_ascii().is_empty() {
            return Err("the agent did not say what it is about to do".to_owned());
        }
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|why| format!("what the agent said is not JSON ({why})"))?;
        if !value.is_object() {
            return Err("what the agent said is not a JSON object".to_owned());
        }
        let agent = agent.unwrap_or_else(|| recognized_agent(&value));
        Ok(Self { value, agent })
    }

    /// The agent's session.
    pub(super) fn session(&self) -> Option<&str> {
        self.text("session_id").filter(|id| !id.is_empty())
    }

    /// What it is about.
    pub(super) fn event(&self) -> Result<HookEvent<'_>, String> {
        let name = match self.value.get("hook_event_name") {
            Some(name) => name.as_str().unwrap_or_default(),
            // Where there is a tool, it is to be called.
            None => "PreToolUse",
        };
        Ok(match name {
            "PreToolUse" | "BeforeTool" => {
                let tool = self.text("tool_name").filter(|tool| !tool.is_empty());
                HookEvent::ToolCall {
                    tool: tool.ok_or("the agent did not say which tool it is about to use")?,
                    input: self.input(),
                }
            }
            "SessionStart" => HookEvent::SessionStart {
                source: self.text("source"),
            },
            "PermissionRequest" => HookEvent::PermissionRequest {
                tool: self.text("tool_name").unwrap_or_default(),
                input: self.input(),
            },
            "UserPromptSubmit" | "BeforeAgent" => HookEvent::Prompt {
                text: self.text("prompt").unwrap_or_default(),
            },
            "" => return Err("the agent did not say what it is about to do".to_owned()),
            name if self.is_call_by_another_name(name) => HookEvent::ToolCall {
                tool: self.text("tool_name").unwrap_or_default(),
                input: self.input(),
            },
            _ => HookEvent::Other,
        })
    }

    /// Whether an event that is not known names a tool, and does not tell of a call that was made: a later version may call
    /// `PreToolUse` otherwise.
    fn is_call_by_another_name(&self, event: &str) -> bool {
        let tells = ["Post", "After", "Notification"];
        self.text("tool_name").is_some_and(|tool| !tool.is_empty())
            && self.value.get("tool_input").is_some()
            && !tells.iter().any(|start| event.starts_with(start))
    }

    /// Server and tool of a call, where the agent tells them (Gemini CLI).
    pub(super) fn server_tool(&self) -> Option<(&str, &str)> {
        let context = self.value.get("mcp_context")?;
        let text = |key: &str| context.get(key).and_then(Value::as_str);
        Some((text("server_name")?, text("tool_name")?))
    }

    /// Whether the agent says that it is in its own plan mode (Claude Code).
    pub(super) fn says_plan_mode(&self) -> bool {
        self.text("permission_mode") == Some("plan")
    }

    /// Whether it is a sub-agent's, which may have another mode than the agent that started it (Claude Code).
    pub(super) fn is_of_sub_agent(&self) -> bool {
        // `agent_type` alone is that of the agent itself, started with `--agent`.
        self.value.get("agent_id").is_some_and(|id| !id.is_null())
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.value.get(key).and_then(Value::as_str)
    }

    fn input(&self) -> &Value {
        self.value.get("tool_input").unwrap_or(&Value::Null)
    }
}

/// Whose payload it is, where the command line does not say. Claude Code's form is the one that others follow.
fn recognized_agent(value: &Value) -> Agent {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    if let Some(agent) = Agent::of_name(text("agent")) {
        return agent;
    }
    let is_gemini = ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent"];
    if is_gemini.contains(&text("hook_event_name")) || text("transcript_path").contains("/.gemini/")
    {
        Agent::Gemini
    } else if value.get("turn_id").is_some() || text("transcript_path").contains("/.codex/") {
        Agent::Codex
    } else {
        Agent::Claude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, agent: Agent, event: &HookEvent<'_>) {
        let payload = Payload::read(text.as_bytes(), None).unwrap();
        assert_eq!(payload.agent, agent, "{text}");
        assert_eq!(payload.event().unwrap(), *event, "{text}");
    }

    #[test]
    fn each_agents_payload_is_recognized() {
        let call = HookEvent::ToolCall {
            tool: "Bash",
            input: &Value::Null,
        };
        check(
            r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash"}"#,
            Agent::Claude,
            &call,
        );
        check(
            r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","turn_id":"1"}"#,
            Agent::Codex,
            &call,
        );
        check(r#"{"agent":"pi","tool_name":"Bash"}"#, Agent::Pi, &call);
        check(
            r#"{"hook_event_name":"BeforeTool","tool_name":"Bash"}"#,
            Agent::Gemini,
            &call,
        );
        check(
            r#"{"hook_event_name":"SessionStart","source":"resume"}"#,
            Agent::Claude,
            &HookEvent::SessionStart {
                source: Some("resume"),
            },
        );
        check(
            r#"{"hook_event_name":"UserPromptSubmit","prompt":"x"}"#,
            Agent::Claude,
            &HookEvent::Prompt { text: "x" },
        );
        check(
            r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":null}"#,
            Agent::Claude,
            &HookEvent::Other,
        );
        check(
            r#"{"hook_event_name":"ToolUseRequested","tool_name":"Bash","tool_input":null}"#,
            Agent::Claude,
            &call,
        );
        check(
            r#"{"hook_event_name":"SubagentStop"}"#,
            Agent::Claude,
            &HookEvent::Other,
        );
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for text in [
            "",
            " \n",
            "{",
            "[]",
            "3",
            "{}",
            r#"{"hook_event_name":3,"tool_name":"Bash"}"#,
            r#"{"hook_event_name":"","tool_name":"Bash"}"#,
            r#"{"hook_event_name":"PreToolUse"}"#,
            r#"{"hook_event_name":"PreToolUse","tool_name":""}"#,
            r#"{"hook_event_name":"PreToolUse","tool_name":["Bash"]}"#,
            r#"{"hook_event_name":"PreToolUse","tool_name":"Bash"} x"#,
        ] {
            let read = Payload::read(text.as_bytes(), None);
            let event = read.and_then(|payload| payload.event().map(|_| ()));
            assert!(event.is_err(), "{text}");
        }
    }
}

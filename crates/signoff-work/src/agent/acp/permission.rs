//! Answers an agent that asks whether it may call a tool.

use serde_json::{Value, json};

use crate::agent::json::{call_subject, list, text};
use crate::agent::scope::{Ability, ToolScope};
use crate::agent::text::one_line;

/// An agent asks whether it may call a tool, and the policy does not say.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionRequest {
    /// Identifies the question: pass it back with the answer.
    pub(super) id: Value,
    /// The call in the events of the agent.
    pub call: String,
    /// What the agent says it wants to do.
    pub title: String,
    /// What kind of tool it is: `edit`, `execute`, `fetch`, ….
    pub kind: String,
    /// A file, a command, an address; empty if there is none.
    pub about: String,
    options: Vec<PermissionOption>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PermissionOption {
    id: String,
    kind: String,
}

/// What is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    Allow,
    Reject,
    Ask,
}

impl PermissionRequest {
    pub(super) fn read(id: &Value, params: &Value) -> Self {
        let call = params.get("toolCall").unwrap_or(&Value::Null);
        let options = list(params, "/options")
            .iter()
            .map(|option| PermissionOption {
                id: text(option, "/optionId").to_owned(),
                kind: text(option, "/kind").to_owned(),
            });
        Self {
            id: id.clone(),
            call: text(call, "/toolCallId").to_owned(),
            title: one_line(text(call, "/title")),
            kind: text(call, "/kind").to_owned(),
            about: match call_subject(call.get("rawInput").unwrap_or(&Value::Null)) {
                about if about.is_empty() => one_line(text(call, "/locations/0/path")),
                about => about,
            },
            options: options.collect(),
        }
    }

    /// What the agent wants to do, in one line.
    pub fn summary(&self) -> String {
        let title = if self.title.is_empty() {
            "use a tool"
        } else {
            &self.title
        };
        let kind = match self.kind.as_str() {
            "" => "other",
            kind => kind,
        };
        if self.about.is_empty() || title.contains(&self.about) {
            format!("{title} ({kind})")
        } else {
            format!("{title} ({kind}: {})", self.about)
        }
    }

    /// The answer, and whether it allows the call. It is chosen by the kind of the options, because their ids differ from agent
    /// to agent. Never one that allows more than this call: the agent would not ask about the next.
    pub(super) fn outcome(&self, allow: bool) -> (Value, bool) {
        let of_kind = |kind: &str| self.options.iter().find(|option| option.kind == kind);
        let allowed = of_kind("allow_once").filter(|_| allow);
        let chosen = allowed.or_else(|| of_kind("reject_once"));
        let outcome = match chosen {
            Some(option) => json!({ "outcome": { "outcome": "selected", "optionId": option.id } }),
            None => cancelled_answer(),
        };
        (outcome, allowed.is_some())
    }
}

/// The answer to a question that nobody will answer.
pub(super) fn cancelled_answer() -> Value {
    json!({ "outcome": { "outcome": "cancelled" } })
}

/// What the policy says of a call of this kind.
pub(super) fn decide(kind: &str, scope: Option<&ToolScope>, confined: bool) -> Decision {
    let ability = match kind {
        // They touch nothing.
        "think" | "switch_mode" => return Decision::Allow,
        "read" => Ability::Read,
        "search" => Ability::Search,
        "edit" | "delete" | "move" => Ability::Write,
        "execute" => Ability::Run,
        "fetch" => Ability::Fetch,
        // A tool of a server, or of a kind that we do not know.
        _ => return decide_other(scope, confined),
    };
    let is_harmless = matches!(ability, Ability::Read | Ability::Search | Ability::Write);
    match scope {
        Some(scope) if scope.has(ability) => Decision::Allow,
        Some(_) => Decision::Reject,
        None if confined || is_harmless => Decision::Allow,
        None => Decision::Ask,
    }
}

fn decide_other(scope: Option<&ToolScope>, confined: bool) -> Decision {
    match scope {
        None if confined => Decision::Allow,
        // The protocol does not say which tool it is.
        Some(scope) if scope.servers.is_empty() => Decision::Reject,
        _ => Decision::Ask,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(names: &[&str]) -> ToolScope {
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        ToolScope::of(&names)
    }

    #[test]
    fn the_scope_decides_by_kind() {
        let reads = scope(&["read_file"]);
        assert_eq!(decide("read", Some(&reads), false), Decision::Allow);
        assert_eq!(decide("edit", Some(&reads), true), Decision::Reject);
        assert_eq!(decide("execute", Some(&reads), true), Decision::Reject);
        assert_eq!(decide("other", Some(&reads), true), Decision::Reject);
        assert_eq!(
            decide("other", Some(&scope(&["git.push"])), true),
            Decision::Ask
        );
    }

    #[test]
    fn without_a_scope_our_sandbox_decides() {
        assert_eq!(decide("execute", None, true), Decision::Allow);
        assert_eq!(decide("", None, true), Decision::Allow);
        assert_eq!(decide("execute", None, false), Decision::Ask);
        assert_eq!(decide("other", None, false), Decision::Ask);
        assert_eq!(decide("edit", None, false), Decision::Allow);
    }
}

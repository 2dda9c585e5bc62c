//! What the hook answers.

use serde_json::Value;

/// The exit code that blocks in every agent, if there is a reason on stderr and nothing on stdout.
const BLOCK: u8 = 2;

/// What the hook prints, and how it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookAnswer {
    /// Read by the agent as JSON, if it is not empty.
    pub stdout: String,
    /// The reason of a refusal.
    pub stderr: String,
    /// 0 or 2: agents let a call pass on any other.
    pub exit: u8,
}

impl HookAnswer {
    /// Nothing to say: the agent goes on as if there were no hook.
    pub fn no_objection() -> Self {
        Self {
            stdout: String::new(),
            stderr: String::new(),
            exit: 0,
        }
    }

    /// Refuses the call. An empty reason would let it pass in Codex.
    pub fn deny(reason: &str) -> Self {
        let reason = match reason.trim() {
            "" => "denied by signoff guard",
            reason => reason,
        };
        Self {
            stdout: String::new(),
            stderr: format!("{reason}\n"),
            exit: BLOCK,
        }
    }

    /// An answer in the agent's own JSON. Not for refusals of tool calls: agents differ in what they let pass.
    pub fn json(value: &Value) -> Self {
        Self {
            stdout: format!("{value}\n"),
            ..Self::no_objection()
        }
    }

    /// Whether the call is refused.
    pub fn is_denied(&self) -> bool {
        self.exit == BLOCK
    }
}

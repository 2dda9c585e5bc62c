//! What `doctor agents --probe` saw.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One small task, done by an agent in the sandbox, with a model on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is something that was looked at"
)]
#[schemars(rename = "Probe")]
pub struct AgentProbe {
    /// The agent's driver.
    pub name: String,
    /// It asked the model.
    pub started: bool,
    /// Its stream was understood: its last words are those of the model.
    pub stream_read: bool,
    /// It wrote a file in the project, and the contract saw it.
    pub inside_written: bool,
    /// It tried to write into the home, and nothing arrived; `null` if it did not come to that.
    pub outside_refused: Option<bool>,
    /// It told how many tokens it used.
    pub usage_seen: bool,
    /// How many.
    pub tokens: Option<u64>,
    pub duration_ms: u64,
    /// Why something did not work, where that is known.
    pub problem: Option<String>,
}

impl AgentProbe {
    /// A run can use this agent.
    pub fn works(&self) -> bool {
        self.started
            && self.stream_read
            && self.inside_written
            && self.outside_refused == Some(true)
            && self.usage_seen
    }
}

//! What an agent does, as read from its stream.

/// Something that an agent did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentEvent {
    /// The session that the agent can continue later.
    Session { id: String },
    /// The model it works with.
    Model { name: String },
    /// The version of the agent's program.
    Version { text: String },
    /// A whole message; readers join the parts of a stream.
    Said { text: String },
    /// A tool is called. `about` is one short line: a file, a command, a pattern, an address; empty if there is none.
    ToolStarted {
        id: String,
        tool: String,
        about: String,
    },
    /// A tool has returned; its output is shortened.
    ToolEnded {
        id: String,
        ok: bool,
        output: String,
    },
    /// The agent says that it changed this file.
    FileChanged { path: String },
    /// The agent's list of what it wants to do; it replaces the one before.
    Todo { entries: Vec<TodoEntry> },
    /// Tokens that were used since the last such event of the same model.
    Usage(ModelUsage),
    /// The agent was not allowed to call a tool.
    Denied { tool: String, reason: String },
    /// An error that the agent reports and may survive.
    Problem { message: String },
}

/// An entry of an agent's list of what it wants to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoEntry {
    pub text: String,
    pub state: TodoState,
}

/// How far an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TodoState {
    Pending,
    InProgress,
    Done,
}

impl TodoState {
    /// The state that agents give this name; all of them use the same three, with few variations.
    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "completed" | "done" | "cancelled" => Self::Done,
            "in_progress" | "active" => Self::InProgress,
            _ => Self::Pending,
        }
    }
}

/// Tokens that a model used. An increment in events, a sum in totals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelUsage {
    /// The model's name, if the stream or the command line says it.
    pub model: Option<String>,
    /// Input that was neither read from a cache nor written to one.
    pub input: u64,
    /// Input that was read from a cache.
    pub cached: u64,
    /// Input that was written to a cache.
    pub cache_write: u64,
    /// Output, with what the model thought.
    pub output: u64,
    /// Micro-dollars, if the agent says what it cost. They cover every increment of this model since the last one that
    /// had them: Claude Code says the cost once, at the end.
    pub usd_e6: Option<u64>,
}

impl ModelUsage {
    /// All tokens, of whatever kind.
    pub fn tokens(&self) -> u64 {
        [self.input, self.cached, self.cache_write, self.output]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Adds the tokens and the stated cost of `other`.
    pub fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.output = self.output.saturating_add(other.output);
        self.usd_e6 = match (self.usd_e6, other.usd_e6) {
            (Some(one), Some(two)) => Some(one.saturating_add(two)),
            (one, two) => one.or(two),
        };
    }

    /// The tokens of `self` that are not in `counted`; the cost likewise.
    #[must_use]
    pub(super) fn minus(&self, counted: &Self) -> Self {
        Self {
            model: self.model.clone(),
            input: self.input.saturating_sub(counted.input),
            cached: self.cached.saturating_sub(counted.cached),
            cache_write: self.cache_write.saturating_sub(counted.cache_write),
            output: self.output.saturating_sub(counted.output),
            usd_e6: self
                .usd_e6
                .map(|usd| usd.saturating_sub(counted.usd_e6.unwrap_or(0))),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tokens() == 0 && self.usd_e6.is_none()
    }
}

//! What the stub replies, as a value.

use crate::login::Login;

/// The replies of one conversation, by turn.
///
/// The turn of a request is the number of answers that the conversation in it already holds. So a retry gets the
/// same reply again, and several agents can follow the same script at the same time. After the last turn, and for side
/// calls that declare no tools (such as those for a title), the reply is a short text, unless the script is one
/// [of questions](Script::of_questions).
#[derive(Debug, Clone, Default)]
pub struct Script {
    pub(crate) turns: Vec<Turn>,
    pub(crate) questions: Vec<Turn>,
    pub(crate) login: Option<Login>,
    /// Scripts for conversations that hold certain words.
    pub(crate) subjects: Vec<(String, Self)>,
}

impl Script {
    /// A script for a client that asks single questions, without tools and without what was said before: each request
    /// gets the next of these replies.
    pub fn of_questions<T: Into<Turn>>(replies: impl IntoIterator<Item = T>) -> Self {
        Self {
            questions: replies.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// A script of these turns; a [`Reply`] alone is a turn with the default [`Usage`].
    pub fn new<T: Into<Turn>>(turns: impl IntoIterator<Item = T>) -> Self {
        Self {
            turns: turns.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// The same script, but conversations that hold these words follow that one instead. The first that fits counts, so
    /// that one model can be asked for several things.
    #[must_use]
    pub fn when_about(mut self, words: &str, script: Self) -> Self {
        self.subjects.push((words.to_owned(), script));
        self
    }

    /// The same script, but only for clients that send the current access token.
    #[must_use]
    pub fn with_login(mut self, login: Login) -> Self {
        self.login = Some(login);
        self
    }
}

/// One turn: a reply, what it costs, and the failures before it.
#[derive(Debug, Clone)]
pub struct Turn {
    pub(crate) reply: Reply,
    pub(crate) usage: Usage,
    pub(crate) failures: Vec<Reply>,
}

impl Turn {
    /// The same turn with this usage in its answer.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// The same turn, but the first requests for it get these replies, one each. Counted over all clients.
    #[must_use]
    pub fn after_failures(mut self, failures: impl IntoIterator<Item = Reply>) -> Self {
        self.failures = failures.into_iter().collect();
        self
    }
}

impl From<Reply> for Turn {
    fn from(reply: Reply) -> Self {
        Self {
            reply,
            usage: Usage::default(),
            failures: Vec::new(),
        }
    }
}

/// What the stub does with one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Calls the agent's shell tool.
    Shell {
        /// As a shell reads it.
        command: String,
    },
    /// Calls the agent's tool for writing files; where it has none, its shell tool.
    Write {
        /// As the agent's tool takes it: most want an absolute path.
        path: String,
        /// The whole content of the file.
        content: String,
    },
    /// Calls the tool of this name; agents put a server's name before it (`mcp__shop__order`, `shop_order`). Where the agent
    /// declares none, it is called all the same.
    Tool {
        /// Its name, without what the agent puts before it.
        name: String,
        /// Its arguments, as they are.
        arguments: serde_json::Value,
    },
    /// Calls the agent's tool for to-dos. An agent that declares none never sees this turn.
    Todo {
        /// The whole list.
        entries: Vec<TodoEntry>,
    },
    /// Says this and ends the turn.
    Text(String),
    /// Fails with this HTTP status, in the error format of the vendor.
    Status {
        /// Such as 401, 429 or 500.
        code: u16,
        /// Seconds for the header `retry-after`.
        retry_after: Option<u32>,
    },
    /// Fails with this HTTP status, and says until when in the header `retry-after`.
    BusyUntil {
        /// Such as 429 or 503.
        code: u16,
        /// A date, as HTTP writes them.
        date: String,
    },
    /// Succeeds with a body that means nothing.
    Garbage,
    /// Breaks the connection in the middle of the answer.
    HalfStream,
    /// Sends the head of an answer, then nothing until the client leaves or the stub ends.
    Hang,
    /// Sends the head of an answer, then without end what says nothing: a client that waits for silence waits for ever.
    Endless,
    /// Says a text of this length.
    Flood {
        /// At most [`Reply::MAX_FLOOD`]; more is cut to it.
        bytes: usize,
    },
}

impl Reply {
    /// The longest text of [`Reply::Flood`].
    pub const MAX_FLOOD: usize = 64 << 20;
}

/// One line of a to-do list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoEntry {
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub status: TodoStatus,
}

/// How far a to-do is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Finished.
    Completed,
}

/// The tokens that an answer reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// All tokens of the request, also the cached ones.
    pub input: u64,
    /// Those of `input` that were read from the cache.
    pub cached: u64,
    /// The tokens of the answer.
    pub output: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            input: 1000,
            cached: 0,
            output: 100,
        }
    }
}

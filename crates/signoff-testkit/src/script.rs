//! Scripts for the scripted agent: what it does on which prompt.

use std::path::Path;

use serde_json::{Map, Value, json};

/// A script; the first reply that fits the prompt is carried out.
///
/// ```ignore
/// let script = Script::new().ledger(project.outside("ledger")).reply(
///     Reply::when(["Add the parser"]).write("parser.rs", "fn parse() {}").say("done"),
/// );
/// project.write("agent.json", &script.to_string());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Script {
    ledger: Option<String>,
    replies: Vec<Reply>,
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    /// Where the agent records the start and the end of each attempt; see [`crate::ledger`].
    #[must_use]
    pub fn ledger(mut self, path: impl AsRef<Path>) -> Self {
        self.ledger = Some(path.as_ref().to_string_lossy().into_owned());
        self
    }

    #[must_use]
    pub fn reply(mut self, reply: Reply) -> Self {
        self.replies.push(reply);
        self
    }

    /// The same after these replies, which are looked at first.
    #[must_use]
    pub fn after(self, mut first: Self) -> Self {
        first.ledger = first.ledger.or(self.ledger);
        first.replies.extend(self.replies);
        first
    }

    pub fn to_json(&self) -> Value {
        let mut script = Map::new();
        if let Some(ledger) = &self.ledger {
            script.insert("ledger".to_owned(), ledger.as_str().into());
        }
        let replies = self.replies.iter().map(Reply::to_json).collect();
        script.insert("replies".to_owned(), replies);
        Value::Object(script)
    }
}

impl std::fmt::Display for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#}", self.to_json())
    }
}

/// Actions, done in order when the prompt contains all the given texts.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    when: Vec<String>,
    actions: Vec<Value>,
}

impl Reply {
    pub fn when<S: Into<String>>(texts: impl IntoIterator<Item = S>) -> Self {
        Self {
            when: texts.into_iter().map(Into::into).collect(),
            actions: Vec::new(),
        }
    }

    /// Fits every prompt.
    pub fn always() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn write(self, path: &str, text: &str) -> Self {
        self.push_action(json!({"write": {"path": path, "text": text}}))
    }

    #[must_use]
    pub fn append(self, path: &str, text: &str) -> Self {
        self.push_action(json!({"append": {"path": path, "text": text}}))
    }

    #[must_use]
    pub fn remove(self, path: &str) -> Self {
        self.push_action(json!({"remove": path}))
    }

    /// Prints on stdout.
    #[must_use]
    pub fn say(self, text: &str) -> Self {
        self.push_action(json!({"say": text}))
    }

    /// Prints on stderr.
    #[must_use]
    pub fn complain(self, text: &str) -> Self {
        self.push_action(json!({"complain": text}))
    }

    #[must_use]
    pub fn pause_ms(self, milliseconds: u64) -> Self {
        self.push_action(json!({"pause_ms": milliseconds}))
    }

    /// Goes on only once somebody has made this file.
    #[must_use]
    pub fn wait_for(self, path: &str) -> Self {
        self.push_action(json!({"wait_for": path}))
    }

    #[must_use]
    pub fn exit(self, code: u8) -> Self {
        self.push_action(json!({"exit": code}))
    }

    fn push_action(mut self, action: Value) -> Self {
        self.actions.push(action);
        self
    }

    fn to_json(&self) -> Value {
        json!({"when": self.when, "do": self.actions})
    }
}

#[test]
fn writes_the_format_that_the_agent_reads() {
    let script = Script::new().ledger("/l").reply(
        Reply::when(["a", "b"])
            .write("f", "1")
            .append("f", "2")
            .remove("g")
            .say("done")
            .complain("hm")
            .pause_ms(5)
            .wait_for("go")
            .exit(3),
    );
    assert_eq!(
        script.to_json(),
        json!({"ledger": "/l", "replies": [{"when": ["a", "b"], "do": [
            {"write": {"path": "f", "text": "1"}},
            {"append": {"path": "f", "text": "2"}},
            {"remove": "g"},
            {"say": "done"},
            {"complain": "hm"},
            {"pause_ms": 5},
            {"wait_for": "go"},
            {"exit": 3},
        ]}]})
    );
    let silent = Script::new().reply(Reply::always().say("hello"));
    assert_eq!(
        silent.to_json(),
        json!({"replies": [{"when": [], "do": [{"say": "hello"}]}]})
    );
}

//! The script as it is followed: which reply a request gets, and what is remembered of it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::answer::Answer;
use crate::conversation::Conversation;
use crate::login::LoginCheck;
use crate::recording::{MAX_RECEIVED, Received};
use crate::script::{Reply, Script, Turn, Usage};
use crate::tools;

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Model {
    /// What conversations follow that are about nothing in particular.
    other: Replies,
    /// What those follow that hold these words.
    subjects: Vec<(String, Replies)>,
    answers: AtomicU64,
    received: Mutex<Vec<Received>>,
    pub(crate) login: Option<LoginCheck>,
}

/// The replies of a script, and how many of them were given.
#[derive(Debug)]
pub(crate) struct Replies {
    turns: Vec<Turn>,
    questions: Vec<Turn>,
    /// How many questions were answered.
    asked: AtomicUsize,
    /// How many failures of each turn were given.
    failures: Mutex<Vec<usize>>,
}

/// The reply to a request, with what it costs.
#[derive(Debug, Clone)]
pub(crate) struct PricedReply {
    pub(crate) reply: Reply,
    pub(crate) usage: Usage,
}

impl Model {
    pub(crate) fn new(mut script: Script) -> Self {
        let subjects = std::mem::take(&mut script.subjects).into_iter();
        Self {
            subjects: subjects
                .map(|(words, script)| (words, Replies::new(script.turns, script.questions)))
                .collect(),
            other: Replies::new(script.turns, script.questions),
            answers: AtomicU64::new(1),
            received: Mutex::default(),
            login: script.login.map(LoginCheck::new),
        }
    }

    /// The replies for a request with this body.
    pub(crate) fn replies(&self, body: &Value) -> &Replies {
        let mut subjects = self.subjects.iter();
        let found = subjects.find(|(words, _)| contains_words(body, words));
        found.map_or(&self.other, |(_, replies)| replies)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        lock(&self.received).clone()
    }

    pub(crate) fn record(&self, received: Received) {
        let mut all = lock(&self.received);
        if all.len() < MAX_RECEIVED {
            all.push(received);
        }
    }

    /// What the model says to carry out the reply. Replies that are not an answer give an empty one.
    pub(crate) fn answer(&self, priced: &PricedReply, conversation: &Conversation) -> Answer {
        let reply = &priced.reply;
        let calls = tools::calls(reply, conversation);
        let text = match (reply, calls.first()) {
            (_, Some(call)) => format!("I call `{}`.", call.name),
            (Reply::Text(text), None) => text.clone(),
            (Reply::Flood { bytes }, None) => flood_text(*bytes),
            (Reply::HalfStream, None) => {
                "This answer has no end, because the connection breaks.".to_owned()
            }
            (
                Reply::Shell { .. } | Reply::Write { .. } | Reply::Tool { .. } | Reply::Todo { .. },
                None,
            ) => no_tool(conversation),
            (
                Reply::Status { .. }
                | Reply::BusyUntil { .. }
                | Reply::Garbage
                | Reply::Hang
                | Reply::Endless,
                None,
            ) => String::new(),
        };
        Answer {
            number: self.answers.fetch_add(1, Ordering::Relaxed),
            model: conversation.model.clone(),
            text,
            calls,
            usage: priced.usage,
        }
    }
}

impl Replies {
    fn new(turns: Vec<Turn>, questions: Vec<Turn>) -> Self {
        Self {
            failures: Mutex::new(vec![0; turns.len()]),
            turns,
            questions,
            asked: AtomicUsize::new(0),
        }
    }

    /// The reply that the script has for this conversation.
    pub(crate) fn reply(&self, conversation: &Conversation) -> PricedReply {
        let text = |text: &str| PricedReply {
            reply: Reply::Text(text.to_owned()),
            usage: Usage::default(),
        };
        if conversation.tools.is_empty() {
            return self.question().unwrap_or_else(|| text("Stub"));
        }
        let has_todo = tools::has_todo(conversation);
        let mut seen = self
            .turns
            .iter()
            .enumerate()
            .filter(|(_, turn)| has_todo || !matches!(turn.reply, Reply::Todo { .. }));
        let Some((index, turn)) = seen.nth(conversation.turn) else {
            return text("The script has ended.");
        };
        PricedReply {
            reply: self.failure(index, turn).unwrap_or(&turn.reply).clone(),
            usage: turn.usage,
        }
    }

    /// The next reply to a question, if the script has one.
    fn question(&self) -> Option<PricedReply> {
        let turn = self
            .questions
            .get(self.asked.fetch_add(1, Ordering::Relaxed))?;
        Some(PricedReply {
            reply: turn.reply.clone(),
            usage: turn.usage,
        })
    }

    /// The next failure of a turn that nobody got yet.
    fn failure<'t>(&self, index: usize, turn: &'t Turn) -> Option<&'t Reply> {
        let mut given = lock(&self.failures);
        let count = given.get_mut(index)?;
        let failure = turn.failures.get(*count)?;
        *count += 1;
        Some(failure)
    }
}

/// Does any text of the request hold these words?
fn contains_words(body: &Value, words: &str) -> bool {
    match body {
        Value::String(text) => text.contains(words),
        Value::Array(parts) => parts.iter().any(|part| contains_words(part, words)),
        Value::Object(parts) => parts.values().any(|part| contains_words(part, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Says why nothing happens, where a person reads it: in the agent's output.
fn no_tool(conversation: &Conversation) -> String {
    let names: Vec<&str> = conversation
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    format!(
        "The script needs a tool that the agent does not declare. It declares: {}.",
        names.join(", ")
    )
}

fn flood_text(bytes: usize) -> String {
    const LINE: &str = "The quick brown fox jumps over the lazy dog, again and again.\n";
    let bytes = bytes.min(Reply::MAX_FLOOD);
    let mut text = LINE.repeat(bytes / LINE.len() + 1);
    text.truncate(bytes);
    text
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

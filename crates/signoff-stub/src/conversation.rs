//! What the stub needs to know of a request, whatever its wire format.

use serde_json::Value;

/// A request for an answer.
#[derive(Debug, Clone)]
pub(crate) struct Conversation {
    pub(crate) model: String,
    pub(crate) stream: bool,
    /// How many answers the conversation already holds.
    pub(crate) turn: usize,
    pub(crate) tools: Vec<Tool>,
    /// Names of the tools that the model called so far.
    pub(crate) called: Vec<String>,
}

/// A tool that the agent declares.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// JSON schema of the arguments; `Null` where none is declared.
    pub(crate) schema: Value,
}

impl Tool {
    /// The tool of this name; a value that is not a name makes no tool.
    pub(crate) fn new(name: &Value, schema: &Value) -> Option<Self> {
        Some(Self {
            name: name.as_str()?.to_owned(),
            schema: schema.clone(),
        })
    }
}

/// Who wrote a part of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    Model,
    Agent,
}

/// The number of answers among these parts. Parts of the model that follow each other are one answer: some formats
/// keep the text and the tool call of an answer apart.
pub(crate) fn answers(authors: impl Iterator<Item = Author>) -> usize {
    let mut count = 0;
    let mut before = Author::Agent;
    for author in authors {
        if author == Author::Model && before == Author::Agent {
            count += 1;
        }
        before = author;
    }
    count
}

/// The elements of a list; anything else has none.
pub(crate) fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::Author::{Agent, Model};
    use super::*;

    #[test]
    fn an_answer_is_counted_once() {
        let check = |authors: &[Author], expected| {
            assert_eq!(answers(authors.iter().copied()), expected, "{authors:?}");
        };
        check(&[], 0);
        check(&[Agent], 0);
        check(&[Agent, Agent, Model], 1);
        check(&[Agent, Model, Model, Agent, Model, Agent], 2);
    }
}

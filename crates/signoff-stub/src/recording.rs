//! What arrived at the stub, for tests to look at.

use serde_json::Value;

use crate::conversation::Conversation;
use crate::http::Request;
use crate::wire::Wire;

/// How many requests are remembered; later ones are answered and forgotten.
pub(crate) const MAX_RECEIVED: usize = 4096;

/// A request that arrived.
#[derive(Debug, Clone)]
pub struct Received {
    /// In capitals.
    pub method: String,
    /// Without the query.
    pub path: String,
    /// What follows the `?`; empty without one.
    pub query: String,
    /// In order, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// `Null` where it is not JSON.
    pub body: Value,
    /// What the stub understood, if it is a request for an answer.
    pub prompt: Option<Prompt>,
}

impl Received {
    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(own, _)| own == name)?;
        Some(value)
    }

    /// The access token that it carries, whatever the header.
    pub fn token(&self) -> Option<&str> {
        let bearer = self
            .header("authorization")
            .and_then(|value| value.split_once(' '));
        bearer
            .map(|(_, token)| token)
            .or_else(|| self.header("x-api-key"))
            .or_else(|| self.header("x-goog-api-key"))
    }
}

/// A request for an answer of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The format that the agent speaks.
    pub wire: Wire,
    /// The model that it asks for.
    pub model: String,
    /// The number of answers already in the conversation.
    pub turn: usize,
    /// Names of the tools that it declares; a side call has none.
    pub tools: Vec<String>,
}

pub(crate) fn received(
    request: &Request,
    body: Value,
    conversation: Option<(Wire, &Conversation)>,
) -> Received {
    Received {
        method: request.method.clone(),
        path: request.path.clone(),
        query: request.query.clone(),
        headers: request.headers.clone(),
        body,
        prompt: conversation.map(|(wire, conversation)| Prompt {
            wire,
            model: conversation.model.clone(),
            turn: conversation.turn,
            tools: conversation
                .tools
                .iter()
                .map(|tool| tool.name.clone())
                .collect(),
        }),
    }
}

//! The wire formats: how a request is read and an answer is written in each of them.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::conversation::Conversation;

/// A wire format that agents speak with their model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic: `POST /v1/messages`.
    Anthropic,
    /// `OpenAI`: `POST /v1/responses`.
    Responses,
    /// `OpenAI` and many others: `POST /v1/chat/completions`.
    Chat,
    /// Google: `POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent`.
    Gemini,
    /// Ollama: `POST /api/chat`.
    Ollama,
}

impl Wire {
    /// The format of requests to this path. What stands before its last segments is the client's choice.
    pub(crate) fn of(path: &str) -> Option<Self> {
        if path.ends_with("/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with("/api/chat") {
            Some(Self::Ollama)
        } else if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
            Some(Self::Gemini)
        } else {
            None
        }
    }

    pub(crate) fn conversation(self, path: &str, body: &Value) -> Conversation {
        match self {
            Self::Anthropic => anthropic::conversation(body),
            Self::Responses => responses::conversation(body),
            Self::Chat => chat::conversation(body),
            Self::Gemini => gemini::conversation(path, body),
            Self::Ollama => ollama::conversation(body),
        }
    }

    /// The whole answer as one document.
    pub(crate) fn document(self, answer: &Answer) -> Value {
        match self {
            Self::Anthropic => anthropic::document(answer),
            Self::Responses => responses::document(answer),
            Self::Chat => chat::document(answer),
            Self::Gemini => gemini::document(answer),
            Self::Ollama => ollama::document(answer),
        }
    }

    /// The answer as the events of a stream.
    pub(crate) fn events(self, answer: &Answer) -> Vec<Value> {
        match self {
            Self::Anthropic => anthropic::events(answer),
            Self::Responses => responses::events(answer),
            Self::Chat => chat::events(answer),
            Self::Gemini => gemini::events(answer),
            Self::Ollama => ollama::events(answer),
        }
    }

    /// The event as a client reads it from the stream. Two formats repeat its type on a line of its own.
    pub(crate) fn event_text(self, event: &Value) -> String {
        match (self, event["type"].as_str()) {
            (Self::Anthropic | Self::Responses, Some(kind)) => {
                format!("event: {kind}\ndata: {event}\n\n")
            }
            (Self::Ollama, _) => format!("{event}\n"),
            _ => format!("data: {event}\n\n"),
        }
    }

    /// What follows the last event.
    pub(crate) fn end_of_stream(self) -> &'static str {
        match self {
            Self::Chat => "data: [DONE]\n\n",
            Self::Anthropic | Self::Responses | Self::Gemini | Self::Ollama => "",
        }
    }

    /// A failure in the vendor's words, because agents decide by them whether they try again.
    pub(crate) fn error(self, code: u16, message: &str) -> Value {
        match self {
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": anthropic::error_type(code), "message": message}})
            }
            Self::Responses | Self::Chat => {
                let kind = chat::error_type(code);
                json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
            }
            Self::Ollama => json!({"error": message}),
            Self::Gemini => {
                json!({"error": {"code": code, "message": message, "status": gemini::error_status(code)}})
            }
        }
    }
}

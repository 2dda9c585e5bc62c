//! A model on loopback that speaks the agents' wire formats, for `doctor` and tests. A run never uses it.
//!
//! It understands Anthropic messages, `OpenAI` responses and chat completions, Gemini and Ollama, streamed and not. It
//! computes nothing: a [`Script`] says what it replies, turn by turn. Start reading at [`Stub::start`], then `exchange.rs`.

#![warn(missing_docs)]

mod answer;
mod client;
mod conversation;
mod delivery;
mod exchange;
mod http;
mod login;
mod model;
mod recording;
mod script;
mod server;
mod tools;
mod wire;

pub use client::ClientSettings;
pub use login::{Login, Tokens};
pub use recording::{Prompt, Received};
pub use script::{Reply, Script, TodoEntry, TodoStatus, Turn, Usage};
pub use server::Stub;
pub use wire::Wire;

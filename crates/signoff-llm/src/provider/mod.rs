//! Models of providers, over their own wire formats. Here is what is sent and how an answer is read; a [`Transport`] sends
//! it.

mod lines;
mod model;
mod retry;
mod wire;

use std::time::{Duration, SystemTime};

pub use self::model::{ModelTokens, ProviderModel};

/// Whose wire format a model speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Anthropic messages.
    Anthropic,
    /// Chat completions, as `OpenAI` and many others have them.
    OpenAi,
    /// Google's Gemini.
    Gemini,
    /// Ollama's chat.
    Ollama,
}

impl Provider {
    /// As the configuration calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Where it is, unless the configuration says otherwise.
    pub const fn base_url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }

    /// The variables that usually hold its key, the first that is set.
    pub const fn key_variables(self) -> &'static [&'static str] {
        match self {
            Self::Anthropic => &["ANTHROPIC_API_KEY"],
            Self::OpenAi => &["OPENAI_API_KEY"],
            Self::Gemini => &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            Self::Ollama => &["OLLAMA_API_KEY"],
        }
    }
}

/// A request to a provider. Its headers hold the key.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderRequest {
    /// The whole address.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(&'static str, String)>,
    /// JSON.
    pub body: String,
}

impl std::fmt::Debug for ProviderRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderRequest")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// An answer of a provider, as it comes.
pub struct ProviderResponse {
    /// The HTTP status.
    pub status: u16,
    /// The header `retry-after`.
    pub retry_after: Option<String>,
    /// Its body.
    pub body: Box<dyn ResponseBody>,
}

impl std::fmt::Debug for ProviderResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderResponse")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// The body of an answer.
pub trait ResponseBody {
    /// The next bytes; `None` at the end.
    fn next_bytes(&mut self) -> Result<Option<Vec<u8>>, TransportError>;
}

/// Why there is no answer, or no more of one. The texts are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransportError {
    /// It would fail again.
    Lasting(String),
    /// It may not fail again.
    Passing(String),
    /// The person stopped it.
    Stopped,
}

/// Sends requests, waits, and knows the time.
pub trait Transport {
    /// Sends a request and waits for the head of its answer.
    fn send(&mut self, request: &ProviderRequest) -> Result<ProviderResponse, TransportError>;
    /// Waits for this time and, by chance, a little longer, so that many do not come back at once.
    fn wait(&mut self, time: Duration) -> Result<(), TransportError>;
    /// The time now.
    fn now(&self) -> SystemTime;
}

//! What each provider is sent, and what the events of its answer say.

use serde_json::{Value, json};

use super::{ModelTokens, Provider, ProviderRequest};

/// Anthropic wants a limit on every answer; plans need far less.
const MAX_TOKENS: u32 = 16_384;

/// Asks a model this.
pub(super) fn request(
    provider: Provider,
    base_url: &str,
    model: &str,
    key: Option<&str>,
    prompt: &str,
) -> ProviderRequest {
    let base = base_url.trim_end_matches('/');
    let message = json!({"role": "user", "content": prompt});
    let (url, body) = match provider {
        Provider::Anthropic => (
            format!("{base}/v1/messages"),
            json!({"model": model, "max_tokens": MAX_TOKENS, "stream": true, "messages": [message]}),
        ),
        Provider::OpenAi => (
            format!("{base}/chat/completions"),
            json!({
                "model": model,
                "stream": true,
                "stream_options": {"include_usage": true},
                "messages": [message],
            }),
        ),
        Provider::Gemini => (
            format!("{base}/v1beta/models/{model}:streamGenerateContent?alt=sse"),
            json!({"contents": [{"role": "user", "parts": [{"text": prompt}]}]}),
        ),
        Provider::Ollama => (
            format!("{base}/api/chat"),
            json!({"model": model, "stream": true, "messages": [message]}),
        ),
    };
    let mut headers = vec![("content-type", "application/json".to_owned())];
    if provider == Provider::Anthropic {
        headers.push(("anthropic-version", "2023-06-01".to_owned()));
    }
    headers.extend(key.map(|key| match provider {
        Provider::Anthropic => ("x-api-key", key.to_owned()),
        Provider::Gemini => ("x-goog-api-key", key.to_owned()),
        Provider::OpenAi | Provider::Ollama => ("authorization", format!("Bearer {key}")),
    }));
    let body = body.to_string();
    ProviderRequest { url, headers, body }
}

/// An answer as far as it has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) model: Option<String>,
    pub(super) tokens: ModelTokens,
    /// The provider said that it is all.
    pub(super) is_complete: bool,
    /// Why it stopped before it had said everything.
    pub(super) stop: Option<Stop>,
    /// What it says went wrong.
    pub(super) error: Option<String>,
}

/// Why an answer stops before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// A model may say only so much.
    TokenLimit,
    /// The provider or the model will not go on, in the provider's word.
    Refused(String),
}

impl Stop {
    /// From the provider's word. An unknown word, or one that means no early end, says that the answer is whole.
    fn of_word(word: &str) -> Option<Self> {
        match word {
            "max_tokens" | "model_context_window_exceeded" | "length" | "MAX_TOKENS" => {
                Some(Self::TokenLimit)
            }
            "refusal"
            | "content_filter"
            | "SAFETY"
            | "RECITATION"
            | "LANGUAGE"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "OTHER"
            | "MALFORMED_FUNCTION_CALL" => Some(Self::Refused(word.to_owned())),
            _ => None,
        }
    }
}

impl Answer {
    /// Takes what an event says.
    pub(super) fn take_event(&mut self, provider: Provider, event: &Value) {
        self.error = error_text(event).or(self.error.take());
        match provider {
            Provider::Anthropic => self.take_anthropic(event),
            Provider::OpenAi => self.take_openai(event),
            Provider::Gemini => self.take_gemini(event),
            Provider::Ollama => self.take_ollama(event),
        }
    }

    fn push(&mut self, text: &Value) {
        self.text.push_str(text.as_str().unwrap_or_default());
    }

    fn set_model(&mut self, model: &Value) {
        self.model = model.as_str().map(str::to_owned).or(self.model.take());
    }

    fn set_stop(&mut self, word: &Value) {
        let word = word.as_str();
        self.stop = word.and_then(Stop::of_word).or(self.stop.take());
    }

    fn take_anthropic(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("message_start") => {
                let message = &event["message"];
                self.set_model(&message["model"]);
                let usage = &message["usage"];
                set(&mut self.tokens.input, &usage["input_tokens"]);
                set(&mut self.tokens.cached, &usage["cache_read_input_tokens"]);
                let written = &usage["cache_creation_input_tokens"];
                set(&mut self.tokens.cache_write, written);
            }
            Some("content_block_delta") => self.push(&event["delta"]["text"]),
            Some("message_delta") => {
                self.set_stop(&event["delta"]["stop_reason"]);
                set(&mut self.tokens.output, &event["usage"]["output_tokens"]);
            }
            Some("message_stop") => self.is_complete = true,
            _ => {}
        }
    }

    fn take_openai(&mut self, event: &Value) {
        self.set_model(&event["model"]);
        let choice = &event["choices"][0];
        self.push(&choice["delta"]["content"]);
        self.is_complete |= choice["finish_reason"].is_string();
        self.set_stop(&choice["finish_reason"]);
        let usage = &event["usage"];
        set(&mut self.tokens.output, &usage["completion_tokens"]);
        let cached = &usage["prompt_tokens_details"]["cached_tokens"];
        self.set_input(&usage["prompt_tokens"], cached);
    }

    fn take_gemini(&mut self, event: &Value) {
        self.set_model(&event["modelVersion"]);
        let candidate = &event["candidates"][0];
        for part in candidate["content"]["parts"]
            .as_array()
            .into_iter()
            .flatten()
        {
            // Its thoughts are not its answer.
            if part["thought"] != true {
                self.push(&part["text"]);
            }
        }
        self.is_complete |= candidate["finishReason"].is_string();
        self.set_stop(&candidate["finishReason"]);
        if let Some(reason) = event["promptFeedback"]["blockReason"].as_str() {
            self.error = Some(format!("the prompt was refused: {reason}"));
        }
        let usage = &event["usageMetadata"];
        let count = |name: &str| usage[name].as_u64();
        if let Some(answer) = count("candidatesTokenCount") {
            let thoughts = count("thoughtsTokenCount").unwrap_or_default();
            self.tokens.output = answer.saturating_add(thoughts);
        }
        let cached = &usage["cachedContentTokenCount"];
        self.set_input(&usage["promptTokenCount"], cached);
    }

    fn take_ollama(&mut self, event: &Value) {
        self.set_model(&event["model"]);
        self.push(&event["message"]["content"]);
        self.is_complete |= event["done"] == true;
        self.set_stop(&event["done_reason"]);
        set(&mut self.tokens.input, &event["prompt_eval_count"]);
        set(&mut self.tokens.output, &event["eval_count"]);
    }

    /// Where cached tokens are among those of the prompt.
    fn set_input(&mut self, all: &Value, cached: &Value) {
        if let Some(all) = all.as_u64() {
            set(&mut self.tokens.cached, cached);
            self.tokens.input = all.saturating_sub(self.tokens.cached);
        }
    }
}

fn set(slot: &mut u64, value: &Value) {
    if let Some(value) = value.as_u64() {
        *slot = value;
    }
}

/// What a body or an event says went wrong, in the provider's words.
pub(super) fn error_text(value: &Value) -> Option<String> {
    let error = &value["error"];
    let text = error.as_str().or_else(|| error["message"].as_str());
    text.map(str::to_owned)
}

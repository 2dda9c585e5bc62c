//! `[llm]`: who drafts plans.

use std::time::Duration;

use crate::config::Setting;
use crate::config::listing::ShownValue;
use crate::config::read::Reader;
use crate::config::value::Value;

/// `[llm]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmSettings {
    /// The role whose agent drafts plans; without one, `planner`, else `default`.
    pub agent: Setting<Option<String>>,
    /// The role whose agent objects to drafts before a person reads them.
    pub critic: Setting<Option<String>>,
    /// The role whose agent chooses among the roles that fit a step.
    pub arbiter: Setting<Option<String>>,
    /// Who serves the model that drafts, where no agent does.
    pub provider: Setting<Option<ModelProvider>>,
    /// The provider's model.
    pub model: Setting<Option<String>>,
    /// Where the provider is, if not where it usually is.
    pub base_url: Setting<Option<String>>,
    /// Program and arguments that print the provider's key; empty = it is in the provider's variable.
    pub key_command: Setting<Vec<String>>,
    /// How often a planner is asked for one plan at most.
    pub max_rounds: Setting<u32>,
    /// How long one answer may take.
    pub timeout: Setting<Duration>,
    /// How long it may say nothing at all.
    pub idle_timeout: Setting<Duration>,
}

impl Default for LlmSettings {
    fn default() -> Self {
        Self {
            agent: Setting::built_in(None),
            critic: Setting::built_in(None),
            arbiter: Setting::built_in(None),
            provider: Setting::built_in(None),
            model: Setting::built_in(None),
            base_url: Setting::built_in(None),
            key_command: Setting::built_in(Vec::new()),
            max_rounds: Setting::built_in(3),
            timeout: Setting::built_in(Duration::from_mins(20)),
            idle_timeout: Setting::built_in(Duration::from_mins(5)),
        }
    }
}

/// Whose wire format a model speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelProvider {
    Anthropic,
    OpenAi,
    Gemini,
    Ollama,
}

impl ModelProvider {
    pub(in crate::config) const CHOICES: [(&'static str, Self); 4] = [
        ("anthropic", Self::Anthropic),
        ("openai", Self::OpenAi),
        ("gemini", Self::Gemini),
        ("ollama", Self::Ollama),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }
}

impl ShownValue for Option<ModelProvider> {
    fn shown_value(&self) -> serde_json::Value {
        self.map_or(serde_json::Value::Null, |provider| provider.name().into())
    }
}

impl Reader<'_> {
    /// An address without a password: it is shown.
    pub(in crate::config) fn base_url(&mut self, value: &Value<'_>) -> Option<String> {
        let text = self.text(value)?;
        let server = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"));
        let server = server.map(|rest| rest.split('/').next().unwrap_or_default());
        match server {
            Some(server) if !server.is_empty() && !server.contains('@') => return Some(text),
            Some(server) if server.contains('@') => {
                let message = "an address with a name or a password is not taken".to_owned();
                let hint = "put the key into `key_command`, or into the provider's variable";
                self.problem(value, message, Some(hint.to_owned()));
            }
            _ => {
                let message = format!("`{}` is not an address", text.escape_debug());
                let hint = "write one like `https://models.example.com/v1`".to_owned();
                self.problem(value, message, Some(hint));
            }
        }
        None
    }
}

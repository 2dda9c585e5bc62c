//! What the agents' programs need to talk to the stub, and to nobody else.

use serde_json::{Value, json};

use crate::server::Stub;

/// Settings that lead an agent to the stub, for a home and an environment with nothing else of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientSettings {
    /// Files by their path in the home.
    pub files: Vec<(&'static str, String)>,
    /// Variables by their names.
    pub variables: Vec<(&'static str, String)>,
}

/// No service accepts it.
const KEY: &str = "stub-key";
/// Tries after the first one, where an agent can be told: the stub does not get better by waiting.
const RETRIES: u32 = 1;

impl Stub {
    /// What the program `agent` needs to talk to this stub; `None` if it is not known.
    pub fn client_settings(&self, agent: &str) -> Option<ClientSettings> {
        let url = self.url();
        Some(match agent {
            "claude" => claude(url),
            "codex" => codex(&url),
            "gemini" => gemini(url),
            "opencode" => opencode(&url),
            "pi" => pi(&url),
            _ => return None,
        })
    }
}

fn claude(url: String) -> ClientSettings {
    let settings = json!({"env": {"CLAUDE_CODE_MAX_RETRIES": RETRIES.to_string()}});
    ClientSettings {
        files: vec![(".claude/settings.json", settings.to_string())],
        variables: vec![
            ("ANTHROPIC_BASE_URL", url),
            ("ANTHROPIC_API_KEY", KEY.to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", enabled_word()),
            ("DISABLE_AUTOUPDATER", enabled_word()),
            ("DISABLE_TELEMETRY", enabled_word()),
        ],
    }
}

fn codex(url: &str) -> ClientSettings {
    let settings = format!(
        "model = \"gpt-5.5\"\nmodel_provider = \"stub\"\n\n[model_providers.stub]\nname = \"stub\"\n\
         base_url = \"{url}/v1\"\nwire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\n\
         request_max_retries = {RETRIES}\nstream_max_retries = {RETRIES}\n"
    );
    ClientSettings {
        files: vec![(".codex/config.toml", settings)],
        variables: vec![("OPENAI_API_KEY", KEY.to_owned())],
    }
}

fn gemini(url: String) -> ClientSettings {
    let settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": false},
        // Without a model it first asks one which to use, in JSON, which the stub does not answer in.
        "model": {"name": "gemini-2.5-pro"},
        "general": {"enableAutoUpdate": false, "maxAttempts": 1 + RETRIES},
    });
    ClientSettings {
        files: vec![(".gemini/settings.json", settings.to_string())],
        variables: vec![
            ("GEMINI_API_KEY", KEY.to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", url),
        ],
    }
}

fn opencode(url: &str) -> ClientSettings {
    let model = json!({
        "name": "Stub",
        "tool_call": true,
        "limit": {"context": 100_000, "output": 8000},
        "cost": {"input": 1, "output": 2, "cache_read": 0.1},
    });
    let settings = json!({
        "model": "stub/stub-model",
        "provider": {"stub": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Stub",
            "options": {"baseURL": format!("{url}/v1"), "apiKey": KEY},
            "models": {"stub-model": model},
        }},
    });
    ClientSettings {
        files: vec![(".config/opencode/opencode.json", settings.to_string())],
        variables: vec![
            ("OPENCODE_DISABLE_MODELS_FETCH", enabled_word()),
            ("OPENCODE_DISABLE_AUTOUPDATE", enabled_word()),
        ],
    }
}

fn pi(url: &str) -> ClientSettings {
    let model = json!({
        "id": "stub-model",
        "name": "Stub",
        "reasoning": false,
        "input": ["text"],
        "contextWindow": 100_000,
        "maxTokens": 8000,
        "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0},
    });
    let models = json!({"providers": {"stub": {
        "baseUrl": format!("{url}/v1"),
        "api": "openai-completions",
        "apiKey": KEY,
        "models": [model],
    }}});
    let settings: Value = json!({
        "defaultProvider": "stub",
        "defaultModel": "stub-model",
        "retry": {"enabled": true, "maxRetries": RETRIES, "baseDelayMs": 100},
    });
    ClientSettings {
        files: vec![
            (".pi/agent/models.json", models.to_string()),
            (".pi/agent/settings.json", settings.to_string()),
        ],
        variables: vec![("PI_OFFLINE", enabled_word())],
    }
}

fn enabled_word() -> String {
    "1".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{Reply, Script};

    #[test]
    fn every_agent_is_led_to_the_stub_and_only_there() {
        let script = Script::new([Reply::Text("hello".to_owned())]);
        let stub = Stub::start(script).expect("loopback");
        for agent in ["claude", "codex", "gemini", "opencode", "pi"] {
            let settings = stub.client_settings(agent).expect("it is known");
            let files = settings.files.iter().map(|(_, text)| text);
            let variables = settings.variables.iter().map(|(_, value)| value);
            let all: Vec<&String> = files.chain(variables).collect();
            let named = |text: &str| all.iter().filter(|one| one.contains(text)).count();
            assert_eq!(named("http"), 1, "{agent}: {all:?}");
            assert_eq!(named(&stub.url()), 1, "{agent}: {all:?}");
        }
        assert_eq!(stub.client_settings("bash"), None);
    }
}

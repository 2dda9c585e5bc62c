//! What is in force, as a list that people and programs can read.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};
use signoff_plan::duration;

use super::key::KEYS;
use super::problem::did_you_mean;
use super::sections::prices::written_dollars;
use super::{
    AcceptTime, AgentSettings, ClusterUrl, Config, ContractCache, Dollars, Durability,
    GreenBaseline, IgnoredFiles, Isolation, LandMode, Origin, Policy, PriceSettings, Proof,
    RetrySession, SandboxMode, ServerSettings, Setting, SettingLocation, UnverifiedPolicy,
};

/// One setting in force.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingEntry {
    /// `section.key`, `agents.NAME`, `prices."MODEL"`, or `mcp.servers.NAME`.
    pub key: String,
    pub value: Value,
    pub origin: Origin,
    pub location: Option<SettingLocation>,
}

/// An unknown setting was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    /// What to do about it, where we can guess.
    pub suggestion: Option<String>,
}

impl Config {
    /// Everything in force, in the order of the documentation.
    pub fn entries(&self) -> Vec<SettingEntry> {
        let settings = KEYS.iter().map(|key| (key.show)(self, key));
        let agents = self
            .agents
            .iter()
            .map(|(name, agent)| entry(format!("agents.{name}"), agent));
        let prices = self
            .prices
            .iter()
            .map(|(model, price)| entry(format!("prices.{model:?}"), price));
        let servers = self
            .servers
            .iter()
            .map(|(name, server)| entry(format!("mcp.servers.{name}"), server));
        settings
            .chain(agents)
            .chain(prices)
            .chain(servers)
            .collect()
    }

    /// The settings that a key (`approval.proof`) or a section (`approval`) names.
    pub fn entries_of(&self, name: &str) -> Result<Vec<SettingEntry>, UnknownKey> {
        let all = self.entries();
        let below = format!("{name}.");
        let (found, others): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|entry| entry.key == name || entry.key.starts_with(&below));
        // Without agents, prices or servers the section is empty, and still a section.
        if !found.is_empty() || matches!(name, "agents" | "prices" | "mcp" | "mcp.servers") {
            return Ok(found);
        }
        let keys: Vec<&str> = others.iter().map(|entry| entry.key.as_str()).collect();
        let sections = keys.iter().filter_map(|key| key.split('.').next());
        let known: Vec<&str> = keys.iter().copied().chain(sections).collect();
        Err(UnknownKey {
            suggestion: did_you_mean(name, &known),
        })
    }
}

/// A value as it is shown.
pub(super) trait ShownValue {
    fn shown_value(&self) -> Value;
}

/// A setting under its name.
pub(super) fn entry<T: ShownValue>(key: String, setting: &Setting<T>) -> SettingEntry {
    SettingEntry {
        key,
        value: setting.value.shown_value(),
        origin: setting.origin,
        location: setting.location.clone(),
    }
}

impl ShownValue for bool {
    fn shown_value(&self) -> Value {
        (*self).into()
    }
}

impl ShownValue for u32 {
    fn shown_value(&self) -> Value {
        (*self).into()
    }
}

impl ShownValue for String {
    fn shown_value(&self) -> Value {
        self.as_str().into()
    }
}

/// People by name only: the hashes of their tokens are of no use here.
impl ShownValue for std::collections::BTreeMap<String, String> {
    fn shown_value(&self) -> Value {
        self.keys().cloned().collect()
    }
}

/// Without its password.
impl ShownValue for ClusterUrl {
    fn shown_value(&self) -> Value {
        self.to_string().into()
    }
}

impl ShownValue for Vec<String> {
    fn shown_value(&self) -> Value {
        self.as_slice().into()
    }
}

/// As it could be written: `10m`, not a number of seconds.
impl ShownValue for Duration {
    fn shown_value(&self) -> Value {
        duration::format(*self).into()
    }
}

impl ShownValue for Proof {
    fn shown_value(&self) -> Value {
        self.name().into()
    }
}

impl ShownValue for UnverifiedPolicy {
    fn shown_value(&self) -> Value {
        self.name().into()
    }
}

impl ShownValue for GreenBaseline {
    fn shown_value(&self) -> Value {
        self.name().into()
    }
}

impl ShownValue for ContractCache {
    fn shown_value(&self) -> Value {
        self.name().into()
    }
}

impl ShownValue for IgnoredFiles {
    fn shown_value(&self) -> Value {
        self.name().into()
    }
}

impl ShownValue for Option<Dollars> {
    fn shown_value(&self) -> Value {
        self.map(|Dollars(amount)| written_dollars(amount)).into()
    }
}

impl ShownValue for Option<u32> {
    fn shown_value(&self) -> Value {
        (*self).into()
    }
}

impl ShownValue for SandboxMode {
    fn shown_value(&self) -> Value {
        self.name().into()
    }
}

impl ShownValue for Isolation {
    fn shown_value(&self) -> Value {
        self.name().into()
    }
}

impl ShownValue for LandMode {
    fn shown_value(&self) -> Value {
        self.name().into()
    }
}

impl ShownValue for Durability {
    fn shown_value(&self) -> Value {
        self.name().into()
    }
}

impl ShownValue for AcceptTime {
    fn shown_value(&self) -> Value {
        self.name().into()
    }
}

impl ShownValue for Option<String> {
    fn shown_value(&self) -> Value {
        self.as_deref().map_or(Value::Null, Into::into)
    }
}

impl ShownValue for Option<PathBuf> {
    fn shown_value(&self) -> Value {
        self.as_ref()
            .map_or(Value::Null, |path| path.to_string_lossy().into())
    }
}

impl ShownValue for Vec<Policy> {
    fn shown_value(&self) -> Value {
        self.iter().map(ShownValue::shown_value).collect()
    }
}

/// Only the conditions it has.
impl ShownValue for Policy {
    fn shown_value(&self) -> Value {
        let Self {
            owner,
            dialect,
            title,
            tools,
        } = self;
        let conditions = [
            ("owner", owner.as_ref().map(ShownValue::shown_value)),
            ("dialect", dialect.as_ref().map(ShownValue::shown_value)),
            ("title", title.as_ref().map(ShownValue::shown_value)),
            ("tools", tools.as_ref().map(ShownValue::shown_value)),
        ];
        let given = conditions
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(given.collect::<Map<_, _>>())
    }
}

/// Only what is configured; defaults are left out.
impl ShownValue for AgentSettings {
    fn shown_value(&self) -> Value {
        let mut shown = self.terms();
        if self.retry_session != RetrySession::Fresh
            && let Value::Object(shown) = &mut shown
        {
            let retry_session = self.retry_session.name().into();
            shown.insert("retry_session".to_owned(), retry_session);
        }
        shown
    }
}

impl AgentSettings {
    /// As its part of the terms says it. What was added later is there only if something is configured, so terms that
    /// were signed before hold. Whether a retry goes on with a session is not in it: it decides about no verdict.
    pub(crate) fn terms(&self) -> Value {
        let Self {
            driver,
            command,
            model,
            retry_session: _,
            login,
            env,
        } = self;
        let mut terms = Map::new();
        terms.insert("driver".to_owned(), driver.name().into());
        let lists = [("command", command), ("login", login), ("env", env)];
        let given = lists.into_iter().filter(|(_, list)| !list.is_empty());
        terms.extend(given.map(|(name, list)| (name.to_owned(), list.shown_value())));
        let model = model.as_ref().map(ShownValue::shown_value);
        terms.extend(model.map(|model| ("model".to_owned(), model)));
        Value::Object(terms)
    }
}

/// In dollars per million tokens, as numbers that lose nothing.
impl ShownValue for PriceSettings {
    fn shown_value(&self) -> Value {
        let Self {
            input,
            output,
            cached,
            cache_write,
        } = *self;
        let amounts = [
            ("input", input),
            ("output", output),
            ("cached", cached),
            ("cache_write", cache_write),
        ];
        let number = |amount| {
            let written = written_dollars(amount);
            serde_json::from_str(&written).unwrap_or(Value::String(written))
        };
        let shown = amounts.map(|(name, amount)| (name.to_owned(), number(amount)));
        Value::Object(shown.into_iter().collect())
    }
}

/// Only what it says.
impl ShownValue for ServerSettings {
    fn shown_value(&self) -> Value {
        let Self {
            command,
            url,
            token_env,
            confined,
            env,
            read_only,
            repeatable,
            timeout,
        } = self;
        let texts = [("url", url), ("token_env", token_env)];
        let texts = texts
            .into_iter()
            .filter_map(|(name, text)| Some((name.to_owned(), text.as_ref()?.shown_value())));
        let lists = [
            ("command", command),
            ("env", env),
            ("read_only", read_only),
            ("repeatable", repeatable),
        ];
        let given = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let given = given.map(|(name, list)| (name.to_owned(), list.shown_value()));
        let timeout = timeout
            .as_ref()
            .map(|timeout| ("timeout".to_owned(), timeout.shown_value()));
        let confined = confined.then(|| ("confined".to_owned(), true.into()));
        let shown = given.chain(texts).chain(confined).chain(timeout);
        Value::Object(shown.collect::<Map<_, _>>())
    }
}

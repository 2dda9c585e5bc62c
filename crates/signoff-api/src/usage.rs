//! What agents used of tokens and money, as `status` and `stats` print it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_engine as engine;

/// The model that an agent did not name.
pub const UNNAMED: &str = "unknown";

/// Tokens and money that agents used, as far as they reported it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentUsage {
    /// Tokens in and out, as budgets count them: all below except `cached_tokens`.
    pub tokens: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Written to the model's cache.
    pub cache_write_tokens: u64,
    /// Read from the model's cache.
    pub cached_tokens: u64,
    /// US dollars; `null` = unknown.
    pub usd: Option<f64>,
    /// The cost of some of it is unknown, so it is more than `usd`.
    pub usd_is_partial: bool,
}

impl AgentUsage {
    /// `None` where agents reported nothing.
    pub fn of(used: &engine::TokenUsage) -> Option<Self> {
        used.is_counted().then(|| Self {
            tokens: used.tokens(),
            input_tokens: used.input_tokens,
            output_tokens: used.output_tokens,
            cache_write_tokens: used.cache_write_tokens,
            cached_tokens: used.cached_tokens,
            usd: used.has_known_cost.then(|| dollars(used.usd_e6)),
            usd_is_partial: used.has_unknown_cost,
        })
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "nobody spends 2⁵³ millionths of a dollar"
)]
fn dollars(usd_e6: u64) -> f64 {
    usd_e6 as f64 / 1_000_000.0
}

/// The sums of a run, or of all runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UsageTotals {
    pub total: AgentUsage,
    /// By the role that the agent worked in.
    pub by_agent: BTreeMap<String, AgentUsage>,
    /// By the model that the agent named; `unknown` where it named none.
    pub by_model: BTreeMap<String, AgentUsage>,
}

impl UsageTotals {
    /// `None` where agents reported nothing.
    pub fn of(sums: &engine::UsageSums) -> Option<Self> {
        let named = |(model, used): (&Option<String>, _)| {
            let model = model.clone().unwrap_or_else(|| UNNAMED.to_owned());
            Some((model, AgentUsage::of(used)?))
        };
        let by_agent = sums.by_agent.iter();
        Some(Self {
            total: AgentUsage::of(&sums.total)?,
            by_agent: by_agent
                .filter_map(|(role, used)| Some((role.clone(), AgentUsage::of(used)?)))
                .collect(),
            by_model: sums.by_model.iter().filter_map(named).collect(),
        })
    }
}

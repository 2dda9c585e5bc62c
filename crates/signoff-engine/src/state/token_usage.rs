//! Tokens and money that agents used, as far as they reported it.

use std::collections::BTreeMap;
use std::fmt;

use crate::event::{AgentReport, ModelUsage};
use crate::evidence::AgentSpending;

/// Tokens and money that agents used, as far as they reported it. Sums only grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUsage {
    /// Read anew.
    pub input_tokens: u64,
    /// Read from the model's cache.
    pub cached_tokens: u64,
    /// Read and written to the model's cache.
    pub cache_write_tokens: u64,
    pub output_tokens: u64,
    /// The known part of the cost, in millionths of a dollar.
    pub usd_e6: u64,
    /// The cost of some of it is known.
    pub has_known_cost: bool,
    /// The cost of some of it is unknown.
    pub has_unknown_cost: bool,
}

impl TokenUsage {
    /// What one report says.
    pub fn of(report: &AgentReport) -> Self {
        Self::of_models(&report.usage)
    }

    /// What several models used together.
    pub fn of_models(usage: &[ModelUsage]) -> Self {
        let mut sum = Self::default();
        for usage in usage {
            sum.add(Self::of_model(usage));
        }
        sum
    }

    /// What one report says of one model.
    pub fn of_model(usage: &ModelUsage) -> Self {
        let sum = Self {
            input_tokens: usage.input_tokens,
            cached_tokens: usage.cached_tokens,
            cache_write_tokens: usage.cache_write_tokens,
            output_tokens: usage.output_tokens,
            usd_e6: usage.usd_e6.unwrap_or(0),
            has_known_cost: usage.usd_e6.is_some(),
            has_unknown_cost: false,
        };
        Self {
            has_unknown_cost: usage.usd_e6.is_none() && sum.is_counted(),
            ..sum
        }
    }

    pub fn add(&mut self, more: Self) {
        let Self {
            input_tokens,
            cached_tokens,
            cache_write_tokens,
            output_tokens,
            usd_e6,
            has_known_cost,
            has_unknown_cost,
        } = more;
        let sums = [
            (&mut self.input_tokens, input_tokens),
            (&mut self.cached_tokens, cached_tokens),
            (&mut self.cache_write_tokens, cache_write_tokens),
            (&mut self.output_tokens, output_tokens),
            (&mut self.usd_e6, usd_e6),
        ];
        for (sum, more) in sums {
            *sum = sum.saturating_add(more);
        }
        self.has_known_cost |= has_known_cost;
        self.has_unknown_cost |= has_unknown_cost;
    }

    /// Tokens in and out, as budgets count them. What the model reads from its cache is left out: in
    /// each turn that is the whole conversation again, which would count the same text many times.
    pub fn tokens(&self) -> u64 {
        [
            self.input_tokens,
            self.cache_write_tokens,
            self.output_tokens,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }

    /// Did an agent report anything?
    pub fn is_counted(&self) -> bool {
        self.tokens() > 0 || self.cached_tokens > 0 || self.has_known_cost
    }

    /// As the evidence says it; `None` = nothing was used.
    pub(crate) fn spending(&self) -> Option<AgentSpending> {
        self.is_counted().then(|| AgentSpending {
            tokens: self.tokens(),
            usd_e6: self.has_known_cost.then_some(self.usd_e6),
            is_partial: self.has_unknown_cost,
        })
    }

    /// What it cost; `None` = nothing was used.
    pub fn cost(&self) -> Option<Cost> {
        match (self.has_known_cost, self.has_unknown_cost) {
            (true, false) => Some(Cost::Known(self.usd_e6)),
            (true, true) => Some(Cost::AtLeast(self.usd_e6)),
            (false, true) => Some(Cost::Unknown),
            (false, false) => None,
        }
    }
}

/// What agents used: in all, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UsageSums {
    pub total: TokenUsage,
    /// By the role that the agent worked in.
    pub by_agent: BTreeMap<String, TokenUsage>,
    /// By model; `None` = the agent did not name it.
    pub by_model: BTreeMap<Option<String>, TokenUsage>,
}

impl UsageSums {
    /// Adds other sums.
    pub fn add(&mut self, other: &Self) {
        self.total.add(other.total);
        for (role, used) in &other.by_agent {
            self.by_agent.entry(role.clone()).or_default().add(*used);
        }
        for (model, used) in &other.by_model {
            self.by_model.entry(model.clone()).or_default().add(*used);
        }
    }

    /// Counts what an agent of this role used.
    pub fn count(&mut self, role: Option<&str>, report: &AgentReport) {
        self.count_models(role, &report.usage);
    }

    /// Counts what models used that were asked for this role. Without one it counts for the run alone.
    pub fn count_models(&mut self, role: Option<&str>, usage: &[ModelUsage]) {
        let used = TokenUsage::of_models(usage);
        if !used.is_counted() {
            return;
        }
        self.total.add(used);
        if let Some(role) = role {
            self.by_agent.entry(role.to_owned()).or_default().add(used);
        }
        for usage in usage {
            let model = self.by_model.entry(usage.model.clone()).or_default();
            model.add(TokenUsage::of_model(usage));
        }
    }
}

/// So many tokens, and so many millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BudgetAmount {
    pub tokens: u64,
    pub usd_e6: u64,
}

/// What something cost, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    Known(u64),
    /// The price of some of it is unknown.
    AtLeast(u64),
    Unknown,
}

/// `$0.09`, `≥ $0.09` or `?`.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(usd_e6) => f.write_str(&dollars_text(*usd_e6)),
            Self::AtLeast(usd_e6) => write!(f, "≥ {}", dollars_text(*usd_e6)),
            Self::Unknown => f.write_str("?"),
        }
    }
}

/// `14k tokens · $0.09`.
impl fmt::Display for TokenUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", tokens_text(self.tokens()))?;
        match self.cost() {
            Some(Cost::Unknown) => f.write_str(" · cost unknown"),
            Some(cost) => write!(f, " · {cost}"),
            None => Ok(()),
        }
    }
}

/// A number of tokens: `850`, `1.4k`, `14k`, `1.4M`.
pub fn tokens_text(tokens: u64) -> String {
    let (unit, letter) = match tokens {
        0..1000 => return tokens.to_string(),
        1000..1_000_000 => (1000, 'k'),
        1_000_000.. => (1_000_000, 'M'),
    };
    let (whole, tenths) = (tokens / unit, tokens % unit / (unit / 10));
    if whole < 10 && tenths > 0 {
        format!("{whole}.{tenths}{letter}")
    } else {
        format!("{whole}{letter}")
    }
}

/// Millionths of a dollar: `$0.09`, and below a cent `$0.0042`.
pub fn dollars_text(usd_e6: u64) -> String {
    match usd_e6 {
        1..100 => "< $0.0001".to_owned(),
        100..10_000 => format!("$0.{:04}", usd_e6 / 100),
        0 | 10_000.. => {
            let cents = usd_e6 / 10_000 + u64::from(usd_e6 % 10_000 >= 5000);
            format!("${}.{:02}", cents / 100, cents % 100)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        for (tokens, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1k"),
            (1499, "1.4k"),
            (14_900, "14k"),
            (999_999, "999k"),
            (1_400_000, "1.4M"),
            (23_000_000, "23M"),
        ] {
            assert_eq!(tokens_text(tokens), text);
        }
        for (usd_e6, text) in [
            (0, "$0.00"),
            (99, "< $0.0001"),
            (4_200, "$0.0042"),
            (94_999, "$0.09"),
            (95_000, "$0.10"),
            (1_500_000, "$1.50"),
        ] {
            assert_eq!(dollars_text(usd_e6), text);
        }
    }

    #[test]
    fn an_unknown_cost_is_never_zero() {
        let usage = |tokens, usd_e6| ModelUsage {
            output_tokens: tokens,
            usd_e6,
            ..ModelUsage::default()
        };
        let sum = |usage: &[ModelUsage]| {
            TokenUsage::of(&AgentReport {
                usage: usage.to_vec(),
                ..AgentReport::default()
            })
        };
        assert_eq!(sum(&[]).cost(), None);
        assert_eq!(sum(&[usage(0, None)]).cost(), None);
        let known = sum(&[usage(14_000, Some(90_000))]);
        assert_eq!(known.to_string(), "14k tokens · $0.09");
        let unknown = sum(&[usage(14_000, None)]);
        assert_eq!(unknown.to_string(), "14k tokens · cost unknown");
        let both = sum(&[usage(14_000, Some(90_000)), usage(1, None)]);
        assert_eq!(both.to_string(), "14k tokens · ≥ $0.09");
    }

    #[test]
    fn what_comes_from_the_cache_is_no_token_of_a_budget() {
        let usage = TokenUsage::of_model(&ModelUsage {
            input_tokens: 1,
            cached_tokens: 1000,
            cache_write_tokens: 10,
            output_tokens: 100,
            ..ModelUsage::default()
        });
        assert_eq!(usage.tokens(), 111);
        assert!(usage.has_unknown_cost);
    }
}

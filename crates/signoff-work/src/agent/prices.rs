//! What tokens cost, for agents that do not say it. An unknown model has no price; it does not cost nothing.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::event::ModelUsage;

const BUILT_IN: &str = include_str!("prices.toml");

/// What a million tokens of a model cost, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub input: u64,
    pub cached: u64,
    pub cache_write: u64,
    pub output: u64,
}

impl Price {
    /// Micro-dollars of this usage, rounded up.
    fn cost_of(&self, usage: &ModelUsage) -> u64 {
        let parts = [
            (usage.input, self.input),
            (usage.cached, self.cached),
            (usage.cache_write, self.cache_write),
            (usage.output, self.output),
        ];
        let parts = parts.map(|(tokens, price)| u128::from(tokens) * u128::from(price));
        let sum = parts.into_iter().fold(0, u128::saturating_add);
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// A line of the built-in table, in dollars.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceLine {
    input: f64,
    /// Like `input`, if not given.
    cached: Option<f64>,
    /// Like `input`, if not given.
    cache_write: Option<f64>,
    output: f64,
}

impl From<PriceLine> for Price {
    fn from(line: PriceLine) -> Self {
        Self {
            input: micro(line.input),
            cached: micro(line.cached.unwrap_or(line.input)),
            cache_write: micro(line.cache_write.unwrap_or(line.input)),
            output: micro(line.output),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and a test reads the whole table"
)]
fn micro(dollars: f64) -> u64 {
    (dollars * 1_000_000.0).round() as u64
}

/// Prices by model.
#[derive(Debug, Clone)]
pub struct Prices {
    /// When the built-in figures were looked up.
    date: String,
    overrides: BTreeMap<String, Price>,
    models: BTreeMap<String, Price>,
}

#[derive(Deserialize)]
struct PriceFile {
    date: String,
    models: BTreeMap<String, PriceLine>,
}

impl Prices {
    /// The table that the program carries.
    pub fn built_in() -> Self {
        let file: PriceFile =
            toml::from_str(BUILT_IN).expect("the built-in table is valid: a test reads it");
        Self {
            date: file.date,
            overrides: BTreeMap::new(),
            models: (file.models.into_iter())
                .map(|(model, line)| (model, line.into()))
                .collect(),
        }
    }

    /// With prices that count before those of the table.
    #[must_use]
    pub fn with_overrides(mut self, overrides: impl IntoIterator<Item = (String, Price)>) -> Self {
        self.overrides.extend(overrides);
        self
    }

    /// When the built-in figures were looked up: `YYYY-MM-DD`.
    pub fn date(&self) -> &str {
        &self.date
    }

    /// Micro-dollars of this usage; `None` if its model is unknown. What the agent itself says is not looked at.
    pub fn price(&self, usage: &ModelUsage) -> Option<u64> {
        let model = usage.model.as_deref()?;
        let price = find(&self.overrides, model).or_else(|| find(&self.models, model));
        price.map(|price| price.cost_of(usage))
    }
}

/// The price of the longest name that stands for this model; with or without the provider before it (`openai/gpt-5`).
fn find<'a>(prices: &'a BTreeMap<String, Price>, model: &str) -> Option<&'a Price> {
    let bare = model.rsplit('/').next().unwrap_or(model);
    let stands_for = |name: &str| {
        let rest = model.strip_prefix(name).or_else(|| bare.strip_prefix(name));
        rest.is_some_and(is_version)
    };
    let fitting = prices.iter().filter(|(name, _)| stands_for(name));
    fitting
        .max_by_key(|(name, _)| name.len())
        .map(|(_, price)| price)
}

/// Whether what is behind a known name is a version of the same model, not another model: a date, `-latest`, `-preview`,
/// a mark of context or effort.
fn is_version(rest: &str) -> bool {
    let Some(first) = rest.chars().next() else {
        return true;
    };
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
    match first {
        '[' | ':' | '@' => true,
        '-' => {
            let rest = &rest[1..];
            // A single digit is the version of another model: `claude-opus-4-9`.
            digits(rest) >= 3 || rest == "latest" || rest.starts_with("preview")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(model: &str, expected: Option<u64>) {
        let usage = ModelUsage {
            model: Some(model.to_owned()),
            input: 1_000_000,
            ..ModelUsage::default()
        };
        assert_eq!(Prices::built_in().price(&usage), expected, "{model}");
    }

    #[test]
    fn finds_the_longest_name() {
        check("gpt-5", Some(1_250_000));
        check("gpt-5-2025-08-07", Some(1_250_000));
        check("openai/gpt-5-mini", Some(250_000));
        check("claude-opus-4-20250514", Some(15_000_000));
        check("claude-opus-4-5-20251101", Some(5_000_000));
        check("claude-sonnet-4-5[1m]", Some(3_000_000));
        check("gemini-3-pro-preview", Some(2_000_000));
    }

    #[test]
    fn another_model_is_unknown() {
        for model in [
            "gpt-5-turbo",
            "gpt-5.9",
            "claude-opus-4-9",
            "stub-model",
            "",
            "o34",
        ] {
            check(model, None);
        }
        assert_eq!(Prices::built_in().price(&ModelUsage::default()), None);
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        let usage = ModelUsage {
            model: Some("claude-haiku-4-5".to_owned()),
            input: 10,
            cached: 10,
            cache_write: 10,
            output: 10,
            usd_e6: Some(7),
        };
        // 10 + 1 + 12.5 + 50 micro-dollars
        assert_eq!(Prices::built_in().price(&usage), Some(74));
        let most = ModelUsage {
            input: u64::MAX,
            output: u64::MAX,
            ..usage
        };
        assert_eq!(Prices::built_in().price(&most), Some(u64::MAX));
    }

    #[test]
    fn the_configuration_counts_first() {
        let price = Price {
            input: 2_000_000,
            cached: 2_000_000,
            cache_write: 2_000_000,
            output: 0,
        };
        let overrides = ["gpt-5", "mine/small"].map(|name| (name.to_owned(), price));
        let prices = Prices::built_in().with_overrides(overrides);
        let of = |model: &str| {
            prices.price(&ModelUsage {
                model: Some(model.to_owned()),
                cached: 4,
                ..ModelUsage::default()
            })
        };
        assert_eq!(of("gpt-5"), Some(8));
        assert_eq!(of("mine/small"), Some(8));
        assert_eq!(of("gpt-5-mini"), Some(1));
    }

    #[test]
    fn the_table_has_a_date_and_no_free_model() {
        let prices = Prices::built_in();
        assert_eq!(prices.date().len(), 10);
        assert!(
            prices
                .models
                .values()
                .all(|price| price.input > 0 && price.output > 0)
        );
    }
}

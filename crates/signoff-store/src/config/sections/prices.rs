//! `[prices."MODEL"]`: what the tokens of a model cost.

use toml::de::DeValue;

use crate::config::read::Reader;
use crate::config::value::Value;
use crate::config::{Config, Setting};

const KEYS: [&str; 4] = ["input", "output", "cached", "cache_write"];

/// Digits after the point that a price may have.
const FRACTION: usize = 6;
/// A dollar, in what prices are kept in.
const DOLLAR: u64 = 1_000_000;
/// No price per million tokens is higher, and no sum overflows below this.
const DEAREST: u64 = 1_000_000;

/// What a million tokens of a model cost, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceSettings {
    pub input: u64,
    pub output: u64,
    /// Input that the model's service had cached.
    pub cached: u64,
    /// Input that it puts into its cache.
    pub cache_write: u64,
}

/// An amount of money, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dollars(pub u64);

impl Reader<'_> {
    /// An amount of dollars.
    pub(in crate::config) fn money(&mut self, value: &Value<'_>) -> Option<Dollars> {
        self.dollars(value).map(Dollars)
    }

    /// A price replaces the one of the same model in a lower layer as a whole, as an agent does.
    pub(in crate::config) fn prices(&mut self, section: &Value<'_>, config: &mut Config) {
        let Some(table) = self.table("prices.\"MODEL\"", section) else {
            return;
        };
        for (model, value) in table {
            let offset = model.span().start;
            let model = model.get_ref().as_ref();
            if model.trim().is_empty() {
                self.problem_at(offset, "a price needs the name of a model".to_owned(), None);
            }
            if let Some(price) = self.price(model, offset, value) {
                let price = Setting::of(price, self.origin, Some(self.location(offset)));
                config.prices.insert(model.to_owned(), price);
            }
        }
    }

    fn price(&mut self, model: &str, offset: usize, section: &Value<'_>) -> Option<PriceSettings> {
        let title = format!("prices.{model:?}");
        self.table(&title, section)?;
        let before = self.problems.len();
        let entries = self.entries(&title, section, &KEYS);
        let mut amount_of = |wanted: &str| {
            let (_, value) = entries.iter().find(|(key, _)| *key == wanted)?;
            self.dollars(value)
        };
        let [input, output, cached, cache_write] = KEYS.map(&mut amount_of);
        for required in ["input", "output"] {
            if !entries.iter().any(|(key, _)| *key == required) {
                let message = format!("the price of {model:?} has no `{required}`");
                let hint =
                    format!("write one like `{required} = 3.00`, in dollars per million tokens");
                self.problem_at(offset, message, Some(hint));
            }
        }
        let price = PriceSettings {
            input: input?,
            output: output?,
            cached: cached.or(input)?,
            cache_write: cache_write.or(input)?,
        };
        (self.problems.len() == before).then_some(price)
    }

    /// An amount of dollars, exactly as it is written.
    fn dollars(&mut self, value: &Value<'_>) -> Option<u64> {
        let written = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            other => return self.wrong_type(value, "an amount of dollars like `3.00`", other),
        };
        let amount = millionths(written).filter(|amount| *amount <= DEAREST * DOLLAR);
        if amount.is_none() {
            let message = format!(
                "`{written}` is not an amount from 0 to {DEAREST} dollars with at most {FRACTION} digits after the point"
            );
            self.problem(value, message, None);
        }
        amount
    }
}

/// Millionths of what is written, if it is a plain decimal number that they can hold.
fn millionths(written: &str) -> Option<u64> {
    let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > FRACTION {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let fraction: u64 = format!("{fraction:0<FRACTION$}").parse().ok()?;
    whole.checked_mul(DOLLAR)?.checked_add(fraction)
}

/// Dollars as they are written, without digits that say nothing.
pub(in crate::config) fn written_dollars(amount: u64) -> String {
    let (whole, fraction) = (amount / DOLLAR, amount % DOLLAR);
    let text = format!("{whole}.{fraction:0FRACTION$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact() {
        let check = |written, expected: Option<u64>| {
            assert_eq!(millionths(written), expected, "{written}");
        };
        check("3", Some(3_000_000));
        check("0.1", Some(100_000));
        check("1.100000", Some(1_100_000));
        check("0.000001", Some(1));
        check("0.0000001", None);
        check("1e3", None);
        check("inf", None);
        check("-1.0", None);
        check("99999999999999999999", None);
    }

    #[test]
    fn amounts_are_written_as_people_do() {
        for written in ["3", "0.1", "15.075", "0.000001", "0", "1000000"] {
            let amount = millionths(written).unwrap();
            assert_eq!(written_dollars(amount), written);
        }
    }
}

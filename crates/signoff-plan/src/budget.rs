//! The grammar of budgets: `max 200k tokens, $1.50, 20 minutes wall clock, 3 agents`.

use crate::duration;
use crate::model::Budget;

/// Words of the grammar beside units of time, for suggesting them.
pub(crate) const WORDS: [&str; 7] = ["max", "tokens", "token", "agents", "agent", "wall", "clock"];

/// Reads a budget; what is wrong otherwise, as a whole clause.
pub fn parse(text: &str) -> Result<Budget, String> {
    let mut budget = Budget::default();
    for part in text.split(',') {
        let part = part.trim();
        let limit = part.strip_prefix("max ").unwrap_or(part).trim();
        if limit.is_empty() {
            return Err("a limit is missing beside a comma".to_owned());
        }
        add(&mut budget, limit)?;
    }
    Ok(budget)
}

/// Writes a budget the way [`parse`] reads it; nothing for one without limits.
pub fn format(budget: &Budget) -> String {
    let tokens = budget.tokens.map(|count| match count {
        count if count > 0 && count % 1_000_000 == 0 => format!("{}M tokens", count / 1_000_000),
        count if count > 0 && count % 1000 == 0 => format!("{}k tokens", count / 1000),
        count => format!("{count} tokens"),
    });
    let usd = budget.usd_e4.map(|e4| {
        let cents = format!("{:04}", e4 % 10_000);
        let cents = cents.strip_suffix("00").unwrap_or(&cents);
        format!("${}.{cents}", e4 / 10_000)
    });
    let wall = budget.wall.map(duration::format);
    let agents = budget.agents.map(|count| match count {
        1 => "1 agent".to_owned(),
        count => format!("{count} agents"),
    });
    let limits: Vec<_> = [tokens, usd, wall, agents].into_iter().flatten().collect();
    limits.join(", ")
}

fn add(budget: &mut Budget, limit: &str) -> Result<(), String> {
    let unclear = || {
        format!(
            "`{limit}` is not a limit of tokens (`200k tokens`), money (`$1.50`), time (`20 minutes`) or agents (`3 agents`)"
        )
    };
    if let Some(amount) = limit.strip_prefix('$') {
        let amount = scaled_decimal(amount.trim(), 4).ok_or_else(unclear)?;
        return set(&mut budget.usd_e4, amount, limit);
    }
    if let Some(amount) = unit(limit, &["tokens", "token"]) {
        let amount = tokens(amount).ok_or_else(unclear)?;
        return set(&mut budget.tokens, amount, limit);
    }
    if let Some(amount) = unit(limit, &["agents", "agent"]) {
        let amount = scaled_decimal(amount, 0).ok_or_else(unclear)?;
        return set(&mut budget.agents, amount, limit);
    }
    let time = unit(limit, &["wall clock"]).unwrap_or(limit);
    let time = duration::parse(time).ok_or_else(unclear)?;
    if budget.wall.replace(time).is_some() {
        return Err(format!("`{limit}` limits time a second time"));
    }
    Ok(())
}

fn set(slot: &mut Option<u64>, amount: u64, limit: &str) -> Result<(), String> {
    if amount == 0 {
        return Err(format!("`{limit}` allows nothing at all"));
    }
    match slot.replace(amount) {
        Some(_) => Err(format!("`{limit}` limits the same thing a second time")),
        None => Ok(()),
    }
}

/// What stands before one of these words at the end.
fn unit<'a>(limit: &'a str, words: &[&str]) -> Option<&'a str> {
    let before = words.iter().find_map(|word| limit.strip_suffix(word))?;
    before.ends_with(' ').then(|| before.trim_end())
}

fn tokens(amount: &str) -> Option<u64> {
    if let Some(thousands) = amount.strip_suffix(['k', 'K']) {
        scaled_decimal(thousands.trim_end(), 3)
    } else if let Some(millions) = amount.strip_suffix('M') {
        scaled_decimal(millions.trim_end(), 6)
    } else {
        scaled_decimal(amount, 0)
    }
}

/// A decimal number times ten to the `places`, exactly.
fn scaled_decimal(text: &str, places: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let fraction_is_short = fraction.trim_end_matches('0').len() <= places;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || !fraction_is_short {
        return None;
    }
    let fraction: String = fraction
        .chars()
        .chain(std::iter::repeat('0'))
        .take(places)
        .collect();
    format!("{whole}{fraction}").parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Budget) {
        assert_eq!(parse(text), Ok(expected), "{text}");
    }

    #[track_caller]
    fn refused(text: &str, why: &str) {
        let error = parse(text).expect_err(text);
        assert!(error.contains(why), "{text}: {error}");
    }

    #[test]
    fn limits_are_read() {
        check(
            "max 200k tokens, $1.50, 20 minutes wall clock, 3 agents",
            Budget {
                tokens: Some(200_000),
                usd_e4: Some(15_000),
                wall: Some(Duration::from_mins(20)),
                agents: Some(3),
            },
        );
        let tokens = |count| Budget {
            tokens: Some(count),
            ..Budget::default()
        };
        check("max 1M tokens", tokens(1_000_000));
        check("1.5M tokens", tokens(1_500_000));
        check("1500 tokens", tokens(1500));
        check(
            "$0.0001",
            Budget {
                usd_e4: Some(1),
                ..Budget::default()
            },
        );
        check(
            "1h 30m",
            Budget {
                wall: Some(Duration::from_mins(90)),
                ..Budget::default()
            },
        );
        check(
            "1 agent",
            Budget {
                agents: Some(1),
                ..Budget::default()
            },
        );
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in [
            "200k tokens, $1.50, 20m, 3 agents",
            "1500 tokens",
            "2M tokens",
            "$0.0001",
            "$12.345, 1 agent",
            "1h 30m",
        ] {
            let budget = parse(text).expect("a budget");
            assert_eq!(parse(&format(&budget)), Ok(budget), "{text}");
        }
        assert_eq!(format(&Budget::default()), "");
    }

    #[test]
    fn anything_else_is_refused_with_a_reason() {
        refused("", "missing");
        refused("200k tokens,", "missing");
        refused("lots", "`lots` is not a limit");
        refused("200,000 tokens", "`200` is not a limit");
        refused("0 tokens", "nothing at all");
        refused("$0.00", "nothing at all");
        refused("$1, $2", "second time");
        refused("5m, 6m", "second time");
        refused("$1.00001", "not a limit");
        refused("1.5 tokens", "not a limit");
        refused("-5 tokens", "not a limit");
        refused("99999999999999999999M tokens", "not a limit");
        refused("0 minutes", "not a limit");
    }
}

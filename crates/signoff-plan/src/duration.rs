//! Durations as people write them: `90s`, `10m`, `20 minutes`, `1h 30m`.

use std::time::Duration;

/// Units as they are spelled out, for suggesting them.
pub(crate) const UNITS: [&str; 10] = [
    "milliseconds",
    "millisecond",
    "seconds",
    "second",
    "minutes",
    "minute",
    "hours",
    "hour",
    "days",
    "day",
];

/// Reads a duration that is longer than nothing.
pub fn parse(text: &str) -> Option<Duration> {
    parse_with_zero(text).filter(|duration| !duration.is_zero())
}

/// Reads a duration; every number needs its unit.
pub fn parse_with_zero(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    let mut total = Duration::ZERO;
    let mut largest_allowed = u64::MAX;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number: u64 = rest.get(..digits)?.parse().ok()?;
        let after = rest.get(digits..)?.trim_start();
        let letters = after.len()
            - after
                .trim_start_matches(|c: char| c.is_ascii_alphabetic())
                .len();
        let unit = milliseconds(after.get(..letters)?)?;
        // Each unit once, the largest first: `30m 1h` is more likely a slip than a wish.
        if unit >= largest_allowed {
            return None;
        }
        largest_allowed = unit;
        total = total.checked_add(Duration::from_millis(number.checked_mul(unit)?))?;
        rest = after.get(letters..)?.trim_start();
    }
    Some(total)
}

/// Writes a duration the way [`parse`] reads it.
pub fn format(duration: Duration) -> String {
    let mut left = duration.as_millis();
    let mut parts = Vec::new();
    for (unit, name) in [(3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")] {
        if left >= unit {
            parts.push(format!("{}{name}", left / unit));
            left %= unit;
        }
    }
    if parts.is_empty() {
        return "0s".to_owned();
    }
    parts.join(" ")
}

fn milliseconds(unit: &str) -> Option<u64> {
    match unit {
        "ms" | "millisecond" | "milliseconds" => Some(1),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1000),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60_000),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(3_600_000),
        "d" | "day" | "days" => Some(86_400_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, seconds: Option<u64>) {
        assert_eq!(parse(text), seconds.map(Duration::from_secs), "{text}");
    }

    #[test]
    fn numbers_with_units_are_read() {
        check("90s", Some(90));
        check("10m", Some(600));
        check("20 minutes", Some(1200));
        check("1h 30m", Some(5400));
        check("1h30m", Some(5400));
        check("1 hour 1 second", Some(3601));
        check("2 days", Some(172_800));
        check("1000ms", Some(1));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "10",
            "m",
            "-5m",
            "1.5h",
            "10 parsecs",
            "0s",
            "30m 1h",
            "1m 1m",
            "5m,",
        ] {
            check(text, None);
        }
        assert_eq!(parse_with_zero("0s"), Some(Duration::ZERO));
        assert_eq!(parse_with_zero(" "), None);
        check("99999999999999999999s", None);
        check("18446744073709551615h", None);
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in ["90s", "1h 30m", "36h", "1ms"] {
            let duration = parse(text).expect("a duration");
            assert_eq!(parse(&format(duration)), Some(duration));
        }
        assert_eq!(format(Duration::from_mins(90)), "1h 30m");
        assert_eq!(format(Duration::ZERO), "0s");
    }
}

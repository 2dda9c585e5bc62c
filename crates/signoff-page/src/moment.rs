//! Times as the shapes of `signoff-api` write them, in words for people.

use std::time::UNIX_EPOCH;

use maud::{Markup, html};

use crate::words::time::short_duration;

/// Milliseconds since 1970 of a time in RFC 3339.
pub fn millis(text: &str) -> Option<u64> {
    let at = humantime::parse_rfc3339_weak(text).ok()?;
    let since = at.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

/// From one time to another.
pub fn millis_between(from: &str, to: &str) -> Option<u64> {
    Some(millis(to)?.saturating_sub(millis(from)?))
}

/// How long ago a time is: `just now`, `4 min ago`, `3 days ago`, and the date of what is older than a month.
pub fn time_ago(at: &str, now: u64) -> String {
    let Some(then) = millis(at) else {
        return at.to_owned();
    };
    let minutes = now.saturating_sub(then) / 60_000;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        1440..2880 => "yesterday".to_owned(),
        2880..43_200 => format!("{} days ago", minutes / 1440),
        _ => at.get(..10).unwrap_or(at).to_owned(),
    }
}

/// A time as an element: how long ago, with the time itself for machines and as a tooltip.
pub fn time(at: &str, now: u64) -> Markup {
    html! { time datetime=(at) title=(clock(at)) { (time_ago(at, now)) } }
}

/// `2026-11-18 09:30:12 UTC`
pub fn clock(at: &str) -> String {
    match (at.get(..10), at.get(11..19)) {
        (Some(date), Some(time)) => format!("{date} {time} UTC"),
        _ => at.to_owned(),
    }
}

/// A duration in words; less than a tenth of a second is exact.
pub fn format_duration(milliseconds: u64) -> String {
    match milliseconds {
        0..100 => format!("{milliseconds} ms"),
        longer => short_duration(longer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_times_are_told_exactly() {
        for (milliseconds, expected) in [(0, "0 ms"), (7, "7 ms"), (400, "0.4s"), (61_000, "1m 1s")]
        {
            assert_eq!(format_duration(milliseconds), expected);
        }
    }

    #[test]
    fn ages_are_told_in_the_unit_that_people_would_use() {
        let now = millis("2026-11-18T12:00:00Z").unwrap();
        for (at, expected) in [
            ("2026-11-18T11:59:30.000Z", "just now"),
            ("2026-11-18T11:56:00Z", "4 min ago"),
            ("2026-11-18T09:00:00Z", "3 h ago"),
            ("2026-11-17T09:00:00Z", "yesterday"),
            ("2026-11-15T09:00:00Z", "3 days ago"),
            ("2026-09-15T09:00:00Z", "2026-09-15"),
            // Another machine's clock may be ahead.
            ("2026-11-18T12:30:00Z", "just now"),
            ("soon", "soon"),
        ] {
            assert_eq!(time_ago(at, now), expected, "{at}");
        }
    }
}

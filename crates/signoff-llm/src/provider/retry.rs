//! When a request is sent again.

use std::time::{Duration, SystemTime};

/// How often a request is sent at most.
pub(super) const MAX_TRIES: u32 = 4;
/// A server that wants a longer pause is not asked again.
pub(super) const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Whether an answer with this status may be another one later.
pub(super) fn is_temporary(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// How long to wait after this many tries: as the server says, else longer each time. `None` if that is too long.
pub(super) fn pause(tries: u32, retry_after: Option<&str>, now: SystemTime) -> Option<Duration> {
    let said = retry_after.and_then(|text| retry_time(text.trim(), now));
    let wait = said.unwrap_or_else(|| Duration::from_secs(1) * 2_u32.saturating_pow(tries - 1));
    (wait <= LONGEST_WAIT).then_some(wait)
}

/// Seconds, or a date. What is neither says nothing.
fn retry_time(text: &str, now: SystemTime) -> Option<Duration> {
    if text.is_empty() {
        return None;
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More than a number holds is more than anybody waits.
        return Some(text.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    if let Some(seconds) = fractional_seconds(text) {
        return Some(seconds);
    }
    let date = http_date(text)?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// `1.5`: no form of the standard, but some servers say it.
fn fractional_seconds(text: &str) -> Option<Duration> {
    let is_number = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = text.parse().ok().filter(|_| is_number)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, and the two older forms: `Sunday, 06-Nov-94 08:49:37 GMT` and
/// `Sun Nov  6 08:49:37 1994`.
fn http_date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let words: Vec<&str> = text
        .split([' ', '-'])
        .filter(|word| !word.is_empty())
        .collect();
    let (day, month, year, time) = match words[..] {
        [weekday, day, month, year, time, "GMT"] if weekday.ends_with(',') => {
            (day, month, year, time)
        }
        [_, month, day, time, year] => (day, month, year, time),
        _ => return None,
    };
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let day: u8 = day.parse().ok()?;
    let year: u16 = match year.parse::<u16>().ok()? {
        // Two digits mean the nearest year that ends so.
        short @ 0..70 => 2000 + short,
        short @ 70..100 => 1900 + short,
        year => year,
    };
    humantime::parse_rfc3339(&format!("{year:04}-{month:02}-{day:02}T{time}Z")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_say_how_long_to_wait() {
        let now = humantime::parse_rfc3339("2026-11-06T08:49:37Z").unwrap();
        let check = |tries, text, seconds: Option<u64>| {
            let expected = seconds.map(Duration::from_secs);
            assert_eq!(pause(tries, text, now), expected, "{text:?}");
        };
        check(1, None, Some(1));
        check(3, None, Some(4));
        check(40, None, None);
        check(1, Some("7"), Some(7));
        check(1, Some("61"), None);
        check(1, Some("0"), Some(0));
        check(1, Some(" 7 "), Some(7));
        check(1, Some("99999999999999999999"), None);
        check(1, Some("60.5"), None);
        check(2, Some(""), Some(2));
        check(2, Some("-1"), Some(2));
        check(2, Some("+1"), Some(2));
        check(2, Some("1e3"), Some(2));
        check(2, Some("inf"), Some(2));
        check(2, Some("..."), Some(2));
        check(2, Some("7; comment"), Some(2));
        check(1, Some("Fri, 06 Nov 2026 08:50:07 GMT"), Some(30));
        check(1, Some("Fri, 06 Nov 2026 08:00:00 GMT"), Some(0));
        check(1, Some("Fri, 06 Nov 2026 09:50:07 GMT"), None);
        check(1, Some("Friday, 06-Nov-26 08:50:07 GMT"), Some(30));
        check(1, Some("Fri Nov  6 08:50:07 2026"), Some(30));
        check(1, Some("Sunday, 06-Nov-94 08:49:37 GMT"), Some(0));
        check(2, Some("Fri, 99 Nov 2026 soon"), Some(2));
        check(2, Some("Fri, 06 Nov 2026 08:50:07 PST"), Some(2));
        check(2, Some("Fri, 06 Nov 99999 08:50:07 GMT"), Some(2));
        check(2, Some("GMT GMT GMT GMT GMT GMT"), Some(2));
        let half = pause(1, Some("0.5"), now);
        assert_eq!(half, Some(Duration::from_millis(500)));
    }
}

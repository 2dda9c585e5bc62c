//! When a request is sent again.

use std::time::{Duration, SystemTime};

/// How often a request is sent at most.
pub(super) const MAX_TRIES: u32 = 4;
/// A server that wants a longer pause is not asked again.
pub(super) const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Whether an answer with this status may be another one later.
pub(super) fn is_passing(status: u16) -> bool {
    matches!(status, 429 | 500 | 502 | 503 | 529)
}

/// How long to wait after this many tries: as the server says, else longer each time. `None` if that is too long.
pub(super) fn pause(tries: u32, retry_after: Option<&str>, now: SystemTime) -> Option<Duration> {
    let said = retry_after.and_then(|text| retry_time(text.trim(), now));
    let wait = said.unwrap_or_else(|| Duration::from_secs(1) * 2_u32.saturating_pow(tries - 1));
    (wait <= LONGEST_WAIT).then_some(wait)
}

/// Seconds, or a date.
fn retry_time(text: &str, now: SystemTime) -> Option<Duration> {
    let seconds = text.parse().ok().map(Duration::from_secs);
    seconds.or_else(|| {
        let date = http_date(text)?;
        Some(date.duration_since(now).unwrap_or_default())
    })
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`
fn http_date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (_, rest) = text.split_once(", ")?;
    let mut words = rest.split(' ');
    let day = words.next()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let (year, time) = (words.next()?, words.next()?);
    (words.next() == Some("GMT")).then_some(())?;
    humantime::parse_rfc3339(&format!("{year}-{month:02}-{day}T{time}Z")).ok()
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
        check(1, Some("99999999999999999999"), Some(1));
        check(1, Some("Fri, 06 Nov 2026 08:50:07 GMT"), Some(30));
        check(1, Some("Fri, 06 Nov 2026 08:00:00 GMT"), Some(0));
        check(1, Some("Fri, 06 Nov 2026 09:50:07 GMT"), None);
        check(2, Some("Fri, 99 Nov 2026 soon"), Some(2));
    }
}

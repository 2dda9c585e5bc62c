//! Times as the store writes them: `2026-11-15T09:30:12.345Z`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The last second that has a four-digit year.
const LAST: Duration = Duration::from_secs(253_402_300_799);

/// RFC 3339 in UTC with milliseconds.
pub fn rfc3339_ms(at: SystemTime) -> String {
    humantime::format_rfc3339_millis(in_range(at)).to_string()
}

/// How long the machine has been up, times of sleep included. Nobody can set this clock.
pub fn since_boot() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::try_from(now).expect("the machine is not up for less than no time")
}

/// A clock set before 1970 or after 9999 has no such spelling; the nearest time that has one.
pub(crate) fn in_range(at: SystemTime) -> SystemTime {
    at.clamp(UNIX_EPOCH, UNIX_EPOCH + LAST)
}

/// Reads RFC 3339 in UTC, with any precision.
pub(crate) fn parse(text: &str) -> Option<SystemTime> {
    humantime::parse_rfc3339(text).ok()
}

/// Whether the text is exactly what [`rfc3339_ms`] writes for some time.
pub(crate) fn is_rfc3339_ms(text: &str) -> bool {
    parse(text).is_some_and(|at| rfc3339_ms(at) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_clock_has_a_spelling() {
        let at = UNIX_EPOCH + Duration::from_millis(1_794_735_012_345);
        assert_eq!(rfc3339_ms(at), "2026-11-15T09:30:12.345Z");
        assert_eq!(
            rfc3339_ms(UNIX_EPOCH - Duration::from_secs(1)),
            "1970-01-01T00:00:00.000Z"
        );
        assert_eq!(
            rfc3339_ms(UNIX_EPOCH + 2 * LAST),
            "9999-12-31T23:59:59.000Z"
        );
    }

    #[test]
    fn only_our_spelling_is_accepted() {
        assert!(is_rfc3339_ms("2026-11-15T09:30:12.345Z"));
        for other in [
            "",
            "2026-11-15T09:30:12Z",
            "2026-11-15 09:30:12.345",
            "2026-13-15T09:30:12.345Z",
        ] {
            assert!(!is_rfc3339_ms(other), "{other}");
        }
    }
}

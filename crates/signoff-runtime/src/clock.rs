//! Time, as an input.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use signoff_engine::Millis;
use signoff_store::failpoint;

/// Tells the time. Tests hand in their own.
pub trait Clock {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> Millis;
}

/// The machine's clock, which never goes backwards within one process: a run's events must not. Where
/// the machine's is set back, time goes on from where it was, or a pause would last until it is
/// made up for.
#[derive(Debug)]
pub struct SystemClock {
    latest: Mutex<Option<(Instant, Millis)>>,
}

impl SystemClock {
    /// A clock that starts now.
    pub fn new() -> Self {
        Self {
            latest: Mutex::new(None),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let (passed, shown) = (Instant::now(), system_time());
        match monotonic_time(*latest, passed, shown) {
            Some(now) => now,
            None => {
                *latest = Some((passed, shown));
                shown
            }
        }
    }
}

/// What the machine's clock shows.
fn system_time() -> Millis {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let now = Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX);
    now.saturating_add_signed(failpoint::clock_shift())
}

/// The time that goes on from the latest known, where what the clock shows is before that.
fn monotonic_time(
    latest: Option<(Instant, Millis)>,
    now: Instant,
    shown: Millis,
) -> Option<Millis> {
    let (seen, time) = latest?;
    let passed = now.saturating_duration_since(seen).as_millis();
    let onwards = time.saturating_add(Millis::try_from(passed).unwrap_or(Millis::MAX));
    (shown < onwards).then_some(onwards)
}

/// As the journal writes it.
pub(crate) fn timestamp(at: Millis) -> String {
    signoff_store::timestamp::rfc3339_ms(UNIX_EPOCH + Duration::from_millis(at))
}

/// As the journal is read. A time that cannot be read is the epoch: times decide nothing that
/// matters more than a pause.
pub(crate) fn millis(text: &str) -> Millis {
    let time = humantime::parse_rfc3339(text).unwrap_or(UNIX_EPOCH);
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_goes_on_from_where_it_was() {
        let begun = Instant::now();
        let later = begun + Duration::from_millis(30);
        assert_eq!(monotonic_time(None, later, 5), None);
        assert_eq!(monotonic_time(Some((begun, 1000)), later, 1030), None);
        assert_eq!(monotonic_time(Some((begun, 1000)), later, 1029), Some(1030));
        assert_eq!(monotonic_time(Some((begun, 1000)), later, 0), Some(1030));
    }

    #[test]
    fn times_never_go_backwards() {
        let clock = SystemClock::new();
        let first = clock.now();
        assert!(first > 0 && clock.now() >= first);
    }
}

//! Time, as an input.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use signoff_engine::Millis;
use signoff_store::failpoint;
use signoff_store::timestamp::since_boot;

/// Tells the time. Tests hand in their own.
pub trait Clock {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> Millis;
}

/// The time by the machine's clock when this was made, and from there on as time passes: a run's budget and its pauses are
/// lengths of time, and whoever sets the machine's clock, forward or back, neither uses them up nor prolongs them.
#[derive(Debug)]
pub struct SystemClock {
    begun: (Duration, Millis),
}

impl SystemClock {
    /// A clock that starts now.
    pub fn new() -> Self {
        Self {
            begun: (since_boot(), system_time()),
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
        time_at(self.begun, since_boot())
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

/// The time that it is now, given that it was `time` at `begun`.
fn time_at((begun, time): (Duration, Millis), now: Duration) -> Millis {
    let passed = now.saturating_sub(begun).as_millis();
    time.saturating_add(Millis::try_from(passed).unwrap_or(Millis::MAX))
}

/// As the journal writes it.
pub fn timestamp(at: Millis) -> String {
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
    fn time_goes_on_from_where_it_was_whatever_the_machines_clock_shows() {
        let begun = Duration::from_secs(7);
        let after = |millis| begun + Duration::from_millis(millis);
        assert_eq!(time_at((begun, 1000), after(0)), 1000);
        assert_eq!(time_at((begun, 1000), after(30)), 1030);
        assert_eq!(time_at((begun, 1000), Duration::ZERO), 1000);
        assert_eq!(time_at((begun, Millis::MAX), after(30)), Millis::MAX);
    }

    #[test]
    fn times_never_go_backwards() {
        let clock = SystemClock::new();
        let first = clock.now();
        assert!(first > 0 && clock.now() >= first);
    }
}

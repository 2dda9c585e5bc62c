//! Time, as an input.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use signoff_engine::Millis;

/// Tells the time. Tests hand in their own.
pub trait Clock {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> Millis;
}

/// The machine's clock, which never goes backwards within one process: a run's events must not.
#[derive(Debug)]
pub struct SystemClock {
    latest: std::sync::atomic::AtomicU64,
}

impl SystemClock {
    /// A clock that starts now.
    pub fn new() -> Self {
        Self {
            latest: std::sync::atomic::AtomicU64::new(0),
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
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let now = Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX);
        self.latest
            .fetch_max(now, std::sync::atomic::Ordering::Relaxed)
            .max(now)
    }
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

//! A clock that moves only when a test moves it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Clones show the same time.
#[derive(Debug, Clone)]
pub struct FakeClock {
    time: Arc<Mutex<SystemTime>>,
}

impl FakeClock {
    pub fn at(time: SystemTime) -> Self {
        Self {
            time: Arc::new(Mutex::new(time)),
        }
    }

    pub fn now(&self) -> SystemTime {
        *self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn advance(&self, by: Duration) {
        *self.time.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }

    /// Sets any time, an earlier one too, as an administrator may.
    pub fn set(&self, time: SystemTime) {
        *self.time.lock().unwrap_or_else(PoisonError::into_inner) = time;
    }
}

impl Default for FakeClock {
    /// 2026-01-01 00:00:00 UTC.
    fn default() -> Self {
        Self::at(SystemTime::UNIX_EPOCH + Duration::from_hours(490_896))
    }
}

#[test]
fn clones_show_the_same_time() {
    let clock = FakeClock::default();
    let (other, begun) = (clock.clone(), clock.now());
    other.advance(Duration::from_secs(5));
    assert_eq!(clock.now(), begun + Duration::from_secs(5));
}

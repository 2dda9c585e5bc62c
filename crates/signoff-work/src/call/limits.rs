//! Until when a call may go on.

use std::time::{Duration, Instant};

use super::error::CallError;
use super::stop::StopFlag;

/// Until when a call may go on.
#[derive(Debug)]
pub(crate) struct Limits<'c> {
    pub(crate) stop: &'c StopFlag,
    pub(crate) time: Duration,
    pub(crate) deadline: Instant,
}

impl<'c> Limits<'c> {
    pub(crate) fn new(time: Duration, stop: &'c StopFlag) -> Self {
        let now = Instant::now();
        // So far away that it cannot be expressed is as good as a year.
        let year = Duration::from_hours(365 * 24);
        Self {
            stop,
            time,
            deadline: now + time.min(year),
        }
    }

    /// The same, with an earlier end if the call asks for less time.
    pub(crate) fn at_most(&self, time: Option<Duration>) -> Self {
        let time = time.map_or(self.time, |time| time.min(self.time));
        Self::new(time, self.stop)
    }

    /// Fails if the call must not go on.
    pub(crate) fn check(&self) -> Result<(), CallError> {
        if self.stop.is_raised() {
            return Err(CallError::Stopped);
        }
        if Instant::now() >= self.deadline {
            return Err(self.too_long());
        }
        Ok(())
    }

    pub(crate) fn too_long(&self) -> CallError {
        CallError::cut_off(format!("it took longer than {:?}", self.time))
    }
}

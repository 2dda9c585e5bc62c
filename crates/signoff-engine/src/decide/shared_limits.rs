//! What other runs have that this one needs.

use super::{Refusal, with_step};
use crate::event::Event;
use crate::state::{DayLimit, Run};

/// Records that another run holds a lock, once for each holder.
pub(super) fn lock_taken(
    run: &Run,
    at: usize,
    lock: String,
    by: String,
) -> Result<Vec<Event>, Refusal> {
    if run.outside.locks.get(&lock) == Some(&by) {
        return Ok(Vec::new());
    }
    with_step(run, at, |step, _| {
        vec![Event::LockAwaited {
            step: step.id.clone(),
            lock,
            held_by: by,
        }]
    })
}

pub(super) fn lock_free(run: &Run, lock: String) -> Vec<Event> {
    if run.outside.locks.contains_key(&lock) {
        vec![Event::LockFreed { lock }]
    } else {
        Vec::new()
    }
}

pub(super) fn day_limit(run: &Run, day: DayLimit) -> Vec<Event> {
    if run.outside.day == Some(day) {
        return Vec::new();
    }
    vec![Event::DayLimitReached {
        spent_usd_e6: day.spent,
        limit_usd_e6: day.limit,
        until_ms: day.until,
    }]
}

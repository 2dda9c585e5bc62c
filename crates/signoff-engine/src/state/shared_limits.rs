//! What a run shares with other runs and may have to wait for: locks, and the money of a day.

use std::collections::{BTreeMap, BTreeSet};

use signoff_plan::model::Work;

use super::{Run, StepStatus, dollars_text};
use crate::Millis;

/// What other runs have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SharedLimits {
    /// Locks that other runs hold, with who holds each.
    pub(crate) locks: BTreeMap<String, String>,
    /// All runs together have used up what a day allows.
    pub(crate) day: Option<DayLimit>,
}

/// What all runs together may cost in a day, and when the day ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayLimit {
    /// What they had cost when this was seen, in millionths of a dollar.
    pub spent: u64,
    /// What they may cost.
    pub limit: u64,
    /// When the next day begins.
    pub until: Millis,
}

impl Run {
    /// Locks that steps of this run wait for, with who holds each.
    pub fn awaited_locks(&self) -> impl Iterator<Item = (&str, &str)> {
        let locks = self.outside.locks.iter();
        locks.map(|(lock, by)| (lock.as_str(), by.as_str()))
    }

    /// Locks of steps that are under way.
    pub fn locks_in_use(&self) -> BTreeSet<&str> {
        let active = self.active_steps();
        let with_slot = active.filter(|(_, state)| state.allocation.has_slot());
        with_slot
            .flat_map(|(step, _)| step.locks.iter().map(String::as_str))
            .collect()
    }

    /// The limit of the day that keeps agents from being started now.
    pub fn day_limit(&self, now: Millis) -> Option<&DayLimit> {
        self.outside.day.as_ref().filter(|day| day.until > now)
    }

    /// Does another run hold a lock that the step names?
    pub(crate) fn is_locked_out(&self, at: usize) -> bool {
        !self.outside.locks.is_empty() && self.foreign_lock(at).is_some()
    }

    fn foreign_lock(&self, at: usize) -> Option<(&str, &str)> {
        let mut locks = self.definition(at)?.locks.iter();
        locks.find_map(|lock| {
            let (lock, by) = self.outside.locks.get_key_value(lock)?;
            Some((lock.as_str(), by.as_str()))
        })
    }

    /// Why a step waits for other runs, in words; `time` formats a moment.
    pub fn shared_limit_text(&self, at: usize, time: impl Fn(Millis) -> String) -> Option<String> {
        let state = self.steps.get(at)?;
        let may_start = matches!(
            self.status_of(at),
            StepStatus::Ready | StepStatus::Running | StepStatus::Verifying
        );
        if !may_start || state.stage.in_flight() || self.outcome.is_some() || self.pause.is_some() {
            return None;
        }
        if let Some((lock, by)) = self.foreign_lock(at) {
            return Some(format!("waits for the lock `{lock}`, held by {by}"));
        }
        let day = self.outside.day.as_ref()?;
        let costs = matches!(self.definition(at)?.work, Work::Agent { .. });
        let until = time(day.until);
        costs.then(|| format!("waits until {until}: {}", day.used_text()))
    }
}

impl DayLimit {
    /// What was used, in words.
    pub fn used_text(&self) -> String {
        format!(
            "all runs together have used {} of the {} that a day allows",
            dollars_text(self.spent),
            dollars_text(self.limit)
        )
    }
}

//! What a run has used of its plan's budget.

use crate::Millis;
use crate::event::{Choice, Event, RecordedEvent};

/// What a run has used so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Usage {
    pub(crate) agents: u64,
    /// Wall clock of earlier invocations; waiting on a person is not counted.
    pub(crate) wall: Millis,
    /// When the present invocation started.
    pub(crate) since: Millis,
    pub(crate) latest: Millis,
    /// How often a person granted the budget once more.
    pub(crate) grants: u64,
}

impl Usage {
    pub(crate) fn note(&mut self, recorded: &RecordedEvent) {
        if let Event::RunStarted { .. } | Event::RunResumed { .. } = recorded.event {
            self.wall += self.latest.saturating_sub(self.since);
            self.since = recorded.at;
        }
        // An answer comes while nothing runs; it must not stretch the time that counts.
        if let Event::InboxAnswered { choice, .. } = recorded.event {
            self.grants += u64::from(choice == Choice::Allow);
            return;
        }
        // The same holds for landing and undoing, which may come days later.
        if let Event::LandingStarted { .. } | Event::RunLanded { .. } | Event::RunUndone { .. } =
            recorded.event
        {
            return;
        }
        self.agents += u64::from(matches!(recorded.event, Event::WorkItem { .. }));
        self.latest = recorded.at;
    }

    /// The time of the last event that counts.
    pub(crate) fn latest(&self) -> Millis {
        self.latest
    }

    pub(crate) fn wall_at(&self, now: Millis) -> Millis {
        self.wall + now.saturating_sub(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Outcome;

    #[test]
    fn time_is_counted_until_the_run_has_ended() {
        let mut usage = Usage {
            since: 1000,
            ..Usage::default()
        };
        let by = || "me".to_owned();
        for (at, event) in [
            (
                3000,
                Event::RunFinished {
                    outcome: Outcome::Completed,
                },
            ),
            (
                90_000,
                Event::LandingStarted {
                    commit: "c".to_owned(),
                    by: by(),
                },
            ),
            (
                90_001,
                Event::RunLanded {
                    commit: "c".to_owned(),
                    by: by(),
                },
            ),
        ] {
            usage.note(&RecordedEvent { seq: 0, at, event });
        }
        assert_eq!(usage.wall_at(usage.latest()), 2000);
    }
}

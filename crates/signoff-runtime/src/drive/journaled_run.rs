//! A run in progress: its state, its journal and its clock.

use signoff_engine::{Input, Millis, RecordedEvent, Run, apply, decide};
use signoff_plan::signed::SignedPlan;

use super::journal::Append;
use crate::clock::Clock;
use crate::error::Error;

/// A run in progress. The only place where an input becomes events: they are decided, journaled, and only then applied.
pub struct JournaledRun<'a> {
    state: Run,
    journal: Box<dyn Append + 'a>,
    clock: &'a dyn Clock,
}

impl std::fmt::Debug for JournaledRun<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JournaledRun")
            .field("run", &self.state.id())
            .finish_non_exhaustive()
    }
}

impl<'a> JournaledRun<'a> {
    /// A run in the state that its journal records.
    pub fn new(state: Run, journal: impl Append + 'a, clock: &'a dyn Clock) -> Self {
        Self::with_journal(state, Box::new(journal), clock)
    }

    /// The same with any journal.
    pub(crate) fn with_journal(
        state: Run,
        journal: Box<dyn Append + 'a>,
        clock: &'a dyn Clock,
    ) -> Self {
        Self {
            state,
            journal,
            clock,
        }
    }

    /// The state.
    pub fn state(&self) -> &Run {
        &self.state
    }

    /// Ends the recording and returns the state.
    pub fn into_state(self) -> Run {
        self.state
    }

    /// The time.
    pub fn now(&self) -> Millis {
        self.clock.now()
    }

    /// Records an input. What reaches outside is on disk when this returns.
    pub fn record(&mut self, input: Input) -> Result<(), Error> {
        self.write(input, |_, _| Ok(()))?;
        self.sync()
    }

    /// Records an input without waiting for the disk, and shows each event to `observe` after it was applied.
    /// [`Self::sync`] stands between the last one and what they announce.
    pub fn write(
        &mut self,
        input: Input,
        mut observe: impl FnMut(&Run, &RecordedEvent) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        let events = decide(&self.state, now, input)?;
        if events.is_empty() {
            return Ok(());
        }
        for recorded in self.journal.write(now, events)? {
            apply(&mut self.state, &recorded);
            observe(&self.state, &recorded)?;
        }
        Ok(())
    }

    /// Waits until everything recorded that reaches outside is on disk.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.journal.sync()
    }

    /// Closes the journal: the run pauses or has ended.
    pub fn close(&mut self) -> Result<(), Error> {
        self.journal.close()
    }

    /// Applies what another process recorded.
    pub(crate) fn follow(&mut self, recorded: &RecordedEvent) {
        apply(&mut self.state, recorded);
    }

    /// Offers another version of the plan, which [`Input::Replan`] takes up.
    pub(crate) fn offer(&mut self, plan: SignedPlan) {
        self.state.offer_plan(plan);
    }

    /// The state after these inputs, of which nothing is recorded.
    pub(crate) fn predicted_state<'i>(
        &self,
        inputs: impl IntoIterator<Item = &'i Input>,
    ) -> Result<Run, Error> {
        let mut state = self.state.clone();
        let at = self.now();
        for input in inputs {
            for event in decide(&state, at, input.clone())? {
                apply(&mut state, &RecordedEvent { seq: 0, at, event });
            }
        }
        Ok(state)
    }
}

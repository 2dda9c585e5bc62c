//! The loop. Normal running and recovery are the same path: apply what the journal holds, ask what
//! is due, journal it, perform it.

use signoff_engine::{Action, Event, Input, Millis, Outcome, Recorded, Run, apply, decide, due};
use signoff_store::failpoint;

use crate::clock::Clock;
use crate::difference::Difference;
use crate::error::Error;
pub use crate::journal::Append;

/// Performs actions. What they lead to arrives through [`Perform::next`].
pub trait Perform {
    /// Gathers what must be journaled before the action begins.
    fn prepare(&mut self, run: &Run, action: &Action) -> Result<Prepared, Error>;
    /// Begins it. The journal knows of it by now.
    fn begin(&mut self, run: &Run, action: &Action) -> Result<(), Error>;
    /// The input of something begun has been journaled.
    fn recorded(&mut self, input: &Input);
    /// Waits for the next thing to happen, at most until `wake`.
    fn next(&mut self, now: Millis, wake: Option<Millis>) -> Happened;
    /// Ends everything that is under way and waits until it is gone.
    fn stop(&mut self);
}

/// May the action begin?
#[derive(Debug)]
pub enum Prepared {
    /// Yes, once this is journaled.
    Go(Input),
    /// No: the plan or its terms are no longer what was signed.
    Changed(Difference),
}

/// What ended a wait.
#[derive(Debug)]
pub enum Happened {
    /// Something begun has led to this.
    Input(Input),
    /// The time has come.
    Timer,
    /// Ctrl-C.
    Interrupted,
    /// Processes of an attempt could not be ended: nothing may be judged beside them.
    Survivors(usize),
}

/// Why the loop came back.
#[derive(Debug)]
pub enum Stopped {
    /// The run has ended.
    Finished(Outcome),
    /// What is left waits on a person.
    Waiting,
    /// Ctrl-C; resumable.
    Interrupted,
    /// The plan or its terms are no longer what was signed; resumable.
    Changed(Difference),
}

/// Sees every event, right after it was journaled and applied.
pub trait Observe {
    /// An event happened.
    fn event(&mut self, run: &Run, recorded: &Recorded) -> Result<(), Error>;
}

/// One run with everything it needs to go on.
pub struct Loop<'a> {
    /// The state.
    pub run: &'a mut Run,
    /// Its memory.
    pub journal: &'a mut dyn Append,
    /// Its hands.
    pub perform: &'a mut dyn Perform,
    /// Its time.
    pub clock: &'a dyn Clock,
    /// Whoever watches.
    pub observers: Vec<&'a mut dyn Observe>,
}

impl std::fmt::Debug for Loop<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loop")
            .field("run", &self.run.id())
            .finish_non_exhaustive()
    }
}

impl Loop<'_> {
    /// Drives the run until it ends or cannot go on by itself.
    pub fn drive(mut self) -> Result<Stopped, Error> {
        let stopped = self.until_stopped();
        if stopped.is_err() {
            // Whatever went wrong, no agent may outlive the loop that journals for it.
            self.perform.stop();
        } else {
            self.journal.close()?;
        }
        stopped
    }

    fn until_stopped(&mut self) -> Result<Stopped, Error> {
        loop {
            let now = self.clock.now();
            let mut wake = None;
            for action in due(self.run, now) {
                match action {
                    Action::Wait { until } => {
                        wake = Some(wake.map_or(until, |at: Millis| at.min(until)));
                    }
                    Action::Finish => return self.finish(),
                    Action::Gate { step } => self.record(Input::Gate { step })?,
                    Action::AskForAcceptance => self.record(Input::AskForAcceptance)?,
                    Action::AskForBudget { step } => self.record(Input::OverBudget { step })?,
                    action => {
                        if let Some(difference) = self.begin(&action)? {
                            return self.changed(difference);
                        }
                    }
                }
            }
            if !self.run.in_flight() && wake.is_none() {
                if !due(self.run, now).is_empty() {
                    continue;
                }
                self.record(Input::Park)?;
                return Ok(Stopped::Waiting);
            }
            match self.perform.next(now, wake) {
                Happened::Input(input) => self.happened(input)?,
                Happened::Timer => {}
                Happened::Survivors(count) => return Err(Error::Survivors { count }),
                Happened::Interrupted => {
                    self.perform.stop();
                    self.record(Input::Stop)?;
                    return Ok(Stopped::Interrupted);
                }
            }
        }
    }

    /// Journal first, then act.
    fn begin(&mut self, action: &Action) -> Result<Option<Difference>, Error> {
        match self.perform.prepare(self.run, action)? {
            Prepared::Go(input) => {
                self.record(input)?;
                self.perform.begin(self.run, action)?;
                Ok(None)
            }
            Prepared::Changed(difference) => Ok(Some(difference)),
        }
    }

    fn happened(&mut self, input: Input) -> Result<(), Error> {
        let is_verdict = matches!(
            input,
            Input::EvaluationEnded { .. } | Input::BaselineEnded { .. }
        );
        if is_verdict {
            failpoint::reached("verdict.before");
        }
        self.record(input.clone())?;
        if is_verdict {
            failpoint::reached("verdict.after");
        }
        self.perform.recorded(&input);
        Ok(())
    }

    fn changed(&mut self, difference: Difference) -> Result<Stopped, Error> {
        // What is in flight would finish and be judged; one step at a time means there is nothing.
        self.record(Input::Changed)?;
        Ok(Stopped::Changed(difference))
    }

    fn finish(&mut self) -> Result<Stopped, Error> {
        self.record(Input::Finish)?;
        Ok(Stopped::Finished(
            self.run.outcome().unwrap_or(Outcome::Failed),
        ))
    }

    /// Decides about an input, journals the events, applies them and tells the observers.
    pub fn record(&mut self, input: Input) -> Result<(), Error> {
        let now = self.clock.now();
        let events: Vec<Event> = decide(self.run, now, input)?;
        if events.is_empty() {
            return Ok(());
        }
        for recorded in self.journal.append(now, events)? {
            apply(self.run, &recorded);
            for observer in &mut self.observers {
                observer.event(self.run, &recorded)?;
            }
        }
        Ok(())
    }
}

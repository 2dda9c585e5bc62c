//! The loop. Normal running and recovery are the same path: apply what the journal holds, ask what
//! is due, journal it, perform it.

mod asking;
pub(crate) mod forwarded_journal;
pub(crate) mod journal;
mod journaled_run;
pub(crate) mod published_journal;
pub(crate) mod request;
mod roles;

use signoff_engine::{Action, Bounds, Input, Millis, Outcome, PauseReason, due};
use signoff_store::failpoint;

use self::asking::AskOutcome;
pub use self::journal::{Append, FileJournal};
pub use self::journaled_run::JournaledRun;
pub use self::request::RunRequest;
pub use self::roles::{
    ActiveAgent, HarnessTrouble, NoPerson, Observe, Performer, Person, PersonAnswer, Readiness,
    WakeReason,
};
use crate::error::{Error, SignedDifference};

/// At most this many reports of other machines are journaled together.
const MOST_REPORTS: usize = 64;

/// Why the loop came back.
#[derive(Debug)]
pub enum StopReason {
    /// The run has ended.
    Finished(Outcome),
    /// The remaining steps wait on a person.
    Waiting,
    /// A person asked for a pause, or it was to go only so far; resumable.
    Paused(PauseReason),
    /// Ctrl-C; resumable.
    Interrupted,
    /// The plan or its terms are no longer what was signed; resumable.
    Changed(SignedDifference),
}

/// One run with everything it needs to go on.
pub struct Loop<'a, 'r> {
    /// The run.
    pub run: &'a mut JournaledRun<'r>,
    /// Performs its actions.
    pub perform: &'a mut dyn Performer,
    /// How far it is to go.
    pub bounds: Bounds,
    /// Who can be asked.
    pub person: &'a mut dyn Person,
    /// See every event.
    pub observers: Vec<&'a mut dyn Observe>,
    /// What changed since signing, if something did.
    pub difference: Option<SignedDifference>,
}

impl std::fmt::Debug for Loop<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loop")
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

impl Loop<'_, '_> {
    /// Drives the run until it ends or cannot go on by itself.
    pub fn drive(mut self) -> Result<StopReason, Error> {
        let stopped = self.drive_until_stopped();
        match &stopped {
            Ok(_) => self.run.close()?,
            // The journal can still be written, unless that is part of the trouble.
            Err(Error::HarnessTrouble {
                step, what, why, ..
            }) => {
                let trouble = format!("step `{step}`: {what}: {why}");
                let paused = self.interrupt(Some(trouble));
                let paused = paused.and_then(|_| self.run.close());
                if paused.is_err() {
                    self.perform.stop(self.run.state());
                }
            }
            Err(_) => {
                // Whatever went wrong, no agent may outlive the loop that journals for it.
                self.perform.stop(self.run.state());
            }
        }
        stopped
    }

    fn drive_until_stopped(&mut self) -> Result<StopReason, Error> {
        loop {
            let now = self.run.now();
            if self.run.state().pause_reason() == Some(PauseReason::Replanned) {
                return Ok(StopReason::Paused(PauseReason::Replanned));
            }
            if self.perform.is_stopping() {
                let happened = self.perform.next(self.run.state(), now, None)?;
                match self.handle(happened)? {
                    Some(stopped) => return Ok(stopped),
                    None => continue,
                }
            }
            let (wake, stuck) = match self.begin_all(now)? {
                BeginOutcome::Ended(stopped) => return Ok(stopped),
                // A condition that holds, or a loop that was expanded, may make more actions due.
                BeginOutcome::Again => match self.handle_news(now)? {
                    Some(stopped) => return Ok(stopped),
                    None => continue,
                },
                BeginOutcome::Until { wake, stuck } => (wake, stuck),
            };
            if !self.run.state().in_flight() && wake.is_none() {
                if !stuck && !due(self.run.state(), now, &self.bounds).is_empty() {
                    continue;
                }
                match self.ask_or_pause()? {
                    Some(stopped) => return Ok(stopped),
                    None => continue,
                }
            }
            if self.run.state().only_asks() && wake.is_none() {
                match self.ask_for_agents()? {
                    AskOutcome::Went(Some(stopped)) => return Ok(stopped),
                    AskOutcome::Went(None) => continue,
                    // They wait with their processes, and so does the run.
                    AskOutcome::Later => {}
                }
            }
            let wake = self.wake_for_observers(now, wake);
            let happened = self.perform.next(self.run.state(), now, wake)?;
            if let Some(stopped) = self.handle(happened)? {
                return Ok(stopped);
            }
        }
    }

    /// Lets observers do what is due, and returns until when to wait at most.
    fn wake_for_observers(&mut self, now: Millis, wake: Option<Millis>) -> Option<Millis> {
        let run = self.run.state();
        let due = self.observers.iter_mut().filter_map(|observer| {
            if observer.due_in(now) == Some(0) {
                observer.catch_up(run, now);
            }
            observer.due_in(now).map(|wait| now.saturating_add(wait))
        });
        due.chain(wake).min()
    }

    /// Handles what has arrived, so that a person can stop a run that never waits.
    fn handle_news(&mut self, now: Millis) -> Result<Option<StopReason>, Error> {
        if !self.perform.has_news() {
            return Ok(None);
        }
        let happened = self.perform.next(self.run.state(), now, Some(now))?;
        self.handle(happened)
    }

    /// Begins everything that is due.
    fn begin_all(&mut self, now: Millis) -> Result<BeginOutcome, Error> {
        let mut wake = None;
        let mut stuck = false;
        let mut again = false;
        let mut recorded = Vec::new();
        for action in due(self.run.state(), now, &self.bounds) {
            match action {
                Action::Wait { until } => {
                    wake = Some(wake.map_or(until, |at: Millis| at.min(until)));
                }
                Action::Finish => return self.finish().map(BeginOutcome::Ended),
                Action::Gate { step } => {
                    self.record(Input::Gate { step })?;
                    again = true;
                }
                Action::Gather { step } => {
                    self.record(Input::Gather { step })?;
                    again = true;
                }
                Action::AskForAcceptance => self.record(Input::AskForAcceptance)?,
                Action::AskForBudget { step } => self.record(Input::OverBudget { step })?,
                action => match self.prepare(&action)? {
                    PrepareOutcome::Begins => recorded.push(action),
                    PrepareOutcome::Decided => again = true,
                    PrepareOutcome::Blocked => stuck = true,
                },
            }
            // Other actions that were due may no longer be.
            if stuck {
                break;
            }
        }
        // One sync serves them all: what must survive is on disk before anything begins.
        self.run.sync()?;
        self.perform.begin_all(self.run.state(), &recorded)?;
        Ok(if again && !stuck {
            BeginOutcome::Again
        } else {
            BeginOutcome::Until { wake, stuck }
        })
    }

    /// Journals what must be known before the action.
    fn prepare(&mut self, action: &Action) -> Result<PrepareOutcome, Error> {
        match self.perform.prepare(self.run.state(), action)? {
            Readiness::Go(input) => self.write(input).map(|()| PrepareOutcome::Begins),
            Readiness::Instead(input) => {
                self.record(input.clone())?;
                self.perform.input_recorded(self.run.state(), &input);
                Ok(PrepareOutcome::Decided)
            }
            Readiness::Stopping => Ok(PrepareOutcome::Decided),
            Readiness::Changed(difference) => {
                // Actions in flight end and are judged, as far as possible.
                self.difference = Some(*difference);
                if self.run.state().pausing().is_none() {
                    self.record(Input::Pause {
                        reason: PauseReason::Changed,
                        by: "the harness".to_owned(),
                    })?;
                }
                Ok(PrepareOutcome::Blocked)
            }
        }
    }

    fn handle(&mut self, happened: WakeReason) -> Result<Option<StopReason>, Error> {
        match happened {
            WakeReason::Input(input) => self.handle_input(input)?,
            WakeReason::Requested { name, request } => return self.handle_request(&name, request),
            WakeReason::Timer => {}
            WakeReason::Survivors(count) => return Err(Error::Survivors { count }),
            WakeReason::Trouble(trouble) => return Err(self.stop_for(trouble)),
            WakeReason::Interrupted => return self.interrupt(None).map(Some),
            WakeReason::Active(agent) => {
                for observer in &mut self.observers {
                    observer.agent_active(self.run.state(), &agent);
                }
            }
        }
        Ok(None)
    }

    fn handle_input(&mut self, input: Input) -> Result<(), Error> {
        let mut recorded = Vec::new();
        let mut next = Some(input);
        while let Some(input) = next {
            let (before, _) = write_failpoints(&input);
            failpoint::reach(before);
            self.write(input.clone())?;
            recorded.push(input);
            // Reports are handled in batches of limited size, so that a person and waiting steps hear of them in time.
            next = (recorded.len() < MOST_REPORTS)
                .then(|| self.perform.next_report(self.run.state()))
                .flatten();
        }
        self.run.sync()?;
        for input in recorded {
            let (_, after) = write_failpoints(&input);
            failpoint::reach(after);
            self.perform.input_recorded(self.run.state(), &input);
        }
        Ok(())
    }

    /// Journals what is certain, and says why the run cannot go on now.
    fn stop_for(&mut self, trouble: HarnessTrouble) -> Error {
        if let Some(known) = trouble.known
            && let Err(error) = self.record(known)
        {
            return error;
        }
        let run = self.run.state();
        Error::harness_trouble(run, trouble.step, trouble.what, trouble.why)
    }

    /// Handles a request of another process.
    fn handle_request(
        &mut self,
        name: &str,
        request: RunRequest,
    ) -> Result<Option<StopReason>, Error> {
        let stopped = match request {
            RunRequest::Stop => Some(self.interrupt(None)?),
            RunRequest::Abort { by } => {
                self.end_work()?;
                let reports = self.perform.reports();
                self.record(Input::Abort { by, reports })?;
                Some(StopReason::Finished(Outcome::Failed))
            }
            RunRequest::Input(input) => {
                failpoint::reach("answer.before");
                let refused = match self.record(input.clone()) {
                    Ok(()) => {
                        self.perform.input_recorded(self.run.state(), &input);
                        None
                    }
                    Err(Error::Refused(refusal)) => Some(refusal),
                    Err(error) => return Err(error),
                };
                failpoint::reach("answer.after");
                self.perform.reply(name, refused.as_ref());
                return Ok(None);
            }
        };
        self.perform.reply(name, None);
        Ok(stopped)
    }

    fn interrupt(&mut self, trouble: Option<String>) -> Result<StopReason, Error> {
        self.end_work()?;
        let reports = self.perform.reports();
        self.record(Input::Stop { trouble, reports })?;
        Ok(StopReason::Interrupted)
    }

    /// Ends everything under way; actions that ended by themselves at the same moment count.
    fn end_work(&mut self) -> Result<(), Error> {
        for input in self.perform.stop(self.run.state()) {
            self.record(input)?;
        }
        Ok(())
    }

    /// Nothing can go on by itself: asks the person, or pauses.
    fn ask_or_pause(&mut self) -> Result<Option<StopReason>, Error> {
        let reason = match self.run.state().pausing() {
            Some(reason) => reason,
            None if self.run.state().items().next().is_none() && self.bounds.is_limited() => {
                PauseReason::Limited
            }
            None => match self.ask()? {
                AskOutcome::Later => PauseReason::Waiting,
                AskOutcome::Went(stopped) => return Ok(stopped),
            },
        };
        self.record(Input::Park { reason })?;
        Ok(Some(match reason {
            PauseReason::Waiting => StopReason::Waiting,
            PauseReason::Interrupted | PauseReason::Trouble => StopReason::Interrupted,
            PauseReason::Changed => {
                let difference = self.difference.take();
                StopReason::Changed(
                    difference.expect("`prepare` notes the difference that it pauses for"),
                )
            }
            PauseReason::Requested | PauseReason::Limited | PauseReason::Replanned => {
                StopReason::Paused(reason)
            }
        }))
    }

    fn finish(&mut self) -> Result<StopReason, Error> {
        self.record(Input::Finish)?;
        let outcome = self.run.state().outcome();
        Ok(StopReason::Finished(
            outcome.expect("`Finish` gives the run its outcome"),
        ))
    }

    /// Records an input, and shows the events to the observers.
    pub fn record(&mut self, input: Input) -> Result<(), Error> {
        self.write(input)?;
        self.run.sync()
    }

    /// The same without waiting for the disk.
    fn write(&mut self, input: Input) -> Result<(), Error> {
        let observers = &mut self.observers;
        self.run.write(input, |run, recorded| {
            let mut observers = observers.iter_mut();
            observers.try_for_each(|observer| observer.event(run, recorded))
        })
    }
}

/// Where the crash tests kill the process around this input.
fn write_failpoints(input: &Input) -> (&'static str, &'static str) {
    match input {
        Input::EvaluationEnded { .. } | Input::BaselineEnded { .. } => {
            ("verdict.before", "verdict.after")
        }
        Input::CallEnded { .. } => ("call.before", "call.after"),
        Input::ModelEnded { .. } => ("answered.before", "answered.after"),
        Input::CandidateBuilt { .. } | Input::Conflicted { .. } => {
            ("candidate.before", "candidate.after")
        }
        Input::Merged { .. } => ("merged.before", "merged.after"),
        Input::ProcessHeld { .. } => ("started.before", "started.after"),
        _ => ("finished.before", "finished.after"),
    }
}

/// The result of beginning everything that is due.
enum BeginOutcome {
    Ended(StopReason),
    /// Something was decided without an action: more may be due.
    Again,
    Until {
        /// Nothing more is due before this time, if there is one.
        wake: Option<Millis>,
        /// Something may not begin.
        stuck: bool,
    },
}

/// The result of preparing an action.
enum PrepareOutcome {
    /// The action may begin.
    Begins,
    /// Something else was journaled, or the run is being stopped: `due` has to be asked again.
    Decided,
    /// Nothing may begin: the plan or its terms are no longer what was signed.
    Blocked,
}

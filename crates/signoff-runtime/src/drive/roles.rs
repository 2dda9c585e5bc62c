//! The roles beside the loop: a performer of actions, observers, and a person who can be asked.

use signoff_api::progress::AgentProgress;
use signoff_engine::{
    Action, AgentReports, InboxItem, Input, LiveUsage, Millis, RecordedEvent, Refusal, Run,
};

use super::request::RunRequest;
use crate::error::{Error, SignedDifference};

/// Performs actions. Their results arrive through [`Performer::next`].
pub trait Performer {
    /// Gathers what must be journaled before the action begins.
    fn prepare(&mut self, run: &Run, action: &Action) -> Result<Readiness, Error>;
    /// Begins it, after it was journaled.
    fn begin(&mut self, run: &Run, action: &Action) -> Result<(), Error>;
    /// Begins all these actions.
    fn begin_all(&mut self, run: &Run, actions: &[Action]) -> Result<(), Error> {
        let mut actions = actions.iter();
        actions.try_for_each(|action| self.begin(run, action))
    }
    /// Called when the input of an action that had begun is journaled.
    fn input_recorded(&mut self, run: &Run, input: &Input);
    /// Waits for the next thing to happen, at most until `wake`.
    fn next(&mut self, run: &Run, now: Millis, wake: Option<Millis>) -> Result<WakeReason, Error>;
    /// Another report of a machine that has arrived already: one write to the journal serves all of them.
    fn next_report(&mut self, _run: &Run) -> Option<Input> {
        None
    }
    /// Ends everything that is under way, waits until it is gone, and returns the inputs that arrived meanwhile.
    fn stop(&mut self, run: &Run) -> Vec<Input>;
    /// Would [`Performer::next`] return at once?
    fn has_news(&mut self) -> bool;

    /// Is the run being stopped? Then [`Performer::next`] returns the reason.
    fn is_stopping(&self) -> bool {
        false
    }

    /// Takes what agents that were cut off had reported, by step.
    fn reports(&mut self) -> AgentReports {
        AgentReports::new()
    }

    /// Takes over a run that another process drove and that other machines still work for.
    fn take_over(&mut self, _run: &Run) -> Result<(), Error> {
        Ok(())
    }

    /// Called when nothing is under way and a person may act.
    fn on_idle(&mut self, _run: &Run) {}
    /// Answers a request.
    fn reply(&mut self, request: &str, refused: Option<&Refusal>);
}

/// May the action begin?
#[derive(Debug)]
pub enum Readiness {
    /// Yes, once this is journaled.
    Go(Input),
    /// No; this has to be journaled instead.
    Instead(Input),
    /// No: the plan or its terms are no longer what was signed.
    Changed(Box<SignedDifference>),
    /// No: the run is being stopped, and [`Performer::next`] returns the reason.
    Stopping,
}

/// What ended a wait.
#[derive(Debug)]
pub enum WakeReason {
    /// Something begun has led to this.
    Input(Input),
    /// Another process asks for something.
    Requested {
        /// The request's name, for the reply.
        name: String,
        /// What is asked for.
        request: RunRequest,
    },
    /// The time has come.
    Timer,
    /// Ctrl-C.
    Interrupted,
    /// Processes of an attempt could not be ended: nothing may be judged beside them.
    Survivors(usize),
    /// The harness could not do its own part.
    Trouble(HarnessTrouble),
    /// An agent at work reported progress.
    Active(Box<ActiveAgent>),
}

/// An agent at work, and what it has reported so far. None of it is journaled or decides about the step.
#[derive(Debug, Clone)]
pub struct ActiveAgent {
    /// The position of its step.
    pub step: usize,
    /// The attempt.
    pub attempt: u32,
    /// What it has used so far, as far as it counts against a budget.
    pub usage: LiveUsage,
    /// What it has reported.
    pub progress: AgentProgress,
}

impl From<Input> for WakeReason {
    fn from(input: Input) -> Self {
        Self::Input(input)
    }
}

/// Something that the harness needs for a step failed: git, the disk, a mount. No attempt has failed by it, so it is no
/// input: the run stops as after a crash, and goes on from there once the cause is gone.
#[derive(Debug)]
pub struct HarnessTrouble {
    /// For which step.
    pub step: usize,
    /// What could not be done, as in "its work could not be merged".
    pub what: &'static str,
    /// Why not.
    pub why: String,
    /// What is known nevertheless; it is journaled first.
    pub known: Option<Input>,
}

/// Sees every event, right after it was journaled and applied.
pub trait Observe {
    /// An event happened.
    fn event(&mut self, run: &Run, recorded: &RecordedEvent) -> Result<(), Error>;

    /// An agent at work reported progress.
    fn agent_active(&mut self, _run: &Run, _agent: &ActiveAgent) {}

    /// After how long it wants to be called even without an event, because it holds something back.
    fn due_in(&self, _now: Millis) -> Option<Millis> {
        None
    }

    /// Does what was held back: the time has passed, or the run waits for a person.
    fn catch_up(&mut self, _run: &Run, _now: Millis) {}
}

/// A person who can be asked while the run waits.
pub trait Person {
    /// Asks about an item. Gives up as soon as `has_news` says that something else has happened: the
    /// answer may have come from elsewhere, or is no longer needed.
    fn answer(
        &mut self,
        run: &Run,
        item: &InboxItem,
        has_news: &mut dyn FnMut() -> bool,
    ) -> PersonAnswer;
    /// The answer does not fit.
    fn note_refusal(&mut self, refusal: &Refusal);
    /// Is anybody there at all?
    fn is_present(&self) -> bool;
}

/// A person's answer about an item.
#[derive(Debug)]
pub enum PersonAnswer {
    /// This, as the input it makes.
    Answer(Box<Input>),
    /// Not now.
    Later,
    /// None: something else happened first.
    Nothing,
}

/// No person can be asked.
#[derive(Debug)]
pub struct NoPerson;

impl Person for NoPerson {
    fn answer(&mut self, _: &Run, _: &InboxItem, _: &mut dyn FnMut() -> bool) -> PersonAnswer {
        PersonAnswer::Later
    }

    fn note_refusal(&mut self, _: &Refusal) {}

    fn is_present(&self) -> bool {
        false
    }
}

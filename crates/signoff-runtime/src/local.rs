//! Performs actions on this machine, in the checkout, through `signoff-work` and `signoff-sandbox`.

mod crew;
mod told;
mod workbench;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use signoff_engine::{Action, Input, Millis, Run};
use signoff_sandbox::Sandbox;
use signoff_store::runs::RunDir;

use self::crew::Crew;
use self::workbench::{Workbench, broken};
pub(crate) use self::workbench::{contract_marker, marker};
use crate::clock::Clock;
use crate::drive::{Happened, Perform, Prepared};
use crate::error::Error;
use crate::project::Project;
use crate::watch::Watch;

/// Asks a running loop to stop cleanly; safe to send from a signal thread.
#[derive(Debug, Clone)]
pub struct Interrupt(Sender<Happened>);

impl Interrupt {
    /// Asks for it.
    pub fn send(&self) {
        // Nobody listens any more: then there is nothing left to stop.
        drop(self.0.send(Happened::Interrupted));
    }
}

/// This machine's hands.
pub(crate) struct Local<'a> {
    bench: Workbench<'a>,
    crew: Crew,
    watch: Watch,
    sender: Sender<Happened>,
    receiver: Receiver<Happened>,
    /// Lets a held agent go, by step.
    gates: BTreeMap<usize, Sender<()>>,
}

impl<'a> Local<'a> {
    pub(crate) fn new(
        project: &'a Project,
        sandbox: Arc<Sandbox>,
        dir: RunDir,
        key: String,
        watch: Watch,
        clock: &'a dyn Clock,
    ) -> Self {
        let (sender, receiver) = channel();
        Self {
            bench: Workbench {
                project,
                dir,
                key,
                clock,
                prompts: BTreeMap::new(),
            },
            crew: Crew::new(sandbox, sender.clone()),
            watch,
            sender,
            receiver,
            gates: BTreeMap::new(),
        }
    }

    pub(crate) fn interrupt(&self) -> Interrupt {
        Interrupt(self.sender.clone())
    }

    fn prepare_dispatch(
        &mut self,
        run: &Run,
        step: usize,
        attempt: u32,
    ) -> Result<Prepared, Error> {
        if let Some(difference) = self.watch.difference(self.bench.project)? {
            return Ok(Prepared::Changed(difference));
        }
        let item = self.bench.work_item(run, step, attempt)?;
        Ok(Prepared::Go(Input::WorkBegins {
            step,
            attempt,
            item,
        }))
    }

    /// Starts an agent, held at its gate until the journal knows its process.
    fn dispatch(&mut self, run: &Run, step: usize, attempt: u32) -> Result<(), Error> {
        let command = self.bench.agent(run, step, attempt)?;
        let (release, released) = channel();
        self.gates.insert(step, release);
        let sender = self.sender.clone();
        self.crew.start(
            command,
            move |process| {
                let held = Input::ProcessHeld {
                    step,
                    attempt,
                    process,
                };
                sender.send(Happened::Input(held)).is_ok() && released.recv().is_ok()
            },
            move |seen| Input::WorkEnded {
                step,
                attempt,
                ended: seen.ended,
                text: seen.stdout,
            },
        );
        Ok(())
    }
}

impl Perform for Local<'_> {
    fn prepare(&mut self, run: &Run, action: &Action) -> Result<Prepared, Error> {
        let contract = matches!(action, Action::Baseline { .. } | Action::Evaluate { .. });
        // An agent that rewrites the script it is measured by would pass any contract.
        if contract && let Some(difference) = self.watch.changed_files(self.bench.project) {
            return Ok(Prepared::Changed(difference));
        }
        Ok(match action {
            Action::Baseline { step } => Prepared::Go(Input::BaselineBegins { step: *step }),
            Action::Evaluate { step, attempt, .. } => Prepared::Go(Input::EvaluationBegins {
                step: *step,
                attempt: *attempt,
            }),
            Action::Dispatch { step, attempt } => self.prepare_dispatch(run, *step, *attempt)?,
            Action::Gate { .. }
            | Action::AskForBudget { .. }
            | Action::AskForAcceptance
            | Action::Wait { .. }
            | Action::Finish => {
                return Err(broken(run, "an action without a performer"));
            }
        })
    }

    fn begin(&mut self, run: &Run, action: &Action) -> Result<(), Error> {
        match *action {
            Action::Baseline { step } => {
                let command = self.bench.evaluation(run, step, 0, 1, true)?;
                let report = move |observed| Input::BaselineEnded { step, observed };
                self.crew.start(command, |_| true, report);
            }
            Action::Evaluate {
                step,
                attempt,
                patience,
            } => {
                let command = self.bench.evaluation(run, step, attempt, patience, false)?;
                let report = move |observed| Input::EvaluationEnded {
                    step,
                    attempt,
                    observed,
                };
                self.crew.start(command, |_| true, report);
            }
            Action::Dispatch { step, attempt } => self.dispatch(run, step, attempt)?,
            Action::Gate { .. }
            | Action::AskForBudget { .. }
            | Action::AskForAcceptance
            | Action::Wait { .. }
            | Action::Finish => {}
        }
        Ok(())
    }

    fn recorded(&mut self, input: &Input) {
        if let Input::ProcessHeld { step, .. } = input
            && let Some(gate) = self.gates.remove(step)
        {
            // The thread is gone only if the run is being stopped.
            let _gone = gate.send(());
        }
    }

    fn next(&mut self, now: Millis, wake: Option<Millis>) -> Happened {
        let happened = match wake {
            Some(at) => self
                .receiver
                .recv_timeout(Duration::from_millis(at.saturating_sub(now))),
            None => self
                .receiver
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
        };
        // We hold a sender ourselves, so the channel cannot be disconnected.
        happened.unwrap_or(Happened::Timer)
    }

    fn stop(&mut self) {
        // Threads that hold an agent at its gate see it close and let the agent go unstarted.
        self.gates.clear();
        self.crew.stop();
    }
}

//! Performs actions on this machine, in the checkout, through `signoff-work` and `signoff-sandbox`.

mod calls;
mod crew;
mod pool;
mod requests;
mod scratch;
mod told;
mod tree;
mod workbench;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use signoff_engine::{Action, Input, Millis, Observation, Refusal, Run};
use signoff_sandbox::{Command, Sandbox};
use signoff_store::runs::RunDir;
use signoff_work::confine::{Grounds, keep_repository};
use signoff_work::environment::for_contract;

use self::calls::Calls;
use self::crew::Crew;
use self::requests::Listener;
use self::scratch::Scratch;
use self::tree::Tree;
pub(crate) use self::workbench::marker;
use self::workbench::{Workbench, broken, known};
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
    calls: Calls,
    tree: Tree,
    /// How much was begun so far.
    started: Arc<AtomicU64>,
    watch: Watch,
    listener: Listener,
    sender: Sender<Happened>,
    receiver: Receiver<Happened>,
    /// What was received and not yet handed on.
    news: Option<Happened>,
    /// Lets a held agent go, by step.
    gates: BTreeMap<usize, Sender<()>>,
}

impl<'a> Local<'a> {
    pub(crate) fn new(
        project: &'a Project,
        (sandbox, grounds): (Arc<Sandbox>, Option<Grounds>),
        dir: RunDir,
        key: String,
        watch: Watch,
        clock: &'a dyn Clock,
    ) -> Self {
        let (sender, receiver) = channel();
        let contract_environment = for_contract(
            &project.around.variables,
            &project.config.sandbox.env.value,
            project.store.workspace(),
        );
        let tree = Tree::new(project.store.workspace(), &dir.tree(), watch.plan());
        let listener = Listener::start(&dir, sender.clone());
        Self {
            calls: Calls::new(project, &dir, (Arc::clone(&sandbox), grounds.as_ref())),
            bench: Workbench {
                project,
                dir,
                key,
                clock,
                contract_environment,
                secrets: project.secrets(),
                grounds,
                prompts: BTreeMap::new(),
            },
            crew: Crew::new(sandbox, sender.clone()),
            tree,
            started: Arc::default(),
            watch,
            listener,
            sender,
            receiver,
            news: None,
            gates: BTreeMap::new(),
        }
    }

    /// Removes what belonged to what it started.
    pub(crate) fn end(&self) {
        // What stays is removed with the run.
        self.bench.dir.clear_leftovers().ok();
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
        let item = self.bench.work_item(run, step, attempt)?;
        Ok(Prepared::Go(Input::WorkBegins {
            step,
            attempt,
            item,
        }))
    }

    /// Starts an agent, held at its gate until the journal knows its process.
    fn dispatch(&mut self, run: &Run, step: usize, attempt: u32) -> Result<(), Error> {
        let (command, scratch) = self.bench.agent(run, step, attempt)?;
        let (release, released) = channel();
        self.gates.insert(step, release);
        let sender = self.sender.clone();
        let protects = run.definition(step).map_or(&[][..], |step| &step.protects);
        let (tree, protects) = (self.tree.clone(), protects.to_vec());
        let workspace = self.bench.project.store.workspace().to_owned();
        let kept = known(run, step)?.0;
        let kept = self.bench.dir.attempt(&kept.id, attempt).repository();
        self.crew.start_held(
            command,
            move || (tree.before_work(&protects), scratch),
            move |process| {
                let held = Input::ProcessHeld {
                    step,
                    attempt,
                    process,
                };
                sender.send(Happened::Input(held)).is_ok() && released.recv().is_ok()
            },
            move |(before, scratch), seen| {
                if let Some(scratch) = scratch {
                    // What an agent committed or stashed may be all that is left of something.
                    keep_repository(scratch.path(), &workspace, &kept).ok();
                }
                Input::WorkEnded {
                    step,
                    attempt,
                    ended: seen.ended,
                    text: seen.stdout,
                    changes: before.changes(),
                }
            },
        );
        Ok(())
    }

    /// Runs a contract. What it changes in the checkout is put back where nothing else can have
    /// changed it.
    fn contract(
        &mut self,
        run: &Run,
        (command, scratch): (Command, Option<Scratch>),
        report: impl FnOnce(Observation) -> Input + Send + 'static,
    ) {
        let tree = is_alone(run).then(|| self.tree.clone());
        let started = Arc::clone(&self.started);
        let number = started.load(Ordering::SeqCst);
        self.crew.start(
            command,
            move || (tree.and_then(|tree| Some((tree.look()?, tree))), scratch),
            move |(before, scratch), mut observed| {
                drop(scratch);
                // What began meanwhile may have changed something too: then nobody can tell.
                let alone = started.load(Ordering::SeqCst) == number;
                if let Some((before, tree)) = before.filter(|_| alone) {
                    observed.wrote = tree.put_back(&before);
                }
                report(observed)
            },
        );
    }

    /// Runs the step's contract after its work, or once more at the end.
    fn evaluate(
        &mut self,
        run: &Run,
        step: usize,
        attempt: u32,
        patience: u32,
    ) -> Result<(), Error> {
        let command = self.bench.evaluation(run, step, attempt, patience, false)?;
        self.contract(run, command, move |observed| Input::EvaluationEnded {
            step,
            attempt,
            observed,
        });
        Ok(())
    }
}

impl Perform for Local<'_> {
    fn prepare(&mut self, run: &Run, action: &Action) -> Result<Prepared, Error> {
        let difference = match action {
            Action::Dispatch { .. } | Action::Call { .. } => {
                self.watch.difference(self.bench.project)?
            }
            // An agent that rewrites the script it is measured by would pass any contract.
            _ => self.watch.changed_files(self.bench.project),
        };
        if let Some(difference) = difference {
            return Ok(Prepared::Changed(Box::new(difference)));
        }
        Ok(match *action {
            Action::Baseline { step } => Prepared::Go(Input::BaselineBegins { step }),
            Action::Evaluate { step, attempt, .. } => {
                Prepared::Go(Input::EvaluationBegins { step, attempt })
            }
            Action::Recheck { step, .. } => Prepared::Go(Input::EvaluationBegins {
                step,
                attempt: attempts(run, step),
            }),
            Action::Dispatch { step, attempt } => self.prepare_dispatch(run, step, attempt)?,
            Action::Call { step, attempt } => self.calls.prepare(run, step, attempt),
            Action::Gate { .. }
            | Action::Gather { .. }
            | Action::AskForBudget { .. }
            | Action::AskForAcceptance
            | Action::Wait { .. }
            | Action::Finish => {
                return Err(broken(run, "an action without a performer"));
            }
        })
    }

    fn begin(&mut self, run: &Run, action: &Action) -> Result<(), Error> {
        self.started.fetch_add(1, Ordering::SeqCst);
        match *action {
            Action::Baseline { step } => {
                let command = self.bench.evaluation(run, step, 0, 1, true)?;
                let report = move |observed| Input::BaselineEnded { step, observed };
                self.contract(run, command, report);
            }
            Action::Evaluate {
                step,
                attempt,
                patience,
            } => self.evaluate(run, step, attempt, patience)?,
            Action::Recheck { step, patience } => {
                self.evaluate(run, step, attempts(run, step), patience)?;
            }
            Action::Dispatch { step, attempt } => self.dispatch(run, step, attempt)?,
            Action::Call { step, attempt } => {
                let limit = self.bench.time_limit(run, step)?;
                let log = self.bench.dir.attempt(&known(run, step)?.0.id, attempt);
                let call = self
                    .calls
                    .call(run, step, attempt, (limit, log.tool_log()))?;
                self.crew.work(call);
            }
            Action::Gate { .. }
            | Action::Gather { .. }
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
        if let Some(happened) = self.news.take() {
            return happened;
        }
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

    fn stop(&mut self) -> Vec<Input> {
        // Threads that hold an agent at its gate see it close and let the agent go unstarted.
        self.gates.clear();
        self.calls.stop();
        self.crew.stop();
        let late = self
            .news
            .take()
            .into_iter()
            .chain(self.receiver.try_iter())
            .filter_map(|happened| match happened {
                // One that was not let go has not started.
                Happened::Input(Input::ProcessHeld { .. }) => None,
                Happened::Input(input) => Some(input),
                _ => None,
            });
        late.collect()
    }

    fn has_news(&mut self) -> bool {
        if self.news.is_none() {
            self.news = self.receiver.try_recv().ok();
        }
        self.news.is_some()
    }

    fn reply(&mut self, request: &str, refused: Option<&Refusal>) {
        self.listener
            .reply(request, refused.map(ToString::to_string));
    }
}

/// Does one step have the checkout to itself?
fn is_alone(run: &Run) -> bool {
    run.under_way().count() == 1
}

fn attempts(run: &Run, step: usize) -> u32 {
    run.step(step).map_or(0, |(_, state)| state.attempts)
}

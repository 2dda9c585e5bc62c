//! Performs actions on this machine, in the checkout or in worktrees, through `signoff-work` and `signoff-sandbox`.

mod calls;
mod contracts;
mod crew;
mod ground;
mod message;
mod past;
mod pool;
mod requests;
mod scratch;
mod seeing;
mod told;
mod tree;
mod workbench;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use signoff_engine::{Action, Changes, Input, Millis, ProcessEnd, Refusal, Run};
use signoff_plan::model::Step;
use signoff_sandbox::Sandbox;
use signoff_store::runs::RunDir;
use signoff_work::confine::{Grounds, keep_repository};
use signoff_work::environment::for_contract;

use self::calls::Calls;
use self::crew::Crew;
use self::ground::{Ground, needs_ground};
use self::message::Message;
use self::past::Past;
use self::requests::Listener;
pub(crate) use self::scratch::unlock;
use self::seeing::{Seeing, Seen};
use self::tree::Tree;
pub(crate) use self::workbench::marker;
use self::workbench::{Workbench, broken, known};
use crate::clock::Clock;
use crate::drive::{Happened, Perform, Prepared};
use crate::error::Error;
use crate::project::Project;
use crate::trees::{Trees, Working};
use crate::watch::Watch;

/// Asks a running loop to stop cleanly; safe to send from a signal thread.
#[derive(Debug, Clone)]
pub struct Interrupt(Sender<Message>);

impl Interrupt {
    /// Asks for it.
    pub fn send(&self) {
        // Nobody listens any more: then there is nothing left to stop.
        drop(self.0.send(Message::Happened(Happened::Interrupted)));
    }
}

/// This machine's hands.
pub(crate) struct Local<'a> {
    bench: Workbench<'a>,
    crew: Crew,
    calls: Calls,
    tree: Tree,
    /// The run's trees, where it has its own.
    ground: Option<Ground>,
    /// The checkout as git sees it, where the run works in it.
    in_place: Option<Arc<Trees>>,
    /// How much was begun so far.
    started: Arc<AtomicU64>,
    watch: Watch,
    listener: Listener,
    sender: Sender<Message>,
    receiver: Receiver<Message>,
    /// What was received and not yet handed on.
    news: Option<Message>,
    /// Lets a held agent go, by step.
    gates: BTreeMap<usize, Sender<()>>,
}

/// Where a run works.
pub(crate) enum Where {
    /// In the checkout; as git sees it, if there is git.
    Checkout(Option<Arc<Trees>>),
    /// In trees of its own.
    Worktrees(Arc<Trees>),
}

impl<'a> Local<'a> {
    pub(crate) fn new(
        project: &'a Project,
        (sandbox, grounds): (Arc<Sandbox>, Option<Grounds>),
        (dir, place): (RunDir, Where),
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
        let (ground, in_place) = match place {
            Where::Checkout(trees) => (None, trees),
            Where::Worktrees(trees) => (Some(Ground::new(trees, watch.signed_files())), None),
        };
        let run_tree = ground.as_ref().map(|ground| ground.trees.run_path());
        let workspace = run_tree.unwrap_or_else(|| project.store.workspace().to_owned());
        let confined = (Arc::clone(&sandbox), grounds.as_ref());
        Self {
            calls: Calls::new(project, &dir, confined, &workspace),
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
            ground,
            in_place,
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

    /// The directory that a step works in.
    fn path(&self, run: &Run, step: usize) -> PathBuf {
        let ground = self.ground.as_ref();
        let own = ground.map(|ground| ground.path(run, step));
        own.unwrap_or_else(|| self.bench.project.store.workspace().to_owned())
    }

    fn prepare_dispatch(
        &mut self,
        run: &Run,
        step: usize,
        attempt: u32,
    ) -> Result<Prepared, Error> {
        let quotes = |step: &Step| !step.subscriptions.is_empty();
        if let Some(ground) = &mut self.ground
            && run.definition(step).is_some_and(quotes)
        {
            // What the prompt quotes has to be there before the journal says so.
            let make = ground.make_ready(run, step, self.crew.starter())?;
            // Whoever misses it is told, when the agent is to start.
            make().ok();
        }
        let path = self.path(run, step);
        let item = self.bench.work_item(run, step, attempt, &path)?;
        Ok(Prepared::Go(Input::WorkBegins {
            step,
            attempt,
            item,
        }))
    }

    /// Starts an agent, held at its gate until the journal knows its process.
    fn dispatch(&mut self, run: &Run, step: usize, attempt: u32) -> Result<(), Error> {
        let path = self.path(run, step);
        let (command, scratch) = self.bench.agent(run, step, attempt, &path)?;
        let (release, released) = channel();
        self.gates.insert(step, release);
        let sender = self.sender.clone();
        let (definition, state) = known(run, step)?;
        let kept = self.bench.dir.attempt(&definition.id, attempt).repository();
        let changes = match &self.ground {
            Some(ground) => Seeing::Trees(ground.changes(run, step)?),
            None => {
                let past = Past::of(&self.bench.dir, definition, state);
                Seeing::Checkout(self.tree.clone(), definition.protects.clone(), past)
            }
        };
        let in_place = self.in_place.clone();
        self.crew.start_held(
            command,
            move || Ok(((changes.before()?, in_place.map(Working::begin)), scratch)),
            move |process| {
                let held = Input::ProcessHeld {
                    step,
                    attempt,
                    process,
                };
                let held = Message::Happened(Happened::Input(held));
                sender.send(held).is_ok() && released.recv().is_ok()
            },
            move |before, seen| {
                let (before, scratch) = before.unzip();
                if let Some(scratch) = scratch.flatten() {
                    // What an agent committed or stashed may be all that is left of something.
                    keep_repository(scratch.path(), &path, &kept).ok();
                }
                let (before, working) = before.unzip();
                let changes = before.map(Seen::changes).unwrap_or_default();
                drop(working);
                Input::WorkEnded {
                    step,
                    attempt,
                    ended: seen.ended,
                    text: seen.stdout,
                    changes,
                }
            },
        );
        Ok(())
    }

    fn call(&mut self, run: &Run, step: usize, attempt: u32) -> Result<(), Error> {
        let limit = self.bench.time_limit(run, step)?;
        let log = self.bench.dir.attempt(&known(run, step)?.0.id, attempt);
        let starter = self.crew.starter();
        let ground = self.ground.as_ref();
        let take = ground.map(|ground| ground.take(run, step, starter));
        let take = take.transpose()?;
        let take = move || take.map_or(Ok(()), |take| take());
        let how = (limit, log.tool_log());
        let call = self.calls.call(run, step, attempt, how, take)?;
        let call_state = known(run, step)?.1.call.as_ref();
        let writes = call_state.is_some_and(|call| call.changes_tree);
        let in_place = self.in_place.clone().filter(|_| writes);
        self.crew.work(move || {
            let _working = in_place.map(Working::begin);
            call()
        });
        Ok(())
    }

    /// Lets an action begin whose tree is ready.
    fn begin_ready(
        &mut self,
        run: &Run,
        action: &Action,
        made: Result<(), String>,
    ) -> Result<Option<Happened>, Error> {
        let failed = match (action, made) {
            (Action::Baseline { step }, Ok(())) => return self.baseline(run, *step).map(|()| None),
            (Action::Dispatch { step, attempt }, Ok(())) => {
                return self.dispatch(run, *step, *attempt).map(|()| None);
            }
            (Action::Baseline { step }, Err(why)) => Input::BaselineEnded {
                step: *step,
                observed: crew::not_started(why),
            },
            (Action::Dispatch { step, attempt }, Err(why)) => Input::WorkEnded {
                step: *step,
                attempt: *attempt,
                ended: ProcessEnd::NotStarted(why),
                text: String::new(),
                changes: Changes::default(),
            },
            _ => return Err(broken(run, "a tree for an action without one")),
        };
        Ok(Some(Happened::Input(failed)))
    }
}

impl Perform for Local<'_> {
    fn prepare(&mut self, run: &Run, action: &Action) -> Result<Prepared, Error> {
        let difference = match action {
            Action::Dispatch { .. } | Action::Call { .. } => {
                self.watch.difference(self.bench.project)?
            }
            // What was signed is compared with what a step wants to merge.
            _ if run.in_worktrees() => None,
            // An agent that rewrites the script it is measured by would pass any contract.
            _ => self.watch.changed_files(self.bench.project),
        };
        if let Some(difference) = difference {
            return Ok(Prepared::Changed(Box::new(difference)));
        }
        if let (Some(ground), Some(step)) = (&mut self.ground, needs_ground(action)) {
            ground.plan(run, step)?;
        }
        Ok(match *action {
            Action::Candidate { step, attempt } => {
                Prepared::Go(Input::CandidateBegins { step, attempt })
            }
            Action::Merge { step, attempt } => Prepared::Go(Input::MergeBegins { step, attempt }),
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
        if let (Some(ground), Some(step)) = (&mut self.ground, needs_ground(action)) {
            let make = ground.make_ready(run, step, self.crew.starter())?;
            self.crew.ready(action.clone(), make);
            return Ok(());
        }
        match *action {
            Action::Baseline { step } => self.baseline(run, step)?,
            Action::Evaluate {
                step,
                attempt,
                patience,
            } => self.evaluate(run, step, attempt, patience)?,
            Action::Recheck { step, patience } => {
                self.evaluate(run, step, attempts(run, step), patience)?;
            }
            Action::Dispatch { step, attempt } => self.dispatch(run, step, attempt)?,
            Action::Call { step, attempt } => self.call(run, step, attempt)?,
            Action::Candidate { step, attempt } => {
                let ground = self
                    .ground
                    .as_ref()
                    .ok_or_else(|| broken(run, "no trees"))?;
                let starter = self.crew.starter();
                let work = ground.candidate(run, step, attempt, starter)?;
                self.crew.work(work);
            }
            Action::Merge { step, attempt } => {
                let ground = self
                    .ground
                    .as_ref()
                    .ok_or_else(|| broken(run, "no trees"))?;
                let work = ground.merge(run, step, attempt)?;
                self.crew.work(work);
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

    fn recorded(&mut self, run: &Run, input: &Input) {
        let ground = self.ground.as_ref();
        if let Some(tidy) = ground.and_then(|ground| ground.tidy(run, input)) {
            self.crew.work(move || {
                tidy();
                None
            });
        }
        if let Input::ProcessHeld { step, .. } = input
            && let Some(gate) = self.gates.remove(step)
        {
            // The thread is gone only if the run is being stopped.
            let _gone = gate.send(());
        }
    }

    fn next(&mut self, run: &Run, now: Millis, wake: Option<Millis>) -> Result<Happened, Error> {
        loop {
            let message = match (self.news.take(), wake) {
                (Some(message), _) => Some(message),
                (None, Some(at)) => {
                    let wait = Duration::from_millis(at.saturating_sub(now));
                    self.receiver.recv_timeout(wait).ok()
                }
                (None, None) => self.receiver.recv().ok(),
            };
            match message {
                // We hold a sender ourselves, so the channel cannot be disconnected.
                None => return Ok(Happened::Timer),
                Some(Message::Happened(happened)) => return Ok(happened),
                Some(Message::Ready { action, made }) => {
                    if let Some(happened) = self.begin_ready(run, &action, made)? {
                        return Ok(happened);
                    }
                }
            }
        }
    }

    fn stop(&mut self) -> Vec<Input> {
        // Threads that hold an agent at its gate see it close and let the agent go unstarted.
        self.gates.clear();
        self.calls.stop();
        self.crew.stop();
        let late = self.news.take().into_iter().chain(self.receiver.try_iter());
        let late = late.filter_map(|message| match message {
            // One that was not let go has not started.
            Message::Happened(Happened::Input(Input::ProcessHeld { .. })) => None,
            Message::Happened(Happened::Input(input)) => Some(input),
            Message::Happened(_) | Message::Ready { .. } => None,
        });
        late.collect()
    }

    fn has_news(&mut self) -> bool {
        if self.news.is_none() {
            self.news = self.receiver.try_recv().ok();
        }
        self.news.is_some()
    }

    fn rest(&mut self) {
        if let Some(trees) = &self.in_place {
            trees.rest();
        }
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

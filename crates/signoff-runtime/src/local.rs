//! Performs actions on this machine, through `signoff-work` and `signoff-sandbox`: on trees of the run's own, or in the
//! checkout where nothing can be mounted.

mod calls;
mod commits;
mod contracts;
mod crew;
mod joining;
mod merging;
mod message;
mod pool;
mod requests;
mod shared;
mod told;
mod trees_for_actions;
mod workbench;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use signoff_engine::{Action, Changes, Choice, Input, Item, ItemKind, Millis, Refusal, Run};
use signoff_plan::model::Step;
use signoff_sandbox::Sandbox;
use signoff_store::runs::RunDir;
use signoff_work::confine::{RunPaths, private_repository};
use signoff_work::environment::for_contract;
use signoff_work::git::{HarnessGit, ImportLimits};

use self::calls::Calls;
use self::commits::{attempt_of, head, newest_base, parsed, work_context, work_on};
use self::crew::{Crew, CrewStop};
use self::joining::Joining;
use self::message::Message;
use self::requests::Listener;
use self::shared::{CheckoutBefore, Past, SharedCheckout};
pub(crate) use self::workbench::marker;
use self::workbench::{Workbench, broken, known};
use crate::clock::Clock;
use crate::drive::{Happened, Perform, Prepared};
use crate::error::Error;
use crate::live::clear_leftovers;
use crate::project::Project;
use crate::scratch::Scratch;
use crate::trees::{Source, TreeMount, Trees, WorkContext};
use crate::watch::Watch;

/// Asks a running loop to stop cleanly; safe to send from a signal thread.
#[derive(Clone)]
pub struct Interrupt {
    sender: Sender<Message>,
    stop: CrewStop,
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt").finish_non_exhaustive()
    }
}

impl Interrupt {
    /// Asks for it, and ends what the loop may be waiting for.
    pub fn send(&self) {
        // Nobody listens any more: then there is nothing left to stop. It is sent first: whoever sees that the run is
        // being stopped finds the reason.
        drop(self.sender.send(Message::Happened(Happened::Interrupted)));
        self.stop.stop();
    }
}

/// This machine's hands.
pub(crate) struct Local<'a> {
    bench: Workbench<'a>,
    crew: Crew,
    calls: Calls,
    place: WorkPlace,
    joining: Joining,
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
pub(crate) enum WorkPlace {
    /// In the checkout; what records how it looks, if there is git.
    Checkout(Option<HarnessGit>),
    /// On trees of its own.
    Trees(Arc<Trees>),
}

impl WorkPlace {
    /// The harness's own git directory, if there is git.
    fn own(&self) -> Option<&HarnessGit> {
        match self {
            Self::Checkout(own) => own.as_ref(),
            Self::Trees(trees) => Some(trees.own()),
        }
    }

    /// The run's trees, if it has any.
    pub(crate) fn trees(&self) -> Option<&Arc<Trees>> {
        match self {
            Self::Checkout(_) => None,
            Self::Trees(trees) => Some(trees),
        }
    }
}

/// What an agent worked in.
enum Worked {
    Tree(Arc<Trees>, Box<TreeMount>, Box<WorkContext>),
    Checkout(Box<CheckoutBefore>),
}

impl<'a> Local<'a> {
    pub(crate) fn new(
        project: &'a Project,
        (sandbox, grounds): (Arc<Sandbox>, Option<RunPaths>),
        (dir, place): (RunDir, WorkPlace),
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
        let git = place.own().map(HarnessGit::stop_flag);
        let crew = Crew::new(
            (Arc::clone(&sandbox), project.secrets()),
            sender.clone(),
            git,
        );
        let listener = Listener::start(&dir, sender.clone(), crew.stop_handle());
        let confined = (sandbox, grounds.as_ref());
        Self {
            calls: Calls::new(project, &dir, confined, (&place, crew.starter())),
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
            crew,
            place,
            joining: Joining::default(),
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
        if let Some(trees) = self.trees() {
            trees.clear_rooms();
        }
        // What stays is removed with the run.
        clear_leftovers(&self.bench.dir).ok();
    }

    pub(crate) fn interrupt(&self) -> Interrupt {
        Interrupt {
            sender: self.sender.clone(),
            stop: self.crew.stop_handle(),
        }
    }

    fn trees(&self) -> Option<&Arc<Trees>> {
        self.place.trees()
    }

    fn own_trees(&self, run: &Run) -> Result<Arc<Trees>, Error> {
        let trees = self.trees().map(Arc::clone);
        trees.ok_or_else(|| broken(run, "no trees of its own"))
    }

    fn prepare_dispatch(
        &mut self,
        run: &Run,
        step: usize,
        attempt: u32,
    ) -> Result<Prepared, Error> {
        let quotes = |step: &Step| !step.subscriptions.is_empty();
        let quotes = run.definition(step).is_some_and(quotes);
        let base = match self.trees() {
            Some(trees) => newest_base(trees, run, step)?,
            None => None,
        };
        let files = match self.trees() {
            // What the prompt quotes has to be there before the journal says so.
            Some(trees) if quotes => {
                let began = work_on(trees, run, (step, attempt), base.clone())?.began;
                // Whoever misses it is told, when the agent is to start.
                trees.files(&began).ok()
            }
            Some(_) | None => None,
        };
        let checkout = self.bench.project.store.workspace();
        let path = files.as_ref().map_or(checkout, |files| files.path());
        let item = self.bench.work_item(run, step, attempt, path)?;
        Ok(Prepared::Go(Input::WorkBegins {
            step,
            attempt,
            item,
            base: base.map(|base| base.to_string()),
        }))
    }

    /// Where an attempt conflicts with nothing but what a person did meanwhile, each keeps its own. No attempt fails
    /// because of a person.
    fn part_from_person(
        &mut self,
        run: &Run,
        step: usize,
        attempt: u32,
    ) -> Result<Option<Input>, Error> {
        let Some(trees) = self.trees().filter(|_| run.has_joined()).map(Arc::clone) else {
            return Ok(None);
        };
        let attempt = attempt_of(&trees, run, step, attempt)?;
        if !matches!(attempt.source, Source::Layer) || run.has_queue_holder() {
            return Ok(None);
        }
        // What cannot be done now is told when the candidate is built.
        let parted = trees.part_from_person(&attempt.work, &head(run)?);
        let parted = parted.ok().flatten();
        Ok(parted.map(|parted| self.joining.found(self.bench.project, parted)))
    }

    /// Starts an agent, held at its gate until the journal knows its process.
    fn dispatch(
        &mut self,
        run: &Run,
        (step, attempt): (usize, u32),
        mount: Option<Box<TreeMount>>,
    ) -> Result<(), Error> {
        let signed = self.watch.signed_files();
        let tree = (mount.as_deref(), signed.as_slice());
        let (command, scratch) = self.bench.agent(run, step, attempt, tree)?;
        let (release, released) = channel();
        self.gates.insert(step, release);
        let sender = self.sender.clone();
        let (definition, _) = known(run, step)?;
        let kept = self.bench.dir.attempt(&definition.id, attempt).repository();
        let before = self.work_begins(run, (step, attempt), mount)?;
        let own = self.place.own().cloned();
        self.crew.start_held(
            command,
            move || Ok((before()?, scratch)),
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
                let changes = before.map(|(worked, scratch)| {
                    let from = worked.repository(scratch.as_ref().map(Scratch::path));
                    if let (Some(own), Some(from)) = (own, from) {
                        // What an agent committed or stashed may be all that is left of something.
                        own.import_repository(&from, &kept, ImportLimits::default())
                            .ok();
                    }
                    worked.end()
                });
                Input::WorkEnded {
                    step,
                    attempt,
                    ended: seen.ended,
                    text: seen.stdout,
                    changes: changes.unwrap_or_default(),
                }
            },
        );
        Ok(())
    }

    /// What is looked at right before an agent begins.
    fn work_begins(
        &self,
        run: &Run,
        (step, attempt): (usize, u32),
        mount: Option<Box<TreeMount>>,
    ) -> Result<impl FnOnce() -> Result<Worked, String> + Send + 'static, Error> {
        let (definition, state) = known(run, step)?;
        let globs = definition.protects.clone();
        let past = Past::of(&self.bench.dir, definition, state);
        let in_tree = match (&self.place, mount) {
            (WorkPlace::Trees(trees), Some(mount)) => {
                let work = work_context(trees, run, step, attempt)?;
                Ok((Arc::clone(trees), mount, Box::new(work)))
            }
            (WorkPlace::Checkout(own), _) => Err(self.shared(own.as_ref())),
            (WorkPlace::Trees(_), None) => return Err(broken(run, "an agent without a tree")),
        };
        Ok(move || match in_tree {
            Ok((trees, mount, work)) => Ok(Worked::Tree(trees, mount, work)),
            Err(checkout) => checkout
                .look(globs, past)
                .map(|before| Worked::Checkout(Box::new(before))),
        })
    }

    fn shared(&self, own: Option<&HarnessGit>) -> SharedCheckout {
        SharedCheckout {
            path: self.bench.project.store.workspace().to_owned(),
            own: own.cloned(),
        }
    }

    fn call(&mut self, run: &Run, step: usize, attempt: u32) -> Result<(), Error> {
        let limit = self.bench.time_limit(run, step)?;
        let log = self.bench.dir.attempt(&known(run, step)?.0.id, attempt);
        let how = (limit, log.tool_log());
        let tree = match self.trees() {
            Some(trees) => Some(calls::CallTree {
                trees: Arc::clone(trees),
                work: work_context(trees, run, step, attempt)?,
                starter: self.crew.starter(),
            }),
            None => None,
        };
        let call = self.calls.call(run, step, attempt, how, tree)?;
        self.crew.work(call);
        Ok(())
    }

    fn heard(&mut self, happened: Happened) -> Happened {
        self.joining.heard(&happened);
        happened
    }

    /// What must be journaled before the action, whatever else happens.
    fn prepare_action(&mut self, run: &Run, action: &Action) -> Result<Prepared, Error> {
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
        if let Some(trees) = self.trees().map(Arc::clone)
            && let Some(joined) = self
                .joining
                .before(run, action, (self.bench.project, &trees))?
        {
            return Ok(Prepared::Instead(joined));
        }
        Ok(match *action {
            Action::LandFiles => self.land_files(run)?,
            Action::Candidate { step, attempt } => {
                match self.part_from_person(run, step, attempt)? {
                    Some(parted) => Prepared::Instead(parted),
                    None => Prepared::Go(Input::CandidateBegins { step, attempt }),
                }
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
            Action::Call { step, attempt } => {
                let tree = self.trees().map(|trees| (&**trees, head(run)));
                let starter = self.crew.starter();
                self.calls.prepare(run, (step, attempt), tree, &starter)?
            }
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

    /// A person may repair a step that waits for them: its work is put where they find it.
    fn offer_repairs(&mut self, run: &Run) {
        let Some(trees) = self.trees().map(Arc::clone) else {
            return;
        };
        for item in run.items() {
            let at = item.step;
            if !item.choices.contains(&Choice::Fixed) || !run.has_own_tree(at) {
                continue;
            }
            let Some((definition, state)) = run.step(at) else {
                continue;
            };
            let shown = match &state.attempt.candidate {
                Some(candidate) => parsed(run, &candidate.commit)
                    .and_then(|work| Ok((work, parsed(run, &candidate.onto)?))),
                None => work_context(&trees, run, at, state.attempts + 1)
                    .map(|next| (next.began, next.base)),
            };
            if let Ok((work, base)) = shown {
                // Without it the person repairs in the checkout.
                trees.offer_repair(&definition.id, &work, &base).ok();
            }
        }
    }
}

impl Worked {
    /// The repository that the agent had to itself.
    fn repository(&self, scratch: Option<&Path>) -> Option<PathBuf> {
        match self {
            Self::Tree(_, mount, _) => {
                let changed = mount.upper().unwrap_or_else(|| mount.files());
                Some(changed.join(".git"))
            }
            Self::Checkout(_) => scratch.map(private_repository),
        }
    }

    /// What was changed there.
    fn end(self) -> Changes {
        match self {
            Self::Checkout(before) => before.changes(),
            Self::Tree(trees, mount, work) => {
                // What cannot be recorded is told when the candidate is built.
                let recorded = trees.record(&work, Some(&mount)).ok().flatten();
                recorded.map_or_else(Changes::default, |recorded| Changes {
                    files: Some(recorded.files),
                    protected: recorded.protected,
                    details: recorded.details,
                })
            }
        }
    }
}

impl Perform for Local<'_> {
    fn prepare(&mut self, run: &Run, action: &Action) -> Result<Prepared, Error> {
        let prepared = self.prepare_action(run, action);
        if self.crew.is_stopping() {
            // Git may have been ended in the middle of it. What is done is journaled, and nothing else begins.
            return Ok(match prepared {
                Ok(Prepared::Instead(
                    done @ (Input::CheckoutJoined { .. } | Input::FilesLanded { .. }),
                )) => Prepared::Instead(done),
                Ok(_) | Err(_) => Prepared::Stopping,
            });
        }
        if matches!(prepared, Ok(Prepared::Go(_))) {
            self.joining.begun(action);
        }
        prepared.map_err(|error| self.lost(run).unwrap_or(error))
    }

    fn begin(&mut self, run: &Run, action: &Action) -> Result<(), Error> {
        let begun = match self.make_tree(run, action) {
            Ok(false) => self.begin_in(run, action, None),
            made => made.map(|_| ()),
        };
        match begun {
            // What has not begun is void, and begins when the run goes on.
            Err(_) if self.crew.is_stopping() => Ok(()),
            begun => begun,
        }
    }

    fn is_stopping(&self) -> bool {
        self.crew.is_stopping()
    }

    fn recorded(&mut self, run: &Run, input: &Input) {
        match input {
            Input::CheckoutJoined { .. } => {
                if let Some(trees) = self.trees().map(Arc::clone) {
                    self.joining.recorded(&trees);
                }
            }
            Input::WorkBegins { step, attempt, .. } => {
                if let (Some(trees), Some((step, _))) = (self.trees(), run.step(*step)) {
                    trees.retire_repair(&step.id, *attempt);
                }
            }
            Input::Merged { step, .. } => {
                if let (Some(trees), Some((step, _))) = (self.trees(), run.step(*step)) {
                    trees.forget_repair(&step.id);
                }
            }
            Input::ProcessHeld { step, .. } => {
                if let Some(gate) = self.gates.remove(step) {
                    // The thread is gone only if the run is being stopped.
                    let _gone = gate.send(());
                }
            }
            _ => {}
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
                None => return Ok(self.heard(Happened::Timer)),
                Some(Message::Happened(happened)) => {
                    let happened = self.heard(happened);
                    return self.checked(run, happened);
                }
                Some(Message::Ready { action, made }) => match made {
                    // What has not begun is void, and begins when the run goes on.
                    Ok(_) if self.crew.is_stopping() => {}
                    Ok(mount) => self.begin_in(run, &action, Some(mount))?,
                    Err(why) => {
                        return match self.lost(run) {
                            Some(lost) => Err(lost),
                            None => Self::without_tree(run, &action, why),
                        };
                    }
                },
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

    fn rest(&mut self, run: &Run) {
        self.offer_repairs(run);
        let is_told = |item: &Item| item.kind == ItemKind::Escalation;
        if let Some(trees) = self.trees()
            && run.items().any(is_told)
        {
            trees.accept_changed();
        }
    }

    fn reply(&mut self, request: &str, refused: Option<&Refusal>) {
        self.listener
            .reply(request, refused.map(ToString::to_string));
    }
}

fn attempts(run: &Run, step: usize) -> u32 {
    run.step(step).map_or(0, |(_, state)| state.attempts)
}

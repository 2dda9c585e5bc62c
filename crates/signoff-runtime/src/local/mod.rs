//! Performs actions on this machine, through `signoff-work` and `signoff-sandbox`: on trees of the run's own, or in the
//! checkout where nothing can be mounted.

mod action_trees;
mod advice;
mod agent;
mod agent_command;
mod agent_files;
mod agent_servers;
mod agents;
mod attempt_tree;
mod calls;
mod checkout_watcher;
mod commands;
mod commits;
mod contracts;
mod heartbeat;
mod interrupt;
mod isolation;
mod merging;
mod message;
mod perform;
mod pool;
mod prompt_context;
mod remote_actions;
mod requests;
mod shared_checkout;
mod step_locks;
mod supervisor;
mod trial;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use signoff_engine::{Action, Choice, Input, Run};
use signoff_sandbox::Sandbox;
use signoff_store::runs::RunDir;
use signoff_work::confine::{LoginKeeper, RunPaths};
use signoff_work::environment::for_contract;
use signoff_work::git::HarnessGit;

pub(crate) use self::advice::{Advise, ModelReply};
pub use self::agent::QuestionStop;
pub(crate) use self::agent::{AgentQuestion, AgentSpending, AskError, ask};
pub(crate) use self::agent_command::prices;
use self::agents::WorkingAgent;
use self::calls::{CallOptions, CallTree, Calls};
use self::checkout_watcher::CheckoutWatcher;
use self::commands::{CommandBuilder, broken_run, require_step};
use self::commits::{attempt_of, work_context};
use self::heartbeat::Heartbeat;
pub use self::interrupt::Interrupt;
pub(crate) use self::isolation::RunIsolation;
use self::message::Message;
pub(crate) use self::remote_actions::{VERIFIER, action_elsewhere};
use self::requests::Listener;
use self::shared_checkout::SharedCheckout;
use self::step_locks::StepLocks;
use self::supervisor::ProcessSupervisor;
pub use self::trial::{ContractTrial, require_trials, try_contracts};
use crate::clock::Clock;
use crate::cluster::ClusterMessage;
use crate::drive::{Readiness, WakeReason};
use crate::error::Error;
use crate::project::Project;
use crate::project::directories::login_locks;
use crate::runs::day_costs::DayLedger;
use crate::runs::{call_marks, clear_leftovers};
use crate::signing::watch::Watch;
use crate::trees::{Trees, WorkSource, head_commit, parse_id};

/// Performs actions on this machine.
pub(crate) struct LocalPerformer<'a> {
    commands: CommandBuilder<'a>,
    supervisor: ProcessSupervisor,
    calls: Calls,
    isolation: RunIsolation,
    checkout_watcher: CheckoutWatcher,
    watch: Watch,
    listener: Listener,
    sender: Sender<Message>,
    receiver: Receiver<Message>,
    /// A message that was received and not yet handed on.
    news: Option<Message>,
    heartbeat: Heartbeat,
    /// Releases a held agent, by step.
    gates: BTreeMap<usize, Sender<()>>,
    /// The agents at work, by step.
    agents: BTreeMap<usize, WorkingAgent>,
    advisor: Arc<dyn Advise>,
    /// Ends the models that are asked now.
    question_stop: QuestionStop,
    locks: StepLocks,
    ledger: DayLedger,
}

/// What a run's actions need.
pub(crate) struct PerformerOptions<'a> {
    pub(crate) project: &'a Project,
    /// The run's name.
    pub(crate) id: String,
    /// The plan's key.
    pub(crate) key: String,
    pub(crate) dir: RunDir,
    pub(crate) isolation: RunIsolation,
    pub(crate) sandbox: Arc<Sandbox>,
    /// What processes are confined to; nothing if they are not.
    pub(crate) run_paths: Option<RunPaths>,
    pub(crate) watch: Watch,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) advisor: Arc<dyn Advise>,
}

impl<'a> LocalPerformer<'a> {
    pub(crate) fn start(options: PerformerOptions<'a>) -> Result<Self, Error> {
        let PerformerOptions {
            project,
            id,
            key,
            dir,
            isolation,
            sandbox,
            run_paths,
            watch,
            clock,
            advisor,
        } = options;
        if let Some(trees) = isolation.trees() {
            trees.set_judges(watch.judges());
        }
        let (sender, receiver) = channel();
        let heartbeat = Heartbeat::new(dir.lock());
        let contract_environment = for_contract(
            &project.process.variables,
            &project.config.sandbox.env.value,
            project.store.workspace(),
        );
        let git = isolation.git().map(HarnessGit::stop_flag);
        let supervisor = ProcessSupervisor::with_threads(
            Arc::clone(&sandbox),
            project.secrets(),
            sender.clone(),
            git,
        );
        let supervisor = supervisor.map_err(Error::Sandbox)?;
        let listener = Listener::start(&dir, sender.clone(), supervisor.stop_handle());
        let listener = listener.map_err(Error::Sandbox)?;
        let (locks, ledger) = (
            StepLocks::for_run(project, &id)?,
            DayLedger::of(project, &id),
        );
        let starter = supervisor.mount_starter();
        if let Some(cluster) = &project.cluster {
            let news = sender.clone();
            // The receiver is gone: the run was abandoned.
            cluster.connect(Box::new(move |told| {
                drop(news.send(match told {
                    ClusterMessage::Report(report) => Message::Reported(report),
                    ClusterMessage::Wake => Message::Happened(WakeReason::Timer),
                }));
            }));
        }
        Ok(Self {
            calls: Calls::new(
                project,
                &dir,
                sandbox,
                run_paths.as_ref(),
                &isolation,
                starter,
            ),
            commands: CommandBuilder {
                project,
                dir,
                key,
                clock,
                contract_environment,
                secrets: project.secrets(),
                run_paths,
                logins: LoginKeeper::new(login_locks(project)),
                prompts: BTreeMap::new(),
            },
            supervisor,
            isolation,
            checkout_watcher: CheckoutWatcher::default(),
            watch,
            listener,
            sender,
            receiver,
            news: None,
            heartbeat,
            gates: BTreeMap::new(),
            agents: BTreeMap::new(),
            advisor,
            question_stop: QuestionStop::default(),
            locks,
            ledger,
        })
    }

    /// What the person has to know of logins that agents renewed.
    pub(crate) fn login_notes(&self) -> Vec<String> {
        self.commands.logins.notes()
    }

    /// Removes what its processes left.
    pub(crate) fn clean_up(&self) {
        if let Some(trees) = self.trees() {
            trees.clear_overlays();
        }
        // What stays is removed with the run.
        clear_leftovers(&self.commands.dir).ok();
    }

    pub(crate) fn interrupt(&self) -> Interrupt {
        Interrupt {
            sender: self.sender.clone(),
            stop: self.supervisor.stop_handle(),
        }
    }

    fn trees(&self) -> Option<&Arc<Trees>> {
        self.isolation.trees()
    }

    fn own_trees(&self, run: &Run) -> Result<Arc<Trees>, Error> {
        let trees = self.trees().map(Arc::clone);
        trees.ok_or_else(|| broken_run(run, "no trees of its own"))
    }

    /// If an attempt conflicts only with a person's changes, the run and the checkout each keep their version: no attempt
    /// fails because of a person.
    fn take_back_conflicting_edits(
        &mut self,
        run: &Run,
        step: usize,
        attempt: u32,
    ) -> Result<Option<Input>, Error> {
        let Some(trees) = self.trees().filter(|_| run.has_joined()).map(Arc::clone) else {
            return Ok(None);
        };
        let attempt = attempt_of(&trees, run, step, attempt)?;
        if !matches!(attempt.source, WorkSource::Layer) || run.has_queue_holder() {
            return Ok(None);
        }
        // A failure is reported when the candidate is built.
        let parted = trees.take_back_conflicting_edits(&attempt.work, &head_commit(run)?);
        let parted = parted.ok().flatten();
        Ok(parted.map(|parted| {
            self.checkout_watcher
                .joined_input(self.commands.project, parted)
        }))
    }

    fn shared_checkout(&self, own: Option<&HarnessGit>) -> SharedCheckout {
        SharedCheckout {
            path: self.commands.project.store.workspace().to_owned(),
            own: own.cloned(),
            judges: self.watch.judges(),
        }
    }

    fn begin_call(&mut self, run: &Run, step: usize, attempt: u32) -> Result<(), Error> {
        let timeout = self.commands.time_limit(run, step)?;
        let (definition, state) = require_step(run, step)?;
        let log = self
            .commands
            .dir
            .attempt(&definition.id, attempt)
            .tool_log();
        let tree = match self.trees() {
            Some(trees) => Some(CallTree {
                trees: Arc::clone(trees),
                work: work_context(trees, run, step, attempt)?,
                starter: self.supervisor.mount_starter(),
            }),
            None => None,
        };
        if let Some(made) = state.made_call.get() {
            call_marks::mark_call(
                &self.commands.dir,
                &self.commands.key,
                &definition.id,
                attempt,
                made,
            )?;
        }
        let options = CallOptions { timeout, log, tree };
        let call = self.calls.call(run, step, attempt, options)?;
        self.supervisor.spawn_job(move || call.make());
        Ok(())
    }

    /// Ends the call of one step: nobody waits for its result.
    pub(crate) fn end_call(&self, step: usize) {
        self.calls.stop_call(step);
    }

    fn note_event(&mut self, happened: WakeReason) -> WakeReason {
        self.checkout_watcher.note_event(&happened);
        happened
    }

    /// Gathers what must be journaled before the action.
    fn prepare_action(&mut self, run: &Run, action: &Action) -> Result<Readiness, Error> {
        let difference = match action {
            Action::Dispatch { .. } | Action::Call { .. } => {
                self.watch.difference(self.commands.project)?
            }
            // The signed files are compared with those that a step wants to merge.
            _ if run.in_worktrees() => None,
            // An agent that rewrites the script that judges it would pass any contract.
            _ => self.watch.changed_files(self.commands.project),
        };
        if let Some(difference) = difference {
            return Ok(Readiness::Changed(Box::new(difference)));
        }
        if let Some(trees) = self.trees().map(Arc::clone)
            && let Some(joined) =
                self.checkout_watcher
                    .join_before(run, action, self.commands.project, &trees)?
        {
            return Ok(Readiness::Instead(joined));
        }
        Ok(match *action {
            Action::LandFiles => self.land_files(run)?,
            Action::Candidate { step, attempt } => {
                match self.take_back_conflicting_edits(run, step, attempt)? {
                    Some(parted) => Readiness::Instead(parted),
                    None => Readiness::Go(Input::CandidateBegins { step, attempt }),
                }
            }
            Action::Merge { step, attempt } => Readiness::Go(Input::MergeBegins { step, attempt }),
            Action::Baseline { step } => Readiness::Go(Input::BaselineBegins { step }),
            Action::Evaluate { step, attempt, .. } => {
                Readiness::Go(Input::EvaluationBegins { step, attempt })
            }
            Action::Recheck { step, .. } => Readiness::Go(Input::EvaluationBegins {
                step,
                attempt: attempts(run, step),
            }),
            Action::Dispatch { step, attempt } => self.prepare_dispatch(run, step, attempt)?,
            Action::Call { step, attempt } => {
                let trees = self.trees().map(Arc::as_ref);
                let starter = self.supervisor.mount_starter();
                self.calls.prepare(run, step, attempt, trees, &starter)?
            }
            Action::Draft { step, task } => Readiness::Go(Input::ModelBegins { step, task }),
            Action::OfferDraft => Readiness::Instead(Input::DraftOffered {
                is_signed: self.advisor.offer_draft(run)?,
            }),
            Action::Gate { .. }
            | Action::Gather { .. }
            | Action::AskForBudget { .. }
            | Action::AskForAcceptance
            | Action::Wait { .. }
            | Action::Finish => {
                return Err(broken_run(run, "an action without a performer"));
            }
        })
    }

    /// Puts the work of a step that waits on a person into a directory where they can repair it.
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
                Some(candidate) => parse_id(run, &candidate.commit)
                    .and_then(|work| Ok((work, parse_id(run, &candidate.onto)?))),
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

fn attempts(run: &Run, step: usize) -> u32 {
    run.step(step).map_or(0, |(_, state)| state.attempts)
}

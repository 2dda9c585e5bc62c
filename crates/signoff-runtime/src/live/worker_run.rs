//! A run that another process drives and that this machine works for. It performs orders with the code of a driving
//! process and reports the results; it writes no journal and judges nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use signoff_engine::{Action, Event, Input, Millis, RecordedEvent, ToolCall};
use signoff_plan::digest::Digest;
use signoff_store::journal::Follower;
use signoff_store::runs::AttemptDir;

use super::prepared_run::watch;
use super::workplace::{Workplace, WorkplaceOptions};
use crate::clock::Clock;
use crate::cluster::{OrderedTask, Report, ReportedEnd, WorkOrder};
use crate::drive::journal::parse_event;
use crate::drive::{Performer, WakeReason};
use crate::error::Error;
use crate::local::{LocalPerformer, VERIFIER};
use crate::project::Project;
use crate::project::sandbox_level::level;
use crate::runs::OpenedRun;
use crate::signing::current_signature::require_still_signed;

/// A run that this machine works for.
pub struct WorkerRun<'a> {
    opened: OpenedRun<'a>,
    local: LocalPerformer<'a>,
    journal: Follower,
    /// The number of the last event that the state knows.
    known: u64,
    /// The hash of each prompt that was journaled, by step and attempt.
    prompts: BTreeMap<(String, u32), String>,
    under_way: Vec<WorkOrder>,
    /// How evidence names this machine.
    machine: String,
}

impl std::fmt::Debug for WorkerRun<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerRun")
            .field("run", &self.opened.id)
            .finish_non_exhaustive()
    }
}

/// What the journal means for a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatchUpOutcome {
    /// The state is that of the journal.
    Here,
    /// The run goes on under another version of its plan: it has to be opened again.
    OtherVersion,
}

impl<'a> WorkerRun<'a> {
    /// Opens a run whose files and journal were fetched. Refuses one that no key signed, or whose terms differ here.
    pub fn open(
        project: &'a Project,
        id: &str,
        machine: &str,
        clock: &'a dyn Clock,
    ) -> Result<Self, Error> {
        project.require_trust()?;
        let opened = OpenedRun::open(project, id, clock)?;
        let signed = opened.state().signed_plan();
        require_still_signed(project, &opened.key, signed)?;
        let own = Digest::of_json(&project.machine_terms(signed.plan()));
        let mut watch = watch(&opened, signed);
        if let Some(difference) = watch.difference(project)? {
            return Err(Error::ChangedDuring {
                run: opened.id.clone(),
                plan: opened.key.clone(),
                difference: Box::new(difference),
            });
        }
        let settings = opened.state().settings();
        let workplace = Workplace::prepare(
            &opened,
            WorkplaceOptions {
                isolation: settings.isolation,
                level: &settings.sandbox,
                repository: None,
            },
        )?;
        let machine = format!(
            "{machine}, terms {}, sandbox {}",
            own.short(),
            level(project)?
        );
        let local = workplace.performer(&opened, watch)?;
        let mut run = Self {
            journal: Follower::new(&opened.dir.journal()),
            known: 0,
            prompts: BTreeMap::new(),
            under_way: Vec::new(),
            opened,
            local,
            machine,
        };
        run.note_all()?;
        Ok(run)
    }

    /// Records which events the state is made of.
    fn note_all(&mut self) -> Result<(), Error> {
        let (prompts, known) = (&mut self.prompts, &mut self.known);
        self.journal.read_new(|line| {
            let recorded = parse_event(line)?;
            *known = recorded.seq;
            note_prompt(prompts, &recorded);
            Ok::<_, Error>(())
        })
    }

    /// Applies what came into the journal since.
    pub fn catch_up(&mut self) -> Result<CatchUpOutcome, Error> {
        let (prompts, known) = (&mut self.prompts, &mut self.known);
        let run = &mut self.opened.run;
        let mut other_version = false;
        self.journal.read_new(|line| {
            let recorded = parse_event(line)?;
            other_version |= matches!(recorded.event, Event::PlanReplanned { .. });
            if !other_version {
                run.follow(&recorded);
            }
            *known = recorded.seq;
            note_prompt(prompts, &recorded);
            Ok::<_, Error>(())
        })?;
        Ok(if other_version {
            CatchUpOutcome::OtherVersion
        } else {
            CatchUpOutcome::Here
        })
    }

    /// The number of the last event that is known here.
    pub fn last_known_event(&self) -> u64 {
        self.known
    }

    /// Where the files of an attempt are.
    pub fn attempt_dir(&self, step: &str, attempt: u32) -> AttemptDir {
        self.opened.dir.attempt(step, attempt)
    }

    /// Is nothing under way?
    pub fn is_idle(&self) -> bool {
        self.under_way.is_empty()
    }

    /// Begins what is ordered.
    pub fn begin(&mut self, order: WorkOrder) -> Result<(), Error> {
        let run = self.opened.run.state();
        let unknown = || Error::BrokenRun {
            run: run.id().to_owned(),
            why: format!(
                "an order for a step that it does not have, `{}`",
                order.step
            ),
        };
        let step = run.position(&order.step).ok_or_else(unknown)?;
        let attempt = order.attempt;
        let action = match order.task {
            OrderedTask::Work => {
                let key = (order.step.clone(), attempt);
                let expected = self.prompts.get(&key).map(String::as_str);
                self.local.take_prompt(run, step, attempt, expected)?;
                Action::Dispatch { step, attempt }
            }
            OrderedTask::Call => Action::Call { step, attempt },
            OrderedTask::Baseline => Action::Baseline { step },
            OrderedTask::Evaluate { patience } => Action::Evaluate {
                step,
                attempt,
                patience,
            },
            OrderedTask::Recheck { patience } => Action::Recheck { step, patience },
        };
        self.under_way.push(order);
        let begun = self.local.begin_here(run, &action);
        if begun.is_err() {
            self.under_way.pop();
        }
        begun
    }

    /// Waits for the next report, at most so long.
    pub fn next_report(&mut self, patience: Duration) -> Result<Option<Report>, Error> {
        let run = self.opened.run.state();
        let now = self.opened.clock.now();
        let until =
            now.saturating_add(Millis::try_from(patience.as_millis()).unwrap_or(Millis::MAX));
        match self.local.next(run, now, Some(until))? {
            WakeReason::Input(input) => {
                if let Input::PermissionAsked { step, .. } = input {
                    // Nobody can be asked here: the agent is refused, and goes on.
                    self.local.deny_questions(step);
                    return Ok(None);
                }
                self.local.input_recorded(run, &input);
                Ok(self.report_of_input(input))
            }
            WakeReason::Trouble(trouble) => {
                let step = run.definition(trouble.step).map(|step| step.id.clone());
                let why = format!("{}: {}", trouble.what, trouble.why);
                let end = match trouble.known {
                    Some(Input::CallNotMade { .. }) => ReportedEnd::NotCalled(why),
                    _ => ReportedEnd::Trouble(why),
                };
                Ok(self.report_of(|order| Some(&order.step) == step.as_ref(), end))
            }
            WakeReason::Survivors(count) => Err(Error::Survivors { count }),
            WakeReason::Requested { .. }
            | WakeReason::Timer
            | WakeReason::Interrupted
            | WakeReason::Active(_) => Ok(None),
        }
    }

    fn report_of_input(&mut self, input: Input) -> Option<Report> {
        let run = self.opened.run.state();
        let id = |step: usize| run.definition(step).map(|step| step.id.clone());
        let judged = |mut observed: signoff_engine::Observation, machine: &str| {
            observed.machine = Some(machine.into());
            ReportedEnd::Contract(Box::new(observed))
        };
        match input {
            Input::WorkEnded {
                step,
                attempt,
                work,
            } => {
                let id = id(step)?;
                self.report_of(
                    |order| {
                        order.step == id
                            && order.attempt == attempt
                            && order.task == OrderedTask::Work
                    },
                    ReportedEnd::Work(Box::new(work)),
                )
            }
            Input::CallEnded { step, attempt, end } => {
                let id = id(step)?;
                self.report_of(
                    |order| {
                        order.step == id
                            && order.attempt == attempt
                            && order.task == OrderedTask::Call
                    },
                    ReportedEnd::Call(Box::new(end)),
                )
            }
            Input::BaselineEnded { step, observed } => {
                let id = id(step)?;
                let end = judged(observed, &self.machine);
                self.report_of(
                    |order| order.step == id && order.task == OrderedTask::Baseline,
                    end,
                )
            }
            Input::EvaluationEnded { step, observed, .. } => {
                let id = id(step)?;
                let end = judged(observed, &self.machine);
                let judges = |task| {
                    matches!(
                        task,
                        OrderedTask::Evaluate { .. } | OrderedTask::Recheck { .. }
                    )
                };
                self.report_of(|order| order.step == id && judges(order.task), end)
            }
            _ => None,
        }
    }

    /// Turns the end of an order into its report.
    fn report_of(
        &mut self,
        is_it: impl Fn(&WorkOrder) -> bool,
        mut end: ReportedEnd,
    ) -> Option<Report> {
        let at = self.under_way.iter().position(is_it)?;
        let order = self.under_way.swap_remove(at);
        if let ReportedEnd::Contract(observed) = &mut end
            && order.role == VERIFIER
        {
            observed.machine = observed
                .machine
                .as_ref()
                .map(|machine| format!("{machine}, as {VERIFIER}").into());
        }
        Some(Report {
            step: order.step,
            attempt: order.attempt,
            task: order.task,
            commit: None,
            end,
        })
    }

    /// Gives up orders that were withdrawn or that another machine has taken since: their agents are ended, and nothing
    /// is reported.
    pub fn give_up_order(&mut self, step: &str, attempt: u32, task: OrderedTask) {
        self.under_way
            .retain(|order| order.step != step || order.attempt != attempt || order.task != task);
        let run = self.opened.run.state();
        match (run.position(step), task) {
            (Some(at), OrderedTask::Work) => self.local.end_agent(at),
            (Some(at), OrderedTask::Call) => self.local.end_call(at),
            _ => {}
        }
    }

    /// The call that a step is ordered to make, as the journal has it.
    fn call_of(&self, step: &str) -> Option<&ToolCall> {
        let run = self.opened.run.state();
        let (_, state) = run.step(run.position(step)?)?;
        state.attempt.call.as_deref()
    }

    /// May the step's call be made again when nobody knows whether it was made?
    pub fn is_repeatable(&self, step: &str) -> bool {
        self.call_of(step).is_some_and(|call| call.repeatable)
    }

    /// Does the step's call leave work, as agents do?
    pub fn leaves_work(&self, step: &str) -> bool {
        self.call_of(step).is_some_and(|call| call.changes_tree)
    }

    /// Ends everything that is under way here, and waits until it is gone.
    pub fn stop(&mut self) {
        drop(self.local.stop(self.opened.run.state()));
        self.under_way.clear();
    }
}

impl Drop for WorkerRun<'_> {
    /// No agent outlives the worker, however it ends.
    fn drop(&mut self) {
        self.stop();
        self.local.clean_up();
    }
}

fn note_prompt(prompts: &mut BTreeMap<(String, u32), String>, recorded: &RecordedEvent) {
    if let Event::WorkItem {
        step,
        attempt,
        item,
    } = &recorded.event
    {
        let hash = item.input.prompt_sha256.clone();
        prompts.insert((step.clone(), *attempt), hash);
    }
}

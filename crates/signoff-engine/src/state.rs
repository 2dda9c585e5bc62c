//! The state of a run: what applying its events has led to.

use std::collections::{BTreeMap, BTreeSet};

use signoff_plan::expression::{StepValues, read};
use signoff_plan::model::{Depends, Plan, Step, Work};
use signoff_plan::signed::SignedPlan;

use crate::Millis;
use crate::budget::Spent;
use crate::event::{Accept, ItemKind, Outcome, PauseReason, Process, Settings};
use crate::evidence::{Facts, Grade};
use crate::input::Choice;
use crate::verdict::{ProcessEnd, Verdict};

/// One run of one signed plan. Only [`apply`](crate::apply) changes it.
#[derive(Debug, Clone)]
pub struct Run {
    pub(crate) signed: SignedPlan,
    pub(crate) id: String,
    pub(crate) settings: Settings,
    pub(crate) steps: Vec<StepState>,
    pub(crate) index: BTreeMap<String, usize>,
    /// Which steps name this one among those they wait for.
    pub(crate) dependents: Vec<Vec<usize>>,
    /// The first step that is not satisfied. Steps that wait for all before them are ready when this
    /// has come to them: lists of all steps before would grow with the square of the plan.
    pub(crate) frontier: usize,
    /// Steps whose dependencies are satisfied and that have not begun, in plan order.
    // Plan order, not readiness order: replay must choose the same step.
    pub(crate) ready: BTreeSet<usize>,
    /// Steps whose contract's output some condition reads.
    pub(crate) read: BTreeSet<usize>,
    /// Steps that have begun and neither ended nor wait on a person.
    pub(crate) active: BTreeSet<usize>,
    /// Steps whose agents are done and that a person has to accept at the end.
    pub(crate) provisional: BTreeSet<usize>,
    /// How many steps have ended.
    pub(crate) ended: usize,
    pub(crate) items: BTreeMap<String, Item>,
    pub(crate) items_opened: u32,
    pub(crate) spent: Spent,
    pub(crate) started: bool,
    pub(crate) pause: Option<PauseReason>,
    pub(crate) outcome: Option<Outcome>,
    /// A critical step has failed: nothing new starts.
    pub(crate) aborting: bool,
}

impl Run {
    /// A run in which nothing has happened yet. There is no other way in than a signed plan.
    pub fn new(signed: SignedPlan) -> Self {
        let plan = signed.plan();
        let index: BTreeMap<String, usize> = (0..)
            .zip(&plan.steps)
            .map(|(at, step)| (step.id.clone(), at))
            .collect();
        let read = read_steps(plan, &index);
        let mut dependents = vec![Vec::new(); plan.steps.len()];
        let mut steps = Vec::with_capacity(plan.steps.len());
        let mut ready = BTreeSet::new();
        for (at, step) in plan.steps.iter().enumerate() {
            let named = match &step.depends_on {
                Depends::AllBefore => Vec::new(),
                Depends::On(_) => plan.dependencies(at).collect(),
            };
            for &dependency in &named {
                if let Some(list) = dependents.get_mut(dependency) {
                    list.push(at);
                }
            }
            if named.is_empty() && (at == 0 || step.depends_on != Depends::AllBefore) {
                ready.insert(at);
            }
            steps.push(StepState::new(named.len()));
        }
        Self {
            id: String::new(),
            settings: Settings {
                backoff: 0,
                baseline: true,
                accept: Accept::Step,
                sandbox: String::new(),
            },
            steps,
            index,
            dependents,
            frontier: 0,
            ready,
            read,
            active: BTreeSet::new(),
            provisional: BTreeSet::new(),
            ended: 0,
            items: BTreeMap::new(),
            items_opened: 0,
            spent: Spent::default(),
            started: false,
            pause: None,
            outcome: None,
            aborting: false,
            signed,
        }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn plan(&self) -> &Plan {
        self.signed.plan()
    }

    pub fn signed(&self) -> &SignedPlan {
        &self.signed
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    pub fn paused(&self) -> Option<&PauseReason> {
        self.pause.as_ref()
    }

    /// Open inbox items, oldest first.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.items.values()
    }

    /// Each step's definition beside its state, in plan order.
    pub fn steps(&self) -> impl Iterator<Item = (&Step, &StepState)> {
        self.plan().steps.iter().zip(&self.steps)
    }

    /// Position of the step with this id.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// Share of the steps that have ended, 0–100.
    pub fn progress(&self) -> u8 {
        let total = self.steps.len().max(1);
        u8::try_from(self.ended * 100 / total).unwrap_or(100)
    }

    pub fn step(&self, at: usize) -> Option<(&Step, &StepState)> {
        Some((self.plan().steps.get(at)?, self.steps.get(at)?))
    }

    /// Is something under way that the harness itself does (agent, baseline, contract)?
    pub fn in_flight(&self) -> bool {
        self.active
            .iter()
            .filter_map(|&at| self.steps.get(at))
            .any(|step| step.stage.in_flight())
    }

    /// Is everything satisfied that the step waits for?
    pub(crate) fn is_free(&self, at: usize) -> bool {
        match self.step(at) {
            Some((definition, state)) => match definition.depends_on {
                Depends::AllBefore => self.frontier >= at,
                Depends::On(_) => state.waits_for == 0,
            },
            None => false,
        }
    }

    /// Does the step wait for all before it?
    pub(crate) fn waits_for_all(&self, at: usize) -> bool {
        (self.plan().steps.get(at)).is_some_and(|step| step.depends_on == Depends::AllBefore)
    }

    /// The status people see, which is finer than what is stored.
    pub fn status_of(&self, at: usize) -> StepStatus {
        match self.steps.get(at) {
            Some(step) if step.status == StepStatus::Pending && self.ready.contains(&at) => {
                StepStatus::Ready
            }
            Some(step) => step.status,
            None => StepStatus::Pending,
        }
    }
}

/// What the harness knows of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepState {
    pub status: StepStatus,
    pub stage: Stage,
    /// Dependencies named and not yet satisfied.
    pub waits_for: usize,
    /// Its condition was found to hold.
    pub condition_held: bool,
    /// A person gave leave to start its work.
    pub approved: bool,
    /// What it gave for conditions to read.
    pub values: StepValues,
    pub baseline: Option<Verdict>,
    /// Attempts begun so far; numbers are never used twice.
    pub attempts: u32,
    /// Attempts that used up a retry.
    pub failures: u32,
    /// Times the harness died or was stopped while the agent worked.
    pub interruptions: u32,
    /// The present attempt was cut off.
    pub interrupted: bool,
    /// Inconclusive evaluations of the present attempt.
    pub inconclusive: u32,
    pub not_before: Millis,
    /// How the agent of the present attempt ended.
    pub work_ended: Option<ProcessEnd>,
    pub process: Option<Process>,
    /// What its agent said last; told, never judged.
    pub said: Option<String>,
    /// What the next prompt must say about the attempt before.
    pub failure: Option<Failure>,
    /// A person's advice for the next attempt.
    pub hint: Option<String>,
    /// An answer whose consequence has not been recorded yet.
    pub answered: Option<(Choice, String)>,
    /// Who repaired the step by hand.
    pub repaired_by: Option<String>,
    pub evidence: Option<(Grade, Facts)>,
    /// Dependents count this step as done.
    pub satisfies: bool,
    /// Why it failed, was skipped or is blocked.
    pub reason: Option<String>,
}

impl StepState {
    fn new(waits_for: usize) -> Self {
        Self {
            status: StepStatus::Pending,
            stage: Stage::Idle,
            waits_for,
            condition_held: false,
            approved: false,
            values: StepValues::default(),
            baseline: None,
            attempts: 0,
            failures: 0,
            interruptions: 0,
            interrupted: false,
            inconclusive: 0,
            not_before: 0,
            work_ended: None,
            process: None,
            said: None,
            failure: None,
            hint: None,
            answered: None,
            repaired_by: None,
            evidence: None,
            satisfies: false,
            reason: None,
        }
    }
}

/// Where a step stands between two events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    Idle,
    NeedsBaseline,
    Baselining,
    NeedsWork,
    Working {
        attempt: u32,
    },
    NeedsEvaluation {
        attempt: u32,
    },
    Evaluating {
        attempt: u32,
    },
    Waiting {
        item: String,
    },
    /// Done as far as its agent goes; a person decides at the end.
    Provisional,
    Ended,
}

impl Stage {
    pub(crate) fn in_flight(&self) -> bool {
        matches!(
            self,
            Self::Baselining | Self::Working { .. } | Self::Evaluating { .. }
        )
    }
}

/// The nine statuses of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepStatus {
    Pending,
    Blocked,
    Ready,
    Running,
    Verifying,
    Waiting,
    Completed,
    Failed,
    Skipped,
}

/// A failed attempt, as its successor is told about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub unmet: Vec<String>,
    pub ended: ProcessEnd,
    pub stdout: String,
    pub stderr: String,
}

/// Something that waits on a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub id: String,
    pub kind: ItemKind,
    /// The step, or the first of several.
    pub step: usize,
    /// All of them, where it is about several.
    pub steps: Vec<usize>,
    pub question: String,
    pub choices: Vec<Choice>,
    /// Answers that the plan offers.
    pub options: Vec<String>,
}

impl Item {
    /// The words it can be answered with: what the plan offers, then what the harness does.
    pub fn words(&self) -> Vec<&str> {
        let offered = self.options.iter().map(String::as_str);
        let choices = self.choices.iter().filter(|choice| {
            // Any of the options is the reply.
            **choice != Choice::Reply || self.options.is_empty()
        });
        offered.chain(choices.map(|choice| choice.name())).collect()
    }

    /// Every step that it is about.
    pub fn about(&self) -> &[usize] {
        if self.steps.is_empty() {
            std::slice::from_ref(&self.step)
        } else {
            &self.steps
        }
    }
}

/// The steps whose `stdout` a condition reads.
fn read_steps(plan: &Plan, index: &BTreeMap<String, usize>) -> BTreeSet<usize> {
    let conditions = plan.steps.iter().filter_map(|step| step.when.as_deref());
    let reads = conditions.filter_map(|text| read(text).ok());
    let ids = reads.flat_map(|reads| reads.steps).map(|step| step.id);
    ids.filter_map(|id| index.get(id).copied()).collect()
}

/// Does this step need its contract run before the work?
pub(crate) fn wants_baseline(step: &Step, settings: &Settings) -> bool {
    let Some(contract) = &step.contract else {
        return false;
    };
    match step.work {
        // A claim of "done" is tested by the contract first, whatever the settings say.
        Work::Agent { .. } => step.claimed || (contract.baseline && settings.baseline),
        Work::Tool { .. } | Work::Ask { .. } | Work::Check => false,
    }
}

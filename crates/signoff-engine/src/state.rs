//! The state of a run, which follows from its events.

mod attempt;
mod contract;
mod earlier;
mod inbox;
mod loop_items;
mod made_call;
mod rechecks;
mod replan;
mod reviews;
mod run_tree;
mod schedule;
mod setup;
mod shared_limits;
mod stage;
mod step;
mod step_states;
mod token_usage;
mod usage;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use signoff_plan::model::{Depends, Plan, Step, Work};
use signoff_plan::signed::SignedPlan;

pub use self::attempt::{AttemptState, work_failure};
pub use self::contract::{Baseline, ContractRuns};
pub(crate) use self::earlier::{EarlierResult, KeptResult, item_number};
pub(crate) use self::inbox::Inbox;
pub use self::inbox::InboxItem;
pub(crate) use self::loop_items::{NewItem, match_items};
pub use self::made_call::MadeCall;
pub(crate) use self::rechecks::Rechecks;
pub use self::replan::{ChosenRole, Replan, ReplanStage};
pub(crate) use self::reviews::Reviews;
pub use self::run_tree::WorkLocation;
pub(crate) use self::run_tree::{JoinedFile, Landing, LandingState, TreeState};
pub(crate) use self::schedule::Schedule;
pub(crate) use self::setup::{for_each_reference, read_steps, rendered_steps, steps_read};
pub use self::shared_limits::DayLimit;
pub(crate) use self::shared_limits::SharedLimits;
pub use self::stage::{Stage, StepStatus};
pub use self::step::{
    Activation, Advice, Allocation, Answered, CutOffAttempts, Failure, History, LoopItem,
    StepOutcome, StepState, StepUsage,
};
pub(crate) use self::step_states::StepStates;
pub use self::token_usage::{BudgetAmount, Cost, TokenUsage, UsageSums, dollars_text, tokens_text};
pub(crate) use self::usage::{Usage, is_waiting_or_stopped};
use crate::event::{EarlierStep, InboxKind, Outcome, PauseReason, Settings, ToolCall};
use crate::evidence::Evidence;
use crate::verdict::{Missing, Verdict};

/// One run of one signed plan. Only [`apply`](crate::apply) changes it.
#[derive(Debug, Clone)]
pub struct Run {
    pub(crate) signed: SignedPlan,
    /// The version of the plan that it will continue under, until `plan_replanned` is applied.
    pub(crate) next: Option<SignedPlan>,
    pub(crate) id: String,
    pub(crate) settings: Settings,
    /// The plan's steps, then the items of its loops in the order in which they were made.
    pub(crate) steps: StepStates,
    /// Steps with parameters replaced by their values, and steps without marks that the harness wrote.
    pub(crate) rendered: BTreeMap<usize, Step>,
    /// Definitions of the items of loops.
    pub(crate) expanded: Vec<Step>,
    /// The items of each loop.
    pub(crate) children: BTreeMap<usize, Vec<usize>>,
    pub(crate) index: BTreeMap<String, usize>,
    /// For each step, the steps that name it as a dependency. A loop waits for its items.
    pub(crate) dependents: Vec<Vec<usize>>,
    /// The highest attempt number that each id had under earlier versions of the plan.
    pub(crate) used: BTreeMap<String, u32>,
    /// What an earlier run of the plan knows of its steps, by id; also of items of loops that are not expanded yet.
    pub(crate) earlier: BTreeMap<String, EarlierStep>,
    /// Steps whose values other steps read.
    pub(crate) read: BTreeSet<usize>,
    /// The evidence of the step that was completed last.
    pub(crate) last_evidence: Option<Arc<Evidence>>,
    pub(crate) schedule: Schedule,
    pub(crate) tree: TreeState,
    pub(crate) landing: LandingState,
    pub(crate) rechecks: Rechecks,
    pub(crate) reviews: Reviews,
    pub(crate) inbox: Inbox,
    pub(crate) usage: Usage,
    pub(crate) started: bool,
    /// Why nothing new starts.
    pub(crate) pausing: Option<PauseReason>,
    pub(crate) pause: Option<PauseReason>,
    /// What the harness's trouble is, if it stands still for that.
    pub(crate) trouble: Option<String>,
    pub(crate) outcome: Option<Outcome>,
    /// A critical step has failed: nothing new starts.
    pub(crate) aborting: bool,
    /// Set by a reader that knows that the run does not go on.
    pub(crate) is_given_up: bool,
    /// It had ended and was continued.
    pub(crate) was_reopened: bool,
    /// The new version of the plan that it waits for.
    pub(crate) replan: Option<Replan>,
    /// How often one was wanted.
    pub(crate) replans: u32,
    /// Locks and limits that it shares with other runs.
    pub(crate) outside: SharedLimits,
}

impl Run {
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn plan(&self) -> &Plan {
        self.signed.plan()
    }

    pub fn signed_plan(&self) -> &SignedPlan {
        &self.signed
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    pub fn pause_reason(&self) -> Option<PauseReason> {
        self.pause
    }

    /// The harness's own trouble that stopped it.
    pub fn harness_trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Why nothing new starts, if so.
    pub fn pausing(&self) -> Option<PauseReason> {
        self.pausing
    }

    /// Offers the plan that the next `plan_replanned` names. By itself it changes nothing.
    pub fn offer_plan(&mut self, next: SignedPlan) {
        self.next = Some(next);
    }

    /// The version that it will continue under: the one offered, otherwise the present one.
    pub fn next_plan(&self) -> &SignedPlan {
        self.next.as_ref().unwrap_or(&self.signed)
    }

    /// Open inbox items, oldest first.
    pub fn items(&self) -> impl Iterator<Item = &InboxItem> {
        self.inbox.items.values()
    }

    /// Positions of all steps in plan order, each loop before its items.
    pub fn order(&self) -> impl Iterator<Item = usize> {
        (0..self.plan().steps.len()).flat_map(|at| {
            let items = self.children.get(&at).into_iter().flatten().copied();
            std::iter::once(at).chain(items)
        })
    }

    /// Each step's definition beside its state, in plan order, each loop before its items.
    pub fn steps(&self) -> impl Iterator<Item = (&Step, &StepState)> {
        self.order().filter_map(|at| self.step(at))
    }

    /// Position of the step with this id.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// How many of the plan's steps are done or skipped.
    pub fn done_steps(&self) -> usize {
        self.schedule.done
    }

    /// Share of the plan's steps that are done or skipped, 0–100.
    pub fn progress(&self) -> u8 {
        let total = self.plan().steps.len().max(1);
        u8::try_from(self.schedule.done * 100 / total).unwrap_or(100)
    }

    /// What a step is, with parameters and loop items in their places.
    pub fn definition(&self, at: usize) -> Option<&Step> {
        let steps = &self.signed.plan().steps;
        match at.checked_sub(steps.len()) {
            Some(item) => self.expanded.get(item),
            None => self.rendered.get(&at).or_else(|| steps.get(at)),
        }
    }

    pub fn step(&self, at: usize) -> Option<(&Step, &StepState)> {
        Some((self.definition(at)?, self.steps.get(at)?))
    }

    /// The step's call that is not made again without a person's leave.
    pub(crate) fn made_call(&self, at: usize) -> Option<&ToolCall> {
        self.steps.get(at).and_then(|step| step.made_call.get())
    }

    /// Is something under way that the harness itself does (agent, call, baseline, contract)?
    pub fn in_flight(&self) -> bool {
        self.asks_planner() || self.reviews.is_under_way() || self.has_step_in_flight()
    }

    fn has_step_in_flight(&self) -> bool {
        self.schedule
            .active
            .iter()
            .filter_map(|&at| self.steps.get(at))
            .any(|step| step.stage.in_flight())
    }

    /// Is anything under way that does not wait for a person? An agent that asks whether it may use a tool does.
    pub fn is_working(&self) -> bool {
        let mut active = self.schedule.active.iter();
        let is_at_work = active.any(|&at| {
            let step = self.steps.get(at);
            step.is_some_and(|step| step.stage.in_flight() && step.attempt.asked_at.is_none())
        });
        is_at_work || self.asks_planner() || self.reviews.is_under_way()
    }

    /// Does all that is under way wait for a person?
    pub fn only_asks(&self) -> bool {
        self.in_flight() && !self.is_working()
    }

    /// Does the agent of this step ask whether it may use a tool?
    pub fn asks_permission(&self, at: usize) -> bool {
        let mut items = self.inbox.items.values();
        items.any(|item| item.kind == InboxKind::Permission && item.step == at)
    }

    /// The steps that are under way, in plan order.
    pub fn active_steps(&self) -> impl Iterator<Item = (&Step, &StepState)> {
        self.schedule.active.iter().filter_map(|&at| self.step(at))
    }

    /// Does another step read what this one says?
    pub(crate) fn is_read(&self, at: usize) -> bool {
        self.read.contains(&at)
    }

    /// The number of the step's next attempt. No number is used twice under one id, even across versions
    /// of the plan.
    pub fn next_attempt(&self, at: usize) -> u32 {
        let begun = self.steps.get(at).map_or(0, |step| step.attempts);
        let used = self.definition(at).and_then(|step| self.used.get(&step.id));
        begun.max(used.copied().unwrap_or(0)) + 1
    }

    /// Is everything satisfied that the step waits for?
    pub(crate) fn has_met_dependencies(&self, at: usize) -> bool {
        match self.step(at) {
            Some((definition, state)) => match definition.depends_on {
                Depends::AllBefore => self.schedule.frontier >= at,
                Depends::On(_) => state.waits_for == 0,
            },
            None => false,
        }
    }

    /// Does the step wait for all before it?
    pub(crate) fn waits_for_all(&self, at: usize) -> bool {
        (self.definition(at)).is_some_and(|step| step.depends_on == Depends::AllBefore)
    }

    /// The status of a step; `Ready` is computed, not stored.
    pub fn status_of(&self, at: usize) -> StepStatus {
        match self.steps.get(at) {
            Some(step)
                if step.status == StepStatus::Pending && self.schedule.ready.contains(&at) =>
            {
                StepStatus::Ready
            }
            Some(step) => step.status,
            None => StepStatus::Pending,
        }
    }

    /// The status that people see. If no process drives the run, nothing is active, and what was active is
    /// ready again. Once the run has ended, nothing is under way or still to come.
    pub fn displayed_status(&self, at: usize, driven: bool) -> StepStatus {
        match self.pause {
            _ if self.is_over() => self.final_status(at),
            _ if driven || !self.has_begun(at) => self.status_of(at),
            // A loop waits as its items do.
            Some(PauseReason::Waiting) => StepStatus::Waiting,
            _ => StepStatus::Ready,
        }
    }

    /// Had it ended before, so that marks of that end may be left?
    pub fn was_reopened(&self) -> bool {
        self.was_reopened
    }

    /// Has it ended, or was it given up?
    pub fn is_over(&self) -> bool {
        self.outcome().is_some() || self.is_given_up
    }

    /// The status of a step of a run that does not go on.
    fn final_status(&self, at: usize) -> StepStatus {
        let status = self.status_of(at);
        let state = self.steps.get(at);
        // Work that waits to be accepted did not fail.
        let was_tried = state.is_some_and(|state| {
            let is_loop = self.children.contains_key(&at);
            (state.attempts > 0 || is_loop) && state.stage != Stage::Provisional
        });
        match status {
            StepStatus::Completed
            | StepStatus::Failed
            | StepStatus::Skipped
            | StepStatus::Blocked => status,
            StepStatus::Running | StepStatus::Verifying | StepStatus::Waiting if was_tried => {
                StepStatus::Failed
            }
            _ if self.is_given_up => StepStatus::Skipped,
            StepStatus::Pending
            | StepStatus::Ready
            | StepStatus::Running
            | StepStatus::Verifying
            | StepStatus::Waiting => StepStatus::Blocked,
        }
    }

    /// Its plan was cancelled, or another run of it came after this one: it never ends, and does not go on.
    pub fn give_up(&mut self) {
        self.is_given_up = true;
    }

    /// Was it given up, without an end of its own?
    pub fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    /// Why a step that has begun does not continue if no process drives the run: `paused` on purpose, or
    /// `interrupted`.
    pub fn halt_reason(&self, at: usize) -> Option<&'static str> {
        match self.pause {
            _ if self.has_ended_unanswered(at) => Some("the run ended before it was answered"),
            _ if !self.has_begun(at) => None,
            Some(PauseReason::Waiting) => None,
            Some(
                PauseReason::Requested
                | PauseReason::Limited
                | PauseReason::Changed
                | PauseReason::Replanned,
            ) => Some("paused"),
            Some(PauseReason::Interrupted | PauseReason::Trouble) | None => Some("interrupted"),
        }
    }

    /// Did the run end while a person was asked about this step?
    fn has_ended_unanswered(&self, at: usize) -> bool {
        self.is_over() && self.status_of(at) == StepStatus::Waiting
    }

    fn has_begun(&self, at: usize) -> bool {
        matches!(
            self.status_of(at),
            StepStatus::Running | StepStatus::Verifying
        ) || self.asks_permission(at)
    }

    /// Does this step need its contract run before the work?
    pub(crate) fn wants_baseline(&self, at: usize) -> bool {
        let Some(step) = self.definition(at) else {
            return false;
        };
        let Some(contract) = &step.contract else {
            return false;
        };
        // What counts as done already is tested by the contract first, whatever the settings say.
        if let KeptResult::IfContractHolds(_) = self.kept_step_result(at) {
            return true;
        }
        match step.work {
            Work::Agent { .. } => {
                self.is_claimed(at) || (contract.baseline && self.settings.baseline)
            }
            Work::Tool { .. } => contract.baseline && self.settings.baseline,
            Work::Ask { .. } | Work::Check => false,
        }
    }

    /// The program that the step's contract missed before the work of its first agent, if no work of the step is to bring
    /// it. Whatever the agent does, its contract will have no answer.
    pub fn missing_before_work(&self, at: usize) -> Option<&Missing> {
        let (definition, state) = self.step(at)?;
        let is_first = state.attempts == 0 && !state.activation.unjudged_allowed;
        let has_answer = state.baseline.verdict != Some(Verdict::Inconclusive);
        if !is_first || has_answer || !matches!(definition.work, Work::Agent { .. }) {
            return None;
        }
        let missing = state.baseline.missing.as_ref()?;
        (missing.is_program() && !missing.is_brought_by(definition)).then_some(missing)
    }

    /// Is the step a loop without items?
    pub fn is_empty_loop(&self, at: usize) -> bool {
        self.children.get(&at).is_some_and(Vec::is_empty)
    }
}

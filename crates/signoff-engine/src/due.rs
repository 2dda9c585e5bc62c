//! The actions that may happen now.

mod bounds;
mod builds;
mod capacity;
mod queue;

use std::collections::BTreeSet;

use signoff_plan::model::{Step, Work};

pub use self::bounds::Bounds;
use self::capacity::Capacity;
use self::queue::Queue;
use crate::Millis;
use crate::arguments::skipped_reference;
use crate::budget::{Allowance, budget_question, draft_budget_question, is_used_up};
use crate::event::{InboxKind, ModelTask, PauseReason};
use crate::roles::wants_arbiter;
use crate::state::{KeptResult, ReplanStage, Run, Stage, StepState};

/// How soon a lock is looked at again that another run holds.
const LOCK_INTERVAL: Millis = 250;

/// Something for the runtime to perform. Each yields an [`Input`](crate::Input).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Run the contract before the work; it should fail.
    Baseline { step: usize },
    /// Start a fresh agent.
    Dispatch { step: usize, attempt: u32 },
    /// Call a tool.
    Call { step: usize, attempt: u32 },
    /// Run the contract; `patience` multiplies its time limit.
    Evaluate {
        step: usize,
        attempt: u32,
        patience: u32,
    },
    /// Rebase the step's work onto what was merged before.
    Candidate { step: usize, attempt: u32 },
    /// Make the candidate the head.
    Merge { step: usize, attempt: u32 },
    /// Run the contract of a completed step again, because the tree has changed since.
    Recheck { step: usize, patience: u32 },
    /// Write the files of the head to the checkout.
    LandFiles,
    /// Ask a model: for a new version of the plan, how a failed step goes on, who does a step, or what there is to say
    /// about the work of one that is done.
    Draft { step: usize, task: ModelTask },
    /// Make the drafted version a plan of its own, for a person to sign.
    OfferDraft,
    /// Evaluate the step's condition, expand a loop, ask for approval or ask the step's question. The engine
    /// needs no process for that.
    Gate { step: usize },
    /// End a loop whose items are all done.
    Gather { step: usize },
    /// Ask a person for more budget before this step's agent, or before a planner is asked because of this step.
    AskForBudget { step: usize },
    /// Ask a person to accept all steps that have no contract.
    AskForAcceptance,
    /// Do nothing before this time.
    Wait { until: Millis },
    /// End the run: every step has ended.
    Finish,
}

impl Action {
    /// The step whose locks have to be held while this happens.
    pub fn needs_locks(&self) -> Option<usize> {
        match *self {
            Self::Baseline { step }
            | Self::Dispatch { step, .. }
            | Self::Call { step, .. }
            | Self::Evaluate { step, .. }
            | Self::Candidate { step, .. }
            | Self::Merge { step, .. }
            | Self::Recheck { step, .. } => Some(step),
            Self::LandFiles
            | Self::Draft { .. }
            | Self::OfferDraft
            | Self::Gate { .. }
            | Self::Gather { .. }
            | Self::AskForBudget { .. }
            | Self::AskForAcceptance
            | Self::Wait { .. }
            | Self::Finish => None,
        }
    }

    /// Does it cost money?
    pub fn costs_money(&self) -> bool {
        matches!(self, Self::Dispatch { .. } | Self::Draft { .. })
    }
}

/// Has an answer made something possible in a run that waits on a person?
pub fn is_due_when_resumed(run: &Run, now: Millis) -> bool {
    let mut resumed = run.clone();
    resumed.pause = None;
    !due(&resumed, now, &Bounds::default()).is_empty()
}

/// Should a run that no process drives go on without a person's request? A run that a person stopped should not; one
/// that waited for a person should, once an answer lets it do something.
pub fn goes_on_by_itself(run: &Run, now: Millis) -> bool {
    match (run.outcome, run.pause) {
        (Some(_), _) => false,
        (None, None) => true,
        (None, Some(PauseReason::Waiting)) => is_due_when_resumed(run, now),
        (None, Some(_)) => false,
    }
}

/// The actions now possible, in plan order, in time proportional to their number.
pub fn due(run: &Run, now: Millis, bounds: &Bounds) -> Vec<Action> {
    if !run.started || run.outcome.is_some() || run.pause.is_some() {
        return Vec::new();
    }
    let mut queue = Queue::of(run);
    let mut capacity = Capacity::of(run, bounds.jobs(run));
    let mut actions = next_actions(run, now, &mut queue, &mut capacity);
    if run.aborting {
        if !run.in_flight() && !asks_for_acceptance(run) {
            actions.push(Action::Finish);
        }
        return actions;
    }
    if run.replan.is_some() {
        if actions.is_empty() && !run.in_flight() && run.pausing.is_none() {
            actions.extend(replan_action(run, now));
        }
        return actions;
    }
    let gather = run.schedule.gather.iter();
    actions.extend(gather.map(|&step| Action::Gather { step }));
    if run.pausing.is_some() {
        return actions;
    }
    // No step waits for advice, so it takes no slot of a step; the run does not end before it.
    // Without a budget it is not asked for.
    let review = run
        .due_review()
        .filter(|_| !is_used_up(run) && run.day_limit(now).is_none());
    actions.extend(review.map(|step| Action::Draft {
        step,
        task: ModelTask::Review,
    }));
    let ready = run.schedule.ready.iter().copied();
    for at in ready.filter(|&at| bounds.allow(run, at)) {
        if !capacity.is_left() {
            break;
        }
        let first = first_action(run, at, now);
        actions.extend(first.and_then(|action| admit(run, at, action, &mut queue, &mut capacity)));
    }
    if actions.is_empty() && !run.in_flight() {
        actions.extend(final_actions(run, now, bounds));
    }
    if capacity.has_locked_out() {
        actions.push(look_again(now));
    }
    keep_within_budget(run, &mut actions);
    actions
}

/// Locks of other runs are free when nothing here says so.
fn look_again(now: Millis) -> Action {
    Action::Wait {
        until: now.saturating_add(LOCK_INTERVAL),
    }
}

/// What the new version of the plan waits for. Whatever was under way has ended.
fn replan_action(run: &Run, now: Millis) -> Option<Action> {
    let replan = run.replan.as_ref()?;
    match &replan.stage {
        ReplanStage::Requested if run.asks_for_draft_budget() => None,
        ReplanStage::Requested if draft_budget_question(run).is_some() => {
            Some(Action::AskForBudget { step: replan.step })
        }
        ReplanStage::Requested => Some(unless_day_is_used_up(
            run,
            now,
            Action::Draft {
                step: replan.step,
                task: ModelTask::Replan,
            },
        )),
        ReplanStage::Drafted(_) if !run.has_offered_draft() => Some(Action::OfferDraft),
        ReplanStage::Drafted(_) | ReplanStage::Asked | ReplanStage::Lost(_) => None,
    }
}

/// Leaves out agents that start together and for which there is no budget together: once the others have started, a
/// person is asked.
fn keep_within_budget(run: &Run, actions: &mut Vec<Action>) {
    if run.plan().budget.is_empty() {
        return;
    }
    let mut allowance = Allowance::of(run);
    actions.retain(|action| {
        if let Action::Dispatch { step, .. } = action {
            return allowance.reserve_for(run, *step);
        }
        true
    });
}

/// Is a person asked whether steps are done? Refusing one of them fails the run, but the others are still to be answered.
fn asks_for_acceptance(run: &Run) -> bool {
    let mut items = run.inbox.items.values();
    items.any(|item| item.kind == InboxKind::Acceptance && !item.steps.is_empty())
}

/// The actions of steps under way, those with a slot first.
fn next_actions<'a>(
    run: &'a Run,
    now: Millis,
    queue: &mut Queue,
    capacity: &mut Capacity<'a>,
) -> Vec<Action> {
    let stands_by = run.pausing.is_some() || run.replan.is_some();
    let wanted = (run.schedule.active.iter())
        .filter(|_| !run.aborting)
        .filter_map(|&at| Some((at, next_action(run, at, now)?)))
        .filter(|(_, action)| !stands_by || is_judging(action));
    let (with_slot, without_slot): (Vec<_>, Vec<_>) = wanted.partition(|(at, _)| {
        let step = run.steps.get(*at);
        step.is_some_and(|step| step.allocation.has_slot())
    });
    let mut actions = Vec::new();
    if run.has_files_to_land() {
        actions.push(Action::LandFiles);
    }
    for (at, action) in with_slot {
        if capacity.has_locks(run, at) && queue.admit(run, at, &action) {
            actions.push(action);
        }
    }
    for (at, action) in without_slot {
        actions.extend(admit(run, at, action, queue, capacity));
    }
    actions
}

/// The action of a step without a slot, if what it needs is free.
fn admit<'a>(
    run: &'a Run,
    at: usize,
    action: Action,
    queue: &mut Queue,
    capacity: &mut Capacity<'a>,
) -> Option<Action> {
    // A step that waits for the queue must not occupy a slot.
    let free = !queue.would_admit(run, at, &action) || capacity.admit(run, at, &action);
    (free && queue.admit(run, at, &action)).then_some(action)
}

/// Does the action judge work that is already done? Such actions go on while the run pauses.
fn is_judging(action: &Action) -> bool {
    match action {
        Action::Evaluate { .. }
        | Action::Recheck { .. }
        | Action::Candidate { .. }
        | Action::Merge { .. } => true,
        Action::Baseline { .. }
        | Action::Dispatch { .. }
        | Action::Call { .. }
        | Action::Draft { .. }
        | Action::OfferDraft
        | Action::LandFiles
        | Action::Gate { .. }
        | Action::Gather { .. }
        | Action::AskForBudget { .. }
        | Action::AskForAcceptance
        | Action::Wait { .. }
        | Action::Finish => false,
    }
}

/// The actions at the end of a run, when no step is due, running or waiting.
fn final_actions(run: &Run, now: Millis, bounds: &Bounds) -> Vec<Action> {
    let settled = run.inbox.items.is_empty() && run.schedule.active.is_empty();
    // Steps outside the bounds are still to come.
    if !settled || !run.schedule.ready.is_empty() || bounds.leaves_out_steps(run) {
        return Vec::new();
    }
    let (mut locks, mut locked_out) = (BTreeSet::new(), false);
    let rechecks: Vec<Action> = (run.rechecks.due(run.tree.version))
        .filter(|step| {
            let is_locked_out = run.is_locked_out(*step);
            locked_out |= is_locked_out;
            !is_locked_out
        })
        .filter(|step| {
            let wanted = run.definition(*step).map_or(&[][..], |step| &step.locks);
            let is_free = wanted.iter().all(|lock| !locks.contains(lock));
            locks.extend(wanted.iter().filter(|_| is_free));
            is_free
        })
        .take(bounds.jobs(run))
        .map(|step| match run.steps.get(step) {
            Some(state) if state.attempt.void > 0 && state.activation.not_before > now => {
                Action::Wait {
                    until: state.activation.not_before,
                }
            }
            state => Action::Recheck {
                step,
                patience: 1 + state.map_or(0, |state| state.attempt.inconclusive.min(1)),
            },
        })
        .collect();
    if !rechecks.is_empty() {
        return rechecks;
    }
    if locked_out {
        return vec![look_again(now)];
    }
    if !run.schedule.provisional.is_empty() {
        return vec![Action::AskForAcceptance];
    }
    vec![Action::Finish]
}

/// The first action of a step that has not begun.
fn first_action(run: &Run, at: usize, now: Millis) -> Option<Action> {
    let (definition, state) = run.step(at)?;
    if has_closed_gate(run, at, definition, state) {
        return Some(Action::Gate { step: at });
    }
    if run.wants_baseline(at) {
        let baseline = Action::Baseline { step: at };
        // No step holds a slot or a lock for hours without need.
        return Some(match definition.work {
            Work::Agent { .. } => unless_day_is_used_up(run, now, baseline),
            Work::Tool { .. } | Work::Ask { .. } | Work::Check => baseline,
        });
    }
    work_action(run, at, now)
}

/// The next action of a step under way.
fn next_action(run: &Run, at: usize, now: Millis) -> Option<Action> {
    let (definition, state) = run.step(at)?;
    match state.stage {
        Stage::NeedsBaseline | Stage::NeedsWork if has_closed_gate(run, at, definition, state) => {
            Some(Action::Gate { step: at })
        }
        Stage::NeedsWork if state.activation.not_before > now => Some(Action::Wait {
            until: state.activation.not_before,
        }),
        Stage::NeedsBaseline | Stage::NeedsEvaluation { .. }
            if state.attempt.void > 0 && state.activation.not_before > now =>
        {
            Some(Action::Wait {
                until: state.activation.not_before,
            })
        }
        Stage::NeedsBaseline => Some(Action::Baseline { step: at }),
        Stage::NeedsWork => work_action(run, at, now),
        Stage::NeedsModel { task } => {
            let draft = Action::Draft { step: at, task };
            Some(unless_day_is_used_up(run, now, draft))
        }
        Stage::NeedsEvaluation { attempt } if run.wants_candidate(at) => {
            Some(Action::Candidate { step: at, attempt })
        }
        Stage::NeedsMerge { attempt } => Some(Action::Merge { step: at, attempt }),
        Stage::NeedsEvaluation { attempt } => Some(Action::Evaluate {
            step: at,
            attempt,
            patience: 1 + state.attempt.inconclusive.min(1),
        }),
        Stage::Idle
        | Stage::Baselining
        | Stage::Working { .. }
        | Stage::Evaluating { .. }
        | Stage::Assembling { .. }
        | Stage::Merging { .. }
        | Stage::Rechecking
        | Stage::Expanded
        | Stage::Waiting { .. }
        | Stage::Held
        | Stage::AskingModel { .. }
        | Stage::Provisional
        | Stage::Ended => None,
    }
}

/// Must a condition, a loop or an approval be settled before the step's work, or is the step not even written?
fn has_closed_gate(run: &Run, at: usize, definition: &Step, state: &StepState) -> bool {
    let condition = definition.when.is_some() && !state.activation.condition_held;
    condition
        || definition.unexpanded.is_some()
        || definition.for_each.is_some()
        || match run.kept_step_result(at) {
            // It is done as soon as the gate is looked at.
            KeptResult::Done(_) => true,
            // Only work needs an approval.
            KeptResult::IfContractHolds(_) => false,
            KeptResult::Nothing => definition.approval && !state.activation.approved,
        }
        || state.stage == Stage::NeedsWork && run.missing_before_work(at).is_some()
}

/// What costs money waits for the next day where all runs together have used up this one's.
fn unless_day_is_used_up(run: &Run, now: Millis, action: Action) -> Action {
    match run.day_limit(now) {
        Some(day) => Action::Wait { until: day.until },
        None => action,
    }
}

fn work_action(run: &Run, at: usize, now: Millis) -> Option<Action> {
    let definition = run.definition(at)?;
    let attempt = run.next_attempt(at);
    match definition.work {
        Work::Agent { .. } if budget_question(run, at, now).is_some() => {
            Some(Action::AskForBudget { step: at })
        }
        Work::Agent { .. } => {
            let asks = wants_arbiter(run, at).then_some(Action::Draft {
                step: at,
                task: ModelTask::Role,
            });
            let action = asks.unwrap_or(Action::Dispatch { step: at, attempt });
            Some(unless_day_is_used_up(run, now, action))
        }
        Work::Check => Some(Action::Evaluate {
            step: at,
            attempt,
            patience: 1,
        }),
        Work::Ask { .. } => Some(Action::Gate { step: at }),
        Work::Tool { .. } if skipped_reference(run, at).is_some() => {
            Some(Action::Gate { step: at })
        }
        // Only a person lets it be made again.
        Work::Tool { .. } if run.made_call(at).is_some() => Some(Action::Gate { step: at }),
        Work::Tool { .. } => Some(Action::Call { step: at, attempt }),
    }
}

//! Rehearses a run without starting it: what would run in which order, what it may cost, and
//! why it would be refused.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use signoff_engine::{
    ForbiddenTransition, Isolation, PlanState, Refusal, StepForecast, Transition,
    possible_transitions, state_after,
};
use signoff_plan::model::{Depends, Plan, Step, Work};
use signoff_plan::tools::stop_reasons;
use signoff_store::lock::holder;

use super::last_run::{PlanToRun, forecast_again, known_steps};
use super::{RunLimit, RunOptions};
use crate::confinement::levels;
use crate::error::Error;
use crate::plan_file::{PlanFile, require_no_errors};
use crate::plan_history::PlanHistory;
use crate::plans::approval::preflight;
use crate::plans::status::{PlanStatus, plan_status};
use crate::plans::{ActorContext, covering_policy, expiry_notice, refuse_duplicate};
use crate::project::Project;
use crate::project::locks::is_workspace_taken;
use crate::signing::current_signature::require_signed;
use crate::trees;

/// How a run would go.
#[derive(Debug)]
pub struct Rehearsal {
    /// Positions of the steps in the order in which they start; those of one list may run at the same time. It assumes
    /// that every step takes equally long and passes at once.
    pub rounds: Vec<Vec<usize>>,
    /// Agents that are started if every step uses up its retries.
    pub agents: u64,
    /// How long those may work, one after the other.
    pub working: Duration,
    /// Steps at which the run stops and asks a person, each with the reasons.
    pub asks: BTreeMap<usize, Vec<String>>,
    /// What would be done with each step, if the plan was run before; otherwise nothing.
    pub forecast: Vec<StepForecast>,
    /// Why `run` would refuse.
    pub refused: Option<Error>,
}

/// Rehearses a run. `approve`: a person would sign the plan first.
pub fn rehearse(
    context: ActorContext<'_>,
    plan: &PlanFile,
    options: &RunOptions,
    approve: bool,
) -> Rehearsal {
    let project = context.project;
    let steps = allowed_steps(&plan.checked.plan, options);
    let allowed = steps.as_ref().cloned().unwrap_or_default();
    let jobs = options.jobs.unwrap_or(project.config.run.jobs.value);
    let jobs = usize::try_from(jobs).unwrap_or(1).max(1);
    let (agents, working) = worst_case(project, &plan.checked.plan, &allowed);
    let refused = require_startable(context, plan, options, approve);
    let forecast = forecast_run(project, plan, options);
    let (forecast, unreadable) = match forecast {
        Ok(forecast) => (forecast, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    Rehearsal {
        rounds: rounds(&plan.checked.plan, &allowed, jobs),
        agents,
        working,
        asks: asks(project, &plan.checked.plan, &allowed, &forecast),
        forecast,
        refused: refused.err().or(steps.err()).or(unreadable),
    }
}

/// What a run would do with each step of a plan that was run before.
fn forecast_run(
    project: &Project,
    plan: &PlanFile,
    options: &RunOptions,
) -> Result<Vec<StepForecast>, Error> {
    let key = plan.key(project)?;
    let to_run = PlanToRun {
        key: &key,
        plan: &plan.checked.plan,
        digest: &plan.digest().to_string(),
        history: &PlanHistory::read(project, &key)?,
    };
    let known = known_steps(project, &to_run, options.redo)?;
    Ok(forecast_again(&known.steps, &plan.checked.plan))
}

/// What `run` asks before it starts anything, in its order. `approve`: a person would sign the plan first.
pub fn require_startable(
    context: ActorContext<'_>,
    plan: &PlanFile,
    options: &RunOptions,
    approve: bool,
) -> Result<(), Error> {
    let project = context.project;
    project.require_trust()?;
    require_no_errors(plan)?;
    let status = plan_status(project, plan)?;
    refuse_duplicate(project, plan, &status.history)?;
    may_start(context, plan, &status, options, approve)?;
    preflight::require_runnable(project, plan)?;
    let chosen = trees::choose(project, &plan.checked.plan, options.isolation)?;
    levels::check(project, plan, options.isolation)?;
    let is_shared = chosen.isolation == Isolation::Shared;
    if is_shared && is_workspace_taken(project, &plan.checked.plan)? {
        return Err(Error::WorkspaceTaken {
            holder: holder(&project.store.workspace_lock()).ok().flatten(),
        });
    }
    Ok(())
}

/// Does its state allow a run, after it was signed if `approve` says so?
fn may_start(
    context: ActorContext<'_>,
    plan: &PlanFile,
    status: &PlanStatus,
    options: &RunOptions,
    approve: bool,
) -> Result<(), Error> {
    let (project, actor) = (context.project, context.actor);
    let state = status.state;
    if let Some(notice) = expiry_notice(project, plan, status, context.clock) {
        let state = PlanState::Cancelled;
        let forbidden = ForbiddenTransition::State {
            state,
            act: Transition::Start,
            possible: possible_transitions(state, actor),
        };
        return Err(Error::Expired { notice, forbidden });
    }
    match state {
        PlanState::Approved => Ok(()),
        PlanState::Completed if options.again && !status.is_claimed => {
            state_after(state, Transition::RunAgain, actor)
                .map(drop)
                .map_err(Error::Forbidden)
        }
        _ if approve => state_after(state, Transition::Approve, actor)
            .map(drop)
            .map_err(|forbidden| status.explain(plan, forbidden)),
        PlanState::Verified if covering_policy(context, plan).is_some() => Ok(()),
        PlanState::Draft | PlanState::Verified => {
            require_signed(project, plan)?;
            let plan = plan.source.name().to_owned();
            Err(Error::NotSigned { plan })
        }
        _ => state_after(state, Transition::Start, actor)
            .map(drop)
            .map_err(|_| {
                let forbidden = ForbiddenTransition::State {
                    state,
                    act: Transition::Start,
                    possible: possible_transitions(state, actor),
                };
                status.explain(plan, forbidden)
            }),
    }
}

/// The steps that may start.
fn allowed_steps(plan: &Plan, options: &RunOptions) -> Result<BTreeSet<usize>, Error> {
    let (step, only) = match &options.limit {
        None => return Ok((0..plan.steps.len()).collect()),
        Some(RunLimit::Only(step)) => (step, true),
        Some(RunLimit::Until(step)) => (step, false),
    };
    let unknown = || Error::Refused(Refusal::NoStep { step: step.clone() });
    let named = plan.step_by_id_or_number(step).ok_or_else(unknown)?;
    let at = plan.index_of(&named.id).ok_or_else(unknown)?;
    let allowed = plan.with_dependencies(at);
    if only && allowed.len() > 1 {
        let waits_for = plan.dependency_ids(at).map(str::to_owned).collect();
        let step = step.clone();
        return Err(Error::NotReached { step, waits_for });
    }
    Ok(allowed)
}

/// Which steps start together, by the engine's rules: as many as there may be, an agent alone, and
/// no two that hold the same lock.
fn rounds(plan: &Plan, allowed: &BTreeSet<usize>, jobs: usize) -> Vec<Vec<usize>> {
    let mut waiting = WaitingSteps::new(plan, allowed);
    let mut ready = waiting.take_free();
    let mut rounds = Vec::new();
    while !ready.is_empty() {
        let round = next_round(plan, &ready, jobs);
        for at in &round {
            ready.remove(at);
            waiting.finish(*at);
        }
        ready.extend(waiting.take_free());
        rounds.push(round);
    }
    rounds
}

/// Steps that have not started, and what they wait for. A step that waits for all before it lists none of them: the
/// lists would grow with the square of the steps.
struct WaitingSteps {
    /// How many named steps each still waits for, and which steps name it.
    counts: Vec<usize>,
    dependents: Vec<Vec<usize>>,
    /// Steps that wait for all before them, in plan order.
    sequential: VecDeque<usize>,
    finished: Vec<bool>,
    /// All steps before this one have finished.
    frontier: usize,
    free: BTreeSet<usize>,
}

impl WaitingSteps {
    fn new(plan: &Plan, allowed: &BTreeSet<usize>) -> Self {
        let steps = plan.steps.len();
        let mut waiting = Self {
            counts: vec![0; steps],
            dependents: vec![Vec::new(); steps],
            sequential: VecDeque::new(),
            finished: vec![false; steps],
            frontier: 0,
            free: BTreeSet::new(),
        };
        for &at in allowed {
            match plan.steps.get(at).map(|step| &step.depends_on) {
                Some(Depends::AllBefore) => waiting.sequential.push_back(at),
                Some(Depends::On(_)) => waiting.add_named(plan, at),
                None => {}
            }
        }
        waiting.free_sequential();
        waiting
    }

    fn add_named(&mut self, plan: &Plan, at: usize) {
        for before in plan.dependencies(at) {
            if let (Some(count), Some(dependents)) =
                (self.counts.get_mut(at), self.dependents.get_mut(before))
            {
                *count += 1;
                dependents.push(at);
            }
        }
        if self.counts.get(at) == Some(&0) {
            self.free.insert(at);
        }
    }

    fn finish(&mut self, at: usize) {
        if let Some(finished) = self.finished.get_mut(at) {
            *finished = true;
        }
        for &later in self.dependents.get(at).into_iter().flatten() {
            if let Some(count) = self.counts.get_mut(later) {
                *count -= 1;
                if *count == 0 {
                    self.free.insert(later);
                }
            }
        }
        self.free_sequential();
    }

    fn free_sequential(&mut self) {
        while self.finished.get(self.frontier) == Some(&true) {
            self.frontier += 1;
        }
        while let Some(at) = self.sequential.front().copied()
            && at <= self.frontier
        {
            self.sequential.pop_front();
            self.free.insert(at);
        }
    }

    /// The steps that wait for nothing any more.
    fn take_free(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.free)
    }
}

fn next_round(plan: &Plan, ready: &BTreeSet<usize>, jobs: usize) -> Vec<usize> {
    let mut round: Vec<usize> = Vec::new();
    let mut locks: BTreeSet<&String> = BTreeSet::new();
    for &at in ready {
        let Some(step) = plan.steps.get(at) else {
            continue;
        };
        if is_agent(step) && !round.is_empty() {
            // What comes after it in the plan waits behind it.
            break;
        }
        if step.locks.iter().any(|lock| locks.contains(lock)) {
            continue;
        }
        locks.extend(&step.locks);
        round.push(at);
        if is_agent(step) || round.len() == jobs {
            break;
        }
    }
    round
}

/// Agents that a step may start: one and one more for each retry, in a loop for each item.
pub fn most_agents(step: &Step) -> u64 {
    let items = match &step.for_each {
        _ if !is_agent(step) => 0,
        Some(_) => step.max_items.unwrap_or(Step::MAX_ITEMS),
        None => 1,
    };
    (u64::from(step.on_fail.retries) + 1).saturating_mul(items)
}

/// Why the run stops at which of these steps and asks a person.
fn asks(
    project: &Project,
    plan: &Plan,
    allowed: &BTreeSet<usize>,
    forecast: &[StepForecast],
) -> BTreeMap<usize, Vec<String>> {
    let workspace = project.workspace();
    // A contract that does not hold any more can still lead there.
    let is_kept = |at: usize| {
        matches!(forecast.get(at), Some(StepForecast::Kept { .. }))
            && plan
                .steps
                .get(at)
                .is_some_and(|step| step.contract.is_none())
    };
    let each = stop_reasons(plan, &workspace).into_iter().enumerate();
    each.filter(|(at, reasons)| allowed.contains(at) && !reasons.is_empty() && !is_kept(*at))
        .collect()
}

/// Agents, and how long they may work.
fn worst_case(project: &Project, plan: &Plan, allowed: &BTreeSet<usize>) -> (u64, Duration) {
    let steps = allowed.iter().filter_map(|&at| plan.steps.get(at));
    let mut worst = (0_u64, Duration::ZERO);
    for step in steps {
        let agents = most_agents(step);
        let each = step
            .timeout
            .unwrap_or(project.config.run.step_timeout.value);
        let times = u32::try_from(agents).unwrap_or(u32::MAX);
        worst.0 = worst.0.saturating_add(agents);
        worst.1 = worst.1.saturating_add(each.saturating_mul(times));
    }
    let budget = &plan.budget;
    (
        budget.agents.map_or(worst.0, |most| most.min(worst.0)),
        budget.wall.map_or(worst.1, |most| most.min(worst.1)),
    )
}

fn is_agent(step: &Step) -> bool {
    matches!(step.work, Work::Agent { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps that each wait for what is said: `None` = for all before.
    fn plan(steps: &[Option<&[u32]>]) -> Plan {
        let steps = (1..).zip(steps).map(|(number, waits_for)| Step {
            depends_on: match waits_for {
                None => Depends::AllBefore,
                Some(positions) => Depends::On(positions.to_vec()),
            },
            ..Step::new(format!("s{number}"), number)
        });
        Plan {
            steps: steps.collect(),
            ..Plan::default()
        }
    }

    #[track_caller]
    fn check(steps: &[Option<&[u32]>], expected: &[&[usize]]) {
        let plan = plan(steps);
        let allowed = (0..plan.steps.len()).collect();
        assert_eq!(rounds(&plan, &allowed, 3), expected);
    }

    #[test]
    fn steps_start_when_what_they_wait_for_is_done() {
        check(&[None, None, None], &[&[0], &[1], &[2]]);
        check(
            &[Some(&[]), Some(&[]), None, Some(&[0]), None],
            &[&[0, 1], &[2, 3], &[4]],
        );
        check(
            &[Some(&[2]), Some(&[]), Some(&[1]), None],
            &[&[1], &[2], &[0], &[3]],
        );
        check(
            &[Some(&[]), Some(&[]), Some(&[]), Some(&[]), Some(&[0, 3])],
            &[&[0, 1, 2], &[3], &[4]],
        );
        // A circle never starts, nor what waits for it.
        check(&[Some(&[1]), Some(&[0]), None], &[]);
    }

    // With a list of all steps before each, this would take 40 GB.
    #[test]
    fn a_long_sequence_takes_little_memory_and_time() {
        let plan = plan(&vec![None; 100_000]);
        let allowed = plan.with_dependencies(99_999);
        assert_eq!(rounds(&plan, &allowed, 4).len(), 100_000);
    }
}

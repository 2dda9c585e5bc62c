//! The resolved plan: ids, dependencies and defaults are explicit. Dialects produce a
//! [`Draft`](crate::draft::Draft), [`check`](crate::check) turns it into this.
//!
//! These types are neither a file format nor a wire format: the dialects and `signoff-api` are.

mod briefing;
mod contract;
mod step;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

pub use self::briefing::BriefingStyle;
pub use self::contract::{Condition, Contract, FailAction, OnFail, RetriedFailures};
pub use self::step::{
    Depends, Hint, STEP_RECORD, Step, StepDetails, StepRecord, Subscription, Work,
};

/// A whole plan, as every part of the system after the checks sees it.
#[derive(Debug, Clone, PartialEq, Hash, Default)]
pub struct Plan {
    /// Explicit id; a plan without one is known by its path.
    pub id: Option<String>,
    /// Title as written; see [`Plan::display_title`] for the fallback.
    pub title: Option<String>,
    /// The original request.
    pub task: Option<String>,
    /// Narrative: why, and what to know.
    pub context: Option<String>,
    /// The status written in the file: a mark, never believed.
    pub status: Option<String>,
    /// Version; what it counts depends on the dialect.
    pub version: Option<u64>,
    /// The role that owns execution.
    pub owner: Option<String>,
    /// Id of the plan this one replaces.
    pub previous: Option<String>,
    /// Limits over the whole plan.
    pub budget: Budget,
    /// Priority, in the author's word.
    pub priority: Option<String>,
    /// Tool scope; `None` is every configured tool.
    pub tools: Option<Vec<String>>,
    /// What the work must respect.
    pub constraints: Vec<String>,
    /// Template parameters with their defaults.
    pub params: BTreeMap<String, Value>,
    /// What may go wrong.
    pub risks: Vec<String>,
    /// Model for agents that do not name their own.
    pub executor_model: Option<String>,
    /// Whose signatures count, of those that the settings let count; empty = all of them.
    pub approval_required_from: Vec<String>,
    /// What agents receive beside their task, as the word of [`BriefingStyle`]: what they really receive, so none
    /// in a plan without agents.
    pub briefing: Option<String>,
    /// What is kept about the plan and decides nothing, by field name: see [`PLAN_RECORD`].
    pub record: BTreeMap<String, Value>,
    /// The steps, in plan order.
    pub steps: Vec<Step>,
}

/// Fields of [`Plan::record`]. None of them is part of the digest.
pub const PLAN_RECORD: [&str; 18] = [
    "artifacts",
    "complexity",
    "created_at",
    "created_by",
    "current_step_index",
    "estimated_duration",
    "execution_ended_at",
    "execution_session",
    "execution_started_at",
    "informed_by",
    "other",
    "planner_model",
    "rejections",
    "result_summary",
    "tags",
    "task_id",
    "tool_outputs",
    "updated_at",
];

impl Plan {
    /// The title, else the task, else the id.
    pub fn display_title(&self) -> &str {
        self.title
            .as_deref()
            .or(self.task.as_deref())
            .or(self.id.as_deref())
            .unwrap_or("untitled")
    }

    /// What agents receive beside their task.
    pub fn briefing(&self) -> BriefingStyle {
        let word = self.briefing.as_deref();
        word.and_then(BriefingStyle::from_word).unwrap_or_default()
    }

    /// The word for what agents are really told: none in a plan without agents, and where there is nothing
    /// to tell, their task.
    pub(crate) fn effective_briefing(&self) -> Option<&'static str> {
        let steps = self.steps.iter();
        let mut agents = steps.filter(|step| matches!(step.work, Work::Agent { .. }));
        let first = agents.next()?;
        let told = match self.briefing() {
            BriefingStyle::Thread => {
                let subtasks = |step: &Step| !step.subtasks.is_empty();
                self.context.is_some() || subtasks(first) || agents.any(subtasks)
            }
            BriefingStyle::Task | BriefingStyle::Record | BriefingStyle::Proposal => true,
        };
        let briefing = if told {
            self.briefing()
        } else {
            BriefingStyle::Task
        };
        Some(briefing.word())
    }

    /// Positions of the steps that the step at `at` waits for, in plan order.
    pub fn dependencies(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let depends = self.steps.get(at).map(|step| &step.depends_on);
        let (all, some): (usize, &[u32]) = match depends {
            Some(Depends::AllBefore) => (at, &[]),
            Some(Depends::On(positions)) => (0, positions),
            None => (0, &[]),
        };
        (0..all).chain(some.iter().filter_map(|at| usize::try_from(*at).ok()))
    }

    /// The step at `at` and all that it waits for, whether it names them or one of them does.
    pub fn with_dependencies(&self, at: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        // Everything before this position has been taken up.
        let mut before = 0;
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            match self.steps.get(at).map(|step| &step.depends_on) {
                Some(_) if !found.insert(at) => {}
                Some(Depends::AllBefore) => {
                    open.extend(before..at);
                    before = before.max(at);
                }
                Some(Depends::On(_)) => open.extend(self.dependencies(at)),
                None => {}
            }
        }
        found
    }

    /// Ids of the steps that the step at `at` waits for, in plan order.
    pub fn dependency_ids(&self, at: usize) -> impl Iterator<Item = &str> + '_ {
        self.dependencies(at)
            .filter_map(|at| Some(self.steps.get(at)?.id.as_str()))
    }

    /// Whether spelling out "every step before" would take more names than anybody reads: in a long
    /// sequence they grow with the square of its steps.
    pub fn has_too_many_names(&self) -> bool {
        let steps = self.steps.iter().enumerate();
        let all_before = steps.filter(|(_, step)| step.depends_on == Depends::AllBefore);
        all_before.map(|(at, _)| at).sum::<usize>() > NAMES
    }

    /// Ids of the steps that the step at `at` waits for, without those that follow from the rest:
    /// whoever waits for a step that waits for every one before it, waits for these too.
    pub fn nearest_dependency_ids(&self, at: usize) -> impl Iterator<Item = &str> + '_ {
        let waits_for_all = |at: &usize| {
            let step = self.steps.get(*at);
            step.is_some_and(|step| step.depends_on == Depends::AllBefore)
        };
        let (all, named) = if waits_for_all(&at) {
            let first = (0..at).rev().find(waits_for_all);
            (first.unwrap_or(0)..at, None)
        } else {
            (0..0, Some(self.dependency_ids(at)))
        };
        let all = all.filter_map(|at| Some(self.steps.get(at)?.id.as_str()));
        all.chain(named.into_iter().flatten())
    }

    /// The step that is named by its id, or by its number as tables show it.
    pub fn step_by_id_or_number(&self, name: &str) -> Option<&Step> {
        let by_id = self.index_of(name).and_then(|at| self.steps.get(at));
        let by_number = || {
            self.steps
                .iter()
                .find(|step| step.number.to_string() == name)
        };
        by_id.or_else(by_number)
    }

    /// Position of the step with this id.
    pub fn index_of(&self, id: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.id == id)
    }
}

/// Whether a text can be the id of a plan or a step.
pub fn is_id(text: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !text.is_empty() && text.chars().all(part)
}

/// How many steps may be named to spell out "every step before", over all steps together.
const NAMES: usize = 500_000;

/// Limits over a plan or one step; absent = unlimited.
#[derive(Debug, Clone, PartialEq, Hash, Default)]
pub struct Budget {
    /// Tokens, in and out.
    pub tokens: Option<u64>,
    /// US dollars, in hundredths of a cent, so that equality and digests are exact.
    pub usd_e4: Option<u64>,
    /// Time by the clock, waiting on a person excluded.
    pub wall: Option<Duration>,
    /// Agent processes started.
    pub agents: Option<u64>,
}

impl Budget {
    /// Whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_step_waits_for_is_found_through_others() {
        let step = |depends_on| Step {
            depends_on,
            ..Step::default()
        };
        let on = |positions: &[u32]| step(Depends::On(positions.to_vec()));
        let plan = Plan {
            steps: vec![
                on(&[]),
                on(&[]),
                on(&[0]),
                step(Depends::AllBefore),
                on(&[1]),
                on(&[4, 6]),
                on(&[3]),
                on(&[8]),
                on(&[7]),
            ],
            ..Plan::default()
        };
        let with = |at| plan.with_dependencies(at).into_iter().collect::<Vec<_>>();
        assert_eq!(with(2), [0, 2]);
        assert_eq!(with(3), [0, 1, 2, 3]);
        assert_eq!(with(4), [1, 4]);
        assert_eq!(with(5), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(with(7), [7, 8]);
        assert!(with(9).is_empty());
    }
}

//! Where steps work: in the checkout, in the run's tree, in a worktree of their own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use signoff_plan::model::{Step, Work};
use signoff_plan::tools::{Tool, built_in};

use super::{Run, Stage};
use crate::event::{Isolation, LandAt, Outcome, RunTree};

/// Where a step's work is, in a run with worktrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Seat")
)]
pub enum WorkLocation {
    /// In a worktree of its own.
    Worktree,
    /// In the run's tree.
    RunTree,
    /// Its work is put on top of what was merged before, or waits for that.
    MergeQueue,
}

/// The tree that a run works on.
#[derive(Debug, Clone, Default)]
pub(crate) struct TreeState {
    /// As git knows it, once it is prepared.
    pub(crate) prepared: Option<RunTree>,
    /// The last commit of its branch.
    pub(crate) head: Option<String>,
    /// The last git tree that something was judged on.
    pub(crate) latest: Option<String>,
    /// Counts the times it may have changed; verdicts name the version they were made at.
    pub(crate) version: u64,
    /// What a person changed in the checkout, by path.
    pub(crate) joined: BTreeMap<String, JoinedFile>,
}

/// Which part of the run's tree is in the checkout.
#[derive(Debug, Clone, Default)]
pub(crate) struct LandingState {
    pub(crate) commits: Option<Landing>,
    /// The commit whose files were last written to the checkout, where that is done step by step.
    pub(crate) head: Option<String>,
    /// Files that could not be written, each with the reason.
    pub(crate) held: Vec<String>,
    /// It was taken back.
    pub(crate) undone: bool,
}

/// How far the commits of a run have come on their way into the checkout.
#[derive(Debug, Clone)]
pub(crate) enum Landing {
    Started(String),
    Done(String),
}

/// A file that a person changed in the checkout.
#[derive(Debug, Clone)]
pub(crate) struct JoinedFile {
    /// The version of the run's tree that it became part of.
    pub(crate) tree_version: u64,
    pub(crate) is_deleted: bool,
}

impl Run {
    /// Where the work of an active step is; `None` if the run works in the checkout.
    pub fn work_location(&self, at: usize) -> Option<WorkLocation> {
        let (_, state) = self.step(at).filter(|_| self.in_worktrees())?;
        let tree = if self.has_own_tree(at) {
            WorkLocation::Worktree
        } else {
            WorkLocation::RunTree
        };
        match state.stage {
            Stage::Idle | Stage::Expanded | Stage::Ended => None,
            Stage::Provisional if state.attempt.commit.is_some() => None,
            Stage::Assembling { .. } | Stage::NeedsMerge { .. } | Stage::Merging { .. } => {
                Some(WorkLocation::MergeQueue)
            }
            Stage::NeedsEvaluation { .. } | Stage::Evaluating { .. }
                if state.attempt.candidate.is_some() || self.wants_candidate(at) =>
            {
                Some(WorkLocation::MergeQueue)
            }
            Stage::NeedsBaseline | Stage::Baselining if state.attempt.candidate.is_some() => {
                Some(WorkLocation::MergeQueue)
            }
            Stage::Rechecking => Some(WorkLocation::RunTree),
            Stage::NeedsBaseline
            | Stage::Baselining
            | Stage::NeedsWork
            | Stage::Working { .. }
            | Stage::NeedsEvaluation { .. }
            | Stage::Evaluating { .. }
            | Stage::Waiting { .. }
            | Stage::Held
            | Stage::NeedsModel { .. }
            | Stage::AskingModel { .. }
            | Stage::Provisional => Some(tree),
        }
    }

    /// Does the run have a tree of its own, and each agent another?
    pub fn in_worktrees(&self) -> bool {
        self.settings.isolation == Isolation::Worktree
    }

    /// Does the step work in a layer of its own? The others work in the run's tree.
    pub fn has_own_tree(&self, at: usize) -> bool {
        let is_agent = |step: &Step| matches!(step.work, Work::Agent { .. });
        self.in_worktrees() && self.definition(at).is_some_and(is_agent)
    }

    /// Do files come into the checkout, rather than commits?
    pub fn lands_files(&self) -> bool {
        let private = self.run_tree().is_some_and(|tree| tree.private);
        self.in_worktrees() && (self.settings.land == LandAt::Step || private)
    }

    /// Are there merged files that land at once?
    pub(crate) fn has_files_to_land(&self) -> bool {
        let at_once = self.in_worktrees() && self.settings.land == LandAt::Step;
        at_once && self.tree.prepared.is_some() && self.tree.head != self.landing.head
    }

    /// Does a step use the run's tree, or build a candidate on its head?
    pub fn has_queue_holder(&self) -> bool {
        let active = self
            .schedule
            .active
            .iter()
            .filter_map(|&at| self.steps.get(at));
        self.in_worktrees() && active.into_iter().any(|step| step.allocation.has_queue())
    }

    /// Have changes of a person in the checkout joined the run's tree?
    pub fn has_joined(&self) -> bool {
        !self.tree.joined.is_empty()
    }

    /// Files that could not be written to the checkout, each with the reason.
    pub fn held_files(&self) -> &[String] {
        &self.landing.held
    }

    /// The tree that the run works on, as git knows it.
    pub fn run_tree(&self) -> Option<&RunTree> {
        self.tree.prepared.as_ref()
    }

    /// The last commit of the run's branch.
    pub fn head(&self) -> Option<&str> {
        self.tree.head.as_deref()
    }

    /// The commit that it was brought into the checkout as.
    pub fn landed_commit(&self) -> Option<&str> {
        match &self.landing.commits {
            Some(Landing::Done(commit)) => Some(commit),
            Some(Landing::Started(_)) | None => None,
        }
    }

    /// The commit that it was about to be brought into the checkout as.
    pub fn landing_commit(&self) -> Option<&str> {
        match &self.landing.commits {
            Some(Landing::Started(commit)) => Some(commit),
            Some(Landing::Done(_)) | None => None,
        }
    }

    /// Does completed work exist only in the run's own commits?
    pub fn has_not_landed(&self) -> bool {
        let completed = matches!(self.outcome(), Some(Outcome::Completed | Outcome::Partial));
        let start = self.run_tree().map(|tree| tree.start.as_str());
        let settled = self.landed_commit().is_some() || self.has_landed_files() || self.is_undone();
        completed && self.in_worktrees() && !settled && self.head() != start
    }

    /// Are all files in the checkout, in a run that lands each step?
    pub fn has_landed_files(&self) -> bool {
        let at_once = self.in_worktrees() && self.settings.land == LandAt::Step;
        at_once && self.tree.head == self.landing.head && self.landing.held.is_empty()
    }

    /// Are the changes of its steps in the checkout?
    pub(crate) fn is_in_checkout(&self) -> bool {
        let start = self.run_tree().map(|tree| tree.start.as_str());
        let landed = self.landed_commit().is_some() || self.has_landed_files();
        let nothing_to_land = self.head() == start;
        !self.is_undone() && (!self.in_worktrees() || landed || nothing_to_land)
    }

    /// Was it taken back?
    pub fn is_undone(&self) -> bool {
        self.landing.undone
    }

    /// Does the step call a tool that may change the run's tree?
    pub(crate) fn calls_in_tree(&self, at: usize) -> bool {
        let changes_tree = |tool: &str| built_in(tool).is_none_or(Tool::changes_tree);
        self.in_worktrees()
            && self.definition(at).is_some_and(|step| match &step.work {
                Work::Tool { tool, .. } => changes_tree(tool),
                Work::Agent { .. } | Work::Check | Work::Ask { .. } => false,
            })
    }

    /// Must a candidate be built before the step can be judged?
    pub(crate) fn wants_candidate(&self, at: usize) -> bool {
        self.in_worktrees()
            && self.step(at).is_some_and(|(definition, state)| {
                let repaired = state.attempt.repaired_by.is_some();
                let changed = match definition.work {
                    Work::Agent { .. } => true,
                    Work::Tool { .. } => state.attempt.changed_tree || repaired,
                    Work::Check | Work::Ask { .. } => repaired,
                };
                changed && state.attempt.candidate.is_none()
            })
    }

    /// Does the step count only once it is merged?
    pub(crate) fn is_unmerged(&self, at: usize) -> bool {
        let unmerged = |commit: &Option<String>| commit.is_none();
        let state = self.steps.get(at);
        state.is_some_and(|state| {
            unmerged(&state.attempt.commit)
                && (state.attempt.candidate.is_some() || self.wants_candidate(at))
        })
    }
}

//! Decides when to look for a person's changes in the checkout.
//!
//! Looking never keeps a run from its work, however often the checkout changes: between two actions that begin at most
//! one change joins, and what came after it waits for the next.

use std::time::{Duration, Instant};

use signoff_engine::{Action, CheckoutChanges, Input, Run};
use signoff_work::git::RestlessFiles;

use crate::drive::WakeReason;
use crate::error::Error;
use crate::plan_history::is_known_plan;
use crate::project::Project;
use crate::trees::{JoinedChanges, Trees, head_commit};

/// While only contracts wait, looking may take at most one part in this many of the time.
const SHARE: u32 = 10;

/// Looks at the checkout, not more often than needed.
#[derive(Default)]
pub(super) struct CheckoutWatcher {
    last: Option<(Instant, Duration)>,
    /// Changes that were found and are to be journaled.
    found: Option<JoinedChanges>,
    /// A change was merged, and nothing has begun since.
    has_joined: bool,
    /// Nothing has happened since the last look: actions that begin now use its result.
    is_fresh: bool,
    /// The last action was a contract that runs once more at the end.
    is_ending: bool,
    restless: RestlessFiles,
}

/// More files than these are not inspected: a list that long is not read.
const LOOKED_INTO: usize = 20;

/// The joined files to report: without the plans that other runs mark.
fn visible_files(project: &Project, files: &[String]) -> Vec<String> {
    let mut visible = files.to_vec();
    if visible.len() <= LOOKED_INTO {
        visible.retain(|path| !is_known_plan(project, path));
    }
    visible
}

impl CheckoutWatcher {
    /// What a person did since the last look, to be journaled before the action.
    pub(super) fn join_before(
        &mut self,
        run: &Run,
        action: &Action,
        project: &Project,
        trees: &Trees,
    ) -> Result<Option<Input>, Error> {
        // A step that builds on the head must find it there.
        if self.has_joined || run.has_queue_holder() || !self.is_due(action) {
            return Ok(None);
        }
        let began = Instant::now();
        let found = trees.join(&head_commit(run)?, &mut self.restless);
        self.last = Some((Instant::now(), began.elapsed()));
        self.is_fresh = true;
        // After a failure the checkout is read again before the next step.
        let Ok(Some(joined)) = found else {
            return Ok(None);
        };
        Ok(Some(self.joined_input(project, joined)))
    }

    /// The input for a new head. No other change is merged before an action begins on it.
    pub(super) fn joined_input(&mut self, project: &Project, joined: JoinedChanges) -> Input {
        let input = Input::CheckoutJoined(CheckoutChanges {
            commit: joined.commit.to_string(),
            tree: joined.tree.clone(),
            files: visible_files(project, &joined.files),
            conflicts: joined.conflicts.clone(),
            deleted: joined.deleted.clone(),
        });
        self.found = Some(joined);
        self.has_joined = true;
        input
    }

    /// An action begins.
    pub(super) fn note_begun(&mut self, action: &Action) {
        self.has_joined = false;
        self.is_ending = matches!(action, Action::Recheck { .. });
    }

    /// Something happened in the run. (An agent held at its gate is still part of beginning.)
    pub(super) fn note_event(&mut self, what: &WakeReason) {
        if !matches!(what, WakeReason::Input(Input::ProcessHeld { .. })) {
            self.is_fresh = false;
        }
    }

    /// It is journaled.
    pub(super) fn note_recorded(&mut self, trees: &Trees) {
        if let Some(joined) = self.found.take() {
            // If the branch does not move now, it moves when the run is resumed, or that reports why it cannot.
            trees.move_branch_to_join(&joined).ok();
        }
    }

    fn is_due(&self, action: &Action) -> bool {
        match action {
            Action::Baseline { .. } | Action::Dispatch { .. } | Action::Call { .. } => {
                !self.is_fresh
            }
            Action::Candidate { .. } => true,
            // Changes that join between them would make their results stale again and again.
            Action::Recheck { .. } => !self.is_ending && self.may_scan(),
            Action::Evaluate { .. } => self.may_scan(),
            Action::Merge { .. }
            | Action::LandFiles
            | Action::Draft { .. }
            | Action::OfferDraft
            | Action::Gate { .. }
            | Action::Gather { .. }
            | Action::AskForBudget { .. }
            | Action::AskForAcceptance
            | Action::Wait { .. }
            | Action::Finish => false,
        }
    }

    fn may_scan(&self) -> bool {
        self.last
            .is_none_or(|(at, cost)| at.elapsed() >= cost.saturating_mul(SHARE))
    }
}

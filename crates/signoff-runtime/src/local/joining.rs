//! When the checkout is looked at for what a person did there.

use std::time::{Duration, Instant};

use signoff_engine::{Action, Input, Run};

use super::commits::head;
use crate::error::Error;
use crate::landing::is_known_plan;
use crate::project::Project;
use crate::trees::{Joined, Trees};

/// A look may cost this part of the time between two looks, where nothing but contracts waits for it.
const SHARE: u32 = 10;

/// Looks at the checkout, not more often than needed.
#[derive(Default)]
pub(super) struct Joining {
    last: Option<(Instant, Duration)>,
    /// What was found and is to be journaled.
    found: Option<Joined>,
}

/// More files than these are not looked into: nobody reads the names of so many.
const LOOKED_INTO: usize = 20;

/// What a person is told of what joined: not the marks that other runs write into their plans.
fn told(project: &Project, files: &[String]) -> Vec<String> {
    let mut told = files.to_vec();
    if told.len() <= LOOKED_INTO {
        told.retain(|path| !is_known_plan(project, path));
    }
    told
}

impl Joining {
    /// What a person did since the last look, to be journaled before the action.
    pub(super) fn before(
        &mut self,
        run: &Run,
        action: &Action,
        (project, trees): (&Project, &Trees),
    ) -> Result<Option<Input>, Error> {
        // Whoever builds on the head must find it there.
        if run.has_queue_holder() || !self.is_time(action) {
            return Ok(None);
        }
        let began = Instant::now();
        let found = trees.join(&head(run)?);
        self.last = Some((Instant::now(), began.elapsed()));
        // What cannot be looked at now is looked at before the next step.
        let Ok(Some(joined)) = found else {
            return Ok(None);
        };
        let input = Input::CheckoutJoined {
            commit: joined.commit.to_string(),
            tree: joined.tree.clone(),
            files: told(project, &joined.files),
            conflicts: joined.conflicts.clone(),
        };
        self.found = Some(joined);
        Ok(Some(input))
    }

    /// It is journaled.
    pub(super) fn recorded(&mut self, trees: &Trees) {
        if let Some(joined) = self.found.take() {
            // A branch that did not move is moved when the run is taken up again, or tells why it cannot be.
            trees.joined(&joined).ok();
        }
    }

    fn is_time(&self, action: &Action) -> bool {
        match action {
            Action::Baseline { .. }
            | Action::Dispatch { .. }
            | Action::Call { .. }
            | Action::Candidate { .. } => true,
            Action::Evaluate { .. } | Action::Recheck { .. } => self
                .last
                .is_none_or(|(at, cost)| at.elapsed() >= cost.saturating_mul(SHARE)),
            Action::Merge { .. }
            | Action::LandFiles
            | Action::Gate { .. }
            | Action::Gather { .. }
            | Action::AskForBudget { .. }
            | Action::AskForAcceptance
            | Action::Wait { .. }
            | Action::Finish => false,
        }
    }
}

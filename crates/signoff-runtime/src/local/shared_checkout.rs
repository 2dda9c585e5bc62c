//! Steps that work in the checkout itself, because nothing can be mounted: an agent's changes are found by comparison,
//! and nothing is put back. The state of the checkout is recorded before an agent begins, so that a run that is resumed
//! after a crash knows all changes of the step, not only those of its last attempt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use signoff_engine::{ChangeDetails, Changes, Run, Stage, StepState};
use signoff_plan::model::{Step, Work};
use signoff_store::runs::RunDir;
use signoff_work::git::{HarnessGit, Id};
use signoff_work::tree::{protected, protected_changes};

use crate::trees::{JudgingSources, changed_files};

/// The checkout that agents work in, one after another.
#[derive(Debug, Clone)]
pub(super) struct SharedCheckout {
    pub(super) path: PathBuf,
    /// Records its content, if there is git.
    pub(super) own: Option<HarnessGit>,
    /// What judges the work besides the contract at hand.
    pub(super) judges: JudgingSources,
}

/// How the checkout looked before an agent began.
pub(super) struct CheckoutBefore {
    checkout: SharedCheckout,
    attempts: StepAttempts,
    tree: Option<Id>,
    /// What attempts before this one changed.
    earlier: BTreeSet<String>,
    globs: Vec<String>,
    protected: BTreeMap<String, String>,
}

/// What is known of a step's attempts so far.
pub(super) struct StepAttempts {
    /// The files in which its attempts recorded the state before them, the first one first.
    found: Vec<PathBuf>,
    /// What they changed, as far as it was observed.
    seen: Vec<String>,
    /// The index of the first of the trailing attempts whose end was not observed.
    unseen: Option<usize>,
}

impl StepAttempts {
    /// What is known before the present attempt's work.
    pub(super) fn of(dir: &RunDir, step: &Step, state: &StepState) -> Self {
        let attempts = 1..=state.attempts;
        let found = attempts.map(|attempt| dir.attempt(&step.id, attempt).before());
        Self {
            found: found.collect(),
            seen: state.changes.files.clone().unwrap_or_default(),
            unseen: state.cut_off.unseen_since.map(attempt_index),
        }
    }

    /// The same for a step whose changes have to be compared again before they are judged: it was cut off, or
    /// repaired by a person.
    pub(super) fn for_judging(dir: &RunDir, run: &Run, at: usize) -> Option<Self> {
        let (step, state) = run.step(at)?;
        // At the end of the run, other steps have worked in the checkout, too.
        let judged = matches!(state.stage, Stage::Evaluating { .. });
        let is_agent = matches!(step.work, Work::Agent { .. });
        let again = state.attempt.interrupted || state.attempt.taken_over.is_some();
        let mut attempts = Self::of(dir, step, state);
        attempts.unseen = attempts
            .unseen
            .or(again.then(|| attempt_index(state.attempts)));
        (judged && is_agent && attempts.unseen.is_some()).then_some(attempts)
    }

    /// The tree before the step's first attempt.
    fn first_tree(&self) -> Option<Id> {
        self.found.iter().find_map(read)
    }

    /// The state before the first attempt whose end was not observed. An attempt that recorded none did nothing.
    fn before_unseen(&self) -> Option<Id> {
        self.found.iter().skip(self.unseen?).find_map(read)
    }
}

/// The index of an attempt among all of its step.
fn attempt_index(attempt: u32) -> usize {
    usize::try_from(attempt.saturating_sub(1)).expect("a number of 32 bits")
}

fn read(path: &PathBuf) -> Option<Id> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

impl SharedCheckout {
    /// Records the checkout before an agent begins.
    pub(super) fn record_checkout(
        self,
        globs: Vec<String>,
        attempts: StepAttempts,
    ) -> Result<CheckoutBefore, String> {
        let unseen = attempts
            .before_unseen()
            .and_then(|before| self.files_changed_since(&before));
        let seen = attempts.seen.iter().cloned();
        let earlier = unseen.into_iter().flatten().chain(seen).collect();
        let tree = self.own.as_ref().and_then(|own| own.snapshot().ok());
        if let Some((tree, path)) = tree.as_ref().zip(attempts.found.last()) {
            let written = std::fs::write(path, format!("{tree}\n"));
            written.map_err(|why| format!("{}: {why}", path.display()))?;
        }
        Ok(CheckoutBefore {
            tree,
            earlier,
            protected: protected(&self.path, &globs),
            checkout: self,
            attempts,
            globs,
        })
    }

    /// What a step changed whose last attempt was cut off or repaired; unknown if no state was recorded.
    pub(super) fn remaining_changes(&self, attempts: &StepAttempts) -> Changes {
        let before = attempts.before_unseen();
        let files = before
            .and_then(|before| self.files_changed_since(&before))
            .map(|files| {
                let touched = files.into_iter().chain(attempts.seen.iter().cloned());
                self.of_step(attempts, touched.collect())
            });
        Changes {
            details: Box::new(self.details(attempts, files.as_deref())),
            files,
            protected: Vec::new(),
        }
    }

    fn files_changed_since(&self, before: &Id) -> Option<Vec<String>> {
        let own = self.own.as_ref()?;
        own.changed_paths(before, &own.snapshot().ok()?).ok()
    }

    /// Details of the files that a step changed, beyond their names.
    fn details(&self, attempts: &StepAttempts, files: Option<&[String]>) -> ChangeDetails {
        let seen = || {
            let own = self.own.as_ref()?;
            // Nothing is `proved` here.
            let installed = Arc::default();
            changed_files(
                own,
                &attempts.first_tree()?,
                &own.snapshot().ok()?,
                &installed,
                &self.judges,
            )
            .ok()
        };
        let Some((_, mut details)) = seen() else {
            return ChangeDetails::default();
        };
        let of_step = |file: &String| files.is_none_or(|files| files.contains(file));
        for list in [
            &mut details.links_out,
            &mut details.hides,
            &mut details.new_modules,
            &mut details.loose_modules,
            &mut details.added,
            &mut details.apart,
            &mut details.created,
            &mut details.selects,
        ] {
            list.retain(of_step);
        }
        *details
    }

    /// The files that differ from before the step: a later attempt may have restored what an earlier one changed.
    fn of_step(&self, attempts: &StepAttempts, touched: BTreeSet<String>) -> Vec<String> {
        match attempts
            .first_tree()
            .and_then(|first| self.files_changed_since(&first))
        {
            Some(mut since) => {
                since.retain(|path| touched.contains(path));
                since
            }
            None => touched.into_iter().collect(),
        }
    }
}

impl CheckoutBefore {
    /// What the step changed, now that the agent has ended.
    pub(super) fn changes(&self) -> Changes {
        let after = protected(&self.checkout.path, &self.globs);
        let files = self
            .tree
            .as_ref()
            .and_then(|tree| self.checkout.files_changed_since(tree));
        let files = files.map(|files| {
            let touched = files.into_iter().chain(self.earlier.iter().cloned());
            self.checkout.of_step(&self.attempts, touched.collect())
        });
        Changes {
            details: Box::new(self.checkout.details(&self.attempts, files.as_deref())),
            files,
            protected: protected_changes(&self.protected, &after),
        }
    }
}

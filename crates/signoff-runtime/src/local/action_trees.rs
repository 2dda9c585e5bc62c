//! Actions that need a tree: a thread of the supervisor makes it, then the action begins.

use std::sync::Arc;

use signoff_engine::{Action, ContractCache, Run};

use super::commands::{broken_run, require_step};
use super::commits::{judged_commit, work_context};
use super::{LocalPerformer, attempts};
use crate::drive::WakeReason;
use crate::error::Error;
use crate::trees::{ContractOverlayOptions, TreeMount};

impl LocalPerformer<'_> {
    /// Makes the tree that an action needs, on a thread of the supervisor. Returns `false` if it needs none.
    pub(super) fn make_tree(&mut self, run: &Run, action: &Action) -> Result<bool, Error> {
        let Some(trees) = self.trees().map(Arc::clone) else {
            return Ok(false);
        };
        let starter = self.supervisor.mount_starter();
        match *action {
            Action::Baseline { step }
            | Action::Evaluate { step, .. }
            | Action::Recheck { step, .. } => {
                let baseline = matches!(action, Action::Baseline { .. });
                let (definition, _) = require_step(run, step)?;
                let attempt = attempts(run, step);
                let wanted = ContractOverlayOptions {
                    commit: judged_commit(run, step, baseline)?,
                    protects: definition.protects.clone(),
                    signed: self.watch.signed_files(),
                    scratch: self
                        .commands
                        .dir
                        .scratch(&definition.id, attempt, "contract"),
                    ignored: self.ignored_work(run, action)?,
                    warm: run.reuses_builds(action),
                };
                let is_warm = run.settings().cache == ContractCache::Warm;
                if is_warm && matches!(action, Action::Recheck { .. }) {
                    let trees = Arc::clone(&trees);
                    self.supervisor.spawn_job(move || {
                        trees.forget_builds();
                        None
                    });
                }
                let (overlay, others) = trees.idle_overlay(&wanted);
                if !others.is_empty() {
                    self.supervisor.spawn_job(move || {
                        drop(others);
                        None
                    });
                }
                if let Some(overlay) = overlay {
                    self.begin_in(run, action, Some(Box::new(overlay)))?;
                    return Ok(true);
                }
                self.supervisor.ready(action.clone(), move || {
                    trees.contract_overlay(&wanted, &starter)
                });
            }
            Action::Dispatch { step, attempt } => {
                let work = work_context(&trees, run, step, attempt)?;
                self.supervisor.ready(action.clone(), move || {
                    trees.begin_work(&work.step, attempt, &work.began, &starter)
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Begins an action whose tree is ready, if it needs one.
    pub(super) fn begin_in(
        &mut self,
        run: &Run,
        action: &Action,
        mount: Option<Box<TreeMount>>,
    ) -> Result<(), Error> {
        let unboxed = |mount: Option<Box<TreeMount>>| mount.map(|mount| *mount);
        match *action {
            Action::Baseline { step } => self.baseline(run, step, unboxed(mount)),
            Action::Evaluate {
                step,
                attempt,
                patience,
            } => self.evaluate(run, step, attempt, patience, unboxed(mount)),
            Action::Recheck { step, patience } => {
                self.evaluate(run, step, attempts(run, step), patience, unboxed(mount))
            }
            Action::Dispatch { step, attempt } => self.dispatch(run, step, attempt, mount),
            Action::Call { step, attempt } => self.begin_call(run, step, attempt),
            Action::Candidate { step, attempt } => self.candidate(run, step, attempt),
            Action::Merge { step, attempt } => self.merge(run, step, attempt),
            Action::Draft { step, task } => {
                self.ask_model(run, step, task);
                Ok(())
            }
            Action::LandFiles
            | Action::OfferDraft
            | Action::Gate { .. }
            | Action::Gather { .. }
            | Action::AskForBudget { .. }
            | Action::AskForAcceptance
            | Action::Wait { .. }
            | Action::Finish => Ok(()),
        }
    }

    /// The error if the run's branch or repository was removed. Then a failure does not count as an attempt: the run stops,
    /// as it would after a crash.
    pub(super) fn missing_error(&self, run: &Run) -> Option<Error> {
        let head = run.run_tree().and(run.head())?;
        self.trees()?.missing_error(head)
    }

    /// Replaces the trouble with its cause if the run's branch or repository was removed.
    pub(super) fn check_trouble(
        &self,
        run: &Run,
        happened: WakeReason,
    ) -> Result<WakeReason, Error> {
        if matches!(happened, WakeReason::Trouble(_))
            && let Some(lost) = self.missing_error(run)
        {
            return Err(lost);
        }
        Ok(happened)
    }

    /// The error for an action whose tree could not be made. It has not begun, and begins when the run goes on.
    pub(super) fn no_tree(&self, run: &Run, action: &Action, why: String) -> Error {
        if let Some(lost) = self.missing_error(run) {
            return lost;
        }
        match *action {
            Action::Baseline { step }
            | Action::Evaluate { step, .. }
            | Action::Recheck { step, .. }
            | Action::Dispatch { step, .. } => Error::no_tree(run, step, why),
            _ => broken_run(run, "a tree for an action without one"),
        }
    }
}

//! How a step's work becomes a candidate, the head, and files of the checkout.

use signoff_engine::{Input, MergeConflict, Run, is_asked_for};

use super::LocalPerformer;
use super::commands::{broken_run, require_step};
use super::commits::attempt_of;
use crate::drive::{HarnessTrouble, Readiness, WakeReason};
use crate::error::Error;
use crate::trees::{
    CandidateResult, LandedFiles, Trees, WorkContext, WorkError, first_commit, head_commit,
};

impl LocalPerformer<'_> {
    /// Builds the step's candidate.
    pub(super) fn candidate(&mut self, run: &Run, step: usize, attempt: u32) -> Result<(), Error> {
        let trees = self.own_trees(run)?;
        let work = attempt_of(&trees, run, step, attempt)?;
        let (head, signed) = (head_commit(run)?, self.watch.signed_files());
        let starter = self.supervisor.mount_starter();
        self.supervisor.spawn_job(move || {
            let conflicted = |files, text| Input::Conflicted {
                step,
                attempt,
                conflict: MergeConflict {
                    onto: head.to_string(),
                    files,
                    text,
                },
            };
            let input = match trees.candidate(&work, &head, &signed) {
                Ok(CandidateResult::Candidate(mut candidate)) => {
                    candidate.files.extend(protected_work(&trees, &work.work));
                    Input::CandidateBuilt {
                        step,
                        attempt,
                        candidate,
                    }
                }
                Ok(CandidateResult::Conflict(files, text)) => conflicted(files, text),
                // It is built when the run goes on.
                Err(_) if starter.is_stopping() => return None,
                Err(WorkError::Attempt(why)) => conflicted(Vec::new(), why),
                Err(WorkError::Unsupported(why)) => Input::MergeRefused {
                    step,
                    attempt,
                    onto: head.to_string(),
                    why,
                },
                Err(WorkError::Harness(why)) => {
                    return Some(merge_trouble(step, why));
                }
            };
            Some(input.into())
        });
        Ok(())
    }

    /// Makes the step's candidate the head.
    pub(super) fn merge(&mut self, run: &Run, step: usize, attempt: u32) -> Result<(), Error> {
        let trees = self.own_trees(run)?;
        let (definition, state) = require_step(run, step)?;
        let candidate = (state.attempt.candidate.clone())
            .ok_or_else(|| broken_run(run, "a merge of a step without a candidate"))?;
        let since = first_commit(run)?;
        let name = definition.id.clone();
        let starter = self.supervisor.mount_starter();
        self.supervisor.spawn_job(move || {
            match trees.merge(&name, attempt, &candidate, &since) {
                Ok((commit, tree)) => {
                    let merged = Input::Merged {
                        step,
                        attempt,
                        commit,
                        tree,
                    };
                    Some(merged.into())
                }
                // Whether it took place is found out when the run goes on.
                Err(_) if starter.is_stopping() => None,
                Err(why) => Some(merge_trouble(step, why)),
            }
        });
        Ok(())
    }

    /// Writes to the checkout what the head has. The journal knows of the merge by now, and doing it twice does no harm.
    pub(super) fn land_files(&self, run: &Run) -> Result<Readiness, Error> {
        let (trees, head) = (self.own_trees(run)?, head_commit(run)?);
        let is_asked = |path: &str| is_asked_for(run, path);
        let landed = match trees.land_files(&head, &is_asked) {
            Ok(landed) => landed,
            // It is done when the run goes on.
            Err(_) if self.supervisor.is_stopping() => return Ok(Readiness::Stopping),
            Err(why) => match self.missing_error(run) {
                Some(lost) => return Err(lost),
                None => LandedFiles {
                    held: vec![why],
                    ..Default::default()
                },
            },
        };
        Ok(Readiness::Instead(Input::FilesLanded {
            commit: head.to_string(),
            files: landed.files,
            held: landed.held,
        }))
    }
}

/// The step's work stays where it is until the run goes on.
fn merge_trouble(step: usize, why: String) -> WakeReason {
    WakeReason::Trouble(HarnessTrouble {
        step,
        what: "its work could not be merged",
        why,
        known: None,
    })
}

/// The protected files that a cut-off attempt changed. Its candidate has them unchanged, but they count against the attempt
/// anyway.
fn protected_work(trees: &Trees, work: &WorkContext) -> Vec<String> {
    if !work.interrupted {
        // It was reported when the work ended.
        return Vec::new();
    }
    let recorded = trees.record(work, None).ok().flatten();
    recorded.map_or_else(Vec::new, |recorded| recorded.protected)
}

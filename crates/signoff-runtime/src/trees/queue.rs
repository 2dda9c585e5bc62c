//! The merge queue: a step's work is put on top of the head as a candidate; if the contract holds there, the branch moves
//! to it.

use signoff_engine::Candidate;
use signoff_store::failpoint;
use signoff_work::git::{Id, Merge};

use super::layers::RecordedWork;
use super::work_context::WorkContext;
use super::work_error::WorkError;
use super::{JoinedChanges, Trees, error_text};

/// The result of building a candidate.
pub(crate) enum CandidateResult {
    Candidate(Candidate),
    /// It conflicts with the head: the files, and the conflicting parts.
    Conflict(Vec<String>, String),
}

/// Where the work of an attempt is.
pub(crate) enum WorkSource {
    /// In the layer of an agent.
    Layer,
    /// In the run's tree: a tool was called.
    RunTree,
    /// In a directory that a person repaired.
    Repaired,
    /// Nowhere: the step changes nothing itself.
    Nowhere,
}

/// One attempt at a step, as its commit describes it.
pub(crate) struct Attempt {
    pub(crate) work: WorkContext,
    pub(crate) source: WorkSource,
}

impl Trees {
    /// Builds the candidate of an attempt. `signed` are files that were signed with the plan.
    pub(crate) fn candidate(
        &self,
        attempt: &Attempt,
        head: &Id,
        signed: &[String],
    ) -> Result<CandidateResult, WorkError> {
        let is_repaired = matches!(attempt.source, WorkSource::Repaired);
        let work = &if is_repaired {
            self.repair_context(&attempt.work)
        } else {
            attempt.work.clone()
        };
        let recorded = match attempt.source {
            WorkSource::Layer => self.record(work, None)?,
            WorkSource::RunTree => self.record_call(work)?,
            WorkSource::Repaired => self.record_repair(work)?,
            WorkSource::Nowhere => None,
        };
        let tree = match &recorded {
            None => self.own.tree_of(head)?,
            Some(recorded) => match self.merge_onto_head(work, recorded, head)? {
                // It was repaired in the checkout, which has been merged into the head by now: the person's version
                // counts.
                Merge::Conflict { .. } if is_repaired && !self.is_repair_touched(&work.step)? => {
                    self.own.merge_keeping(&work.base, head, &recorded.commit)?
                }
                Merge::Conflict { files, text } => {
                    return Ok(CandidateResult::Conflict(files, text));
                }
                Merge::Clean(tree) => tree,
            },
        };
        let (files, details) = self.changed_files(head, &tree)?;
        refuse_signed(&files, signed)?;
        self.refuse_unfiltered(&tree, &files)?;
        let commit = match recorded {
            _ if files.is_empty() => head.clone(),
            // It is on top of the head already.
            Some(recorded) if work.base == *head => recorded.commit,
            _ => {
                let parent = std::slice::from_ref(head);
                self.own.commit(&tree, parent, &work.message)?
            }
        };
        self.own.sync_objects()?;
        failpoint::reach("candidate.built");
        Ok(CandidateResult::Candidate(Candidate {
            tree: tree.to_string(),
            commit: commit.to_string(),
            onto: head.to_string(),
            files,
            details,
        }))
    }

    /// A file that the person stores through a filter, encrypted for example, is never committed unfiltered.
    fn refuse_unfiltered(&self, tree: &Id, files: &[String]) -> Result<(), WorkError> {
        if self.repository.is_private() {
            return Ok(());
        }
        let found = self.own.paths_needing_filter(tree, files)?;
        if found.is_empty() {
            return Ok(());
        }
        let found: Vec<String> = found
            .iter()
            .map(|(file, filter)| format!("`{file}` (filter `{filter}`)"))
            .collect();
        Err(WorkError::Unsupported(format!(
            "it changed files that .gitattributes wants changed by a filter before they are committed, which is a program that is not run here: {}; a run with `--isolation shared` works without: `signoff abort` gives this one up, then `signoff retry` and `signoff run --isolation shared`, both with the name of the plan",
            found.join(", ")
        )))
    }

    /// Takes back from the head what a person changed and an attempt changed in another way, so that each keeps its own:
    /// the run the attempt's, the checkout the person's. `None` if there is nothing of the kind, or the run itself
    /// changed these files meanwhile.
    pub(crate) fn take_back_conflicting_edits(
        &self,
        work: &WorkContext,
        head: &Id,
    ) -> Result<Option<JoinedChanges>, WorkError> {
        let Some(recorded) = self.record(work, None)? else {
            return Ok(None);
        };
        let Merge::Conflict { files, .. } = self.merge_onto_head(work, &recorded, head)? else {
            return Ok(None);
        };
        let of_run = self.own.changed_by_run(&work.base, head)?;
        if files.is_empty() || files.iter().any(|file| of_run.contains(file)) {
            return Ok(None);
        }
        Ok(Some(self.take_back(&work.base, head, files)?))
    }

    /// The work of an attempt, whose candidate this commit was, on a newer base. `None` if they conflict.
    pub(crate) fn rebase_work(&self, carried: &Id, base: &Id) -> Result<Option<Id>, String> {
        let began = self.own.parents(carried).map_err(error_text)?;
        let began = began.first();
        if began == Some(base) {
            return Ok(Some(carried.clone()));
        }
        // The candidate of an attempt that changed nothing was the head of that time, which the newer base contains.
        let is_known = self
            .own
            .commits(base, carried)
            .map_err(error_text)?
            .is_empty();
        let Some(began) = began.filter(|_| !is_known) else {
            return Ok(Some(base.clone()));
        };
        let name = format!("carried/{carried}-{base}");
        if let Some(known) = self.recorded_id(&name).map_err(error_text)? {
            return Ok(Some(known));
        }
        let Merge::Clean(tree) = self.own.merge(began, base, carried).map_err(error_text)? else {
            return Ok(None);
        };
        let parent = std::slice::from_ref(base);
        let commit = self
            .own
            .commit(&tree, parent, "Carried\n")
            .map_err(error_text)?;
        self.remember(&name, &commit).map_err(error_text)?;
        Ok(Some(commit))
    }

    /// The work on top of the head.
    fn merge_onto_head(
        &self,
        work: &WorkContext,
        recorded: &RecordedWork,
        head: &Id,
    ) -> Result<Merge, WorkError> {
        if work.base == *head {
            let tree = self.own.tree_of(&recorded.commit)?;
            return Ok(Merge::Clean(tree));
        }
        Ok(self.own.merge(&work.base, head, &recorded.commit)?)
    }

    /// The message of an attempt's commit.
    pub(crate) fn commit_message(&self, title: &str, step: &str, attempt: u32) -> String {
        let trailer = self.trailer(step, attempt);
        format!("{}\n\nSignoff-Attempt: {trailer}\n", title.trim())
    }

    fn trailer(&self, step: &str, attempt: u32) -> String {
        format!("{}/{step}/{attempt}", self.run)
    }

    /// Makes the candidate the head, once: after a crash the branch may stand there already. `Err`: it stands elsewhere.
    pub(crate) fn merge(
        &self,
        step: &str,
        attempt: u32,
        candidate: &Candidate,
        since: &Id,
    ) -> Result<(String, String), String> {
        let done = || (candidate.commit.clone(), candidate.tree.clone());
        if candidate.commit == candidate.onto {
            return Ok(done());
        }
        let commit = id(&candidate.commit)?;
        let branch = super::branch(&self.run);
        failpoint::reach("merge.before");
        let moved = self
            .repository
            .move_ref(&branch, &commit, Some(&id(&candidate.onto)?))
            .map_err(error_text)?;
        failpoint::reach("merge.moved");
        if moved {
            return Ok(done());
        }
        let stands = self.repository.read_ref(&branch).map_err(error_text)?;
        let Some(stands) = stands else {
            return Err(format!("the run's branch `{branch}` is gone"));
        };
        let trailer = self.trailer(step, attempt);
        match self
            .own
            .find_attempt_commit(since, &stands, &trailer)
            .map_err(error_text)?
        {
            Some(found) if found == commit => Ok(done()),
            Some(found) => Ok((found.to_string(), self.tree_of(&found)?)),
            None => Err(format!(
                "the run's branch `{branch}` was moved to {stands} by another program"
            )),
        }
    }
}

fn refuse_signed(files: &[String], signed: &[String]) -> Result<(), WorkError> {
    let forbidden: Vec<&str> = files
        .iter()
        .filter(|file| signed.contains(file))
        .map(String::as_str)
        .collect();
    if forbidden.is_empty() {
        return Ok(());
    }
    Err(WorkError::Attempt(format!(
        "it changed files that were signed with the plan, which only a step may that names them in `produces`: {}",
        forbidden.join(", ")
    )))
}

/// A commit that the journal names.
pub(super) fn id(text: &str) -> Result<Id, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not a commit's name"))
}

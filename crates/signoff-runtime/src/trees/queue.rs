//! The merge queue: a step's work is put on top of the head as a candidate, which the run's tree shows; if the contract
//! holds there, the branch moves to it.

use signoff_engine::Candidate;
use signoff_store::failpoint;
use signoff_work::git::{GitError, Id, Merge};

use super::run_tree::Start;
use super::{Trees, ref_part, said};

/// What came of building a candidate.
pub(crate) enum Built {
    Candidate(Candidate),
    /// It does not go together with the head; the files and the conflicting parts.
    Conflict(Vec<String>, String),
}

/// One attempt at a step, as its commit tells of it.
pub(crate) struct Attempt {
    pub(crate) step: String,
    pub(crate) number: u32,
    pub(crate) title: String,
    /// The commit that its work is compared with, and the one that its own worktree began with; none: it worked in the
    /// run's tree.
    pub(crate) base: Option<(Id, Id)>,
}

impl Trees {
    /// Builds the candidate of an attempt, and shows it in the run's tree.
    pub(crate) fn candidate(
        &self,
        attempt: &Attempt,
        head: &Id,
        signed: &[String],
        start: Start<'_>,
    ) -> Result<Built, String> {
        let built = match &attempt.base {
            Some(base) => self.merged(attempt, base, head, start)?,
            None => {
                let tree = Self::seen(&self.run_worktree()).map_err(said)?;
                // Once the tree shows the candidate, a crash must not take that for what the step found.
                self.keep_aside(&attempt.step, head, &tree)?;
                Merge::Clean(tree)
            }
        };
        let tree = match built {
            Merge::Conflict { files, text } => return Ok(Built::Conflict(files, text)),
            Merge::Clean(tree) => tree,
        };
        let files = self.own.changed(head, &tree).map_err(said)?;
        let forbidden: Vec<String> = files
            .iter()
            .filter(|file| signed.contains(file))
            .cloned()
            .collect();
        if !forbidden.is_empty() {
            let files = forbidden.join(", ");
            return Err(format!(
                "it changed files that were signed with the plan, which only a step may that names them in `produces`: {files}"
            ));
        }
        self.refuse_unfiltered(&tree, &files)?;
        let commit = if files.is_empty() {
            head.clone()
        } else {
            let message = self.message(attempt);
            let commit = self.own.commit(&tree, std::slice::from_ref(head), &message);
            commit.map_err(said)?
        };
        failpoint::reached("candidate.built");
        self.show(&attempt.step, &commit, start)?;
        failpoint::reached("candidate.shown");
        Ok(Built::Candidate(Candidate {
            tree: self.tree_of(&commit)?,
            commit: commit.to_string(),
            onto: head.to_string(),
            files,
        }))
    }

    /// What the person wants stored only as a filter makes it, such as encrypted, is never committed as it is.
    fn refuse_unfiltered(&self, tree: &Id, files: &[String]) -> Result<(), String> {
        let found = self.own.unfiltered(tree, files).map_err(said)?;
        if found.is_empty() {
            return Ok(());
        }
        let found: Vec<String> = found
            .iter()
            .map(|(file, filter)| format!("`{file}` (filter `{filter}`)"))
            .collect();
        Err(format!(
            "it changed files that .gitattributes wants changed by a filter before they are committed, which is a program that worktrees do not run: {}; `signoff run --isolation shared` works without",
            found.join(", ")
        ))
    }

    /// The work of a step's own worktree on top of the head. It is kept, whatever comes of it.
    fn merged(
        &self,
        attempt: &Attempt,
        (base, began): &(Id, Id),
        head: &Id,
        start: Start<'_>,
    ) -> Result<Merge, String> {
        // One that a crash left half made, or as it was for an attempt before, holds no work.
        self.make_ready(&attempt.step, began, None, start)?;
        let tree = Self::seen(&self.step_worktree(&attempt.step)).map_err(said)?;
        let work = self
            .own
            .commit(&tree, std::slice::from_ref(base), &self.message(attempt))
            .map_err(said)?;
        self.keep(attempt, &work).map_err(said)?;
        self.own.merge(base, head, &work).map_err(said)
    }

    fn keep(&self, attempt: &Attempt, work: &Id) -> Result<(), GitError> {
        let step = ref_part(&attempt.step);
        self.remember(&format!("steps/{step}/{}", attempt.number), work)
    }

    fn message(&self, attempt: &Attempt) -> String {
        let title = attempt.title.trim();
        let trailer = self.trailer(&attempt.step, attempt.number);
        format!("{title}\n\nSignoff-Attempt: {trailer}\n")
    }

    fn trailer(&self, step: &str, attempt: u32) -> String {
        format!("{}/{step}/{attempt}", self.run)
    }

    /// Makes the candidate the head, once: after a crash the branch may stand there already. `Err`: it stands elsewhere.
    pub(crate) fn merge(
        &self,
        (step, attempt): (&str, u32),
        candidate: &Candidate,
        since: &Id,
    ) -> Result<(String, String), String> {
        let done = || (candidate.commit.clone(), candidate.tree.clone());
        if candidate.commit == candidate.onto {
            return Ok(done());
        }
        let commit = id(&candidate.commit)?;
        let branch = super::branch(&self.run);
        failpoint::reached("merge.before");
        let moved = self
            .repository
            .move_ref(&branch, &commit, Some(&id(&candidate.onto)?))
            .map_err(said)?;
        failpoint::reached("merge.moved");
        if moved {
            return Ok(done());
        }
        let stands = self.repository.read_ref(&branch).map_err(said)?;
        let Some(stands) = stands else {
            return Err(format!("the run's branch `{branch}` is gone"));
        };
        let trailer = self.trailer(step, attempt);
        match self.own.attempt(since, &stands, &trailer).map_err(said)? {
            Some(found) if found == commit => Ok(done()),
            Some(found) => Ok((found.to_string(), self.tree_of(&found)?)),
            None => Err(format!(
                "the run's branch `{branch}` was moved to {stands} by somebody else"
            )),
        }
    }
}

/// A commit that the journal names.
pub(crate) fn id(text: &str) -> Result<Id, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is no commit's name"))
}

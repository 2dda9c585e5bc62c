//! Bringing a run's commits into the person's checkout: files, then index, then HEAD.
//!
//! Whatever of it was done before a crash is found done by [`HarnessGit::prepare_landing`], and what a person changed
//! meanwhile is never overwritten.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::git::entries::Difference;
use crate::git::landing::lost_files::LandingStates;
use crate::git::landing::persons_index::PersonsIndex;
use crate::git::landing::plan::LandingPlan;
use crate::git::merge::replay::ReplayOutcome;
use crate::git::names::{Name, lies_within, path_texts};
use crate::git::{GitError, HarnessGit, Head, Id};

/// Whether the commits of a run can be brought in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandingReadiness {
    /// There is nothing left to bring in.
    Nothing,
    /// They can.
    Ready(Landing),
    /// They cannot, for these reasons, each a sentence.
    Refused(Vec<String>),
    /// The same, and one reason is that they conflict with what is committed: somebody has to settle that by hand.
    Conflict(Vec<String>),
}

/// What will be done to the checkout. Nothing of it has to be kept: preparing again after a crash finds what is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landing {
    /// Where HEAD stands; `None` where there is no commit yet.
    pub from: Option<Id>,
    /// Where it will stand.
    pub to: Id,
    /// The branch that moves; `None` where HEAD is detached.
    pub branch: Option<String>,
    /// What the checkout and the run last agreed on.
    base: Id,
    head: Id,
}

/// How a landing ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandOutcome {
    /// It is done, and HEAD stands at this commit.
    Done {
        /// The commit.
        commit: Id,
    },
    /// HEAD moved meanwhile: prepare again.
    Moved,
}

/// Files and directories that show that git is in the middle of something.
const UNFINISHED: [(&str, &str); 6] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("sequencer", "a cherry-pick or revert"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
];

impl HarnessGit {
    /// Works out how the commits after `start` up to `head` come into the checkout; touches nothing of it.
    pub fn prepare_landing(&self, start: &Id, head: &Id) -> Result<LandingReadiness, GitError> {
        self.prepare_landing_since(start, start, head)
    }

    /// The same, where the checkout and the run last agreed on the commit or tree `base`: what a person did since `start`
    /// and joined the run is in both, and is not landed.
    pub fn prepare_landing_since(
        &self,
        base: &Id,
        start: &Id,
        head: &Id,
    ) -> Result<LandingReadiness, GitError> {
        if self.repository.is_private() {
            let why =
                "the run's trees are not recorded in a repository of yours: it lands as files";
            return Ok(LandingReadiness::Refused(vec![why.to_owned()]));
        }
        let Head { commit, branch } = self.repository.head()?;
        let missing = self.commits_missing_in(start, head, commit.as_ref())?;
        // Commits that are there already need not go together with what came of them: HEAD moves last.
        if missing.is_empty() {
            return Ok(LandingReadiness::Nothing);
        }
        let mut reasons = self.unfinished_operations()?;
        let at = self.base(commit.as_ref())?;
        let to = match self.target_commit(start, head, &missing, commit.as_ref())? {
            ReplayOutcome::Commit(to) => to,
            ReplayOutcome::Conflict(files) => {
                let plan = self.plan_update(base, head, Some(&self.touched_paths(base, head)?))?;
                let refusals = self.refusals(&plan, &files, &at)?;
                reasons.extend(refusals.sentences());
                return Ok(if refusals.is_conflict() {
                    LandingReadiness::Conflict(reasons)
                } else {
                    LandingReadiness::Refused(reasons)
                });
            }
        };
        let sides = LandingStates {
            start: base,
            head,
            at: &at,
            to: to.as_ref().unwrap_or(&at),
        };
        let LandingPlan { names, plan, lost } = self.plan_landing(sides)?;
        let mut refusals = self.refusals(&plan, &BTreeSet::new(), &at)?;
        refusals.lost = lost;
        reasons.extend(refusals.sentences());
        let index = PersonsIndex::read(self, sides.at, sides.to, &names)?;
        reasons.extend(index.refusals());
        if !reasons.is_empty() {
            return Ok(LandingReadiness::Refused(reasons));
        }
        let is_done = plan.is_up_to_date() && index.is_done() && commit == to;
        let Some(to) = to.filter(|_| !is_done) else {
            return Ok(LandingReadiness::Nothing);
        };
        Ok(LandingReadiness::Ready(Landing {
            from: commit,
            to,
            branch,
            base: base.clone(),
            head: head.clone(),
        }))
    }

    /// Carries it out; may be called again after a crash at any point.
    ///
    /// `at` is called before each stage (`land.files`, `land.index`, `land.ref`) and at the end (`land.done`).
    pub fn land(
        &self,
        landing: &Landing,
        at: &dyn Fn(&'static str),
    ) -> Result<LandOutcome, GitError> {
        let Landing {
            from,
            to,
            branch,
            base: agreed,
            head,
        } = landing;
        let done = LandOutcome::Done { commit: to.clone() };
        let now = self.repository.head()?;
        let is_at_end = now.commit.as_ref() == Some(to);
        if now.branch != *branch || (now.commit != *from && !is_at_end) {
            return Ok(LandOutcome::Moved);
        }
        let base = self.base(from.as_ref())?;
        let sides = LandingStates {
            start: agreed,
            head,
            at: &base,
            to,
        };
        at("land.files");
        let LandingPlan { names, plan, lost } = self.plan_landing(sides)?;
        if !(plan.differ.is_empty() && lost.is_empty()) {
            let paths = path_texts(plan.differ.union(&lost));
            return Err(GitError::ChangedMeanwhile { paths });
        }
        self.carry_out(&plan)?;
        at("land.index");
        PersonsIndex::read(self, sides.at, sides.to, &names)?.replace()?;
        at("land.ref");
        if !is_at_end && !self.move_head(to, from.as_ref())? {
            return Ok(LandOutcome::Moved);
        }
        at("land.done");
        Ok(done)
    }

    /// Paths that differ between two states, such as those that the run changed.
    pub(crate) fn touched_paths(
        &self,
        before: &Id,
        after: &Id,
    ) -> Result<BTreeSet<Name>, GitError> {
        let differences = self.differences(before, after)?.into_iter();
        let names = differences.map(|Difference { name, .. }| name);
        Ok(names
            .filter(|name| !lies_within(name, &self.kept))
            .collect())
    }

    /// The commit that HEAD will stand at.
    fn target_commit(
        &self,
        start: &Id,
        head: &Id,
        missing: &BTreeSet<Id>,
        at: Option<&Id>,
    ) -> Result<ReplayOutcome, GitError> {
        match at {
            // Nothing was uncommitted, and nobody did anything meanwhile: the commits are taken as they are.
            Some(at) if at == start && self.joins(start, head)?.is_empty() => {
                Ok(ReplayOutcome::Commit(Some(head.clone())))
            }
            _ => self.replay(start, head, missing, at),
        }
    }

    /// What git is in the middle of.
    fn unfinished_operations(&self) -> Result<Vec<String>, GitError> {
        let directory = &self.repository.info.directory;
        let mut found = BTreeSet::new();
        for (name, what) in UNFINISHED {
            let is_ref = name.ends_with("_HEAD") && self.repository.is_ref(name)?;
            if is_ref || directory.join(name).exists() {
                found.insert(format!(
                    "{what} is not finished: finish or abort it, then land again"
                ));
            }
        }
        Ok(found.into_iter().collect())
    }

    fn move_head(&self, to: &Id, from: Option<&Id>) -> Result<bool, GitError> {
        let old = from.map_or_else(|| to.none_like(), Id::to_string);
        self.sync_objects()?;
        let begun = SystemTime::now();
        let moved = self
            .repository
            .call()?
            .args([
                "update-ref",
                "-m",
                "signoff land",
                "HEAD",
                to.as_str(),
                &old,
            ])
            .outliving_harness()
            .run();
        match moved {
            Ok(_) => {
                let branch = self.repository.head()?.branch;
                let name = branch.as_deref().unwrap_or("HEAD");
                self.repository.sync_reference(name, begun).map(|()| true)
            }
            Err(error) if self.repository.head()?.commit.as_ref() == from => Err(error),
            Err(_) => Ok(false),
        }
    }

    /// What is committed.
    fn base(&self, at: Option<&Id>) -> Result<Id, GitError> {
        match at {
            Some(commit) => Ok(commit.clone()),
            None => self.empty_tree(),
        }
    }
}

/// Whether a file is there, as far as can be seen.
pub(crate) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

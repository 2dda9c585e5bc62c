//! The trees that a run works on: the run's own, where everything is judged, and one for each agent.
//!
//! In place there is only the checkout, and git is asked for nothing but what it looked like. Otherwise the run has a
//! branch, `signoff/RUN`, whose commits are the passed steps; `run` below its directory is a worktree that shows the
//! head or a candidate, and `steps/STEP` one that an agent works in. Start reading at [`Trees::begin`], then
//! [`queue`](self::queue).

mod aside;
mod choose;
mod copies;
mod ignored;
mod in_place;
mod locks;
mod pipes;
mod places;
mod queue;
mod remains;
mod run_tree;
mod setup;
mod spares;
mod turns;
mod work;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Mutex;

use signoff_engine::{Isolation, RunTree};
use signoff_store::runs::RunDir;
use signoff_store::{failpoint, key};
use signoff_work::git::{GitError, Id, Own, Repository, Worktree};

pub(crate) use self::choose::{choose, obstacles};
use self::places::ref_part;
pub(crate) use self::places::{
    all, branch, kept, refs, remove_tree, repository, root, run_tree, step_tree,
};
pub(crate) use self::queue::{Attempt, Built, id};
pub(crate) use self::remains::{Left, Remains};
use self::remains::{START, checked_out, claim, is_others, remove_refs};
use self::run_tree::Standing;
pub(crate) use self::setup::Setup;
use self::turns::Turns;
use self::work::Period;
pub(crate) use self::work::Working;
use crate::error::Error;
use crate::project::Project;

/// The trees of one run.
pub(crate) struct Trees {
    pub(crate) repository: Repository,
    own: Own,
    run: String,
    workspace: PathBuf,
    /// Where its worktrees are.
    root: PathBuf,
    /// Where its indexes are.
    indexes: PathBuf,
    standing: Mutex<Standing>,
    spares: Mutex<()>,
    /// How much works in the checkout now, where the run works in it.
    working: Mutex<Period>,
    /// To make worktrees.
    turns: Turns,
    setup: Setup,
}

impl Trees {
    /// The trees of a run, whether they are there or not. `kept` is what no step changes.
    pub(crate) fn open(
        project: &Project,
        repository: Repository,
        dir: &RunDir,
        (run, kept): (&str, &[String]),
        setup: Setup,
    ) -> Result<Self, Error> {
        locks::clear(&repository, run);
        let own = repository.own(&dir.path().join("git"), kept)?;
        let indexes = dir.path().join("indexes");
        std::fs::create_dir_all(&indexes).map_err(Error::Sandbox)?;
        Ok(Self {
            own,
            repository,
            run: run.to_owned(),
            standing: Mutex::new(Standing::read(&indexes)),
            spares: Mutex::default(),
            working: Mutex::default(),
            turns: Turns::default(),
            workspace: project.store.workspace().to_owned(),
            root: root(project, run).unwrap_or_else(|| dir.path().join("worktrees")),
            indexes,
            setup,
        })
    }

    pub(crate) fn own(&self) -> &Own {
        &self.own
    }

    /// Keeps the checkout as it is now, and makes the run's branch, if it gets one.
    pub(crate) fn begin(&self, isolation: Isolation) -> Result<RunTree, Error> {
        let head = self.repository.head()?;
        let tree = self.own.snapshot()?;
        let start = match &head.commit {
            Some(commit) if self.own.tree_of(commit)? == tree => commit.clone(),
            commit => {
                let message = "Not committed when the run started\n";
                self.own.commit(&tree, commit.as_slice(), message)?
            }
        };
        failpoint::reached("tree.kept");
        let branch = (isolation == Isolation::Worktree).then(|| branch(&self.run));
        // Before the branch: by it one knows that a branch of this name was made here.
        self.remember(START, &start)?;
        if branch.is_none() {
            self.note_nothing(&start)?;
        }
        if let Some(name) = &branch
            && !self.repository.move_ref(name, &start, None)?
        {
            // Left by whoever was killed before the journal knew of it: nothing was built on it.
            self.repository.delete_ref(name)?;
            self.repository.move_ref(name, &start, None)?;
        }
        failpoint::reached("tree.named");
        Ok(RunTree {
            base: head.commit.map(|commit| commit.to_string()),
            start: start.to_string(),
            branch,
            checkout: Some(head.branch.unwrap_or_else(|| "HEAD".to_owned())),
        })
    }

    /// Is the run's branch there?
    pub(crate) fn has_branch(&self) -> Result<bool, GitError> {
        Ok(self.repository.read_ref(&branch(&self.run))?.is_some())
    }

    /// Where the run's tree is.
    pub(crate) fn run_path(&self) -> PathBuf {
        run_tree(&self.root)
    }

    /// Where a step's own worktree is.
    pub(crate) fn step_path(&self, step: &str) -> PathBuf {
        step_tree(&self.root, step)
    }

    fn run_worktree(&self) -> Worktree {
        self.own.worktree(self.run_path(), self.indexes.join("run"))
    }

    fn step_worktree(&self, step: &str) -> Worktree {
        let index = format!("step-{}", key::encode(step));
        self.own
            .worktree(self.step_path(step), self.indexes.join(index))
    }

    /// The name of something that this run keeps in the repository.
    fn ref_name(&self, what: &str) -> String {
        format!("{}{what}", refs(&self.run))
    }

    /// Names a commit, so that it is found again and git does not clear it away.
    fn remember(&self, what: &str, commit: &Id) -> Result<(), GitError> {
        let name = self.ref_name(what);
        self.repository.delete_ref(&name)?;
        self.repository.move_ref(&name, commit, None).map(|_| ())
    }

    /// Removes the worktree of a step that has ended.
    pub(crate) fn forget_step(&self, step: &str) {
        self.spare(&self.step_worktree(step));
    }

    /// Makes a step's own worktree what its next work begins with: complete, and at `set` if it is to be another one
    /// than it was left as. `began`: what it began with, or it holds the work of another base.
    pub(crate) fn make_ready(
        &self,
        step: &str,
        began: &Id,
        set: Option<&Id>,
        start: &dyn Fn(signoff_sandbox::Command) -> Result<(), String>,
    ) -> Result<(), String> {
        let worktree = self.step_worktree(step);
        let whole = worktree.exists() && !self.is_changing(&worktree);
        let left = |commit: &Id| worktree.base().is_ok_and(|base| base == *commit);
        match set {
            None if whole && left(began) => Ok(()),
            set if whole => {
                failpoint::reached("worktree.set");
                self.set(&worktree, set.unwrap_or(began))
            }
            set => self.make(&worktree, set.unwrap_or(began), start),
        }
    }

    /// A fresh worktree with what makes it usable.
    fn make(
        &self,
        worktree: &Worktree,
        commit: &Id,
        start: &dyn Fn(signoff_sandbox::Command) -> Result<(), String>,
    ) -> Result<(), String> {
        let claimed = claim(&self.root, &self.workspace, &self.run);
        claimed.map_err(|why| format!("{}: {why}", self.root.display()))?;
        self.changing(worktree, || {
            self.fill(worktree, commit)?;
            failpoint::reached("worktree.made");
            self.setup.copy(self.repository.top(), worktree.path())?;
            for command in self.setup.commands(worktree.path())? {
                start(command)?;
            }
            if self.setup.changes_trees() {
                worktree.exclude_untracked().map_err(said)?;
            }
            worktree.take_ignored().map_err(said)
        })
    }

    fn set(&self, worktree: &Worktree, commit: &Id) -> Result<(), String> {
        pipes::remove(worktree.path());
        self.changing(worktree, || worktree.set(commit).map_err(said))
    }

    /// What is in a worktree now.
    fn seen(worktree: &Worktree) -> Result<Id, GitError> {
        pipes::remove(worktree.path());
        worktree.tree()
    }

    /// Does something to a worktree that must be done wholly: what a crash leaves half done is made anew.
    fn changing(
        &self,
        worktree: &Worktree,
        change: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let mark = self.mark(worktree);
        std::fs::write(&mark, "").map_err(|why| format!("{}: {why}", mark.display()))?;
        change()?;
        std::fs::remove_file(&mark).map_err(|why| format!("{}: {why}", mark.display()))
    }

    fn is_changing(&self, worktree: &Worktree) -> bool {
        self.mark(worktree).exists()
    }

    fn mark(&self, worktree: &Worktree) -> PathBuf {
        let name = worktree.path().file_name().unwrap_or(OsStr::new("run"));
        let below = worktree.path().strip_prefix(&self.root).ok();
        let steps = below.is_some_and(|below| below.starts_with("steps"));
        let kind = if steps { "step-" } else { "" };
        let mut mark = std::ffi::OsString::from(kind);
        mark.push(name);
        mark.push(".changing");
        self.indexes.join(mark)
    }

    /// What a step changed in its own worktree since its base, if git can tell.
    pub(crate) fn changes(&self, step: Option<&str>, base: &Id) -> Result<Vec<String>, GitError> {
        let worktree = self.worktree(step);
        let tree = Self::seen(&worktree)?;
        self.own.changed(base, &tree)
    }

    /// Makes these files what they were.
    pub(crate) fn put_back(&self, step: Option<&str>, base: &Id, files: &[String]) {
        // What cannot be put back fails the next contract: it is part of what was signed.
        self.worktree(step).put_back(base, files).ok();
    }

    fn worktree(&self, step: Option<&str>) -> Worktree {
        step.map_or_else(|| self.run_worktree(), |step| self.step_worktree(step))
    }

    /// Makes everything in a step's own worktree what it was before a contract ran, and names what was another.
    pub(crate) fn undo_contract(&self, step: &str, base: &Id) -> Vec<String> {
        let worktree = self.step_worktree(step);
        let wrote = self.changes(Some(step), base).unwrap_or_default();
        if !wrote.is_empty() {
            self.set(&worktree, base).ok();
        }
        wrote
    }

    /// Removes every worktree, and everything of the run that the repository knows.
    pub(crate) fn remove_all(&self) -> Result<Vec<String>, Error> {
        let mut removed = Vec::new();
        if self.root.exists() && !is_others(&self.root, &self.workspace, &self.run) {
            removed.extend(
                self.worktrees()
                    .iter()
                    .map(|path| path.display().to_string()),
            );
            remove_tree(&self.root).map_err(Error::Sandbox)?;
        }
        removed.extend(remove_refs(&self.repository, &self.run)?);
        Ok(removed)
    }

    /// The worktrees that are there; where there is none, the directory that they would be in.
    fn worktrees(&self) -> Vec<PathBuf> {
        let steps = std::fs::read_dir(self.root.join("steps"))
            .into_iter()
            .flatten();
        let mut found: Vec<PathBuf> = steps.flatten().map(|entry| entry.path()).collect();
        found.sort();
        found.insert(0, self.run_path());
        found.retain(|path| path.is_dir());
        if found.is_empty() {
            found.push(self.root.clone());
        }
        found
    }

    /// Where somebody has the run's branch checked out, if so: it is not ours to remove then.
    pub(crate) fn checked_out(&self) -> Result<Option<PathBuf>, Error> {
        checked_out(&self.repository, &self.run)
    }
}

fn said(why: GitError) -> String {
    why.to_string()
}

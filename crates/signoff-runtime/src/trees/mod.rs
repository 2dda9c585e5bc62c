//! The trees that a run works on, all of them the harness's own.
//!
//! The run has a branch, `signoff/RUN`, whose commits are the passed steps. A process finds a commit at the checkout's
//! path, in layers (`overlays.rs`): an agent's changes stay in the uppermost one until they are recorded (`layers.rs`)
//! and put on top of the head (`queue.rs`); what a contract writes is thrown away. The checkout is read when the run
//! begins and whenever a person changed it, and written only by landing (`sync.rs`). Start reading at
//! [`Trees::begin`], then [`overlays`](self::overlays).

mod builds;
mod choose;
mod commits;
mod contract;
mod details;
mod ignored;
mod judging;
mod layers;
mod leftovers;
mod locks;
mod masks;
mod overlays;
mod patches;
mod queue;
mod references;
mod repair;
mod repositories;
mod run_tree;
mod self_starting;
mod setup;
mod sync;
mod work_context;
mod work_error;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use signoff_engine::{Isolation, Run, RunTree};
use signoff_sandbox::{Command, KeptMounts, Policy};
use signoff_store::failpoint;
use signoff_store::runs::RunDir;
use signoff_work::beneath::remove_tree;
use signoff_work::git::{CheckoutTimes, GitError, HarnessGit, Id, Repository};
use signoff_work::layers::{IgnoreRules, SharedTree, TreePool, self_ignored_paths};

use self::builds::BuildCache;
pub(crate) use self::choose::{IsolationChoice, choose, why_private};
pub(crate) use self::commits::{first_commit, head_commit, parse_id};
pub(crate) use self::contract::overlays::ContractOverlayOptions;
use self::contract::queue::OverlayQueue;
pub(crate) use self::details::changed_files;
pub(crate) use self::ignored::IgnoredWork;
pub(crate) use self::judging::JudgingSources;
pub(crate) use self::leftovers::{LeftoverFinder, RunLeftovers, remove_never_begun};
use self::leftovers::{START, checked_out, claim, is_others, remove_refs};
use self::masks::Masks;
pub(crate) use self::overlays::{CheckoutChanges, TreeMount};
pub(crate) use self::patches::work_patch;
pub(crate) use self::queue::{Attempt, CandidateResult, WorkSource};
use self::references::KnownReferences;
use self::repositories::ref_part;
pub(crate) use self::repositories::{
    branch, private_repository, protected_paths, refs, repository, repository_of, run_repository,
};
pub(crate) use self::run_tree::RunTreeUse;
pub(crate) use self::setup::Setup;
pub use self::sync::HeldFileVersion;
use self::sync::Landings;
pub(crate) use self::sync::{JoinedChanges, LandedFiles};
pub(crate) use self::work_context::WorkContext;
pub(crate) use self::work_error::WorkError;
use crate::cluster::Cluster;
use crate::confinement::OverlayMode;
use crate::error::Error;
use crate::project::Project;
use crate::project::directories::{project_data, run_root};

/// How a command is started that makes trees usable.
pub(crate) type Start<'s> = &'s dyn CommandRunner;

/// Starts the commands that make trees usable.
pub(crate) trait CommandRunner {
    /// Runs a command. The error says why it failed.
    fn run(&self, command: Command) -> Result<(), String>;

    /// Makes mounts for commands that follow each other, where that can be.
    fn make_mounts(&self, policy: &Policy) -> io::Result<Option<KeptMounts>>;
}

/// The trees of one run.
pub(crate) struct Trees {
    pub(crate) repository: Repository,
    own: HarnessGit,
    run: String,
    checkout: PathBuf,
    /// The lock for writing to the checkout.
    checkout_lock: PathBuf,
    /// Where the run's directories are.
    root: PathBuf,
    /// Where its indexes are.
    indexes: PathBuf,
    /// Where its versions of held files are.
    held_versions: PathBuf,
    /// Where trees of the project's runs are kept.
    pool_root: PathBuf,
    pool: OnceLock<TreePool>,
    /// The times of the checkout's files when the run began, until the pool has them.
    times: Mutex<Option<CheckoutTimes>>,
    rules: OnceLock<Arc<IgnoreRules>>,
    /// Names of packages that Python finds installed.
    installed: OnceLock<Arc<BTreeSet<String>>>,
    /// What judges the work of the plan, once that is known.
    judges: OnceLock<JudgingSources>,
    /// The first commit of the run, once it is known.
    start: OnceLock<Id>,
    overlay_mode: OverlayMode,
    masks: Mutex<Masks>,
    /// Overlays that wait for a contract, and contracts that wait for an overlay.
    line: Mutex<OverlayQueue>,
    /// What contracts built, for later ones.
    builds: Arc<Mutex<BuildCache>>,
    /// Whether the run's directory says whose it is.
    claimed: Mutex<bool>,
    /// `prepare` runs once.
    preparing: Mutex<()>,
    /// Repositories for processes are made one by one.
    templates: Mutex<()>,
    /// Joining and landing take turns.
    syncing: Mutex<()>,
    /// The last tree that the checkout and the run had in common, if this process has set it.
    agreed: Mutex<Option<Id>>,
    references: Mutex<KnownReferences>,
    /// How often the run landed, if that is known.
    landed: Mutex<Option<Landings>>,
    /// The commit that the run's tree shows, if that is known.
    run_tree: RwLock<Option<Id>>,
    setup: Setup,
    /// The machines that share the run, if several do.
    cluster: Option<Arc<dyn Cluster>>,
}

/// Whose trees they are, and how they are shown and set up.
pub(crate) struct TreesOptions<'a> {
    /// The run's id.
    pub(crate) run: &'a str,
    pub(crate) dir: &'a RunDir,
    /// Paths that no step changes.
    pub(crate) kept: &'a [String],
    pub(crate) overlay_mode: OverlayMode,
    pub(crate) setup: Setup,
}

impl Trees {
    /// The trees of a run, whether they exist yet or not.
    pub(crate) fn open(
        project: &Project,
        repository: Repository,
        options: TreesOptions<'_>,
    ) -> Result<Self, Error> {
        let TreesOptions {
            run,
            dir,
            kept,
            overlay_mode,
            setup,
        } = options;
        locks::remove_stale_git_locks(&repository, run);
        let own = repository.open_harness_git(&dir.path().join("git"), kept)?;
        let indexes = dir.path().join("indexes");
        std::fs::create_dir_all(&indexes).map_err(Error::cannot_read(&indexes))?;
        let root = run_root(project, run).unwrap_or_else(|| dir.path().join("worktrees"));
        let kind = if repository.is_private() {
            "private"
        } else {
            "project"
        };
        let pool_root = project_data(project).unwrap_or_else(|| root.clone());
        Ok(Self {
            own,
            repository,
            run: run.to_owned(),
            checkout: project.store.workspace().to_owned(),
            checkout_lock: project.store.workspace_lock(),
            pool_root: pool_root.join("trees").join(kind),
            root,
            indexes,
            held_versions: dir.held_versions(),
            pool: OnceLock::new(),
            times: Mutex::default(),
            rules: OnceLock::new(),
            installed: OnceLock::new(),
            judges: OnceLock::new(),
            start: OnceLock::new(),
            overlay_mode,
            masks: Mutex::default(),
            line: Mutex::default(),
            builds: Arc::default(),
            claimed: Mutex::default(),
            preparing: Mutex::default(),
            templates: Mutex::default(),
            syncing: Mutex::default(),
            agreed: Mutex::default(),
            references: Mutex::default(),
            landed: Mutex::default(),
            run_tree: RwLock::default(),
            setup,
            cluster: project.cluster.clone(),
        })
    }

    /// The harness's own git directory.
    pub(crate) fn git(&self) -> &HarnessGit {
        &self.own
    }

    /// Says what judges the work of the plan.
    pub(crate) fn set_judges(&self, judges: JudgingSources) {
        self.judges.get_or_init(|| judges);
    }

    /// A directory with the files of a commit, for the harness to read.
    pub(crate) fn files(&self, commit: &Id) -> Result<SharedTree, String> {
        self.pool()?.share(commit).map_err(error_text)
    }

    /// Keeps the checkout as it is now, and makes the run's branch.
    pub(crate) fn begin(&self, isolation: Isolation) -> Result<RunTree, Error> {
        let head = self.repository.head()?;
        let (tree, times) = self.own.snapshot_with_times()?;
        *lock(&self.times) = Some(times);
        self.keep_self_ignored(&tree)?;
        let start = match &head.commit {
            Some(commit) if self.own.tree_of(commit)? == tree => commit.clone(),
            commit => {
                let message = "Not committed when the run started\n";
                self.own.commit(&tree, commit.as_slice(), message)?
            }
        };
        failpoint::reach("tree.kept");
        let branch = (isolation == Isolation::Worktree).then(|| branch(&self.run));
        // Before the branch: it proves that a branch of this name was made here.
        self.remember(START, &start)?;
        self.agree_on(&start)?;
        if let Some(name) = &branch
            && !self.repository.move_ref(name, &start, None)?
        {
            // Left by a process that was killed before it was journaled: nothing was built on it.
            self.repository.delete_ref(name)?;
            self.repository.move_ref(name, &start, None)?;
        }
        failpoint::reach("tree.named");
        let private = self.repository.is_private();
        let on_branch = || head.branch.unwrap_or_else(|| "HEAD".to_owned());
        Ok(RunTree {
            base: head.commit.map(|commit| commit.to_string()),
            start: start.to_string(),
            branch,
            checkout: (!private).then(on_branch),
            private,
            layers: true,
        })
    }

    /// Keeps what ignores itself in the checkout for the rules of the run: the tree does not have those `.gitignore` files.
    fn keep_self_ignored(&self, tree: &Id) -> Result<(), Error> {
        let rules = IgnoreRules::of_tree(&self.own, tree)?;
        let names = self_ignored_paths(&self.checkout, &rules).map_err(Error::Sandbox)?;
        if names.is_empty() {
            self.rules.get_or_init(|| Arc::new(rules));
            return Ok(());
        }
        Ok(self.own.ignore_also(&names)?)
    }

    /// Takes up a run whose journal says that it began with this commit, and that its head is that one.
    pub(crate) fn resume(&self, start: &Id, head: &Id) -> Result<(), Error> {
        self.begin_at(start.clone());
        let name = branch(&self.run);
        let stands = self.repository.read_ref(&name)?;
        // A person's changes were journaled before the branch moved to them.
        if let Some(stands) = stands.filter(|stands| stands != head)
            && self.own.commits(&stands, head)?.len() == 1
        {
            self.repository.move_ref(&name, head, Some(&stands))?;
        }
        Ok(())
    }

    /// Called when the run has its tree.
    pub(crate) fn set_first_commit(&self, run: &Run) -> Result<(), Error> {
        self.begin_at(first_commit(run)?);
        Ok(())
    }

    fn begin_at(&self, first: Id) {
        self.own.keep_attributes_of(&first);
        self.start.get_or_init(|| first);
    }

    /// The run's first commit.
    fn start(&self) -> Result<&Id, String> {
        self.start
            .get()
            .ok_or_else(|| "the run has no tree yet".to_owned())
    }

    fn pool(&self) -> Result<&TreePool, String> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        // One thread opens it: a second one would have to read the whole checkout again.
        let mut known = lock(&self.times);
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        let opened = TreePool::open(self.own.clone(), &self.pool_root).map_err(error_text)?;
        opened.set_times(match known.take() {
            Some(times) => times,
            None => self.own.snapshot_with_times().map_err(error_text)?.1,
        });
        Ok(self.pool.get_or_init(|| opened))
    }

    /// What is ignored in this run. What its steps write does not change it.
    fn rules(&self) -> Result<Arc<IgnoreRules>, String> {
        if let Some(rules) = self.rules.get() {
            return Ok(Arc::clone(rules));
        }
        let tree = self.own.tree_of(self.start()?).map_err(error_text)?;
        let read = IgnoreRules::of_tree(&self.own, &tree).map_err(error_text)?;
        Ok(Arc::clone(self.rules.get_or_init(|| Arc::new(read))))
    }

    /// Is the run's branch there?
    pub(crate) fn has_branch(&self) -> Result<bool, GitError> {
        Ok(self.repository.read_ref(&branch(&self.run))?.is_some())
    }

    /// The error if the run's branch or repository was removed: then a failure is not an agent's fault.
    pub(crate) fn missing_error(&self, head: &str) -> Option<Error> {
        let run = self.run.clone();
        if !self.repository.is_there() {
            let directory = self.repository.directory().to_owned();
            return Some(Error::RepositoryGone { run, directory });
        }
        let head = head.to_owned();
        let is_gone = matches!(self.has_branch(), Ok(false));
        is_gone.then_some(Error::BranchGone { run, head })
    }

    /// The git tree of a commit.
    pub(crate) fn tree_of(&self, commit: &Id) -> Result<String, String> {
        let tree = self.own.tree_of(commit).map_err(error_text)?;
        Ok(tree.to_string())
    }

    /// The name of something that this run keeps in the repository.
    fn ref_name(&self, what: &str) -> String {
        format!("{}{what}", refs(&self.run))
    }

    /// Names a commit that other machines need, so that it can be fetched.
    pub(crate) fn publish_commit(&self, commit: &Id) -> Result<(), Error> {
        Ok(self.remember(&format!("shared/{commit}"), commit)?)
    }

    /// Says whose the run's directories are.
    fn claim(&self) -> Result<(), String> {
        let mut is_claimed = lock(&self.claimed);
        if !*is_claimed {
            let claimed = claim(&self.root, &self.checkout, &self.run);
            claimed.map_err(|why| format!("{}: {why}", self.root.display()))?;
            *is_claimed = true;
        }
        Ok(())
    }

    /// Removes everything of the run outside of its directory in the store.
    pub(crate) fn remove_all(&self) -> Result<Vec<String>, Error> {
        let mut removed = Vec::new();
        if self.root.exists() && !is_others(&self.root, &self.checkout, &self.run) {
            removed.push(self.root.display().to_string());
            remove_tree(&self.root).map_err(Error::cannot_read(&self.root))?;
        }
        self.clean_up_overlays_and_pool();
        removed.extend(remove_refs(&self.repository, &self.run)?);
        self.forget_references();
        Ok(removed)
    }

    /// The directory where a person has the run's branch checked out, if any: the branch is not removed then.
    pub(crate) fn checked_out(&self) -> Result<Option<PathBuf>, Error> {
        if self.repository.is_private() {
            return Ok(None);
        }
        checked_out(&self.repository, &self.run)
    }
}

/// The reference that has the work of an attempt.
pub(crate) fn work_reference(run: &str, step: &str, attempt: u32) -> String {
    format!("{}{}", refs(run), layers::work_name(step, attempt))
}

fn error_text(why: impl std::fmt::Display) -> String {
    why.to_string()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes an empty directory. The kernel refuses one that was a layer before.
fn make_empty_directory(path: &Path) -> io::Result<()> {
    remove_tree(path)?;
    std::fs::create_dir_all(path)
}

//! Where the store is: a directory `.signoff/` at the root of a workspace, found like `.git`.
//!
//! The stores of plan mode and of rawko, `.pi/plans` and `.rawko/plans`, mark a root as well; `.signoff/`
//! is then made beside them at the first write.

mod links;
mod nesting;
mod project_id;

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

pub use self::nesting::{DiscoverError, discover};
use crate::files::FileError;
use crate::files::atomic::{self, FileMode};
use crate::key;

const NAME: &str = ".signoff";

/// What belongs to this machine and not into the repository.
const GITIGNORE: &[u8] = b"/runs/\n/locks/\n/worktrees/\n/index*\n";

/// The stores that other tools made, by the directory of their plans.
const OTHERS: [(StoreKind, &str); 2] = [
    (StoreKind::Pi, ".pi/plans"),
    (StoreKind::Rawko, ".rawko/plans"),
];

/// The settings of plan mode's store.
const PI_SETTINGS: &str = ".pi/plans.json";

/// Whose store the proposals are kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreKind {
    /// Our own.
    Own,
    /// Plan mode's `.pi/plans`.
    Pi,
    /// rawko's `.rawko/plans`.
    Rawko,
}

/// A store that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    workspace: PathBuf,
    dir: PathBuf,
    kind: StoreKind,
}

impl Store {
    fn at(workspace: &Path) -> Self {
        Self {
            workspace: workspace.to_path_buf(),
            dir: workspace.join(NAME),
            kind: other_tools_store(workspace).unwrap_or(StoreKind::Own),
        }
    }

    /// The store whose root is this directory, if it has one.
    pub fn open_existing(workspace: &Path) -> Option<Self> {
        let workspace = workspace.canonicalize().ok()?;
        is_root(&workspace).then(|| Self::at(&workspace))
    }

    /// Makes `.signoff/` in this directory, or completes one that is there.
    pub fn create(workspace: &Path) -> Result<Self, FileError> {
        let workspace = workspace
            .canonicalize()
            .map_err(FileError::at("find", workspace))?;
        let store = Self::at(&workspace);
        store.create_missing()?;
        Ok(store)
    }

    /// Makes what is missing of `.signoff/`: before the first write in a fresh clone, or beside a
    /// store that another tool made. Refuses a store that leads somewhere else.
    pub fn create_missing(&self) -> Result<(), FileError> {
        self.refuse_links()?;
        let gitignore = self.dir.join(".gitignore");
        let is_complete = self.locks_dir().is_dir()
            && self.runs_dir().is_dir()
            && gitignore.exists()
            && self.project_path().exists();
        if is_complete {
            return Ok(());
        }
        atomic::create_directories(&self.dir)?;
        create_private(&self.runs_dir())?;
        create_private(&self.locks_dir())?;
        // A person's own .gitignore stays as it is.
        atomic::create(&gitignore, GITIGNORE, FileMode::Shared)?;
        self.make_project_id()
    }

    /// Whose store the proposals are kept in.
    pub fn kind(&self) -> StoreKind {
        self.kind
    }

    /// Where proposals are kept.
    pub fn plans_dir(&self) -> PathBuf {
        match OTHERS.iter().find(|(kind, _)| *kind == self.kind) {
            Some((_, directory)) => self.workspace.join(directory),
            None => self.dir.join("plans"),
        }
    }

    /// Files that would make this another store or change its settings if they existed: no work of a run may bring
    /// them.
    pub fn foreign_marks(&self) -> impl Iterator<Item = PathBuf> {
        let others = OTHERS.iter().filter(|(kind, _)| *kind != self.kind);
        let marks = others.map(|(_, directory)| *directory);
        marks
            .chain([PI_SETTINGS])
            .map(|name| self.workspace.join(name))
    }

    /// Folders in a directory in which a mark of a root can appear without a change of the directory itself.
    pub fn folders_of_marks(directory: &Path) -> impl Iterator<Item = PathBuf> {
        let folders = OTHERS
            .iter()
            .filter_map(|(_, plans)| Path::new(plans).parent());
        folders.map(move |folder| directory.join(folder))
    }

    /// Where finished plans go.
    pub fn archive_dir(&self) -> PathBuf {
        self.beside_plans("archive")
    }

    /// Where large data of one plan is kept. No id leads out of it.
    pub fn artifacts_dir(&self, plan: &str) -> PathBuf {
        self.beside_plans("artifacts").join(key::encode(plan))
    }

    /// Where the executions of one plan are logged for whoever knows plan mode's store; no other
    /// store has that. No id leads out of it.
    pub fn session_log(&self, plan: &str) -> Option<PathBuf> {
        let name = format!("{}.jsonl", key::encode(plan));
        (self.kind == StoreKind::Pi).then(|| self.beside_plans("sessions").join(name))
    }

    /// Where a store keeps what belongs to its plans: plan mode's own is below its plans.
    fn beside_plans(&self, name: &str) -> PathBuf {
        match self.kind {
            StoreKind::Pi => self.plans_dir().join(name),
            StoreKind::Own | StoreKind::Rawko => self.dir.join(name),
        }
    }

    pub fn logs_dir(&self) -> PathBuf {
        self.dir.join("log")
    }

    /// The log of one plan.
    pub fn log_path(&self, key: &str) -> PathBuf {
        self.logs_dir().join(Self::log_name(key))
    }

    /// The name of that log.
    pub fn log_name(key: &str) -> String {
        format!("{}.jsonl", key::encode(key))
    }

    /// What `list` remembers; can be deleted at any time.
    pub fn index_path(&self) -> PathBuf {
        self.dir.join("index.json")
    }

    /// The directory plans and agents work on; absolute, without links.
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// The directory `.signoff`.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What a plan is known by: its id, else its path relative to the workspace. Archiving it changes
    /// nothing: it is known by the path it had.
    ///
    /// A relative `path` is taken from the workspace. The key is for people and records; as a file
    /// name it is always percent-encoded.
    pub fn key_of(&self, plan_id: Option<&str>, path: &Path) -> String {
        match plan_id {
            Some(id) if !id.is_empty() => id.to_owned(),
            _ => self.path_before_archiving(key::of_path(&self.workspace, path)),
        }
    }

    /// A path as records have it: without links and `..`, and from the workspace, where it lies inside.
    pub fn relative(&self, path: &Path) -> String {
        key::of_path(&self.workspace, path)
    }

    fn path_before_archiving(&self, path: String) -> String {
        let shown = |directory: &Path| key::of_path(&self.workspace, directory);
        let name = path
            .strip_prefix(&shown(&self.archive_dir()))
            .and_then(|rest| rest.strip_prefix('/'));
        match name {
            Some(name) => format!("{}/{name}", shown(&self.plans_dir())),
            None => path,
        }
    }

    pub fn runs_dir(&self) -> PathBuf {
        self.dir.join("runs")
    }

    pub fn locks_dir(&self) -> PathBuf {
        self.dir.join("locks")
    }

    /// The lock that the one run working in this workspace holds.
    pub fn workspace_lock(&self) -> PathBuf {
        self.locks_dir().join("workspace")
    }

    /// The lock for making or clearing away a run's directory.
    pub fn start_lock(&self) -> PathBuf {
        self.locks_dir().join("start")
    }

    pub fn config_path(&self) -> PathBuf {
        self.dir.join("config.toml")
    }

    pub fn topics_dir(&self) -> PathBuf {
        self.dir.join("topics")
    }

    /// The directory of the signatures of one plan.
    pub(crate) fn signatures_dir(&self, key: &str) -> PathBuf {
        self.dir.join("signatures").join(key::encode(key))
    }
}

/// Is this directory the root of a project?
fn is_root(directory: &Path) -> bool {
    directory.join(NAME).is_dir() || other_tools_store(directory).is_some()
}

/// The other tool's store in this directory, if there is one.
fn other_tools_store(directory: &Path) -> Option<StoreKind> {
    OTHERS
        .into_iter()
        .find(|(_, plans)| directory.join(plans).is_dir())
        .map(|(kind, _)| kind)
}

/// Makes a directory, and the missing ones above it, that only its owner may look into.
pub(crate) fn create_private(path: &Path) -> Result<(), FileError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(FileError::at("create", path))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn found_from_below() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        assert_eq!(discover(&inner).unwrap(), None);
        let store = Store::create(dir.path()).unwrap();
        assert_eq!(discover(&inner).unwrap(), Some(store.clone()));
        assert_eq!(discover(dir.path()).unwrap(), Some(store));
        assert_eq!(Store::open_existing(&inner), None);
    }

    #[test]
    fn a_file_of_that_name_is_no_store() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".signoff"), "").unwrap();
        assert_eq!(discover(dir.path()).unwrap(), None);
        assert!(Store::create(dir.path()).is_err());
    }

    #[test]
    fn stores_of_other_tools_mark_a_root_and_keep_their_plans() {
        for (kind, plans) in OTHERS {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join(plans)).unwrap();
            fs::create_dir(dir.path().join("src")).unwrap();
            let store = discover(&dir.path().join("src")).unwrap().unwrap();
            assert_eq!(store.kind(), kind);
            assert!(store.plans_dir().ends_with(plans));
            assert!(!store.dir().exists(), "looking writes nothing");
            store.create_missing().unwrap();
            assert!(store.dir().is_dir());
        }
    }

    #[test]
    fn outputs_are_private_and_ignored_and_creating_twice_is_harmless() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&store.runs_dir()), 0o700);
        let gitignore = store.dir().join(".gitignore");
        assert_eq!(fs::read(&gitignore).unwrap(), GITIGNORE);
        fs::write(&gitignore, "mine").unwrap();
        assert_eq!(Store::create(dir.path()).unwrap(), store);
        assert_eq!(fs::read(&gitignore).unwrap(), b"mine");
    }

    #[test]
    fn no_run_id_leads_out_of_runs() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        for id in ["..", "../../x", "/etc", "", ".", "a/b"] {
            let run = store.run_dir(id);
            assert_eq!(run.path().parent(), Some(store.runs_dir().as_path()));
            assert!(run.path().file_name().is_some());
        }
    }

    #[test]
    fn the_id_wins_over_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let path = Path::new("plan.md");
        assert_eq!(store.key_of(Some("PLAN-1"), path), "PLAN-1");
        assert_eq!(store.key_of(None, path), "plan.md");
        assert_eq!(store.key_of(Some(""), path), "plan.md");
        let archived = store.archive_dir().join("plan.md");
        assert_eq!(store.key_of(None, &archived), ".signoff/plans/plan.md");
    }
}

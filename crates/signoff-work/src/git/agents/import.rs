//! Imports what an agent put into a repository of its own: objects and references, and nothing else.
//!
//! No git is ever run on the agent's repository: whoever writes its configuration, its alternates or its hooks would make
//! git run a program or read another file. Its files are read beneath a descriptor (`crate::beneath`), up to limits, into a
//! repository that the harness makes with a configuration of its own. There git checks every object, and names it by its
//! content; references are parsed here.
//!
//! Start reading at [`HarnessGit::import_repository`].

mod objects;
mod references;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use self::objects::StoredObjects;
use crate::beneath::{Directory, remove_tree};
use crate::git::agents::repository::alternate;
use crate::git::command::GitCall;
use crate::git::scratch::{Scratch, sibling_path};
use crate::git::{GitError, HarnessGit};

/// The time that a single call gets even if no time is left: without references, objects are hard to find.
const SHORTEST: Duration = Duration::from_secs(10);

/// How much of an agent's repository is imported.
#[derive(Debug, Clone, Copy)]
pub struct ImportLimits {
    /// Bytes, as they are stored and once more as they are unpacked.
    pub bytes: u64,
    /// Files of objects, and references.
    pub files: usize,
    /// All of it.
    pub time: Duration,
}

impl Default for ImportLimits {
    fn default() -> Self {
        Self {
            bytes: 1 << 30,
            files: 100_000,
            time: Duration::from_mins(2),
        }
    }
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Objects, where the agent made any; packs count as one.
    pub objects: usize,
    /// References that the person's repository does not have.
    pub references: usize,
    /// What is not there, and why, in words.
    pub left_out: Vec<String>,
}

/// One import.
struct Import<'i> {
    own: &'i HarnessGit,
    source: &'i Directory,
    /// The repository that is being made.
    to: &'i Path,
    /// For files before they are checked.
    incoming: PathBuf,
    limits: ImportLimits,
    deadline: Instant,
    report: ImportReport,
}

impl HarnessGit {
    /// Imports the repository `from`, which an agent could write to, as a new repository `to`. Objects of the person's
    /// repository are found there. Without any object of its own nothing is made. What cannot be imported is in the
    /// report; an error is a failure of the harness's own.
    pub fn import_repository(
        &self,
        from: &Path,
        to: &Path,
        limits: ImportLimits,
    ) -> Result<ImportReport, GitError> {
        let mut report = ImportReport::default();
        let source = match Directory::open(from) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(report),
            Err(error) => {
                report.left_out.push(format!("all of it: {error}"));
                return Ok(report);
            }
            Ok(source) => source,
        };
        let stored = StoredObjects::list(&source, limits.files, &mut report.left_out);
        if stored.is_empty() {
            return Ok(report);
        }
        let new = sibling_path(to, ".new");
        remove_tree(&new).map_err(GitError::file(&new))?;
        let scratch = self.scratch()?;
        let import = Import {
            own: self,
            source: &source,
            to: &new,
            incoming: scratch.folder("incoming")?,
            limits,
            deadline: Instant::now() + limits.time,
            report,
        };
        let imported = import.run(stored, &scratch).and_then(|report| {
            fs::rename(&new, to).map_err(GitError::file(to))?;
            Ok(report)
        });
        if imported.is_err() {
            remove_tree(&new).ok();
        }
        imported
    }
}

impl Import<'_> {
    fn run(mut self, stored: StoredObjects, scratch: &Scratch) -> Result<ImportReport, GitError> {
        self.make_repository()?;
        self.import_objects(stored, scratch)?;
        self.import_references()?;
        let text = self.report.description();
        let path = self.to.join("description");
        fs::write(&path, text).map_err(GitError::file(&path))?;
        Ok(self.report)
    }

    fn make_repository(&self) -> Result<(), GitError> {
        for folder in ["objects/info", "objects/pack", "refs/heads", "logs"] {
            let path = self.to.join(folder);
            fs::create_dir_all(&path).map_err(GitError::file(&path))?;
        }
        let repository = &self.own.repository;
        let config = repository.info.settings.import_config().into_bytes();
        let files = [
            ("config", config),
            ("HEAD", b"ref: refs/heads/signoff\n".to_vec()),
            ("objects/info/alternates", alternate(repository.objects())),
        ];
        let shallow = self
            .own
            .shallow_commits()
            .map(|commits| ("shallow", commits));
        for (name, content) in files.into_iter().chain(shallow) {
            let path = self.to.join(name);
            fs::write(&path, content).map_err(GitError::file(&path))?;
        }
        Ok(())
    }

    /// A call in the new repository.
    fn call(&self) -> GitCall<'_> {
        let remaining = self.deadline.saturating_duration_since(Instant::now());
        self.own
            .repository
            .git
            .call(self.to)
            .env("GIT_DIR", self.to)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            // An object may say that it is of any size.
            .env("GIT_ALLOC_LIMIT", self.limits.bytes.to_string())
            .with_time_limit(remaining.max(SHORTEST))
    }

    /// What git said, unless it refused what the agent made: then that is left out.
    fn unless_refused(
        &mut self,
        what: &str,
        said: Result<Vec<u8>, GitError>,
    ) -> Result<Option<Vec<u8>>, GitError> {
        match said {
            Ok(said) => Ok(Some(said)),
            Err(error @ (GitError::Failed { .. } | GitError::TooMuch { .. })) => {
                self.leave_out(format!("{what}: {error}"));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn leave_out(&mut self, what: String) {
        self.report.left_out.push(what);
    }

    /// Whether there is no time left; says so once.
    fn is_over(&mut self) -> Result<bool, GitError> {
        if self.own.repository.git.stop_flag().is_raised() {
            let tried = "the import of the agent's repository".to_owned();
            return Err(GitError::Stopped { tried });
        }
        let is_over = Instant::now() >= self.deadline;
        let words = format!("what was left after {:?}", self.limits.time);
        if is_over && !self.report.left_out.contains(&words) {
            self.leave_out(words);
        }
        Ok(is_over)
    }
}

impl ImportReport {
    /// A text for people who find the repository.
    fn description(&self) -> String {
        let mut text = "What an agent put into its own repository.\n".to_owned();
        for what in &self.left_out {
            text.push_str("Left out: ");
            text.extend(what.chars().map(|c| if c.is_control() { ' ' } else { c }));
            text.push('\n');
        }
        text
    }
}

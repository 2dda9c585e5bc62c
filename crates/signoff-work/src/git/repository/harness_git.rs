//! The harness's own git directory: a configuration written here, and the person's objects.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::call::StopFlag;
use crate::git::command::GitCall;
use crate::git::names::{Name, lies_within, name};
use crate::git::repository::excludes::{INSTALLED_BY_AGENTS, pattern};
use crate::git::repository::private::read_if_file;
use crate::git::scratch::{Scratch, write};
use crate::git::trees::recent::RecentAnswers;
use crate::git::{GitError, Id, Repository};

/// The harness's own git directory. New objects go to the person's; nothing else of the person's repository is
/// written, except by landing.
#[derive(Debug, Clone)]
pub struct HarnessGit {
    pub(crate) repository: Repository,
    directory: Arc<Path>,
    pub(crate) kept: Arc<[Name]>,
    empty: Arc<OnceLock<Id>>,
    /// The tree whose `.gitattributes` count, once it is known.
    attributes: Arc<OnceLock<Attributes>>,
    recent: Arc<Mutex<RecentAnswers>>,
    /// Taken while the index of the checkout is read or replaced.
    looking: Arc<Mutex<()>>,
}

/// Attributes that are kept for as long as a run lasts.
#[derive(Debug)]
struct Attributes {
    source: Id,
    /// All of them, once they were read; one thread reads at a time.
    said: Mutex<Option<Vec<u8>>>,
}

impl HarnessGit {
    pub(crate) fn open(
        repository: Repository,
        directory: &Path,
        kept: &[String],
    ) -> Result<Self, GitError> {
        for folder in ["refs", "objects", "info", "tmp", "empty"] {
            let path = directory.join(folder);
            fs::create_dir_all(&path).map_err(GitError::file(&path))?;
        }
        let directory = directory
            .canonicalize()
            .map_err(GitError::file(directory))?;
        let own = Self {
            repository,
            directory: directory.into(),
            kept: kept
                .iter()
                .map(|path| name(path.trim_start_matches("./").trim_end_matches('/')))
                .collect(),
            empty: Arc::default(),
            attributes: Arc::default(),
            recent: Arc::default(),
            looking: Arc::default(),
        };
        own.configure()?;
        Ok(own)
    }

    /// Is this one of the harness's own files, in one of its directories, or a name that a file of its has for a moment?
    /// It writes them while a run is at work.
    pub fn is_kept(&self, name: &[u8]) -> bool {
        const MOMENTARY: &[u8] = b".signoff-";
        let (_, last) = crate::tree::split(name);
        let mut parts = last.windows(MOMENTARY.len());
        lies_within(name, &self.kept)
            || last.starts_with(b".") && parts.any(|part| part == MOMENTARY)
    }

    /// Written anew each time, but for what the person ignores: a run keeps the rules that it began with.
    fn configure(&self) -> Result<(), GitError> {
        let found = &self.repository.info;
        let (excludes, attributes) = (
            self.directory.join("excludes"),
            self.directory.join("attributes"),
        );
        if !excludes.exists() {
            write(&excludes, &self.exclude_lines()?)?;
        }
        // No driver is defined here that they could name.
        write(
            &attributes,
            &self.personal_file("core.attributesfile", "attributes")?,
        )?;
        let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
        let config = found
            .settings
            .harness_config(&bytes(&excludes), &bytes(&attributes));
        let fsync = self.repository.git.durability().fsync_setting();
        let config = format!("{config}[core]\n\tfsync = {fsync}\n");
        write(&self.directory.join("config"), config.as_bytes())?;
        for file in ["info/attributes", "shallow"] {
            let to = self.directory.join(file);
            match fs::read(found.common.join(file)) {
                Ok(content) => write(&to, &content)?,
                Err(_) if to.exists() => fs::remove_file(&to).map_err(GitError::file(&to))?,
                Err(_) => {}
            }
        }
        write(&self.directory.join("HEAD"), b"ref: refs/heads/signoff\n")
    }

    /// What programs of agents have for themselves; what the person ignores everywhere, and in this repository without saying
    /// so in it; and what the harness has beside files while it writes them.
    fn exclude_lines(&self) -> Result<Vec<u8>, GitError> {
        let mut text = INSTALLED_BY_AGENTS.as_bytes().to_vec();
        text.extend(self.personal_file("core.excludesfile", "ignore")?);
        text.push(b'\n');
        text.extend(read_if_file(
            &self.repository.info.common.join("info/exclude"),
        )?);
        text.extend_from_slice(b"\n.signoff-landing-*\n");
        for what in ["tmp", "next", "gone"] {
            text.extend(format!(".?*.signoff-{what}\n").into_bytes());
        }
        Ok(text)
    }

    /// A file of the person's that a setting names, or that is in the usual place.
    fn personal_file(&self, setting: &str, usual: &str) -> Result<Vec<u8>, GitError> {
        let git = &self.repository.git;
        let path = match self.repository.info.settings.get(setting) {
            Some(named) => match named.strip_prefix("~/") {
                Some(rest) => git.home("HOME").map(|home| home.join(rest)),
                None => Some(self.repository.top().join(named)),
            },
            None => git
                .home("XDG_CONFIG_HOME")
                .or_else(|| Some(git.home("HOME")?.join(".config")))
                .map(|folder| folder.join("git").join(usual)),
        };
        path.map_or_else(|| Ok(Vec::new()), |path| read_if_file(&path))
    }

    /// Ignores these paths as well, for as long as this directory is used.
    pub fn ignore_also(&self, names: &[Name]) -> Result<(), GitError> {
        let mut text = self.excludes()?;
        for name in names {
            let line = pattern(name);
            if !text
                .split_inclusive(|byte| *byte == b'\n')
                .any(|known| known == line)
            {
                text.extend(line);
            }
        }
        write(&self.directory.join("excludes"), &text)
    }

    /// What agents' repositories ignore too.
    pub(crate) fn excludes(&self) -> Result<Vec<u8>, GitError> {
        let path = self.directory.join("excludes");
        fs::read(&path).map_err(GitError::file(&path))
    }

    /// Commits that are there without their parents.
    pub(crate) fn shallow_commits(&self) -> Option<Vec<u8>> {
        fs::read(self.directory.join("shallow")).ok()
    }

    /// A call about objects alone.
    pub(crate) fn call(&self) -> GitCall<'_> {
        // No attributes are found in an empty tree.
        self.call_in(
            &self.directory.join("empty"),
            &self.directory.join("empty/none"),
        )
    }

    /// From now on the `.gitattributes` of this commit say how contents become files and are merged, whichever tree is
    /// at hand: they are rules like those of what is ignored, and an agent that writes others changes no file of anybody
    /// else by it.
    pub fn keep_attributes_of(&self, first: &Id) {
        self.attributes.get_or_init(|| Attributes {
            source: first.clone(),
            said: Mutex::default(),
        });
    }

    /// What the `.gitattributes` say that count in every tree; empty if there are none.
    pub(crate) fn kept_attributes(&self) -> Result<Vec<u8>, GitError> {
        let Some(kept) = self.attributes.get() else {
            return Ok(Vec::new());
        };
        let mut known = kept.said.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(said) = &*known {
            return Ok(said.clone());
        }
        let mut said = Vec::new();
        for file in self.files_of(&kept.source)? {
            if crate::tree::split(&file.name).1 == b".gitattributes" {
                said.extend([&file.name[..], b"\0", file.id.as_str().as_bytes(), b"\n"].concat());
            }
        }
        Ok(known.insert(said).clone())
    }

    /// The tree whose attributes count, whatever this call is about.
    pub(crate) fn attribute_source(&self) -> Option<&Id> {
        self.attributes.get().map(|kept| &kept.source)
    }

    /// A call about these files, by this index.
    pub(crate) fn call_in(&self, tree: &Path, index: &Path) -> GitCall<'_> {
        let call = self.plain_call_in(tree, index);
        match self.attribute_source() {
            Some(source) => call.env("GIT_ATTR_SOURCE", source.as_str()),
            None => call,
        }
    }

    fn plain_call_in(&self, tree: &Path, index: &Path) -> GitCall<'_> {
        self.repository
            .git
            .call(tree)
            .env("GIT_DIR", self.directory.as_os_str())
            .env("GIT_WORK_TREE", tree)
            .env("GIT_INDEX_FILE", index)
            .env("GIT_OBJECT_DIRECTORY", self.repository.objects())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
    }

    /// A directory that is removed when it is dropped.
    pub(crate) fn scratch(&self) -> Result<Scratch, GitError> {
        Scratch::new(&self.directory.join("tmp"))
    }

    /// What git said lately.
    pub(crate) fn recent(&self) -> MutexGuard<'_, RecentAnswers> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds the lock that allows one scan of the checkout at a time.
    pub(crate) fn lock_scans(&self) -> MutexGuard<'_, ()> {
        // What it guards is files, which are replaced whole.
        self.looking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where shared parts of split indexes are looked for.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The tree with nothing in it.
    pub(crate) fn empty_tree(&self) -> Result<Id, GitError> {
        if let Some(known) = self.empty.get() {
            return Ok(known.clone());
        }
        // Not `mktree`: it does not read what is to be synced.
        let words = ["hash-object", "-t", "tree", "-w", "--stdin"];
        let made = Id::read(&self.call().args(words).stdin(Vec::new()).run()?)?;
        Ok(self.empty.get_or_init(|| made).clone())
    }

    /// Raised, it ends what git does for this directory, and everything that git is asked for later. What writes to the
    /// person's repository comes to its end.
    pub fn stop_flag(&self) -> StopFlag {
        self.repository.git.stop_flag().clone()
    }
}

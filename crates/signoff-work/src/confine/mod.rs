//! What agents and contracts may touch: one policy for each, made of where things are.
//!
//! They never share a writable directory except the tree. An agent has a home and a temporary directory of its own,
//! which are gone after the attempt; a contract has the person's home, in which it can write to caches only. What a
//! policy is worth is the sandbox's level.

mod git;
mod home;
mod known;
mod needs;
mod places;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use signoff_sandbox::{Bind, Level, Nesting, Network, Policy};

pub use self::git::keep_repository;
pub use self::needs::{Needs, needs};
use crate::environment::Variables;

/// Where a process finds a temporary directory and shared memory of its own, and nothing of anybody else's.
const ITS_OWN: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Where everything is, for one run.
#[derive(Debug, Clone)]
pub struct Grounds {
    /// The tree that agents work in and contracts judge.
    pub tree: PathBuf,
    /// What nobody but the harness writes: its store, the plan's file.
    pub kept: Vec<PathBuf>,
    /// The person's home.
    pub home: Option<PathBuf>,
    /// PATH of what is started.
    pub path: OsString,
    pub network: bool,
    /// Processes and threads that one command may have at once.
    pub processes: Option<u32>,
    /// Bytes of memory that each of its processes may have.
    pub memory: Option<u64>,
    /// What the sandbox enforces here.
    pub level: Level,
    /// What lies outside of a worktree and is read in it: the objects of the repository, prompts.
    pub seen: Vec<PathBuf>,
}

/// What one process is started with.
#[derive(Debug, Clone)]
pub struct Confined {
    policy: Policy,
    /// Variables that say where its home and its temporary directory are, and that it is confined.
    environment: Vec<(OsString, OsString)>,
}

impl Confined {
    /// Sets its variables, whatever they were, and returns what it may touch.
    pub fn into_policy(self, environment: &mut Vec<(OsString, OsString)>) -> Policy {
        environment.retain(|(name, _)| !self.environment.iter().any(|(own, _)| own == name));
        environment.extend(self.environment);
        self.policy
    }
}

impl Grounds {
    /// The same in another tree: what is kept here is kept there.
    #[must_use]
    pub fn moved_to(&self, tree: &Path) -> Self {
        let moved = |path: &PathBuf| match path.strip_prefix(&self.tree) {
            Ok(below) => tree.join(below),
            Err(_) => path.clone(),
        };
        Self {
            kept: self.kept.iter().map(moved).collect(),
            tree: tree.to_owned(),
            ..self.clone()
        }
    }

    /// A world of its own for one attempt of an agent, in a directory that holds nothing yet.
    pub fn for_agent(
        &self,
        scratch: &Path,
        needs: &Needs,
        protected: &[PathBuf],
        all: &Variables,
    ) -> io::Result<Confined> {
        let (home, temp) = (scratch.join("home"), scratch.join("tmp"));
        std::fs::create_dir_all(&temp)?;
        home::make(&home, self.home.as_deref(), needs, all)?;
        let mut environment = vec![("HOME".into(), home.clone().into())];
        if self.level > Level::None {
            environment.extend(needs.told());
        }
        environment.push(("TMPDIR".into(), self.temp_seen(&temp)));
        let mut policy = self.common(temp);
        policy.writable.push(home);
        // Whoever configured the command wants it to find what it names.
        let named = needs.named();
        policy.binds.extend(self.needed(&policy.hidden, named));
        policy.read_only.extend(fit_to_bind(protected));
        policy.nesting = if needs.nests() {
            Nesting::Allowed
        } else {
            Nesting::Denied
        };
        if let Some(real) = self.git() {
            match git::make(&real, scratch) {
                Ok(binds) => policy.binds.extend(binds),
                Err(_) => policy.read_only.push(real),
            }
        }
        Ok(Confined {
            policy,
            environment,
        })
    }

    /// The world of a contract, and of a command that a tool runs. `temp` exists.
    pub fn for_contract(&self, temp: PathBuf) -> Confined {
        let environment = vec![("TMPDIR".into(), self.temp_seen(&temp))];
        let mut policy = self.common(temp);
        policy.read_only.extend(self.git());
        if let Some(home) = &self.home {
            policy.writable.extend(places::caches(home));
            policy.read_only.extend(places::kept_in_caches(home));
        }
        Confined {
            policy,
            environment,
        }
    }

    fn common(&self, temp: PathBuf) -> Policy {
        let mut hidden = places::sockets();
        hidden.extend(self.home.iter().flat_map(|home| places::secrets(home)));
        let mut binds = self.needed(&hidden, places::programs(&self.path));
        binds.extend(self.needed(&hidden, self.seen.iter().cloned()));
        Policy {
            writable: vec![self.tree.clone()],
            temp: Some(temp),
            read_only: self.kept_now(),
            binds,
            overlays: Vec::new(),
            hidden,
            network: if self.network {
                Network::On
            } else {
                Network::Off
            },
            processes: self.processes,
            memory: self.memory,
            nesting: Nesting::Denied,
        }
    }

    fn kept_now(&self) -> Vec<PathBuf> {
        let mut kept = fit_to_bind(&self.kept);
        kept.extend(self.git_elsewhere());
        kept
    }

    /// What of these the process would not find: it lies in something hidden, or where the process has something of its own.
    fn needed(&self, hidden: &[PathBuf], paths: impl Iterator<Item = PathBuf>) -> Vec<Bind> {
        let covered = |path: &PathBuf| {
            let mut covers = hidden
                .iter()
                .map(PathBuf::as_path)
                .chain(ITS_OWN.map(Path::new));
            // Not the cover itself: what it covers would be there again.
            covers.any(|cover| path != cover && path.starts_with(cover))
                && !path.starts_with(&self.tree)
        };
        let bind = |path: PathBuf| Bind {
            from: path.clone(),
            to: path,
            writable: false,
        };
        paths.filter(covered).map(bind).collect()
    }

    /// Where the process finds its temporary directory.
    fn temp_seen(&self, temp: &Path) -> OsString {
        if self.level.mounts() {
            "/tmp".into()
        } else {
            temp.into()
        }
    }

    /// The repository, or the file that says where it is: that of a worktree lies elsewhere, where nothing is writable.
    fn git(&self) -> Option<PathBuf> {
        fit_to_bind(&[self.tree.join(".git")]).pop()
    }

    /// A repository that lies elsewhere in the tree.
    fn git_elsewhere(&self) -> Option<PathBuf> {
        let text = std::fs::read_to_string(self.tree.join(".git")).ok()?;
        let path = self.tree.join(text.strip_prefix("gitdir:")?.trim());
        let path = path.canonicalize().ok()?;
        (path.starts_with(&self.tree) && path != self.tree).then_some(path)
    }
}

/// Those that are there and are no links: only they can be kept by a mount.
fn fit_to_bind(paths: &[PathBuf]) -> Vec<PathBuf> {
    let fits = |path: &&PathBuf| {
        path.symlink_metadata()
            .is_ok_and(|found| found.is_file() || found.is_dir())
    };
    paths.iter().filter(fits).cloned().collect()
}

//! What agents and contracts may touch: one policy for each, made of where things are.
//!
//! They never share a writable directory except the tree. Each has a home and a temporary directory of its own, which are
//! gone with it; of the person's home it finds what is on an allow-list (`home`). What a policy is worth is the sandbox's
//! level.

mod git;
mod home;
mod hooks;
mod known_agents;
mod login_check;
mod login_renewal;
mod machine;
mod requirements;
mod sessions;
mod shells;
mod visible_tree;

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use signoff_sandbox::{Bind, Level, Nesting, Network, Policy, Tracing};

pub use self::git::private_repository;
use self::home::ViewOptions;
pub use self::home::{Home, HomeOptions};
pub use self::hooks::DroppedHook;
pub use self::known_agents::Advice;
pub use self::login_check::{LoginState, agent_advice, login_state};
pub use self::login_renewal::{KeptLogins, LoginCopy, LoginKeeper};
pub use self::requirements::AgentRequirements;
use self::requirements::Login;
pub use self::sessions::SessionFolders;
pub use self::shells::closed_shells;
pub use self::visible_tree::{OBJECTS, VisibleTree};
use crate::beneath::{Directory, Links};
use crate::environment::Variables;

/// Bytes of a file that says where a repository is.
const POINTER: u64 = 64 << 10;

/// Where a process finds a temporary directory and shared memory of its own.
const ITS_OWN: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Where everything is, for one run.
#[derive(Debug, Clone)]
pub struct RunPaths {
    /// The checkout: processes find their tree at its path.
    pub tree: PathBuf,
    /// The directory with the objects that recorded trees are made of.
    pub objects: Option<PathBuf>,
    /// What only the harness writes: its store, the plan's file.
    pub kept: Vec<PathBuf>,
    /// What is found of the person's home.
    pub home: Home,
    /// Whether directories can be made of layers here.
    pub overlays: bool,
    /// PATH of what is started.
    pub path: OsString,
    pub network: bool,
    /// Processes and threads that one command may have at once.
    pub processes: Option<u32>,
    /// Bytes of memory that each of its processes may have.
    pub memory: Option<u64>,
    /// What the sandbox enforces here.
    pub level: Level,
    /// What contracts find in the place of shells ([`closed_shells`]).
    pub shells: Vec<Bind>,
}

/// What one process is started with.
#[derive(Debug, Clone)]
pub struct Confined {
    policy: Policy,
    /// Variables that say where its home and its temporary directory are, and that it is confined.
    environment: Vec<(OsString, OsString)>,
    /// Copies of logins that it may renew.
    logins: Vec<LoginCopy>,
}

impl Confined {
    /// What it may touch.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Copies of logins that it may renew.
    pub fn logins(&self) -> &[LoginCopy] {
        &self.logins
    }

    /// Shows it something more.
    pub fn show(&mut self, bind: Bind) {
        self.policy.binds.push(bind);
    }

    /// Sets its variables, whatever they were, and returns what it may touch.
    pub fn into_policy(self, environment: &mut Vec<(OsString, OsString)>) -> Policy {
        environment.retain(|(name, _)| !self.environment.iter().any(|(own, _)| own == name));
        environment.extend(self.environment);
        self.policy
    }
}

impl RunPaths {
    /// Confines one attempt of an agent. `scratch` is an empty directory for its home and its temporary files.
    pub fn for_agent(
        &self,
        scratch: &Path,
        needs: &AgentRequirements,
        shown: &VisibleTree,
        read_only: &[PathBuf],
        all: &Variables,
    ) -> io::Result<Confined> {
        let mut confined = self.confine_agent_process(scratch, needs, all)?;
        self.show(shown, read_only, &mut confined.policy);
        if let Some(real) = self.git().filter(|_| !shown.is_recorded()) {
            match git::make(&real, scratch) {
                Ok(binds) => confined.policy.binds.extend(binds),
                Err(_) => confined.policy.read_only.push(real),
            }
        }
        Ok(confined)
    }

    /// Confines an agent that is only asked something: it finds the checkout, and can change nothing but its own home and
    /// temporary files.
    pub fn for_reader(
        &self,
        scratch: &Path,
        needs: &AgentRequirements,
        all: &Variables,
    ) -> io::Result<Confined> {
        let mut confined = self.confine_agent_process(scratch, needs, all)?;
        confined
            .policy
            .binds
            .push(read_only_bind(self.tree.clone()));
        Ok(confined)
    }

    /// Confines a contract, or a command that a tool runs. `scratch` is an empty directory for its home and its temporary
    /// files.
    pub fn for_contract(
        &self,
        scratch: &Path,
        shown: &VisibleTree,
        read_only: &[PathBuf],
    ) -> io::Result<Confined> {
        let mut confined = self.common(scratch, &[])?;
        confined.policy.unmarked = true;
        if self.level.uses_mounts() {
            confined.policy.binds.extend(self.shells.iter().cloned());
        }
        self.show(shown, read_only, &mut confined.policy);
        let git = self.git().filter(|_| !shown.is_recorded());
        confined.policy.read_only.extend(git);
        Ok(confined)
    }

    /// What every agent finds, whatever it finds at the checkout's path.
    fn confine_agent_process(
        &self,
        scratch: &Path,
        needs: &AgentRequirements,
        all: &Variables,
    ) -> io::Result<Confined> {
        let home = self.home.real_home();
        let mut logins = home.map_or_else(Vec::new, |home| needs.files(home, all));
        self.drop_hooks(needs, &mut logins);
        let mut confined = self.common(scratch, &logins)?;
        if self.level > Level::None {
            confined.environment.extend(needs.confined_variables());
        }
        let programs = self.named_paths(needs).programs;
        let policy = &mut confined.policy;
        policy
            .binds
            .extend(programs.into_iter().map(read_only_bind));
        policy.nesting = if needs.has_own_sandbox() {
            Nesting::Allowed
        } else {
            Nesting::Denied
        };
        // A debugger attaches to what runs already, and nobody is judged by what an agent's processes say.
        policy.tracing = Tracing::Allowed;
        Ok(confined)
    }

    /// What an agent's command names and the agent does not find, because only programs are handed over.
    pub fn unreachable(&self, needs: &AgentRequirements) -> Vec<PathBuf> {
        self.named_paths(needs).others
    }

    fn common(&self, scratch: &Path, logins: &[Login]) -> io::Result<Confined> {
        let temp = scratch.join("tmp");
        std::fs::create_dir_all(&temp)?;
        let options = ViewOptions {
            mounts: self.level.uses_mounts(),
            overlays: self.overlays,
            logins,
        };
        let home = self.home.prepare(scratch, &options)?;
        let mut environment = home.environment;
        environment.push(("TMPDIR".into(), self.temp_seen(&temp)));
        let mut hidden = home.hidden;
        hidden.extend(machine::sockets());
        let mut binds = home.binds;
        let programs = self.home.programs().iter();
        let programs = programs.filter(|path| self.is_covered(path));
        binds.extend(programs.cloned().map(read_only_bind));
        let policy = Policy {
            writable: home.writable,
            temp: Some(temp),
            read_only: Vec::new(),
            binds,
            overlays: home.overlays,
            hidden,
            network: if self.network {
                Network::On
            } else {
                Network::Off
            },
            processes: self.processes,
            memory: self.memory,
            nesting: Nesting::Denied,
            unmarked: false,
            tracing: Tracing::Denied,
        };
        Ok(Confined {
            policy,
            environment,
            logins: home.logins,
        })
    }

    /// Whether a process does not find what is at this path.
    pub fn hides(&self, path: &Path) -> bool {
        self.level.uses_mounts() && self.is_covered(path)
    }

    /// Whether the process finds something else at this path: a file of its own, or nothing.
    fn is_covered(&self, path: &Path) -> bool {
        let sockets = machine::sockets();
        let mut covers = sockets.iter().map(PathBuf::as_path);
        let mut own = ITS_OWN.iter().map(Path::new);
        // Not the covered directory itself: showing it would show everything in it.
        let lies_in = |cover: &Path| path != cover && path.starts_with(cover);
        (covers.any(lies_in) || own.any(lies_in) || self.home.covers(path))
            && !path.starts_with(&self.tree)
            && !self.home.shows(path)
    }

    /// Paths that an agent's command names, and that the agent would not see otherwise.
    fn named_paths(&self, needs: &AgentRequirements) -> NamedPaths {
        let home = self.home.real_home();
        let holds_tree_or_home = |path: &Path| {
            self.tree.starts_with(path) || home.is_some_and(|home| home.starts_with(path))
        };
        let named = needs.named_paths(&self.path).into_iter().filter(|path| {
            let is_missed = self.is_covered(path) || self.home.is_secret(path);
            is_missed && !holds_tree_or_home(path) && !needs.logs_in_with(path, home)
        });
        let (programs, others) =
            named.partition(|path| is_program(path) && !self.home.is_secret(path));
        NamedPaths { programs, others }
    }

    fn kept_paths(&self) -> Vec<PathBuf> {
        let mut kept = fit_to_bind(&self.kept);
        kept.extend(self.git_elsewhere());
        kept
    }

    /// Where the process finds its temporary directory.
    fn temp_seen(&self, temp: &Path) -> OsString {
        if self.level.uses_mounts() {
            "/tmp".into()
        } else {
            temp.into()
        }
    }

    /// The repository, or the file that points to it. (A linked worktree's repository is outside the tree, where nothing is
    /// writable.)
    fn git(&self) -> Option<PathBuf> {
        fit_to_bind(&[self.tree.join(".git")]).pop()
    }

    /// The repository that the `.git` file points to, if it is inside the tree.
    fn git_elsewhere(&self) -> Option<PathBuf> {
        let tree = Directory::open(&self.tree).ok()?;
        let text = tree.read(Path::new(".git"), Links::Refuse, POINTER).ok()?;
        let text = String::from_utf8(text).ok()?;
        let path = self.tree.join(text.strip_prefix("gitdir:")?.trim());
        let path = path.canonicalize().ok()?;
        (path.starts_with(&self.tree) && path != self.tree).then_some(path)
    }
}

/// What a command names, without links.
struct NamedPaths {
    programs: Vec<PathBuf>,
    /// Paths that are not programs, or that no process may read.
    others: Vec<PathBuf>,
}

fn is_program(path: &Path) -> bool {
    let found = path.metadata();
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn read_only_bind(path: PathBuf) -> Bind {
    Bind {
        from: path.clone(),
        to: path,
        writable: false,
    }
}

/// Those that exist and are not links: a mount can protect only these.
fn fit_to_bind(paths: &[PathBuf]) -> Vec<PathBuf> {
    let fits = |path: &&PathBuf| {
        path.symlink_metadata()
            .is_ok_and(|found| found.is_file() || found.is_dir())
    };
    paths.iter().filter(fits).cloned().collect()
}

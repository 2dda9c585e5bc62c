//! Our files that an agent sees: the tools of its step, the files it was started with, sockets of its tool servers, and
//! this program. An agent that mounts confine can change none of them.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use signoff_api::guard::{DENIED_VARIABLE, GuardScope, SCOPE_VARIABLE};
use signoff_engine::Run;
use signoff_plan::guard::Agent;
use signoff_plan::model::Step;
use signoff_plan::tools::scope;
use signoff_sandbox::Bind;
use signoff_work::agent::{DriverKind, LaunchServer};
use signoff_work::confine::{Confined, RunPaths};

use super::agent_servers::ServerSocket;
use super::commands::CommandBuilder;
use crate::confinement::Scratch;
use crate::error::Error;
use crate::guard::{HookStore, hook_command};

/// Where an agent that mounts confine finds them, and this program.
const SHOWN_DIRECTORY: &str = "/tmp/signoff-room";
const PROGRAM: &str = "/tmp/signoff";
const SCOPE: &str = "scope.json";
/// The guard writes down here what it refused, in a temporary directory.
const DENIED: &str = "signoff-denied";

/// A directory for one attempt.
#[derive(Debug)]
pub(super) struct AgentFiles {
    directory: ShownPath,
    program: ShownPath,
    denied: ShownPath,
    sockets: Vec<ServerSocket>,
}

/// A file or directory: our path of it, and the agent's.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ShownPath {
    path: PathBuf,
    seen: PathBuf,
}

impl ShownPath {
    fn new(path: PathBuf, seen: Option<&str>) -> Self {
        let seen = seen.map_or_else(|| path.clone(), PathBuf::from);
        Self { path, seen }
    }

    /// Shows it, if the agent finds it elsewhere.
    fn show(&self, confined: &mut Confined) {
        if self.path != self.seen {
            confined.show(read_only(&self.path, &self.seen));
        }
    }
}

impl CommandBuilder<'_> {
    /// Makes what an agent finds of ours. `is_mounted`: it sees a tree of its own, and not the store.
    pub(super) fn agent_files(
        &self,
        run: &Run,
        step: &Step,
        attempt: u32,
        scratch: Option<&Scratch>,
        is_mounted: bool,
    ) -> Result<AgentFiles, Error> {
        let tools = scope(run.plan(), step);
        let names = plain_names(tools.unwrap_or_default());
        let servers = servers_in_scope(self.project.config.servers.keys(), &names);
        let tools = tools.map(<[String]>::to_vec);
        let scope = GuardScope::new(run.id(), &step.id, attempt, tools, servers);
        let dir = self.dir.attempt(&step.id, attempt);
        let directory = match scratch.filter(|_| is_mounted) {
            Some(scratch) => ShownPath::new(scratch.path().join("room"), Some(SHOWN_DIRECTORY)),
            None => ShownPath::new(dir.path().join("room"), None),
        };
        let denied = match scratch {
            Some(scratch) => {
                let seen = self.is_mounted().then(|| format!("/tmp/{DENIED}"));
                ShownPath::new(scratch.path().join("tmp").join(DENIED), seen.as_deref())
            }
            None => ShownPath::new(dir.path().join(DENIED), None),
        };
        AgentFiles::make(directory, denied, self.dir.path(), &scope).map_err(Error::Sandbox)
    }
}

impl AgentFiles {
    /// `copies` is where this program is copied to if it cannot be found any more.
    fn make(
        directory: ShownPath,
        denied: ShownPath,
        copies: &Path,
        scope: &GuardScope,
    ) -> io::Result<Self> {
        std::fs::create_dir_all(&directory.path)?;
        let text = serde_json::to_vec(scope).map_err(io::Error::other)?;
        std::fs::write(directory.path.join(SCOPE), text)?;
        let is_elsewhere = directory.path != directory.seen;
        let program = ShownPath::new(own_program(copies)?, is_elsewhere.then_some(PROGRAM));
        let socket = |(number, server): (usize, &String)| ServerSocket {
            server: server.clone(),
            path: directory.path.join(format!("server-{number}.sock")),
        };
        Ok(Self {
            sockets: scope.servers.iter().enumerate().map(socket).collect(),
            directory,
            program,
            denied,
        })
    }

    /// Shows it to a confined agent. This program is also found where it is: hooks of the person's own call it there.
    pub(super) fn show(&self, confined: &mut Confined, paths: &RunPaths) {
        self.directory.show(confined);
        self.program.show(confined);
        let program = &self.program.path;
        if self.program.seen != *program && paths.hides(program) {
            confined.show(read_only(program, program));
        }
    }

    /// Writes a file that the agent is started with.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.directory.path.join(name);
        std::fs::write(&path, bytes).map_err(|why| Error::Unreadable { path, why })
    }

    /// Variables with which the guard finds its scope, and where it writes down what it refused.
    pub(super) fn variables(&self) -> [(OsString, OsString); 2] {
        let scope = self.directory.seen.join(SCOPE);
        [
            (SCOPE_VARIABLE.into(), scope.into()),
            (DENIED_VARIABLE.into(), self.denied.seen.clone().into()),
        ]
    }

    /// Where it writes that down, for us.
    pub(super) fn denials_path(&self) -> &Path {
        &self.denied.path
    }

    /// Where the agent finds it.
    pub(super) fn path_for_agent(&self) -> &Path {
        &self.directory.seen
    }

    pub(super) fn sockets(&self) -> &[ServerSocket] {
        &self.sockets
    }

    /// The servers as the agent starts them.
    pub(super) fn servers(&self) -> Vec<LaunchServer> {
        let server = |socket: &ServerSocket| {
            let name = socket.path.file_name().unwrap_or_default();
            let words = [
                self.program.seen.clone(),
                "mcp-proxy".into(),
                self.directory.seen.join(name),
            ];
            LaunchServer {
                name: socket.server.clone(),
                command: words
                    .map(|word| word.to_string_lossy().into_owned())
                    .to_vec(),
            }
        };
        self.sockets.iter().map(server).collect()
    }
}

fn read_only(from: &Path, to: &Path) -> Bind {
    Bind {
        from: from.to_owned(),
        to: to.to_owned(),
        writable: false,
    }
}

/// The command that an agent asks before it uses a tool. An agent that is spoken with asks us.
pub(super) fn guard_hook(driver: DriverKind, files: &AgentFiles) -> Option<String> {
    let agent = match driver {
        DriverKind::Claude => Agent::Claude,
        DriverKind::Codex => Agent::Codex,
        DriverKind::Gemini => Agent::Gemini,
        DriverKind::Opencode => Agent::Opencode,
        DriverKind::Pi => Agent::Pi,
        DriverKind::Acp | DriverKind::Command => return None,
    };
    Some(hook_command(
        &files.program.seen,
        agent,
        HookStore::Optional,
    ))
}

/// The configured servers of which a scope names a tool, in one order.
pub(super) fn servers_in_scope<'c>(
    configured: impl Iterator<Item = &'c String>,
    scope: &[String],
) -> Vec<String> {
    let is_named = |server: &&String| {
        let prefix = format!("{server}.");
        scope.iter().any(|name| match name.strip_suffix('*') {
            Some(pattern) => prefix.starts_with(pattern) || pattern.starts_with(&prefix),
            None => name == *server || name.starts_with(&prefix),
        })
    };
    configured.filter(is_named).cloned().collect()
}

/// Names of servers' tools as the plan's own rules know them: agents write `mcp__server__tool`.
pub(super) fn plain_names(scope: &[String]) -> Vec<String> {
    let plain = |name: &String| match name.strip_prefix("mcp__") {
        Some(name) => name.replacen("__", ".", 1),
        None => name.clone(),
    };
    scope.iter().map(plain).collect()
}

/// This program as a file that can be shown. It may have been replaced or deleted since it was started; then what runs is
/// copied, once.
fn own_program(copies: &Path) -> io::Result<PathBuf> {
    const RUNNING: &str = "/proc/self/exe";
    let running = std::fs::metadata(RUNNING)?;
    let is_running = |path: &Path| {
        let found = std::fs::metadata(path);
        found.is_ok_and(|found| (found.dev(), found.ino()) == (running.dev(), running.ino()))
    };
    let named = std::fs::read_link(RUNNING)?;
    if is_running(&named) {
        return Ok(named);
    }
    let copy = copies.join("signoff");
    if !copy.exists() {
        let partial = copies.join("signoff.partial");
        std::fs::copy(RUNNING, &partial)?;
        std::fs::rename(&partial, &copy)?;
    }
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn only_servers_that_the_scope_names_are_there() {
        let configured = names(&["git", "github", "shop"]);
        let check = |scope: &[&str], expected: &[&str]| {
            let found = servers_in_scope(configured.iter(), &names(scope));
            assert_eq!(found, expected, "{scope:?}");
        };
        check(&["read_file"], &[]);
        check(&["git"], &["git"]);
        check(&["github.create_issue", "Bash"], &["github"]);
        check(&["shop.*"], &["shop"]);
        check(&["shop.get_*"], &["shop"]);
        check(&["git*"], &["git", "github"]);
        check(&["read_*"], &[]);
        check(&["*"], &["git", "github", "shop"]);
    }

    #[test]
    fn names_of_agents_are_read() {
        let plain = plain_names(&names(&["mcp__shop__order_it", "mcp__git", "Bash"]));
        assert_eq!(plain, ["shop.order_it", "git", "Bash"]);
    }

    #[test]
    fn this_program_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let found = own_program(directory.path()).unwrap();
        assert_eq!(found, std::env::current_exe().unwrap());
    }
}

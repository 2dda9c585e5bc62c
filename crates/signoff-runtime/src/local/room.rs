//! What an agent with a tool scope finds of ours: its scope, the files it was started with, sockets of its tool servers, and
//! this program. It can change none of it where it is confined by mounts.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use signoff_api::guard::GuardScope;
use signoff_sandbox::Bind;
use signoff_work::agent::LaunchServer;
use signoff_work::confine::Confined;

use super::agent_servers::ServerSocket;

/// Where an agent that is confined by mounts finds it, and this program.
const SEEN: &str = "/tmp/signoff-room";
const PROGRAM: &str = "/tmp/signoff";
const SCOPE: &str = "scope.json";

/// A directory for one attempt.
#[derive(Debug)]
pub(super) struct Room {
    /// Where it is for us.
    path: PathBuf,
    /// Where the agent finds it.
    seen: PathBuf,
    /// Where this program is for us, and where the agent finds it.
    program: PathBuf,
    program_seen: PathBuf,
    sockets: Vec<ServerSocket>,
}

impl Room {
    /// Makes it in `directory`. `copies` is where this program is copied to if it cannot be found any more.
    pub(super) fn make(
        directory: &Path,
        copies: &Path,
        scope: &GuardScope,
        is_mounted: bool,
    ) -> io::Result<Self> {
        let path = directory.join("room");
        std::fs::create_dir_all(&path)?;
        let text = serde_json::to_vec(scope).map_err(io::Error::other)?;
        std::fs::write(path.join(SCOPE), text)?;
        let program = own_program(copies)?;
        let socket = |(number, server): (usize, &String)| ServerSocket {
            server: server.clone(),
            path: path.join(format!("server-{number}.sock")),
        };
        Ok(Self {
            sockets: scope.servers.iter().enumerate().map(socket).collect(),
            seen: if is_mounted {
                SEEN.into()
            } else {
                path.clone()
            },
            program_seen: if is_mounted {
                PROGRAM.into()
            } else {
                program.clone()
            },
            program,
            path,
        })
    }

    /// Shows it to an agent that is confined by mounts.
    pub(super) fn show(&self, confined: &mut Confined) {
        for (from, to) in [
            (&self.path, &self.seen),
            (&self.program, &self.program_seen),
        ] {
            if from != to {
                confined.show(Bind {
                    from: from.clone(),
                    to: to.clone(),
                    writable: false,
                });
            }
        }
    }

    /// Writes a file that the agent is started with.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        std::fs::write(self.path.join(name), bytes)
    }

    /// Where the agent finds it.
    pub(super) fn seen(&self) -> &Path {
        &self.seen
    }

    /// Where the agent finds this program.
    pub(super) fn program_seen(&self) -> &Path {
        &self.program_seen
    }

    /// Where the agent finds its scope.
    pub(super) fn scope_seen(&self) -> PathBuf {
        self.seen.join(SCOPE)
    }

    pub(super) fn sockets(&self) -> &[ServerSocket] {
        &self.sockets
    }

    /// The servers as the agent starts them.
    pub(super) fn servers(&self) -> Vec<LaunchServer> {
        let server = |socket: &ServerSocket| {
            let name = socket.path.file_name().unwrap_or_default();
            let words = [
                self.program_seen.clone(),
                "mcp-proxy".into(),
                self.seen.join(name),
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

//! A Postgres of a test's own, from the programs that the distribution installed.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;

use crate::PATIENCE;

/// An ordinary user, for tests that root runs: Postgres refuses root.
const NOBODY: u32 = 65534;

/// A cluster in a temporary folder, on a port of the loopback. It ends and vanishes with this.
#[derive(Debug)]
pub struct Postgres {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
    running: bool,
}

impl Postgres {
    /// Starts one. `None` where Postgres is not installed, which a test says aloud; in CI that is a failure.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(
                std::env::var_os("CI").is_none(),
                "Postgres is not installed: `cargo xtask test` installs it"
            );
            // Like a line of the test itself.
            #[expect(clippy::print_stderr, reason = "nobody may overlook it")]
            {
                eprintln!("NOT TESTED: Postgres is not installed");
            }
            return None;
        };
        let folder = TempDir::with_prefix("signoff-pg-").expect("a temporary folder");
        if is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).expect("root may do that");
        }
        let mut cluster = Self {
            folder,
            programs,
            port: free_port(),
            running: false,
        };
        let data = cluster.data();
        let made = cluster
            .program("initdb")
            .args([
                "--auth=trust",
                "--username=signoff",
                "--no-sync",
                "--encoding=UTF8",
                "--locale=C",
                "-D",
            ])
            .arg(&data)
            .output()
            .expect("`initdb` starts");
        assert!(made.status.success(), "{made:?}");
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = ''\nshared_buffers = '32MB'\nmax_connections = 200\n",
            cluster.port
        );
        let file = data.join("postgresql.conf");
        let text = fs::read_to_string(&file).expect("`initdb` made it");
        fs::write(&file, text + &settings).expect("it is ours");
        cluster.come_up();
        Some(cluster)
    }

    /// The address of a database that is as new as the cluster.
    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// The address of a database by its name.
    pub fn url_of(&self, database: &str) -> String {
        format!("postgres://signoff@127.0.0.1:{}/{database}", self.port)
    }

    /// Ends it as a crash would, with SIGKILL.
    pub fn kill(&mut self) {
        let file = fs::read_to_string(self.data().join("postmaster.pid")).expect("it is up");
        let pid = file.lines().next().expect("its first line is the process");
        let killed = Command::new("kill").args(["-9", pid]).status();
        assert!(killed.is_ok_and(|status| status.success()), "{pid}");
        self.running = false;
    }

    /// Starts it again where it was killed.
    pub fn come_up(&mut self) {
        let begun = Instant::now();
        while !self.control(&["start", "-w", "-t", "30", "-s"]) {
            assert!(begun.elapsed() < PATIENCE, "Postgres does not come up");
        }
        self.running = true;
    }

    /// Runs a statement and returns what it prints, without decoration.
    pub fn sql(&self, statement: &str) -> String {
        self.sql_at(&self.url(), statement)
    }

    /// The same in the database at this address.
    pub fn sql_at(&self, url: &str, statement: &str) -> String {
        let output = self
            .program("psql")
            .args([
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                "-d",
                url,
                "-c",
                statement,
            ])
            .output()
            .expect("`psql` starts");
        assert!(output.status.success(), "{statement}: {output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn control(&self, words: &[&str]) -> bool {
        let log = self.folder.path().join("log");
        let mut command = self.program("pg_ctl");
        command
            .args(words)
            .arg("-D")
            .arg(self.data())
            .arg("-l")
            .arg(log)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(self.folder.path()).env("LC_ALL", "C");
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.running {
            self.control(&["stop", "-m", "immediate"]);
        }
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|itself| itself.uid() == 0)
}

/// Debian keeps the programs of each version in a directory of their own, outside of PATH.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut found: Vec<PathBuf> = versions
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .filter(|bin| bin.join("initdb").exists() && bin.join("postgres").exists())
        .collect();
    found.sort();
    let of_path = || {
        let path = std::env::var_os("PATH")?;
        let mut entries = std::env::split_paths(&path);
        entries.find(|entry: &PathBuf| has_programs(entry))
    };
    found.pop().or_else(of_path)
}

fn has_programs(directory: &Path) -> bool {
    ["initdb", "pg_ctl", "postgres", "psql"]
        .iter()
        .all(|name| directory.join(name).exists())
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback has free ports");
    listener.local_addr().expect("it is bound").port()
}

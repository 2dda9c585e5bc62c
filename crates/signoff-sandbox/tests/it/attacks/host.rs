//! The host process of an attack: it has the sandbox, and reports whether the attack succeeded.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_sandbox::{
    Bind, Command, CommandReport, Level, Limits, Network, Policy, Sandbox, Stdin,
};

use crate::attacks::{endurance, files, nested, privilege, reach, tracing};

pub(crate) const PART: &str = "SIGNOFF_TEST_ATTACK";

/// Which attack, where.
pub(crate) struct Part {
    pub(crate) attack: String,
    pub(crate) level: Level,
    pub(crate) directory: PathBuf,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {}",
            self.attack,
            self.level,
            self.directory.display()
        )
    }
}

/// Runs the attack that it was given. Without one, the test does nothing.
#[test]
fn run_attack() {
    let Ok(part) = std::env::var(PART) else {
        return;
    };
    let words: Vec<&str> = part.splitn(3, ' ').collect();
    let level = [
        Level::None,
        Level::Landlock,
        Level::Bubblewrap,
        Level::Namespaces,
    ]
    .into_iter()
    .find(|level| level.to_string() == words[1])
    .unwrap();
    let host = Host {
        sandbox: Sandbox::with_level(level).unwrap(),
        level,
        directory: PathBuf::from(words[2]),
    };
    let attacks = [
        files::ATTACKS,
        reach::ATTACKS,
        privilege::ATTACKS,
        endurance::ATTACKS,
        nested::ATTACKS,
        tracing::ATTACKS,
    ];
    let (_, attack) = attacks
        .into_iter()
        .flatten()
        .find(|(name, _)| *name == words[0])
        .unwrap();
    println!(
        "\nattack {}",
        if attack(&host) { "succeeded" } else { "failed" }
    );
}

/// An attack, which says whether it succeeded.
pub(crate) type Function = fn(&Host) -> bool;

/// What an attack works with.
pub(crate) struct Host {
    pub(crate) sandbox: Sandbox,
    pub(crate) level: Level,
    pub(crate) directory: PathBuf,
}

impl Host {
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.join(path)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap_or_default()
    }

    /// Whether the attack wrote its word there.
    pub(crate) fn is_changed(&self, path: &str) -> bool {
        self.read(path).contains("evil")
    }

    /// Runs a script as an agent would.
    pub(crate) fn run(&self, script: &str) -> CommandReport {
        let ended = self.sandbox.run(self.command(script)).unwrap();
        println!(
            "\n{:?}\n{}{}",
            ended.status,
            ended.stdout.text(),
            ended.stderr.text()
        );
        ended
    }

    pub(crate) fn command(&self, script: &str) -> Command {
        let home = self.path("home");
        let program = std::env::current_exe().unwrap();
        let variables: [(&str, OsString); 6] = [
            ("PATH", "/usr/bin:/bin:/usr/sbin:/sbin".into()),
            ("HOME", home.into()),
            ("ME", program.into()),
            ("PLACE", self.directory.clone().into()),
            ("HOST_PID", std::process::id().to_string().into()),
            ("RUST_BACKTRACE", "0".into()),
        ];
        Command {
            argv: ["/bin/sh", "-c", script].map(OsString::from).to_vec(),
            cwd: self.path("tree"),
            env: variables.map(|(name, value)| (name.into(), value)).to_vec(),
            stdin: Stdin::Null,
            marker: None,
            limits: Limits {
                time: Some(Duration::from_mins(1)),
                output: 64 * 1024,
                log: 64 * 1024,
            },
            log: None,
            policy: Some(self.policy()),
            mounts: None,
        }
    }

    /// Without a place for temporary files: everything here lies in `/tmp`, which it would cover.
    pub(crate) fn policy(&self) -> Policy {
        Policy {
            writable: vec![self.path("tree"), self.path("home")],
            read_only: ["tree/.signoff", "tree/plan.md", "tree/docs/protected.md"]
                .iter()
                .map(|path| self.path(path))
                .collect(),
            hidden: vec![self.path("run"), Path::new("/run").to_owned()],
            binds: vec![Bind {
                from: std::env::current_exe().unwrap(),
                to: std::env::current_exe().unwrap(),
                writable: false,
            }],
            network: Network::Off,
            processes: Some(100),
            memory: Some(256 << 20),
            ..Policy::default()
        }
    }
}

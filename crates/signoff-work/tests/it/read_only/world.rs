//! A project to run command lines in, and what changes there.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use signoff_sandbox::{Command, Limits, Network, Policy, Sandbox, Stdin};

/// A repository, a home, and a sandbox without a network.
pub(crate) struct World {
    folder: tempfile::TempDir,
    /// The sandboxes of one process share a network, whose counters count for all.
    _alone: MutexGuard<'static, ()>,
    sandbox: Sandbox,
}

static ALONE: Mutex<()> = Mutex::new(());

/// Makes the files and the repository.
const SETUP: &str = r#"
mkdir src sub
printf 'b 1\na 2\nc 3\na 2\n' > in.txt
printf 'a\nb\n' > b.txt
printf '{"a": [1, 2], "b": "x"}\n' > a.json
printf 'fn main() {}\n' > src/main.rs
printf 'x\n' > sub/-delete
printf 'x\n' > -delete
printf 'x\n' > -ooops
printf 'x\n' > --output=oops
printf 'w out\n' > script.sed
printf 'BEGIN {print > "out"}\n' > script.awk
tar cf a.tar in.txt src
gzip -k b.txt
xz -k b.txt 2> /dev/null
zip -q a.zip in.txt 2> /dev/null
git init -q -b main
git config user.name p
git config user.email p@x
git add in.txt b.txt src
git commit -q -m first
git tag v1
git branch other
printf 'd\n' >> in.txt
git commit -q -am second
printf 'e\n' >> b.txt
git stash -q
printf 'f\n' >> src/main.rs
"#;

/// Runs every line in both shells, and in zsh where it is installed, and prints before and after what the network has seen.
const RUN: &str = r#"
cat /proc/self/net/snmp
echo ran:
for line in "$LINES_DIR"/*; do
    for shell in bash sh $(command -v zsh); do
        timeout -s KILL 1 $shell "$line" < /dev/null > /dev/null 2>&1
    done
done
cat /proc/self/net/snmp
"#;

impl World {
    /// `None` where processes cannot be kept from the network.
    pub(crate) fn new() -> Option<Self> {
        let sandbox = Sandbox::new().unwrap();
        if !sandbox.level().unwrap().uses_mounts() {
            return None;
        }
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
            sandbox,
            _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner),
        };
        for name in ["tree", "home", "temp", "lines"] {
            fs::create_dir(world.path(name)).unwrap();
        }
        let made = Process::new("bash")
            .args(["-c", SETUP])
            .current_dir(world.path("tree"))
            .env("HOME", world.path("home"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        Some(world)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// What changes when these lines run, one after the other.
    pub(crate) fn changes_of(&mut self, lines: &[String]) -> Vec<String> {
        fs::remove_dir_all(self.path("lines")).unwrap();
        fs::create_dir(self.path("lines")).unwrap();
        for (at, line) in lines.iter().enumerate() {
            fs::write(self.path("lines").join(format!("{at:05}")), line).unwrap();
        }
        let before = self.snapshot();
        let counters = self.run(RUN, lines.len());
        let after = self.snapshot();
        let mut changes: Vec<String> = before
            .iter()
            .filter(|(path, state)| after.get(*path) != Some(state))
            .map(|(path, _)| path.display().to_string())
            .collect();
        let new = after.keys().filter(|path| !before.contains_key(*path));
        changes.extend(new.map(|path| path.display().to_string()));
        let (before, after) = counters.split_once("ran:").expect("both counters");
        if attempts(after) > attempts(before) {
            changes.push(format!("the network: {counters}"));
        }
        changes
    }

    /// What a script prints in the sandbox.
    pub(crate) fn run(&self, script: &str, lines: usize) -> String {
        let writable = ["tree", "home", "lines"]
            .map(|name| self.path(name))
            .to_vec();
        let env = [
            ("PATH", std::env::var_os("PATH").unwrap()),
            ("HOME", self.path("home").into()),
            ("LINES_DIR", self.path("lines").into()),
            // Git may refresh its index while it looks, as everybody knows.
            ("GIT_OPTIONAL_LOCKS", "0".into()),
        ];
        let command = Command {
            argv: ["bash", "-c", script].map(OsString::from).to_vec(),
            cwd: self.path("tree"),
            env: env.map(|(name, value)| (name.into(), value)).to_vec(),
            stdin: Stdin::Null,
            marker: None,
            limits: Limits {
                time: Some(Duration::from_secs(30 + 5 * lines as u64)),
                output: 4 << 20,
                log: 0,
            },
            log: None,
            policy: Some(Policy {
                writable,
                temp: Some(self.path("temp")),
                network: Network::Off,
                ..Policy::default()
            }),
            mounts: None,
        };
        self.sandbox.run(command).unwrap().stdout.text()
    }

    fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        for name in ["tree", "home"] {
            note(&self.path(name), &mut found);
        }
        found
    }
}

/// Notes kind, time of change and contents of everything below a directory.
fn note(folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let data = path.symlink_metadata().unwrap();
        let contents = if data.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        let state = format!(
            "{:o} {}.{} {contents:?}",
            data.mode(),
            data.mtime(),
            data.mtime_nsec()
        );
        if data.is_dir() {
            note(&path, found);
        }
        found.insert(path, state);
    }
}

/// How often something tried to reach a machine, by the kernel's counters.
fn attempts(counters: &str) -> u64 {
    [
        ("Tcp:", "ActiveOpens"),
        ("Udp:", "OutDatagrams"),
        ("Ip:", "OutNoRoutes"),
    ]
    .into_iter()
    .map(|(protocol, name)| counter(counters, protocol, name))
    .sum()
}

fn counter(counters: &str, protocol: &str, name: &str) -> u64 {
    let mut lines = counters.lines().filter(|line| line.starts_with(protocol));
    let names = lines.next().expect("the names of the counters").split(' ');
    let values = lines.next().expect("the counters").split(' ');
    let found = names.zip(values).find(|(at, _)| *at == name);
    found.expect("the counter").1.parse().unwrap()
}

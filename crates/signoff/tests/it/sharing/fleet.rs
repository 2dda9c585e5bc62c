//! A project, a database, a git repository, and processes that take part.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use signoff_testkit::{Output, PATIENCE, Postgres, Project, Reply, Running, Script};

use crate::support::{BINARY, agent, plan};

/// A project whose runs several processes share.
pub(super) struct Fleet {
    pub(super) postgres: Postgres,
    pub(super) project: Project,
}

/// The person's key, as docs/signatures.md has it.
pub(super) const KEY: &str = "mkdir -p ~/.ssh \
    && ssh-keygen -q -t ed25519 -N '' -C '' -f ~/.ssh/id_ed25519 \
    && git config --global user.email ada@example.org \
    && git config --global user.signingkey ~/.ssh/id_ed25519 \
    && git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers \
    && echo \"ada@example.org $(cat ~/.ssh/id_ed25519.pub)\" > ~/.ssh/allowed_signers";

impl Fleet {
    /// A signed plan in a project whose agents follow this script on every machine. `None` without Postgres.
    pub(super) fn new(script: &Script, plan: &str) -> Option<Self> {
        let fleet = Self::unsigned(script)?;
        fleet.sign(plan);
        Some(fleet)
    }

    /// Signs this plan, and makes the database ready for it.
    pub(super) fn sign(&self, plan: &str) {
        self.project.write("plan.md", plan);
        self.project.git("add -A");
        self.project.git("commit -qm plan");
        self.project
            .bash(KEY, &self.project.path())
            .assert_success();
        self.approve().assert_success();
        self.configure(&self.engine_settings());
        self.project
            .signoff(["worker", "--migrate"])
            .assert_success();
    }

    /// A project with neither a plan nor a key, whose agents follow this script on every machine.
    pub(super) fn unsigned(script: &Script) -> Option<Self> {
        let postgres = Postgres::start()?;
        let project = Project::new(BINARY).on_trees();
        let path = project.outside("script.json");
        let ledger = project.outside("ledger");
        let script = script
            .to_string()
            .replace("LEDGER", &ledger.to_string_lossy())
            .replace("OUTSIDE", &project.outside("").to_string_lossy());
        std::fs::write(&path, script).expect("the folder is ours");
        project.write("README.md", "a project\n");
        project.write(".signoff/config.toml", "");
        // The agents are a machine's own: no project's file names them.
        let command = serde_json::json!([BINARY, "scripted-agent", path]);
        let mut config = std::fs::read_to_string(user_config(&project)).expect("it was written");
        for role in ["coder", "writer"] {
            writeln!(
                config,
                "[agents.{role}]\ndriver = \"command\"\ncommand = {command}"
            )
            .expect("a string takes everything");
        }
        std::fs::write(user_config(&project), config).expect("the folder is ours");
        let line = "git config --global user.name ada && git config --global user.email ada@example.org \
            && git init -q -b main && git add -A && git commit -qm base && git init -q --bare ~/remote.git";
        project.bash(line, &project.path()).assert_success();
        Some(Self { postgres, project })
    }

    /// `[engine]` for a project that has an id.
    pub(super) fn engine_settings(&self) -> String {
        let id: serde_json::Value =
            serde_json::from_str(&self.project.read(".signoff/project.json")).expect("JSON");
        let remote = self.project.home().join("remote.git");
        format!(
            "[engine]\nurl = {:?}\n[engine.projects]\n{} = {:?}\n",
            self.postgres.url(),
            id["id"].as_str().expect("projects have ids"),
            remote.display().to_string(),
        )
    }

    pub(super) fn approve(&self) -> Output {
        self.project
            .signoff(["approve", "plan.md", "--proof", "key"])
    }

    /// Adds to the configuration of the person whose machines these all are.
    pub(super) fn configure(&self, text: &str) {
        let path = user_config(&self.project);
        let before = std::fs::read_to_string(&path).expect("it was written");
        std::fs::write(path, before + text).expect("the folder is ours");
    }

    pub(super) fn worker(&self, roles: &str) -> Running {
        self.process(&["worker", "--lease", "2", "--roles", roles])
    }

    pub(super) fn orchestrator(&self) -> Running {
        self.process(&["orchestrator", "--lease", "2"])
    }

    /// A process that drives runs and does all work.
    pub(super) fn everything(&self) -> Running {
        self.process(&[
            "worker",
            "--lease",
            "2",
            "--roles",
            "coder,writer,tools",
            "--orchestrate",
        ])
    }

    /// A plan of one step whose agent waits for the file `go` beside the project, and shows there that it has begun.
    pub(super) fn waiting() -> Option<Self> {
        let script = Script::new().reply(
            Reply::always()
                .append("OUTSIDE/begun", "x")
                .wait_for("OUTSIDE/go")
                .write("out", "x\n")
                .say("done"),
        );
        Self::new(&script, &plan(&[&agent("Make it.", "out")]))
    }

    /// Lets go the agents that wait.
    pub(super) fn let_go(&self) {
        std::fs::write(self.project.outside("go"), "x").expect("the folder is ours");
    }

    /// Waits until an agent has written this file beside the project.
    #[track_caller]
    pub(super) fn wait_for_file(&self, name: &str) {
        let begun = Instant::now();
        while !self.project.outside(name).exists() {
            assert!(begun.elapsed() < PATIENCE, "nobody wrote {name}");
            pause();
        }
    }

    /// How many events of this type the run's journal has, as all machines read it.
    pub(super) fn events(&self, run: &str, kind: &str) -> usize {
        let count = self.postgres.sql(&format!(
            "SELECT count(*) FROM signoff.events WHERE run = '{run}' AND line LIKE '%\"type\":\"{kind}\"%'"
        ));
        count.parse().expect("a number")
    }

    /// What the git repository between the machines has of a run.
    pub(super) fn references(&self, run: &str) -> String {
        let remote = self.project.home().join("remote.git");
        let words = format!("ls-remote {} refs/signoff/{run}/*", remote.display());
        self.project.git(&words)
    }

    /// Adds lines to `[engine]` of the person's configuration.
    pub(super) fn set_engine(&self, lines: &str) {
        let path = user_config(&self.project);
        let before = std::fs::read_to_string(&path).expect("it was written");
        let after = before.replacen("[engine]\n", &format!("[engine]\n{lines}\n"), 1);
        std::fs::write(path, after).expect("the folder is ours");
    }

    /// Where the database listens.
    pub(super) fn database_address(&self) -> SocketAddr {
        let url = self.postgres.url();
        let address = url.split(['@', '/']).nth(3).expect("as it is made");
        address.parse().expect("an address")
    }

    /// The address of the database by another way.
    pub(super) fn url_through(&self, address: SocketAddr) -> String {
        let direct = self.database_address().to_string();
        self.postgres.url().replace(&direct, &address.to_string())
    }

    /// Starts a process that takes part, and waits until it does.
    pub(super) fn process(&self, words: &[&str]) -> Running {
        let mut process = self.project.spawn(words);
        let begun = Instant::now();
        while !process.stderr_so_far().contains("its key is") {
            assert!(
                process.is_running() && begun.elapsed() < PATIENCE,
                "{words:?}: {}",
                process.stderr_so_far()
            );
            pause();
        }
        process
    }

    /// Hands the plan over, and returns the run's name.
    pub(super) fn hand_over(&self) -> String {
        let run = self.project.json(["run", "plan.md", "--detach"]);
        run["run"].as_str().expect("runs have names").to_owned()
    }

    /// Hands the plan over once more, from its beginning.
    pub(super) fn start_again(&self) -> String {
        let run = self
            .project
            .json(["run", "plan.md", "--detach", "--again", "--all"]);
        run["run"].as_str().expect("runs have names").to_owned()
    }

    /// Scripted agents of this test that are alive now.
    pub(super) fn agents(&self) -> Vec<String> {
        let script = self.project.outside("script.json");
        let script = script.to_string_lossy().into_owned();
        let begun = Instant::now();
        loop {
            let left: Vec<String> = std::fs::read_dir("/proc")
                .into_iter()
                .flatten()
                .flatten()
                .filter_map(|entry| {
                    let line = std::fs::read(entry.path().join("cmdline")).ok()?;
                    let line = String::from_utf8_lossy(&line).replace('\0', " ");
                    (line.contains("scripted-agent") && line.contains(&script)).then_some(line)
                })
                .collect();
            // The kernel may take a moment to end what was killed.
            if left.is_empty() || begun.elapsed() > PATIENCE {
                return left;
            }
            pause();
        }
    }

    /// The state of a run, as the database has it.
    pub(super) fn state(&self, run: &str) -> String {
        self.postgres.sql(&format!(
            "SELECT state || coalesce(': ' || trouble, '') FROM signoff.runs WHERE id = '{run}'"
        ))
    }

    /// Waits until a run is in this state.
    #[track_caller]
    pub(super) fn wait_for(&self, run: &str, state: &str) {
        let begun = Instant::now();
        loop {
            let now = self.state(run);
            if now == state {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{run} is {now}, not {state}");
            pause();
        }
    }

    /// Waits until a statement gives this.
    #[track_caller]
    pub(super) fn wait_for_sql(&self, statement: &str, expected: &str) {
        let begun = Instant::now();
        loop {
            let now = self.postgres.sql(statement);
            if now == expected {
                return;
            }
            let runs =
                "SELECT string_agg(state || coalesce(': ' || trouble, ''), ', ') FROM signoff.runs";
            assert!(
                begun.elapsed() < PATIENCE,
                "{statement}: {now}; {}",
                self.postgres.sql(runs)
            );
            pause();
        }
    }
}

/// Between two looks at another process: not a time that anything depends on.
fn pause() {
    std::thread::sleep(Duration::from_millis(30));
}

fn user_config(project: &Project) -> PathBuf {
    project.home().join(".config/signoff/config.toml")
}

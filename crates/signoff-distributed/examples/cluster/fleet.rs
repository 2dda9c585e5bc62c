//! A project, a database, and the processes whose work is measured.

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signoff_testkit::{Postgres, Project, Running};

/// Everything that is measured, on one machine: a process that drives, and one that works.
pub(crate) struct Fleet {
    project: Project,
    plan: &'static str,
    postgres: Postgres,
    orchestrator: Running,
    worker: Running,
}

/// What was spent so far: seconds of CPU of each process, and what the database counted.
pub(crate) struct Spent {
    orchestrator: f64,
    worker: f64,
    counted: Vec<i64>,
    at: Instant,
}

const KEY: &str = "mkdir -p ~/.ssh && ssh-keygen -q -t ed25519 -N '' -C '' -f ~/.ssh/id_ed25519 \
    && git config --global user.name ada && git config --global user.email ada@example.org \
    && git config --global user.signingkey ~/.ssh/id_ed25519 \
    && git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers \
    && echo \"ada@example.org $(cat ~/.ssh/id_ed25519.pub)\" > ~/.ssh/allowed_signers \
    && git init -q -b main && git add -A && git commit -qm base && git init -q --bare ~/remote.git";

/// A plan of steps that wait for nothing, and of which each is only a contract that holds.
pub(crate) fn checks(count: usize) -> String {
    let step = |number| json!({"id": format!("s{number}"), "description": "Check", "contract": "true", "dependsOn": []});
    let steps: Vec<Value> = (0..count).map(step).collect();
    json!({"id": "bench", "version": 1, "steps": steps}).to_string()
}

/// A plan of agents that wait, and then leave a file each.
pub(crate) fn agents(count: usize, wait: Duration) -> String {
    let mut text =
        "---\ntype: plan\nstatus: draft\nowner: bench\n---\n\n# Waiting\n\n**Budget:** 10h\n\n## Steps\n"
            .to_owned();
    for number in 1..=count {
        write!(
            text,
            "\n### {number}. Agent {number}\n\n**depends_on:** none\n**target:** coder\n**baseline:** no\n**task:**\nWait {} and write out-{number}.\n\n**contract:**\n```shell\ntest -f out-{number}\n```\n",
            wait.as_secs()
        )
        .unwrap();
    }
    text
}

impl Fleet {
    pub(crate) fn new(binary: &str, plan: &str, jobs: usize) -> Self {
        let postgres = Postgres::start().expect("Postgres is installed");
        let project = Project::new(binary).on_trees();
        // JSON, or markdown.
        let name = if plan.starts_with('{') {
            "plan.json"
        } else {
            "plan.md"
        };
        project.write(name, plan).write(
            "agent.sh",
            "sed -n 's/^Wait \\([0-9]*\\) and write \\(.*\\)\\.$/\\1 \\2/p' \"$1\" | { read -r seconds file; sleep \"$seconds\"; echo x > \"$file\"; }\n",
        );
        project.write(".signoff/config.toml", "");
        let path = project.home().join(".config/signoff/config.toml");
        let mut config = fs::read_to_string(&path).unwrap();
        let text = format!(
            "[run]\njobs = {jobs}\n[approval]\nproof = \"key\"\n[agents.coder]\ndriver = \"command\"\ncommand = [\"sh\", \"agent.sh\", \"{{prompt_file}}\"]\n[engine]\nurl = {:?}\n[engine.projects]\n",
            postgres.url()
        );
        config.push_str(&text);
        project.bash(KEY, &project.path()).assert_success();
        // The agents have to be known before the plan is signed; the project has its id afterwards.
        fs::write(&path, &config).unwrap();
        project
            .signoff(["approve", name, "--proof", "key"])
            .assert_success();
        let id: Value = serde_json::from_str(&project.read(".signoff/project.json")).unwrap();
        let remote = project.home().join("remote.git").display().to_string();
        writeln!(config, "{} = {remote:?}", id["id"].as_str().unwrap()).unwrap();
        fs::write(&path, config).unwrap();
        project.signoff(["worker", "--migrate"]).assert_success();
        let jobs = jobs.to_string();
        let words = ["worker", "--jobs", &jobs, "--roles", "coder,tools"];
        let start = |words: &[&str]| {
            let mut process = project.spawn(words);
            let said = |process: &Running| process.stderr_so_far().contains("its key is");
            let begun = Instant::now();
            while !said(&process) {
                assert!(process.is_running() && begun.elapsed() < Duration::from_mins(1));
                std::thread::sleep(Duration::from_millis(20));
            }
            process
        };
        Self {
            orchestrator: start(&["orchestrator"]),
            worker: start(&words),
            plan: name,
            project,
            postgres,
        }
    }

    pub(crate) fn url(&self) -> String {
        self.postgres.url()
    }

    pub(crate) fn sql(&self, statement: &str) -> String {
        self.postgres.sql(statement)
    }

    /// Runs the plan from its beginning, and returns the run's name.
    pub(crate) fn run(&self) -> String {
        let words = ["run", self.plan, "--detach", "--again", "--all"];
        let run = self.project.json(words)["run"].clone();
        let run = run.as_str().unwrap().to_owned();
        let state =
            format!("SELECT state || coalesce(trouble, '') FROM signoff.runs WHERE id = '{run}'");
        loop {
            match self.sql(&state).as_str() {
                "completed" => return run,
                // Its own asking is to be no large part of what is counted.
                "queued" | "running" => std::thread::sleep(Duration::from_secs(1)),
                other => panic!("{run} is {other}"),
            }
        }
    }

    /// From the first order of a run to its last report.
    pub(crate) fn seconds_of(&self, run: &str) -> f64 {
        let between = format!(
            "SELECT extract(epoch FROM max(reported) - min(created)) FROM signoff.orders WHERE run = '{run}'"
        );
        self.sql(&between).parse().unwrap()
    }

    /// How long each order of a run waited for a machine, in milliseconds, sorted.
    pub(crate) fn latencies(&self, run: &str) -> Vec<f64> {
        self.numbers(&format!(
            "SELECT 1000 * extract(epoch FROM claimed - created) FROM signoff.orders WHERE run = '{run}' ORDER BY 1"
        ))
    }

    fn numbers(&self, statement: &str) -> Vec<f64> {
        let lines = self.sql(statement);
        lines.lines().map(|line| line.parse().unwrap()).collect()
    }

    /// What the processes spend while nothing is to be done.
    pub(crate) fn idle(&self, time: Duration) -> Value {
        let before = self.spent();
        std::thread::sleep(time);
        Self::cost(&before, &self.spent())
    }

    pub(crate) fn spent(&self) -> Spent {
        let counted = self.sql(
            "SELECT pg_stat_force_next_flush(); SELECT xact_commit, tup_inserted, tup_updated, blks_hit FROM pg_stat_database WHERE datname = 'postgres'",
        );
        Spent {
            orchestrator: cpu(self.orchestrator.id()),
            worker: cpu(self.worker.id()),
            counted: counted
                .trim()
                .split('|')
                .map(|number| number.parse().unwrap())
                .collect(),
            at: Instant::now(),
        }
    }

    pub(crate) fn cost(before: &Spent, after: &Spent) -> Value {
        let counted = |at: usize| after.counted[at] - before.counted[at];
        json!({
            "seconds": (after.at - before.at).as_secs_f64(),
            "orchestrator_cpu": after.orchestrator - before.orchestrator,
            "worker_cpu": after.worker - before.worker,
            "commits": counted(0),
            "inserted": counted(1),
            "updated": counted(2),
        })
    }
}

/// Seconds of CPU that a process and those it waited for have spent.
fn cpu(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    // Its own time, and that of its children; a tick is a hundredth of a second on Linux.
    let ticks: f64 = fields[11..15]
        .iter()
        .map(|field| field.parse::<f64>().unwrap())
        .sum();
    ticks / 100.0
}

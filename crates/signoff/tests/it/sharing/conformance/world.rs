//! Where a case is carried out: a project of its own, on one machine or with the processes of a small cluster. The
//! commands are the same; only the person's configuration says where runs are driven.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use signoff_testkit::{Output, Postgres, Project, Running};

use super::cases::Case;
use crate::sharing::fleet::KEY;
use crate::support::BINARY;

/// A Postgres for many cases: each has a database, copied from one whose tables are made.
pub(super) struct Server {
    postgres: RefCell<Postgres>,
    databases: Cell<usize>,
}

impl Server {
    pub(super) fn start() -> Option<Self> {
        let postgres = Postgres::start()?;
        let project = Project::new(BINARY);
        let url = postgres.url();
        let migrated = project.signoff(["worker", "--migrate", "--engine", &url]);
        migrated.assert_success();
        Some(Self {
            postgres: RefCell::new(postgres),
            databases: Cell::new(0),
        })
    }

    /// The address of a new database with every table and no run.
    fn database(&self) -> String {
        let name = format!("case_{}", self.databases.replace(self.databases.get() + 1));
        let postgres = self.postgres.borrow();
        // Nobody may be connected to the database that is copied.
        let other = postgres.url_of("template1");
        postgres.sql_at(&other, &format!("CREATE DATABASE {name} TEMPLATE postgres"));
        postgres.url_of(&name)
    }

    /// Ends it as a crash would, and starts it again.
    pub(super) fn restart(&self) {
        let mut postgres = self.postgres.borrow_mut();
        postgres.kill();
        postgres.come_up();
    }
}

/// What a run rests on.
#[derive(Clone, Copy)]
pub(super) enum Backend<'a> {
    /// The journal is a file, and one process does everything.
    File,
    /// The journal is in Postgres, and several processes share the work.
    Cluster(&'a Server),
}

/// Which process dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Victim {
    Worker,
    Orchestrator,
    /// One process that is both.
    Both,
}

/// What happens to a case on its way.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Trouble {
    /// The point at which somebody dies, and who; on one machine it is the only process.
    pub(super) kill: Option<(&'static str, Victim)>,
    /// Two processes drive.
    pub(super) two_drive: bool,
    /// Every answer is given twice.
    pub(super) says_twice: bool,
    /// The database is killed with every answer.
    pub(super) database_restarts: bool,
}

/// A process that takes part, and how it is started again.
struct Part {
    words: Vec<String>,
    running: Option<Running>,
}

/// A case on a back end.
pub(super) struct World<'a> {
    pub(super) project: Project,
    pub(super) backend: Backend<'a>,
    /// What the first process that begins a run here is killed at.
    armed: Cell<Option<&'static str>>,
    parts: Vec<Part>,
}

/// Every role that a plan of the fixtures names.
const ROLES: [&str; 9] = [
    "coder",
    "writer",
    "reviewer",
    "planner",
    "developer",
    "tester",
    "executor",
    "claude-code",
    "default",
];

impl<'a> World<'a> {
    pub(super) fn new(case: &Case, backend: Backend<'a>, trouble: Trouble) -> Self {
        let project = Project::new(BINARY).on_trees();
        let mut config = user_config(&project);
        config.push_str(
            "[run]\nbackoff = \"5ms\"\nland = \"end\"\nisolation = \"worktree\"\n[approval]\nproof = \"key\"\nminimum = \"key\"\nthen_run = false\n",
        );
        add_agents(&mut config, &project, case);
        for (path, text) in &case.files {
            project.write(path, text);
        }
        for (name, script) in &case.programs {
            add_program(&project, name, script);
        }
        project.write("README.md", "a project\n");
        project.write(".signoff/config.toml", "");
        let line = format!(
            "git config --global user.name ada && {KEY} && git init -q -b main && git add -A && git commit -qm base && git init -q --bare ~/remote.git"
        );
        project.bash(&line, &project.path()).assert_success();
        set_user_config(&project, &config);
        project.signoff(["approve", case.plan]).assert_success();
        let mut world = Self {
            project,
            backend,
            armed: Cell::new(None),
            parts: Vec::new(),
        };
        world.come_up(config, trouble);
        world
    }

    fn come_up(&mut self, mut config: String, trouble: Trouble) {
        let Backend::Cluster(server) = self.backend else {
            self.armed.set(trouble.kill.map(|(point, _)| point));
            return;
        };
        let id: Value = serde_json::from_str(&self.project.read(".signoff/project.json"))
            .expect("the file is JSON");
        let remote = self.project.home().join("remote.git");
        write!(
            config,
            "[engine]\nurl = {:?}\n[engine.projects]\n{} = {:?}\n",
            server.database(),
            id["id"].as_str().expect("projects have ids"),
            remote.display().to_string(),
        )
        .expect("a string takes everything");
        set_user_config(&self.project, &config);
        let roles = format!("{},tools", ROLES.join(","));
        let worker = ["worker", "--lease", "2", "--jobs", "4", "--roles", &roles];
        let driver = ["orchestrator", "--lease", "2"];
        let (point, victim) = trouble.kill.unzip();
        let arm = |who| if victim == Some(who) { point } else { None };
        if victim == Some(Victim::Both) {
            self.add_part(&[&worker[..], &["--orchestrate"]].concat(), point);
        } else {
            self.add_part(&driver, arm(Victim::Orchestrator));
            self.add_part(&worker, arm(Victim::Worker));
        }
        if trouble.two_drive {
            self.add_part(&driver, None);
        }
    }

    fn add_part(&mut self, words: &[&str], point: Option<&str>) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let variables = point.map(|point| ("SIGNOFF_FAILPOINT", point));
        let variables: Vec<_> = variables.into_iter().collect();
        let running = Some(self.project.spawn_with(&variables, &words));
        self.parts.push(Part { words, running });
    }

    /// Starts again what has died. Returns how many that were.
    pub(super) fn revive(&mut self) -> usize {
        let mut revived = 0;
        for part in &mut self.parts {
            if !part.running.as_mut().is_some_and(Running::is_running) {
                part.running = Some(self.project.spawn(&part.words));
                revived += 1;
            }
        }
        revived
    }

    /// Runs a command of the person to its end, while what dies is started again. Returns what it said, and how many died.
    pub(super) fn follow(&mut self, words: &[&str]) -> (Output, usize) {
        let point = self.armed.take().map(|point| ("SIGNOFF_FAILPOINT", point));
        let variables: Vec<_> = point.into_iter().collect();
        let mut command = self.project.spawn_with(&variables, words);
        let mut died = 0;
        // Until it has ended.
        command.wait_until(|| {
            died += self.revive();
            false
        });
        let output = command.wait();
        died += usize::from(output.code.is_none());
        (output, died)
    }

    /// What the processes of the cluster said so far.
    pub(super) fn said(&self) -> String {
        let said = self.parts.iter().map(|part| {
            let said = part.running.as_ref().map(Running::stderr_so_far);
            format!("{}: {}", part.words[0], said.unwrap_or_default())
        });
        said.collect::<Vec<_>>().join("\n")
    }
}

fn user_config(project: &Project) -> String {
    fs::read_to_string(project.home().join(".config/signoff/config.toml")).expect("it was written")
}

fn set_user_config(project: &Project, text: &str) {
    let path = project.home().join(".config/signoff/config.toml");
    fs::write(path, text).expect("the home is ours");
}

/// The agents are the machine's own: each follows the case's script.
fn add_agents(config: &mut String, project: &Project, case: &Case) {
    let path = project.outside("script.json");
    let outside = project.outside("").to_string_lossy().into_owned();
    let script = case.script.clone().ledger(project.outside("ledger"));
    let script = script.to_string().replace("OUTSIDE/", &outside);
    fs::write(&path, script).expect("the folder is ours");
    let command = json!([
        "sh",
        "-c",
        "exec \"$@\"",
        "{model}",
        BINARY,
        "scripted-agent",
        path
    ]);
    for role in ROLES {
        writeln!(
            config,
            "[agents.{role}]\ndriver = \"command\"\ncommand = {command}"
        )
        .expect("a string takes everything");
    }
}

/// A program on the PATH of everything that is started here.
fn add_program(project: &Project, name: &str, script: &str) {
    let path = project.path().with_file_name("bin").join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("the folder is ours");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the folder is ours");
}

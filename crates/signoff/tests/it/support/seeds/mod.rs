//! A project for a seed's own example: its files are there, its agents are scripted, the programs
//! that its contracts name do what they would.

#![expect(clippy::panic, reason = "all of this is of tests")]

pub(crate) mod catalogue;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use signoff_testkit::{Ledger, Output, Project, Script};

use self::catalogue::Catalogue;
use crate::support::BINARY;

/// Roles and agents that the seeds name.
const ROLES: [&str; 7] = [
    "coder",
    "reviewer",
    "planner",
    "developer",
    "tester",
    "executor",
    "claude-code",
];

pub(crate) struct Example {
    pub(crate) project: Project,
    /// How commands name the plan.
    pub(crate) plan: String,
}

impl Example {
    /// A project with these files, whose agents follow the script. Nothing is signed yet.
    pub(crate) fn new(plan: &str, files: &[(&str, &str)], script: &Script) -> Self {
        let project = Project::new(BINARY).on_trees();
        let path = project.outside("script.json");
        let ledger = project.outside("ledger");
        let script = script.clone().ledger(ledger);
        fs::write(&path, script.to_string()).expect("the test's folder is writable");
        // What an agent is told of its model is kept outside.
        let models = project.outside("models");
        let tell = format!(
            "echo \"$SIGNOFF_MODEL $0\" >> {}; exec \"$@\"",
            models.display()
        );
        let command = json!(["sh", "-c", tell, "{model}", BINARY, "scripted-agent", path]);
        let mut config = "[run]\nbackoff = \"5ms\"\n[approval]\nthen_run = false\n".to_owned();
        for role in ROLES.into_iter().chain(["default"]) {
            writeln!(
                config,
                "[agents.{role}]\ndriver = \"command\"\ncommand = {command}"
            )
            .expect("a string takes everything");
        }
        project.write(".signoff/config.toml", &config);
        for (file, text) in files {
            project.write(file, text);
        }
        project.signoff(["trust"]).assert_success();
        Self {
            project,
            plan: plan.to_owned(),
        }
    }

    /// A program on the PATH of everything that is started here.
    pub(crate) fn program(self, name: &str, script: &str) -> Self {
        let path = self.project.path().with_file_name("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("the folder is ours");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&path, mode).expect("the folder is ours");
        self
    }

    pub(crate) fn signed(self) -> Self {
        self.project
            .signoff(["approve", &self.plan])
            .assert_success();
        self
    }

    pub(crate) fn run(&self) -> Output {
        self.project.signoff(["run", &self.plan])
    }

    /// Runs it, killed at this point.
    pub(crate) fn killed_at(&self, point: &str) -> &Self {
        let variables = [("SIGNOFF_FAILPOINT", point)];
        let output = self.project.signoff_with(&variables, ["run", &self.plan]);
        assert_eq!(output.code, None, "{point}: {output}");
        self
    }

    pub(crate) fn resume(&self) -> Output {
        self.project.signoff(["resume"])
    }

    /// Everything that the run reported so far, checked against the catalogue.
    pub(crate) fn events(&self) -> Vec<Value> {
        let log = self.project.signoff(["log", "--format", "json"]);
        let events = log.assert_success().json_lines();
        Catalogue::read().check(&events);
        events
    }

    pub(crate) fn items(&self) -> Vec<Value> {
        let inbox = self.project.json(["inbox"]);
        inbox["items"].as_array().cloned().unwrap_or_default()
    }

    /// The only thing that waits on a person.
    #[track_caller]
    pub(crate) fn item(&self, kind: &str) -> Value {
        let items = self.items();
        let [item] = &items[..] else {
            panic!("one item: {items:#?}");
        };
        assert_eq!(item["kind"], kind, "{item:#}");
        item.clone()
    }

    /// Answers the only item, which is of this kind, and continues.
    #[track_caller]
    pub(crate) fn answer(&self, kind: &str, word: &str, more: &[&str]) -> Output {
        let item = self.item(kind);
        let id = item["id"].as_str().unwrap_or_default();
        let mut args = vec!["answer", id, word, "--resume"];
        args.extend(more);
        self.project.signoff(args)
    }

    /// The plan's file as it is now.
    pub(crate) fn text(&self) -> String {
        self.project.read(&self.plan)
    }

    /// `status` and `evidence` of each step, in order.
    pub(crate) fn steps(&self) -> Vec<(String, String)> {
        let shape = self.project.json(["status"]);
        let steps = shape["steps"].as_array().cloned().unwrap_or_default();
        let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        steps
            .iter()
            .map(|step| (word(&step["status"]), word(&step["evidence"])))
            .collect()
    }

    /// The model that each agent was told, in the variable and in its command.
    pub(crate) fn models(&self) -> Vec<String> {
        let text = fs::read_to_string(self.project.outside("models"));
        text.unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    pub(crate) fn ledger(&self) -> Ledger {
        let ledger = Ledger::read(self.project.outside("ledger"));
        ledger.assert_each_attempt_once().assert_one_at_a_time();
        ledger
    }
}

/// How often an event of this type is among them.
pub(crate) fn count(events: &[Value], kind: &str) -> usize {
    events.iter().filter(|event| event["type"] == kind).count()
}

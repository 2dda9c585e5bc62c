//! A project whose agent is a real program, and whose model is the stub.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use signoff_stub::{Script, Stub};
use signoff_testkit::{Output, Project};

use crate::support::BINARY;
use crate::support::test_agents::{SYSTEM_PATH, installed};

/// One agent, one model, one project.
pub(super) struct World {
    pub(super) stub: Stub,
    pub(super) project: Project,
}

/// What a world is made of, beside the script of its model.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Setup<'a> {
    /// Lines of the step, beside its task and contract.
    pub(super) step: &'a str,
    /// Lines of the plan.
    pub(super) plan: &'a str,
    /// Lines of the role.
    pub(super) role: &'a str,
    /// Its command line for ACP; empty for its own driver.
    pub(super) acp: &'a [&'a str],
    /// The agent is given no key.
    pub(super) logged_out: bool,
    /// Its program is not in the PATH.
    pub(super) not_installed: bool,
}

impl World {
    pub(super) fn new(agent: &'static str, setup: Setup<'_>, script: Script) -> Self {
        let stub = Stub::start(script).expect("a port on loopback");
        let settings = stub.client_settings(agent).expect("a known agent");
        let mut project = Project::new(BINARY).confined();
        let programs = installed(agent).expect("it is installed");
        project = if setup.not_installed {
            project.env("PATH", SYSTEM_PATH)
        } else {
            project.env("PATH", format!("{}:{SYSTEM_PATH}", programs.display()))
        };
        for (name, value) in &settings.variables {
            if !(setup.logged_out && name.ends_with("_KEY")) {
                project = project.env(name, value);
            }
        }
        let driver = match setup.acp {
            [] => format!("driver = '{agent}'"),
            command => format!("driver = 'acp'\ncommand = {command:?}"),
        };
        let config = format!(
            "[run]\nbackoff = '5ms'\n\n[agents.default]\n{driver}\n{}",
            setup.role
        );
        let files = settings.files.into_iter();
        for (file, text) in files.chain([(".config/signoff/config.toml", config)]) {
            let path = project.home().join(file);
            fs::create_dir_all(path.parent().expect("it is in the home")).expect("a home");
            fs::write(path, text).expect("a home");
        }
        project
            .write(".signoff/.keep", "")
            .write("plan.md", &plan(setup));
        Self { stub, project }
    }

    pub(super) fn run(&self) -> Output {
        self.project.signoff(["run", "plan.md", "--approve"])
    }

    /// The only step, as `status` tells it.
    pub(super) fn step(&self) -> Value {
        self.project.json(["status"])["steps"][0].clone()
    }

    /// The requests in which the model was asked to work, as text.
    pub(super) fn prompts(&self) -> Vec<String> {
        let requests = self.stub.requests().into_iter();
        let prompts = requests.filter(|request| {
            request
                .prompt
                .as_ref()
                .is_some_and(|prompt| !prompt.tools.is_empty())
        });
        prompts.map(|request| request.body.to_string()).collect()
    }

    /// The raw stream of the only attempt.
    pub(super) fn log(&self) -> PathBuf {
        self.attempt().join("agent.log")
    }

    /// Has the agent told of tokens that it used?
    pub(super) fn has_told_usage(&self) -> bool {
        let text = fs::read_to_string(self.attempt().join("progress.jsonl")).unwrap_or_default();
        text.lines().any(|line| line.contains("\"input_tokens\":1"))
    }

    fn attempt(&self) -> PathBuf {
        let runs = fs::read_dir(self.project.path().join(".signoff/runs"));
        let run = runs.ok().and_then(|mut runs| runs.next()?.ok());
        run.map(|run| run.path().join("steps/step-1/1"))
            .unwrap_or_default()
    }

    /// Processes that were started for this project and are still there, by what only its own have in their environment.
    // Those of a sandbox have a working directory that nobody else sees.
    pub(super) fn leftovers(&self) -> Vec<String> {
        let home = self.project.home().into_os_string().into_encoded_bytes();
        let root = &home[..home.len() - "/home".len()];
        let has = |bytes: &[u8]| bytes.windows(root.len()).any(|window| window == root);
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").expect("Linux").flatten() {
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            if has(&read("environ")) || has(&read("cmdline")) {
                let line = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
                found.push(line);
            }
        }
        found
    }
}

fn plan(setup: Setup<'_>) -> String {
    let Setup { step, plan, .. } = setup;
    format!(
        "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Test\n\n{plan}\n\n## Steps\n\n### 1. A\n\n\
         **target:** default\n**task:** make made.txt\n**contract:**\n```bash\n\
         grep -qx made made.txt || {{ echo \"made.txt is not made\" >&2; exit 1; }}\n```\n{step}\n"
    )
}

//! Real coding agents do their work inside the sandbox.
//!
//! Only where they are: `SIGNOFF_REAL_AGENTS` names the directory of their programs, and a program that is not there
//! fails the test. The model they talk to is a script on this machine, so Python is needed too.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use signoff_testkit::Project;

use crate::support::BINARY;

/// The stand-in for a model, and where it listens.
struct Model(Child, u16);

impl Model {
    fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real_agents/model.py");
        let mut model = Command::new("python3");
        model.arg(script).stdout(Stdio::piped());
        let mut model = model.spawn().expect("python3");
        let mut line = String::new();
        let output = model.stdout.take().expect("it is piped");
        BufReader::new(output)
            .read_line(&mut line)
            .expect("it prints its port");
        Self(model, line.trim().parse().expect("a port"))
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// How one agent is started, and what it finds in its user's home and environment. `{port}` is the model's.
struct Agent {
    command: &'static str,
    file: (&'static str, &'static str),
    variables: &'static [(&'static str, &'static str)],
}

const AGENTS: [Agent; 5] = [
    Agent {
        command: r#"["claude", "-p", "{task}", "--permission-mode", "bypassPermissions"]"#,
        file: (".claude/settings.json", "{}"),
        variables: &[
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:{port}"),
            ("ANTHROPIC_API_KEY", "x"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ],
    },
    Agent {
        command: r#"["codex", "exec", "--skip-git-repo-check", "-s", "danger-full-access", "{task}"]"#,
        file: (
            ".codex/config.toml",
            "model = 'm'\nmodel_provider = 'stub'\n[model_providers.stub]\nname = 'stub'\nbase_url = 'http://127.0.0.1:{port}/v1'\nwire_api = 'responses'\nenv_key = 'OPENAI_API_KEY'\n",
        ),
        variables: &[("OPENAI_API_KEY", "x")],
    },
    Agent {
        command: r#"["gemini", "-p", "{task}", "--approval-mode", "yolo", "--skip-trust"]"#,
        file: (
            ".gemini/settings.json",
            r#"{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}"#,
        ),
        variables: &[
            ("GEMINI_API_KEY", "x"),
            ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:{port}"),
        ],
    },
    Agent {
        command: r#"["opencode", "run", "-m", "stub/m", "--agent", "build", "--auto", "{task}"]"#,
        file: (
            ".config/opencode/opencode.json",
            r#"{"provider": {"stub": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "http://127.0.0.1:{port}/v1", "apiKey": "x"}, "models": {"m": {}}}}}"#,
        ),
        variables: &[("OPENCODE_DISABLE_MODELS_FETCH", "1")],
    },
    Agent {
        command: r#"["pi", "-p", "--no-session", "--provider", "stub", "--model", "m", "{task}"]"#,
        file: (
            ".pi/agent/models.json",
            r#"{"providers": {"stub": {"baseUrl": "http://127.0.0.1:{port}/v1", "api": "openai-completions", "apiKey": "x", "models": [{"id": "m", "name": "m", "reasoning": false, "input": ["text"], "contextWindow": 9999, "maxTokens": 999, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]}}}"#,
        ),
        variables: &[("PI_OFFLINE", "1")],
    },
];

const PLAN: &str = "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Test\n\n## Steps\n\n### 1. A\n\n\
    **target:** default\n**task:** make made.txt\n**contract:**\n```bash\ngrep -qx made made.txt\n```\n**on_fail:** abort\n";

/// A project whose default agent is this one.
fn project(agent: &Agent, programs: &Path, port: u16) -> Project {
    let with_port = |text: &str| text.replace("{port}", &port.to_string());
    let mut project = Project::new(BINARY).confined();
    for (name, value) in agent.variables {
        project = project.env(name, with_port(value));
    }
    let system = "/usr/local/bin:/usr/bin:/bin";
    project = project.env("PATH", format!("{}:{system}", programs.display()));
    let config = format!(
        "[agents.default]\ndriver = 'command'\ncommand = {}\n",
        agent.command
    );
    let (file, text) = agent.file;
    for (file, text) in [
        (".config/signoff/config.toml", config),
        (file, with_port(text)),
    ] {
        let path = project.home().join(file);
        fs::create_dir_all(path.parent().expect("it is in the home")).expect("a home");
        fs::write(path, text).expect("a home");
    }
    project.write(".signoff/.keep", "");
    project.write("plan.md", PLAN);
    project
}

#[test]
fn real_agents_work_confined() {
    let Some(programs) = env::var_os("SIGNOFF_REAL_AGENTS").map(PathBuf::from) else {
        return;
    };
    let model = Model::start();
    for agent in &AGENTS {
        let project = project(agent, &programs, model.1);
        let output = project.signoff(["run", "plan.md", "--approve"]);
        output.assert_success();
        assert_eq!(project.read("made.txt"), "made\n", "{}", agent.command);
    }
}

//! After `signoff connect` the agents that people have are guarded, know of Signoff, and hand their plans in. The programs
//! are real, and so is everything of ours; only the model is scripted.

mod gateway;
mod pi;
mod planning;

use std::fs;

use serde_json::{Value, json};
use signoff_stub::{Reply, Script, Stub, Turn};
use signoff_testkit::{Output, Project};

use crate::support::BINARY;
use crate::support::test_agents::{SYSTEM_PATH, agents, installed};

const PLAN: &str = "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Make it\n\n## Steps\n\n### 1. Make\n\n\
                    **target:** default\n**task:** make made.txt\n**contract:**\n```bash\ngrep -qx made made.txt\n```\n";

/// An agent and its model, in a project with a store.
struct Connected {
    project: Project,
    stub: Stub,
}

impl Connected {
    fn new(
        agent: &'static str,
        scope: &str,
        config: &str,
        script: impl FnOnce(&Project) -> Script,
    ) -> Self {
        let mut project = Project::new(BINARY);
        let stub = Stub::start(script(&project)).expect("a port on loopback");
        let settings = stub.client_settings(agent).expect("a known agent");
        let programs = installed(agent).expect("it is installed");
        let path = format!("{}:{SYSTEM_PATH}", programs.display());
        project = project.env("PATH", path);
        for (name, value) in &settings.variables {
            project = project.env(name, value);
        }
        // Who does the work of plans.
        let config = format!(
            "{config}\n[agents.default]\ndriver = 'command'\ncommand = ['sh', '-c', 'echo made > made.txt']\n"
        );
        let files = settings.files.into_iter();
        for (file, text) in files.chain([(".config/signoff/config.toml", config)]) {
            let path = project.home().join(file);
            fs::create_dir_all(path.parent().expect("it is in the home")).expect("a home");
            fs::write(path, text).expect("a home");
        }
        project
            .write(".signoff/.keep", "")
            .write("read.txt", "to be read\n");
        project.signoff(["connect", agent, scope]).assert_success();
        Self { project, stub }
    }

    /// From now on another model with this script takes the place of the first. Returns what a command line begins with, so
    /// that the agent finds it.
    fn next_model(&mut self, agent: &str, script: Script) -> String {
        let stub = Stub::start(script).expect("a port on loopback");
        let settings = stub.client_settings(agent).expect("a known agent");
        for (file, _) in &settings.files {
            let path = self.project.home().join(file);
            let text = fs::read_to_string(&path).expect("it was written");
            let text = text.replace(&self.stub.url(), &stub.url());
            fs::write(path, text).expect("a home");
        }
        self.stub = stub;
        let variables = settings.variables.iter();
        let variables = variables.map(|(name, value)| format!("export {name}='{value}'; "));
        variables.collect()
    }

    /// What the model was sent, as one text.
    fn sent(&self) -> String {
        let requests = self.stub.requests();
        requests
            .iter()
            .map(|request| request.body.to_string())
            .collect()
    }

    fn plans(&self) -> Vec<Value> {
        let plans = self.project.json(["list"])["plans"].take();
        plans.as_array().cloned().unwrap_or_default()
    }

    /// Talks to Claude Code as an editor does, and holds the line until it has answered: without anybody to ask, it does
    /// not offer to leave plan mode.
    fn claude(&self, more: &str) -> Output {
        let line = format!(
            r#"cd "$HOME"; mkfifo in; exec 3<>in
            (cd {project}; exec claude -p --input-format stream-json --output-format stream-json --verbose \
              --permission-mode plan --permission-prompt-tool stdio {more}) <in 3>&- >out.jsonl 2>&1 & claude=$!
            printf '%s\n' '{{"type":"user","message":{{"role":"user","content":"plan this"}}}}' >&3
            grep -q -m1 '"type":"result"' < <(tail -n +1 --pid=$claude -f out.jsonl)
            exec 3>&-; wait $claude; cat out.jsonl; rm in"#,
            project = self.project.path().display()
        );
        self.project.bash(&line, &self.project.path())
    }
}

fn call(tool: &str, arguments: Value) -> Turn {
    let name = tool.to_owned();
    Reply::Tool { name, arguments }.into()
}

fn write(path: String) -> Turn {
    let content = "made\n".to_owned();
    Reply::Write { path, content }.into()
}

fn say(text: &str) -> Turn {
    Reply::Text(text.to_owned()).into()
}

/// In plan mode: reading passes, an edit is blocked and says why, a text that is no plan is sent back with the form to follow,
/// and a plan waits for a person. Once it is signed the agent may leave, and still cannot change anything.
#[test]
fn claude_hands_its_plan_in_and_changes_nothing() {
    for agent in agents(&["claude"])
        .into_iter()
        .filter(|agent| *agent == "claude")
    {
        let script = |_: &Project| {
            Script::new([
                call("Read", json!({"file_path": "read.txt"})),
                write("made.txt".to_owned()),
                call("ExitPlanMode", json!({"plan": "1. Make it.\n"})),
                call("ExitPlanMode", json!({"plan": PLAN})),
                say("I wait."),
                call("ExitPlanMode", json!({"plan": PLAN})),
                write("made.txt".to_owned()),
                say("I call plan_run."),
            ])
        };
        let connected = Connected::new(agent, "--project", "", script);
        let first = connected.claude("");
        first.assert_success();
        let sent = connected.sent();
        for words in [
            "Signoff is set up in this project",
            "CURRENT_PLAN_DIR: ",
            "to be read",
            "Plan mode: `Write` would change",
            "This text is not a plan that a person can sign",
            "waiting for sign-off: the plan is kept as PLAN-",
        ] {
            assert!(sent.contains(words), "{words:?}: {first}");
        }
        let plans = connected.plans();
        let [plan] = plans.as_slice() else {
            panic!("{plans:?}: {first}");
        };
        assert_eq!(plan["status"], "verified");
        connected
            .project
            .signoff(["approve", plan["id"].as_str().expect("an id")])
            .assert_success();
        let second = connected.claude("--continue");
        let sent = connected.sent();
        assert!(sent.contains("A person has signed this plan"), "{second}");
        let denied = second
            .stdout
            .matches("Plan mode: `Write` would change")
            .count();
        assert!(denied > 0, "{second}");
        assert!(!connected.project.exists("made.txt"), "{second}");
    }
}

/// How an agent is given a task without a person.
fn command(agent: &str) -> &'static str {
    match agent {
        "claude" => "IS_SANDBOX=1 claude -p 'make made.txt' --permission-mode bypassPermissions",
        "gemini" => {
            "GEMINI_CLI_TRUST_WORKSPACE=true gemini -p 'make made.txt' --approval-mode yolo"
        }
        "pi" => "pi -p 'make made.txt' --no-session",
        "opencode" => "opencode run 'make made.txt' --auto",
        _ => {
            "codex exec --skip-git-repo-check --dangerously-bypass-hook-trust -s danger-full-access 'make made.txt' </dev/null"
        }
    }
}

#[test]
fn a_connected_agent_is_guarded() {
    for agent in agents(&["gemini", "pi"]) {
        for scope in ["--user", "--project"] {
            let script = |project: &Project| {
                let target = project.path().join("made.txt");
                Script::new([
                    write(target.display().to_string()),
                    call("plan_propose", json!({"text": PLAN})),
                    say("I wait."),
                ])
            };
            let connected = Connected::new(agent, scope, "guard.plan_mode = true\n", script);
            let project = &connected.project;
            let ran = project.bash(command(agent), &project.path());
            assert!(!project.exists("made.txt"), "{agent} {scope}: {ran}");
            let sent = connected.sent();
            assert!(
                sent.contains("Plan mode: `"),
                "{agent} {scope}: {ran}\n{sent}"
            );
            assert!(
                sent.contains("Signoff is set up in this project"),
                "{agent} {scope}: {ran}"
            );
            if agent == "pi" {
                assert_eq!(connected.plans().len(), 1, "{agent} {scope}: {ran}");
            }
        }
    }
}

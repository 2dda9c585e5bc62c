//! `plan` with a provider's model, over its real wire format.

use signoff_stub::{Reply, Script, Stub};
use signoff_testkit::{Output, Project};

use crate::support::BINARY;

const PLAN: &str = "````markdown
---
type: plan
status: draft
owner: planner
---

# Make `out`

**Budget:** max 10k tokens

## Steps

### 1. Write it

**target:** coder
**task:** Write `x` into `out`.

**contract:**
```shell
grep -q x out
```
````
";
const KEY: &str = "sk-not-to-be-seen";

fn say(text: &str) -> Reply {
    Reply::Text(text.to_owned())
}

/// A project whose planner is this provider's model.
fn project(provider: &str, stub: &Stub, more: &str) -> Project {
    let project = Project::new(BINARY);
    let base = match provider {
        "openai" => format!("{}/v1", stub.url()),
        _ => stub.url(),
    };
    let folder = project.home().join(".config/signoff");
    std::fs::create_dir_all(&folder).expect("the home is ours");
    let text = format!(
        "[llm]\nprovider = '{provider}'\nmodel = 'claude-sonnet-4-5'\nbase_url = '{base}'\n\
         key_command = ['echo', '{KEY}']\n{more}"
    );
    std::fs::write(folder.join("config.toml"), text).expect("the home is ours");
    project.write(
        ".signoff/config.toml",
        "[agents.coder]\ndriver = 'command'\ncommand = ['sh', '-c', 'echo x > out']\n",
    );
    project
}

fn plan(project: &Project) -> Output {
    project.signoff(["plan", "write out", "-o", "plan.md"])
}

#[test]
fn every_provider_drafts_a_plan_that_runs() {
    for provider in ["anthropic", "openai", "gemini", "ollama"] {
        let bad = PLAN.replace("grep -q x out", "true");
        let stub = Stub::start(Script::of_questions([say(&bad), say(PLAN)])).expect("a stub");
        let project = project(provider, &stub, "");
        let planned = plan(&project);
        planned
            .assert_success()
            .assert_stderr_contains(&format!(
                "planning with `claude-sonnet-4-5` ({provider}), which sees only the prompt"
            ))
            .assert_stderr_contains("contract-vacuous")
            .assert_stderr_contains("after 2 rounds (2200 tokens, $0.0090)");
        let requests = stub.requests();
        assert_eq!(requests.len(), 2, "{provider}");
        assert!(requests.iter().all(|request| request.token() == Some(KEY)));
        let second = requests[1].body.to_string();
        assert!(second.contains("contract-vacuous"), "{provider}: {second}");
        project.signoff(["trust"]).assert_success();
        project
            .signoff(["run", "plan.md", "--approve"])
            .assert_success();
    }
}

#[test]
fn the_key_is_nowhere() {
    let refused = Reply::Status {
        code: 401,
        retry_after: None,
    };
    let stub = Stub::start(Script::of_questions([refused])).expect("a stub");
    let project = project("anthropic", &stub, "");
    let failed = plan(&project);
    failed
        .assert_code(6)
        .assert_stderr_contains("anthropic answered with status 401: the script says 401");
    let config = project.signoff(["config"]);
    for output in [&failed.stderr, &failed.stdout, &config.stdout] {
        // The command that prints it is a setting; what it prints is not.
        let output = output.replace(&format!("echo\", \"{KEY}"), "");
        assert!(!output.contains(KEY), "{output}");
    }
}

#[test]
fn a_provider_that_fails_is_left_in_time() {
    let check = |reply: Reply, more: &str, expected: &str| {
        let stub = Stub::start(Script::of_questions([reply])).expect("a stub");
        let project = project("openai", &stub, more);
        plan(&project)
            .assert_code(6)
            .assert_stderr_contains(expected);
        assert!(!project.exists("plan.md"));
    };
    check(
        Reply::Hang,
        "idle_timeout = '1s'\n",
        "the provider said nothing for 1s",
    );
    check(
        Reply::Hang,
        "timeout = '1s'\n",
        "the provider gave no answer within 1s",
    );
    let busy = Reply::Status {
        code: 429,
        retry_after: Some(3600),
    };
    check(busy, "", "wants a pause of more than 60 s");
}

#[test]
fn what_breaks_is_tried_again() {
    let busy = Reply::Status {
        code: 503,
        retry_after: Some(0),
    };
    let replies = [busy, Reply::HalfStream, say(PLAN)];
    let stub = Stub::start(Script::of_questions(replies)).expect("a stub");
    let project = project("gemini", &stub, "");
    plan(&project).assert_success();
    assert_eq!(stub.requests().len(), 3);
}

#[test]
fn a_flood_is_sent_back_and_not_kept() {
    let flood = Reply::Flood { bytes: 10 << 20 };
    let stub = Stub::start(Script::of_questions([flood, say(PLAN)])).expect("a stub");
    let project = project("anthropic", &stub, "");
    plan(&project)
        .assert_success()
        .assert_stderr_contains("write a shorter plan");
}

#[test]
fn nothing_open_leaves_the_machine() {
    let stub = Stub::start(Script::of_questions([say(PLAN)])).expect("a stub");
    let project = project("openai", &stub, "");
    let path = project.home().join(".config/signoff/config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("http://127.0.0.1", "http://models.example.com");
    std::fs::write(&path, text).unwrap();
    plan(&project)
        .assert_code(6)
        .assert_stderr_contains("only a server of this machine is spoken to without TLS");
    assert!(stub.requests().is_empty());
}

#[test]
fn a_missing_key_or_model_is_named() {
    let stub = Stub::start(Script::of_questions([say(PLAN)])).expect("a stub");
    let project = project("openai", &stub, "");
    let path = project.home().join(".config/signoff/config.toml");
    let check = |text: &str, expected: &str| {
        std::fs::write(&path, text).unwrap();
        plan(&project)
            .assert_code(6)
            .assert_stderr_contains(expected);
    };
    check("[llm]\nprovider = 'openai'\n", "add `model = ");
    check(
        "[llm]\nprovider = 'openai'\nmodel = 'm'\n",
        "set OPENAI_API_KEY, or `key_command`",
    );
    check(
        "[llm]\nprovider = 'openai'\nmodel = 'm'\nkey_command = ['false']\n",
        "`[llm] key_command` gave no key: it did not succeed",
    );
}

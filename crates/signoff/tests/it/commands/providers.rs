//! `plan` with a provider's model, over its real wire format.

use signoff_stub::{Reply, Script, Stub};
use signoff_testkit::{Output, Project};

use crate::support::sums::{KEY, make_the_tests_pass, planner, provided, say, worker, write_sums};

const PROVIDERS: [&str; 4] = ["anthropic", "openai", "gemini", "ollama"];

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

fn plan(project: &Project) -> Output {
    project.signoff(["plan", "write out", "-o", "plan.md"])
}

#[test]
fn every_provider_drafts_a_plan_that_runs() {
    for provider in PROVIDERS {
        let bad = PLAN.replace("grep -q x out", "true");
        let stub = Stub::start(Script::of_questions([say(&bad), say(PLAN)])).expect("a stub");
        let project = provided(provider, &stub, "");
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
fn every_provider_makes_the_tests_pass() {
    for provider in PROVIDERS {
        let script = planner("coder", |plan| Script::of_questions([say(&plan)]));
        let stub = Stub::start(script).expect("a stub");
        let project = provided(provider, &stub, "");
        project.write("coder.sh", &worker()).write(
            ".signoff/config.toml",
            "[agents.coder]\ndriver = 'command'\ncommand = ['sh', 'coder.sh']\n",
        );
        project.signoff(["trust"]).assert_success();
        write_sums(&project);
        make_the_tests_pass(&project, provider);
        assert_eq!(stub.requests().len(), 4, "{provider}");
    }
}

#[test]
fn the_key_is_nowhere() {
    let refused = Reply::Status {
        code: 401,
        retry_after: None,
    };
    let stub = Stub::start(Script::of_questions([refused])).expect("a stub");
    let project = provided("anthropic", &stub, "");
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
        for provider in PROVIDERS {
            let stub = Stub::start(Script::of_questions([reply.clone()])).expect("a stub");
            let project = provided(provider, &stub, more);
            let planned = plan(&project);
            assert_eq!(planned.code, Some(6), "{provider}: {planned}");
            assert!(planned.stderr.contains(expected), "{provider}: {planned}");
            assert!(!project.exists("plan.md"), "{provider}");
        }
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
    let for_ever = Reply::BusyUntil {
        code: 503,
        date: "Thu, 31 Dec 2099 23:59:59 GMT".to_owned(),
    };
    check(for_ever, "", "wants a pause of more than 60 s");
    check(
        Reply::Endless,
        "timeout = '1s'\n",
        "the provider gave no answer within 1s",
    );
    let unknown = Reply::Status {
        code: 404,
        retry_after: None,
    };
    check(unknown, "", "answered with status 404: the script says 404");
}

#[test]
fn what_breaks_is_tried_again() {
    for provider in PROVIDERS {
        let busy = Reply::Status {
            code: 503,
            retry_after: Some(0),
        };
        let was_busy = Reply::BusyUntil {
            code: 429,
            date: "Fri, 31 Dec 1999 23:59:59 GMT".to_owned(),
        };
        let replies = [busy, was_busy, Reply::HalfStream, say(PLAN)];
        let stub = Stub::start(Script::of_questions(replies)).expect("a stub");
        let project = provided(provider, &stub, "");
        let planned = plan(&project);
        assert_eq!(planned.code, Some(0), "{provider}: {planned}");
        assert_eq!(stub.requests().len(), 4, "{provider}");
    }
}

#[test]
fn a_server_that_only_fails_is_given_up() {
    for provider in PROVIDERS {
        for broken in [
            Reply::Status {
                code: 500,
                retry_after: Some(0),
            },
            Reply::Garbage,
        ] {
            let replies = std::iter::repeat_n(broken.clone(), 9);
            let stub = Stub::start(Script::of_questions(replies)).expect("a stub");
            let project = provided(provider, &stub, "");
            let planned = plan(&project);
            assert_eq!(planned.code, Some(6), "{provider} {broken:?}: {planned}");
            assert!(!project.exists("plan.md"), "{provider}");
            assert!(stub.requests().len() <= 4, "{provider} {broken:?}");
        }
    }
}

/// No port that a system gives away is as low, so nobody listens there.
const NOBODY: &str = "http://127.0.0.1:1";

#[test]
fn a_server_that_is_not_there_is_named() {
    for provider in PROVIDERS {
        let stub = Stub::start(Script::default()).expect("a stub");
        let project = provided(provider, &stub, "timeout = '20s'\n");
        let settings = project.home().join(".config/signoff/config.toml");
        let text = std::fs::read_to_string(&settings).expect("they were written");
        // The stub's own port could be another test's stub a moment later.
        let moved = text.replace(&stub.url(), NOBODY);
        std::fs::write(&settings, moved).expect("the home is ours");
        let planned = plan(&project);
        assert_eq!(planned.code, Some(6), "{provider}: {planned}");
        assert!(planned.stderr.contains(provider), "{provider}: {planned}");
        assert!(planned.stderr.contains("refused"), "{provider}: {planned}");
    }
}

#[test]
fn a_flood_is_sent_back_and_not_kept() {
    for provider in PROVIDERS {
        let flood = Reply::Flood { bytes: 10 << 20 };
        let stub = Stub::start(Script::of_questions([flood, say(PLAN)])).expect("a stub");
        let project = provided(provider, &stub, "");
        let planned = plan(&project);
        assert_eq!(planned.code, Some(0), "{provider}: {planned}");
        planned.assert_stderr_contains("write a shorter plan");
    }
}

/// The wire changes nothing about how an answer is taken: whole and checked, or not at all.
#[test]
fn what_a_model_says_is_checked_whoever_carries_it() {
    let cut = PLAN[..PLAN.len() - 40].to_owned();
    let said = [
        ("cut", cut, "ends before its end"),
        ("two", format!("{PLAN}\n{PLAN}"), "several plans"),
        (
            "prose",
            "I would rather talk about it.".to_owned(),
            "no plan",
        ),
        (
            "wrong types",
            r#"{"plan": 7, "steps": {}}"#.to_owned(),
            "no plan",
        ),
    ];
    for provider in PROVIDERS {
        for (name, text, expected) in &said {
            let stub = Stub::start(Script::of_questions([say(text)])).expect("a stub");
            let project = provided(provider, &stub, "max_rounds = 1\n");
            let planned = plan(&project);
            assert_eq!(planned.code, Some(1), "{provider} {name}: {planned}");
            assert!(
                planned.stderr.contains(expected),
                "{provider} {name}: {planned}"
            );
            assert!(!project.exists("plan.md"), "{provider} {name}");
        }
    }
}

/// The agent may bring a tool that nothing here knows, so it is for the person who signs to see.
#[test]
fn a_tool_that_nothing_provides_stands_out() {
    let text = PLAN.replace("**task:**", "**tools:** launch_missiles\n**task:**");
    for provider in PROVIDERS {
        let stub = Stub::start(Script::of_questions([say(&text)])).expect("a stub");
        let project = provided(provider, &stub, "max_rounds = 1\n");
        plan(&project)
            .assert_success()
            .assert_stdout_contains("lets agents use `launch_missiles`")
            .assert_stdout_contains("warning[missing-tool]");
    }
}

#[test]
fn nothing_open_leaves_the_machine() {
    let stub = Stub::start(Script::of_questions([say(PLAN)])).expect("a stub");
    let project = provided("openai", &stub, "");
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
    let project = provided("openai", &stub, "");
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

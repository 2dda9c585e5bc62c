//! The command lines of all drivers. They were tried with the real programs.

use signoff_work::agent::{DriverKind, Launch, LaunchInput, LaunchOptions};

use super::world::plain_options;

fn launch(kind: DriverKind, options: &LaunchOptions<'_>) -> Launch {
    kind.driver().launch(options)
}

fn line(launch: &Launch) -> String {
    let words: Vec<_> = launch
        .argv
        .iter()
        .map(|word| word.to_str().unwrap())
        .collect();
    words.join(" ")
}

fn check(kind: DriverKind, options: &LaunchOptions<'_>, expected: &str) {
    assert_eq!(line(&launch(kind, options)), expected);
}

fn variable(launch: &Launch, name: &str) -> Option<String> {
    let found = launch.env.iter().find(|(found, _)| found == name);
    found.map(|(_, value)| value.to_str().unwrap().to_owned())
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Everything that can be asked for at once.
fn full() -> LaunchOptions<'static> {
    LaunchOptions {
        model: Some("m"),
        resume: Some("s-1"),
        confined: false,
        ..plain_options()
    }
}

#[test]
fn claude() {
    let start = "claude -p --output-format stream-json --verbose --include-partial-messages";
    check(
        DriverKind::Claude,
        &plain_options(),
        &format!("{start} --permission-mode bypassPermissions"),
    );
    check(
        DriverKind::Claude,
        &full(),
        &format!("{start} --permission-mode acceptEdits --model m --resume s-1"),
    );
    let tools = words(&["read_file", "run_command"]);
    let scoped = launch(
        DriverKind::Claude,
        &LaunchOptions {
            tools: Some(&tools),
            ..plain_options()
        },
    );
    let own = "Read,NotebookRead,Bash,BashOutput,KillShell,KillBash,TaskOutput,TaskStop,TodoWrite,TaskCreate,TaskUpdate,TaskList,TaskGet";
    assert_eq!(
        line(&scoped),
        format!(
            "{start} --permission-mode bypassPermissions --tools {own} --allowedTools {own} --strict-mcp-config"
        )
    );
    assert!(scoped.holds_scope);
    let tools = words(&["git.push", "jira"]);
    check(
        DriverKind::Claude,
        &LaunchOptions {
            tools: Some(&tools),
            ..plain_options()
        },
        &format!(
            "{start} --permission-mode dontAsk --tools TodoWrite,TaskCreate,TaskUpdate,TaskList,TaskGet \
             --allowedTools TodoWrite,TaskCreate,TaskUpdate,TaskList,TaskGet,mcp__git__push,mcp__jira --strict-mcp-config"
        ),
    );
}

#[test]
fn codex() {
    let start = "codex exec --json --skip-git-repo-check";
    check(
        DriverKind::Codex,
        &plain_options(),
        &format!("{start} -s danger-full-access -C /w -"),
    );
    check(
        DriverKind::Codex,
        &full(),
        &format!("{start} -s workspace-write -C /w -m m resume s-1 -"),
    );
    let tools = words(&["read_file"]);
    let scoped = LaunchOptions {
        tools: Some(&tools),
        ..plain_options()
    };
    let alone = LaunchOptions {
        confined: false,
        ..scoped
    };
    check(
        DriverKind::Codex,
        &alone,
        &format!("{start} -s read-only -C /w -"),
    );
    assert!(launch(DriverKind::Codex, &alone).holds_scope);
    check(
        DriverKind::Codex,
        &scoped,
        &format!("{start} -s danger-full-access -C /w -"),
    );
    assert!(!launch(DriverKind::Codex, &scoped).holds_scope);
}

#[test]
fn gemini() {
    let start = "gemini -o stream-json --approval-mode";
    check(
        DriverKind::Gemini,
        &plain_options(),
        &format!("{start} yolo --skip-trust"),
    );
    check(
        DriverKind::Gemini,
        &full(),
        &format!("{start} auto_edit --skip-trust -m m --resume s-1").replace("--resume", "-r"),
    );
    let tools = words(&["write_file", "git.push", "jira"]);
    let scoped = launch(
        DriverKind::Gemini,
        &LaunchOptions {
            tools: Some(&tools),
            ..plain_options()
        },
    );
    assert_eq!(
        line(&scoped),
        format!("{start} yolo --skip-trust --policy /tmp/signoff-gemini-policy.toml")
    );
    assert_eq!(scoped.files[0].name, "signoff-gemini-policy.toml");
    let policy = String::from_utf8(scoped.files[0].bytes.clone()).unwrap();
    let rules: Vec<_> = policy
        .split("[[rule]]\n")
        .skip(1)
        .map(|rule| rule.trim().replace('\n', "; "))
        .collect();
    assert_eq!(
        rules[0],
        "toolName = \"*\"; decision = \"deny\"; priority = 100"
    );
    assert_eq!(
        rules[1],
        "toolName = \"write_file\"; decision = \"allow\"; priority = 200"
    );
    assert_eq!(
        rules[2],
        "toolName = \"replace\"; decision = \"allow\"; priority = 200"
    );
    let push = "mcpName = \"git\"; toolName = \"push\"; decision = \"allow\"; priority = 200";
    assert!(rules.iter().any(|rule| rule == push), "{policy}");
    assert!(toml::from_str::<toml::Table>(&policy).is_ok());
}

#[test]
fn opencode() {
    let start = "opencode run --format json --dir /w";
    check(
        DriverKind::Opencode,
        &plain_options(),
        &format!("{start} --auto"),
    );
    check(
        DriverKind::Opencode,
        &full(),
        &format!("{start} -m m -s s-1"),
    );
    let tools = words(&["read_file", "git.push"]);
    let scoped = launch(
        DriverKind::Opencode,
        &LaunchOptions {
            tools: Some(&tools),
            ..plain_options()
        },
    );
    assert_eq!(
        variable(&scoped, "OPENCODE_PERMISSION").unwrap(),
        r#"{"*":"deny","read":"allow","grep":"deny","glob":"deny","list":"deny","edit":"deny","write":"deny","patch":"deny","multiedit":"deny","apply_patch":"deny","bash":"deny","webfetch":"deny","websearch":"deny","codesearch":"deny","todowrite":"allow","todoread":"allow","question":"deny","skill":"deny","plan_enter":"deny","plan_exit":"deny","invalid":"deny","task":"deny","external_directory":"allow","git_push":"allow"}"#
    );
}

#[test]
fn pi() {
    check(DriverKind::Pi, &plain_options(), "pi -p --mode json");
    check(
        DriverKind::Pi,
        &full(),
        "pi -p --mode json --model m --session s-1",
    );
    let tools = words(&["read_file", "search_files"]);
    check(
        DriverKind::Pi,
        &LaunchOptions {
            tools: Some(&tools),
            ..plain_options()
        },
        "pi -p --mode json --tools read,grep,find,ls",
    );
    let none = words(&["http_request"]);
    check(
        DriverKind::Pi,
        &LaunchOptions {
            tools: Some(&none),
            ..plain_options()
        },
        "pi -p --mode json --no-tools",
    );
}

#[test]
fn acp_and_command_start_what_is_configured() {
    let command = words(&["gemini", "--acp"]);
    let acp = launch(
        DriverKind::Acp,
        &LaunchOptions {
            command: &command,
            ..full()
        },
    );
    assert_eq!(
        (line(&acp).as_str(), acp.input),
        ("gemini --acp", LaunchInput::Dialogue)
    );
    let command = words(&["agent", "{model}", "{task}"]);
    let any = launch(
        DriverKind::Command,
        &LaunchOptions {
            command: &command,
            ..full()
        },
    );
    assert_eq!(
        (line(&any).as_str(), any.input),
        ("agent m do it", LaunchInput::Nothing)
    );
}

#[test]
fn what_a_person_configured_stays_and_wins() {
    let command = words(&[
        "/opt/codex",
        "exec",
        "--model=mine",
        "-s",
        "read-only",
        "--json",
    ]);
    check(
        DriverKind::Codex,
        &LaunchOptions {
            command: &command,
            model: Some("m"),
            ..plain_options()
        },
        "/opt/codex exec --model=mine -s read-only --json --skip-git-repo-check -C /w -",
    );
    let command = words(&["npx", "claude", "--dangerously-skip-permissions"]);
    check(
        DriverKind::Claude,
        &LaunchOptions {
            command: &command,
            ..plain_options()
        },
        "npx claude --dangerously-skip-permissions -p --output-format stream-json --verbose --include-partial-messages",
    );
}

#[test]
fn its_own_sandbox_is_off_only_in_ours() {
    for kind in [
        DriverKind::Claude,
        DriverKind::Codex,
        DriverKind::Gemini,
        DriverKind::Opencode,
    ] {
        assert!(!launch(kind, &plain_options()).keeps_own_sandbox, "{kind}");
        let alone = LaunchOptions {
            confined: false,
            ..plain_options()
        };
        assert!(launch(kind, &alone).keeps_own_sandbox, "{kind}");
    }
    let claude = |options| variable(&launch(DriverKind::Claude, &options), "IS_SANDBOX");
    assert_eq!(claude(plain_options()).as_deref(), Some("1"));
    assert_eq!(
        claude(LaunchOptions {
            confined: false,
            ..plain_options()
        }),
        None
    );
}

#[test]
fn every_agent_knows_model_and_tools_by_variables() {
    let tools = words(&["read_file", "bash"]);
    for kind in DriverKind::ALL {
        let options = LaunchOptions {
            tools: Some(&tools),
            ..full()
        };
        let launch = launch(kind, &options);
        assert_eq!(
            variable(&launch, "SIGNOFF_MODEL").as_deref(),
            Some("m"),
            "{kind}"
        );
        assert_eq!(
            variable(&launch, "SIGNOFF_TOOLS").as_deref(),
            Some("read_file,bash"),
            "{kind}"
        );
    }
}

mod tighten;

use std::fs;
use std::time::Duration;

use super::*;

/// Loads a user's and a project's file with these contents.
fn load(user: &str, project: &str) -> Result<Config, Vec<String>> {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("user.toml"), user).unwrap();
    fs::write(path("project.toml"), project).unwrap();
    let layers = Layers {
        user: Some(path("user.toml")),
        project: Some(path("project.toml")),
        ..Layers::default()
    };
    let root = format!("{}/", dir.path().display());
    Config::load(&layers).map_err(|errors| {
        let text = errors.to_string().replace(&root, "");
        text.lines().map(str::to_owned).collect()
    })
}

/// Checks the problems of a project's file, without its name.
fn check(project: &str, expected: &[&str]) {
    let found = load("", project).err().unwrap_or_default();
    let expected: Vec<_> = expected
        .iter()
        .map(|line| format!("project.toml:{line}"))
        .collect();
    assert_eq!(found, expected, "{project}");
}

#[test]
fn nothing_configured_is_the_built_in_settings() {
    let absent = Some(PathBuf::from("/nonexistent/config.toml"));
    let layers = Layers {
        user: absent.clone(),
        project: absent,
        ..Layers::default()
    };
    let config = Config::load(&layers).unwrap();
    assert_eq!(config, Config::default());
    assert_eq!(config.run.step_timeout.value, Duration::from_mins(10));
    assert_eq!(config.sandbox.env.value, ["PATH", "LANG", "TERM", "HOME"]);
    assert_eq!(config.contract.shell.origin.to_string(), "built-in");
    assert!(!config.runs_project_commands());
}

#[test]
fn each_layer_changes_what_it_names() {
    let user = r#"
        [run]
        step_timeout = "90s"
        backoff = "0s"
        [agents.default]
        driver = "command"
        command = ["mine", "{task}"]
        [agents.tester]
        driver = "command"
        command = ["my-tester"]
    "#;
    let project = r#"
        run.step_timeout = "1h 30m"
        contract = { shell = "sh", timeout = "1500ms", baseline = false }
        agents.default = { driver = "command", command = ["theirs", "{prompt_file}", "{workspace}"] }
        sandbox.env = ["PATH", "PATH"]
    "#;
    let config = load(user, project).unwrap();
    let RunSettings {
        step_timeout,
        backoff,
        ..
    } = &config.run;
    assert_eq!(step_timeout.value, Duration::from_mins(90));
    assert_eq!(step_timeout.origin, Origin::Project);
    assert_eq!(
        (backoff.value, backoff.origin),
        (Duration::ZERO, Origin::User)
    );
    assert!(backoff.source().ends_with("user.toml:4:19"), "{backoff:?}");
    assert_eq!(config.contract.timeout.value, Duration::from_millis(1500));
    assert!(!config.contract.baseline.value);
    assert_eq!(config.sandbox.env.value, ["PATH"]);
    let (name, agent) = config.agent_for_role(Some("coder")).unwrap();
    assert_eq!((name, agent.command[0].as_str()), ("default", "theirs"));
    assert_eq!(config.agents["default"].origin, Origin::Project);
    let (name, agent) = config.agent_for_role(Some("tester")).unwrap();
    assert_eq!((name, agent.command[0].as_str()), ("tester", "my-tester"));
    assert_eq!(config.agent_for_role(None).unwrap().0, "default");
    assert!(config.runs_project_commands());
    assert_eq!(config.project.unwrap().bytes, project.as_bytes());
}

#[test]
fn a_command_that_tells_somebody_has_to_be_trusted() {
    let config = load("notify.command = ['mine']", "").unwrap();
    assert_eq!(config.notify.command.value, ["mine"]);
    assert!(!config.runs_project_commands());
    let config = load("", "notify.command = ['theirs', '{x}']").unwrap();
    assert_eq!(config.notify.command.value, ["theirs", "{x}"]);
    assert!(config.runs_project_commands());
    let silenced = load("notify.command = ['mine']", "notify.command = []").unwrap();
    assert!(silenced.notify.command.value.is_empty() && !silenced.runs_project_commands());
    check(
        "notify.command = ['']",
        &["1:19: the program of a command must not be empty"],
    );
}

#[test]
fn commands_that_prepare_a_worktree_have_to_be_trusted() {
    let mine = load("run.prepare = ['npm ci']", "run.copy = ['./.env']").unwrap();
    assert_eq!(mine.run.prepare.value, ["npm ci"]);
    assert_eq!(mine.run.copy.value, [".env"]);
    assert!(!mine.runs_project_commands());
    assert!(
        load("", "run.prepare = ['npm ci']")
            .unwrap()
            .runs_project_commands()
    );
    let none = load("run.prepare = ['npm ci']", "run.prepare = []").unwrap();
    assert!(none.run.prepare.value.is_empty() && !none.runs_project_commands());
}

#[test]
fn trees_of_their_own_are_read_strictly() {
    let config = load("run.isolation = 'worktree'", "run.isolation = 'shared'").unwrap();
    assert_eq!(config.run.isolation.value, Isolation::Shared);
    check(
        "[run]\nisolation = 'worktre'\nprepare = ['make', ' ', 1]\ncopy = ['.env', '../x', '/y', '.git']\n",
        &[
            "2:13: `worktre` is not among the choices `auto`, `worktree` and `shared`; did you mean `worktree`?",
            "3:25: expected a string, found a number",
            "4:17: `../x` leads out of the project; write a path or pattern below the project, like `.env` or `config/*.key`",
            "4:25: `/y` is not a path below the project; write a path or pattern below the project, like `.env` or `config/*.key`",
            "4:31: `.git` is never copied: every worktree has its own",
        ],
    );
    check(
        "run.prepare = ['make', ' ']",
        &["1:24: a command must not be empty"],
    );
}

#[test]
fn without_a_default_an_unknown_role_leads_nowhere() {
    let config = load("agents.coder = { driver = 'command', command = ['x'] }", "").unwrap();
    assert!(
        config.agent_for_role(Some("tester")).is_none() && config.agent_for_role(None).is_none()
    );
}

#[test]
fn every_problem_of_every_file_at_once() {
    let user = "[rum]\njobs = 4\n";
    let project = "[run]\nstep_timout = \"1m\"\nbackoff = 3\n\n[contract]\nbaseline = \"yes\"\ntimeout = \"soon\"\n";
    assert_eq!(
        load(user, project).unwrap_err(),
        [
            "user.toml:1:2: unknown section `[rum]`; the sections are `[plans]`, `[approval]`, `[run]`, `[contract]`, `[sandbox]`, `[llm]`, `[notify]`, `[guard]`, `[serve]`, `[engine]`, `[agents]`, `[prices]` and `[mcp]`; did you mean `run`?",
            "project.toml:2:1: unknown key `step_timout` in `[run]`, which has `jobs`, `isolation`, `land`, `step_timeout`, `backoff`, `max_replans`, `durability`, `prepare` and `copy`; did you mean `step_timeout`?",
            "project.toml:3:11: expected a duration like `\"10m\"`, found a number",
            "project.toml:6:12: expected `true` or `false`, found a string",
            "project.toml:7:11: `soon` is not a duration; write one like `90s`, `10m` or `1h 30m`",
        ]
    );
}

#[test]
fn sections_and_values_of_the_wrong_kind() {
    check(
        "run = 3",
        &["1:7: expected a section `[run]`, found a number"],
    );
    check(
        "[[contract]]",
        &["1:1: expected a section `[contract]`, found a list"],
    );
    check(
        "agents.x = 1",
        &["1:12: expected a section `[agents.x]`, found a number"],
    );
    check(
        "jobs = 4",
        &[
            "1:1: unknown key `jobs`; the sections are `[plans]`, `[approval]`, `[run]`, `[contract]`, `[sandbox]`, `[llm]`, `[notify]`, `[guard]`, `[serve]`, `[engine]`, `[agents]`, `[prices]` and `[mcp]`",
        ],
    );
    check("contract.shell = ' '", &["1:18: must not be empty"]);
    check(
        "run.step_timeout = '0s'",
        &["1:20: a time limit must be more than zero"],
    );
    check(
        "run.backoff = '366d'",
        &[
            "1:15: `366d` is too long; the longest is `365d`; write one like `90s`, `10m` or `1h 30m`",
        ],
    );
    check(
        "run.backoff = '10'",
        &["1:15: `10` is not a duration; write one like `90s`, `10m` or `1h 30m`"],
    );
}

#[test]
fn agents_say_what_they_lack() {
    let drivers = "`claude`, `codex`, `gemini`, `opencode`, `pi`, `acp` and `command`";
    check(
        "[agents.x]",
        &[&format!(
            "1:9: agent `x` has no `driver`; write one like `driver = \"claude\"`; there are {drivers}"
        )],
    );
    check(
        "[agents.x]\ndriver = 'command'",
        &[r#"1:9: agent `x` has no `command`; write one like `command = ["my-agent", "{task}"]`"#],
    );
    check(
        "[agents.x]\ndriver = 'acp'",
        &[r#"1:9: agent `x` has no `command`; write one like `command = ["my-agent", "--acp"]`"#],
    );
    check(
        "[agents.x]\ndriver = 'comand'\nmodle = 'big'",
        &[
            &format!("2:10: unknown driver `comand`; there are {drivers}; did you mean `command`?"),
            "3:1: unknown key `modle` in `[agents.x]`, which has `driver`, `command`, `model`, `retry_session`, `login` and `env`; did you mean `model`?",
        ],
    );
    check(
        "[agents.x]\ndriver = 'claude-code'",
        &[&format!(
            "2:10: unknown driver `claude-code`; there are {drivers}; did you mean `claude`?"
        )],
    );
}

#[test]
fn agents_of_a_driver_need_no_command() {
    let text = "[agents.coder]\ndriver = 'claude'\n[agents.tester]\ndriver = 'codex'\ncommand = ['/opt/codex', '--x']\nmodel = 'big'\nretry_session = 'continue'\n";
    let config = load(text, "").unwrap();
    let coder = &config.agents["coder"].value;
    assert_eq!(*coder, AgentSettings::of_driver(DriverName::Claude));
    let tester = &config.agents["tester"].value;
    assert_eq!(
        (tester.driver, tester.program(), tester.model.as_deref()),
        (DriverName::Codex, "/opt/codex", Some("big"))
    );
    assert_eq!(tester.retry_session, RetrySession::Continue);
    assert!(!config.runs_project_commands());
    let shown = config.entries_of("agents.tester").unwrap();
    assert_eq!(
        shown[0].value,
        serde_json::json!({"driver": "codex", "command": ["/opt/codex", "--x"], "model": "big", "retry_session": "continue"})
    );
}

#[test]
fn a_projects_drivers_have_to_be_trusted_and_keep_the_login() {
    // A program from PATH is started all the same.
    let config = load("", "[agents.x]\ndriver = 'pi'\ncommand = ['pi', '--x']").unwrap();
    assert!(config.runs_project_commands());
    for program in ["./claude", "npx"] {
        check(
            &format!("[agents.x]\ndriver = 'claude'\ncommand = ['{program}']"),
            &[&format!(
                "3:11: a project cannot hand the login of `claude` to the program `{program}`; name the command in your own configuration"
            )],
        );
    }
}

#[test]
fn what_a_driver_cannot_do_is_refused() {
    check(
        "[agents.x]\ndriver = 'claude'\ncommand = ['claude', '-p', '{task}']",
        &[
            "3:11: `{task}` has a placeholder, but the driver `claude` adds the task and its own arguments itself; name only the program and what it needs before them",
        ],
    );
    for driver in ["gemini", "acp", "command"] {
        check(
            &format!(
                "[agents.x]\ndriver = '{driver}'\ncommand = ['gemini']\nretry_session = 'continue'"
            ),
            &[&format!(
                "4:17: the driver `{driver}` cannot continue a session; `claude`, `codex`, `opencode` and `pi` can; take `retry_session` out"
            )],
        );
        let fresh = format!(
            "[agents.x]\ndriver = '{driver}'\ncommand = ['gemini']\nretry_session = 'fresh'"
        );
        load("", &fresh).unwrap();
    }
    check(
        "[agents.x]\ndriver = 'pi'\nmodel = ''\nretry_session = 'again'",
        &[
            "3:9: must not be empty",
            "4:17: `again` is not among the choices `fresh` and `continue`",
        ],
    );
}

#[test]
fn prices_are_kept_exactly() {
    let user = "[prices.'big-1.5']\ninput = 3\noutput = 15.075\ncached = 0.3\n[prices.small]\ninput = 0.1\noutput = 1\n";
    let project = "[prices.small]\ninput = 0.2\noutput = 2.000001\ncache_write = 0\n";
    let config = load(user, project).unwrap();
    let price = |model: &str| config.prices[model].value;
    assert_eq!(
        price("big-1.5"),
        PriceSettings {
            input: 3_000_000,
            output: 15_075_000,
            cached: 300_000,
            cache_write: 3_000_000,
        }
    );
    assert_eq!(
        price("small"),
        PriceSettings {
            input: 200_000,
            output: 2_000_001,
            cached: 200_000,
            cache_write: 0,
        }
    );
    assert!(!config.runs_project_commands());
    let shown = config.entries_of("prices").unwrap();
    assert_eq!(shown[0].key, "prices.\"big-1.5\"");
    assert_eq!(
        shown[0].value.to_string(),
        r#"{"input":3,"output":15.075,"cached":0.3,"cache_write":3}"#
    );
}

#[test]
fn prices_say_what_is_wrong() {
    check(
        "[prices.x]\ninput = '3'\ncahced = 1",
        &[
            "1:9: the price of \"x\" has no `output`; write one like `output = 3.00`, in dollars per million tokens",
            "2:9: expected an amount of dollars like `3.00`, found a string",
            "3:1: unknown key `cahced` in `[prices.\"x\"]`, which has `input`, `output`, `cached` and `cache_write`; did you mean `cached`?",
        ],
    );
    let range = "is not an amount from 0 to 1000000 dollars with at most 6 digits after the point";
    check(
        "[prices.x]\ninput = 0.0000001\noutput = -1\ncached = 1000000.1\ncache_write = 1e3",
        &[
            &format!("2:9: `0.0000001` {range}"),
            &format!("3:10: `-1` {range}"),
            &format!("4:10: `1000000.1` {range}"),
            &format!("5:15: `1e3` {range}"),
        ],
    );
    check(
        "prices = 3",
        &["1:10: expected a section `[prices.\"MODEL\"]`, found a number"],
    );
}

#[test]
fn commands_are_lists_with_known_placeholders() {
    let command = |value: &str| format!("agents.x = {{ driver = 'command', command = {value} }}");
    check(
        &command("[]"),
        &["1:44: a command needs at least a program"],
    );
    check(
        &command("['']"),
        &["1:45: the program of a command must not be empty"],
    );
    check(
        &command("'bash'"),
        &["1:44: expected a list of strings, found a string"],
    );
    check(
        &command("['a', 1, true]"),
        &[
            "1:50: expected a string, found a number",
            "1:53: expected a string, found a boolean",
        ],
    );
    let known = "there are `{task}`, `{prompt_file}`, `{workspace}` and `{model}`";
    check(
        &command("['a', '{taks}', 'awk {print}']"),
        &[
            &format!("1:50: unknown placeholder `{{taks}}`; {known}; did you mean `{{task}}`?"),
            &format!(
                "1:60: unknown placeholder `{{print}}`; {known}; put a space inside the braces if they are meant as they are"
            ),
        ],
    );
    check(
        &command("['bash', '-c', 'x=${y}; { echo {a,b}; }; {task}']"),
        &[],
    );
}

#[test]
fn a_project_can_only_take_variables_away() {
    let lets_through =
        |user: &str, project: &str| load(user, project).map(|config| config.sandbox.env.value);
    assert_eq!(lets_through("", "sandbox.env = []").unwrap(), [""; 0]);
    let user = "sandbox.env = ['PATH', 'TOKEN']";
    assert_eq!(
        lets_through(user, "sandbox.env = ['TOKEN']").unwrap(),
        ["TOKEN"]
    );
    assert_eq!(
        lets_through(user, "sandbox.env = ['HOME']").unwrap_err(),
        [
            "project.toml:1:16: a project cannot let the variable `HOME` through; add it to `[sandbox] env` in your own configuration"
        ]
    );
    check(
        "sandbox.env = ['A=B']",
        &["1:16: `A=B` is not the name of a variable"],
    );
}

#[test]
fn columns_count_characters() {
    let config = load("", "run = { 'é' = 1, backoff = 2 }").unwrap_err();
    assert!(config[1].starts_with("project.toml:1:28: "), "{config:?}");
}

#[test]
fn broken_lines_do_not_hide_the_problems_of_others() {
    check(
        "[run]\nbackoff = 1s\n[approval]\nrequired = \"yes\"\n[contract]\nbaseline = tru\n",
        &[
            "2:11: string values must be quoted, expected literal string",
            "4:12: expected `true` or `false`, found a string",
            "6:12: invalid boolean, expected `true`",
        ],
    );
    check(
        "[run]\nbackoff = '1s'\nbackoff = '2s'",
        &["3:1: duplicate key"],
    );
    check(
        "[run\nbaseline = true",
        &["1:5: unclosed table, expected `]`"],
    );
    let list = load(
        "",
        "[agents.x]\ncommand = ['a',\n 'b'\ndriver = 'command'\n",
    )
    .unwrap_err();
    assert_eq!(list.len(), 1, "{list:?}");
    assert!(list[0].starts_with("project.toml:4:"), "{list:?}");
}

#[test]
fn files_that_cannot_be_text() {
    let dir = tempfile::tempdir().unwrap();
    let problem = |path: PathBuf| {
        let layers = Layers {
            user: None,
            project: Some(path),
            ..Layers::default()
        };
        let mut problems = Config::load(&layers).unwrap_err().problems;
        let problem = problems.remove(0);
        let text = problem.to_string();
        text.split_once(':').unwrap().1.to_owned()
    };
    let path = dir.path().join("config.toml");
    fs::write(&path, b"[run]\nbackoff = \"\xff\"").unwrap();
    assert_eq!(problem(path.clone()), "2:12: the file is not UTF-8");
    fs::write(&path, "#".repeat(1024 * 1024 + 1)).unwrap();
    assert_eq!(problem(path), "1:1: the file is larger than 1 MiB");
    assert!(problem(dir.path().to_path_buf()).starts_with("1:1: cannot read the file: "));
}

#[test]
fn an_unknown_key_is_answered_with_those_there_are() {
    let text = "[engine]\nmode = 'off'\n[sandbox]\nmod = 'auto'\n";
    check(
        text,
        &[
            "2:1: unknown key `mode` in `[engine]`, which has `url`, `projects`, `orchestrators`, `workers`, `verifier` and `usd_per_day`",
            "4:1: unknown key `mod` in `[sandbox]`, which has `mode`, `network`, `processes`, `memory_mb`, `redact`, `env`, `home` and `writable`; did you mean `mode`?",
        ],
    );
}

#[test]
fn the_planner_is_chosen_and_bounded() {
    let config = load(
        "llm.max_rounds = 5",
        "[llm]\nagent = 'coder'\nidle_timeout = '90s'\n",
    )
    .unwrap();
    assert_eq!(config.llm.agent.value.as_deref(), Some("coder"));
    assert_eq!(config.llm.max_rounds.value, 5);
    assert_eq!(config.llm.idle_timeout.value, Duration::from_secs(90));
    assert_eq!(load("", "").unwrap().llm.max_rounds.value, 3);
    check(
        "[llm]\nmax_rounds = 0\n",
        &["2:14: must be a whole number from 1 to 100000"],
    );
}

#[test]
fn a_provider_is_the_persons_choice() {
    let user = "[llm]\nprovider = 'openai'\nmodel = 'm'\nbase_url = 'https://models.example.com/v1'\nkey_command = ['pass', 'openai']\n";
    let config = load(user, "[llm]\nmodel = 'n'\n").unwrap().llm;
    assert_eq!(config.provider.value, Some(ModelProvider::OpenAi));
    assert_eq!(config.model.value.as_deref(), Some("n"));
    assert_eq!(config.key_command.value, ["pass", "openai"]);
    let errors = load("", user).unwrap_err().join("\n");
    for key in ["provider", "base_url", "key_command"] {
        let refused = format!("a project cannot loosen `[llm] {key}`");
        assert!(errors.contains(&refused), "{errors}");
    }
    let errors = |text: &str| load(text, "").unwrap_err().join("\n");
    let unknown = errors("[llm]\nprovider = 'gemni'\n");
    assert!(unknown.contains("did you mean `gemini`?"), "{unknown}");
    let open = errors("[llm]\nbase_url = 'https://me:secret@example.com'\n");
    assert!(
        open.contains("password is not taken") && !open.contains("secret"),
        "{open}"
    );
    assert!(errors("[llm]\nbase_url = 'example.com'\n").contains("not an address"));
}

#[test]
fn servers_of_tools_are_read_whole() {
    let user = "[mcp.servers.a]\ncommand = ['mine']\nrepeatable = ['x']\n[mcp.servers.b]\ncommand = ['b', '{x}']\n";
    let project = "[mcp.servers.a]\ncommand = ['a', 'stdio']\nconfined = true\nenv = ['TOKEN']\nread_only = ['get_*']\ntimeout = '1m'\n";
    let config = load(user, project).unwrap();
    let Setting { value, origin, .. } = &config.servers["a"];
    assert_eq!(*origin, Origin::Project);
    let expected = ServerSettings {
        confined: true,
        command: vec!["a".to_owned(), "stdio".to_owned()],
        url: None,
        token_env: None,
        env: vec!["TOKEN".to_owned()],
        read_only: vec!["get_*".to_owned()],
        repeatable: Vec::new(),
        timeout: Some(Duration::from_mins(1)),
    };
    assert_eq!(*value, expected);
    assert_eq!(config.servers["b"].value.command, ["b", "{x}"]);
    assert!(config.runs_project_commands());
    assert!(!load(user, "").unwrap().runs_project_commands());
    let shown = config.entries_of("mcp.servers.a").unwrap();
    assert_eq!(
        shown[0].value.to_string(),
        r#"{"command":["a","stdio"],"env":["TOKEN"],"read_only":["get_*"],"confined":true,"timeout":"1m"}"#
    );
    assert_eq!(load("", "").unwrap().entries_of("mcp"), Ok(Vec::new()));
}

#[test]
fn mistakes_in_servers_have_a_place() {
    check(
        "[mcp.servers.'a.b']\ncommand = []\n[mcp.servers.c]\nenv = ['A=B']\ncomand = ['c']\n[mcp.server.d]\n",
        &[
            "1:14: `a.b` is not a name for a server; use letters, digits, `_` and `-`",
            "2:11: a command needs at least a program",
            "3:14: server `c` has no `command` and no `url`; write one like `command = [\"my-server\", \"stdio\"]` or `url = \"https://…/mcp\"`",
            "4:8: `A=B` is not the name of a variable; a variable's value comes from your environment",
            "5:1: unknown key `comand` in `[mcp.servers.c]`, which has `command`, `confined`, `env`, `read_only`, `repeatable`, `timeout`, `token_env` and `url`; did you mean `command`?",
            "6:6: unknown key `server` in `[mcp]`, which has `servers`; did you mean `servers`?",
        ],
    );
}

#[test]
fn counts_and_choices_are_strict() {
    check(
        "[plans]\nstale_after_days = 0\nmax_rejections = 'three'\narchive_after_days = 1.5\nexecutor_timeout_minutes = 0x10\n",
        &[
            "2:20: must be a whole number from 1 to 100000",
            "3:18: expected a whole number, found a string",
            "4:22: expected a whole number, found a fraction",
        ],
    );
    check(
        "approval.proof = 'terminl'",
        &[
            "1:18: `terminl` is not among the choices `any`, `page`, `terminal` and `key`; did you mean `terminal`?",
        ],
    );
    let user = "approval.allowed_signers = 'signers'";
    assert_eq!(
        load(user, "").unwrap_err(),
        ["user.toml:1:28: must be an absolute path; write one like `~/.ssh/allowed_signers`"]
    );
}

#[test]
fn warm_contracts_land_at_the_end_and_find_no_attempts_files() {
    let warm = "contract.cache = 'warm'";
    for fits in ["", "run.land = 'end'", "contract.ignored = 'checkout'"] {
        let config = load(fits, warm).unwrap();
        assert_eq!(config.contract.cache.value, ContractCache::Warm);
    }
    let problems = load("run.land = 'step'\ncontract.ignored = 'attempt'", warm).unwrap_err();
    let [land, ignored] = &problems[..] else {
        panic!("{problems:?}");
    };
    assert!(
        land.contains("project.toml:1:18: ") && land.contains("user.toml:1:12"),
        "{land}"
    );
    assert!(land.ends_with("write `land = \"end\"`, or `cache = \"cold\"`"));
    assert!(ignored.contains("`ignored = \"attempt\"`"), "{ignored}");
}

#[test]
fn what_is_in_force_can_be_asked_for() {
    let config = load(
        "agents.coder = { driver = 'command', command = ['x'] }",
        "run.step_timeout = '90s'",
    )
    .unwrap();
    let keys = |name| {
        let entries = config.entries_of(name)?;
        Ok::<_, UnknownKey>(entries.into_iter().map(|one| one.key).collect::<Vec<_>>())
    };
    assert_eq!(
        keys("run").unwrap(),
        [
            "run.jobs",
            "run.isolation",
            "run.land",
            "run.step_timeout",
            "run.backoff",
            "run.max_replans",
            "run.durability",
            "run.prepare",
            "run.copy",
        ]
    );
    assert_eq!(keys("agents").unwrap(), ["agents.coder"]);
    let one = config.entries_of("run.step_timeout").unwrap().remove(0);
    assert_eq!((one.value, one.origin), ("1m 30s".into(), Origin::Project));
    let unknown = keys("approval.prof").unwrap_err();
    assert_eq!(
        unknown.suggestion.unwrap(),
        "did you mean `approval.proof`?"
    );
    assert_eq!(config.entries().len(), key::KEYS.len() + 1);
}

#[test]
fn a_project_confines_more_and_never_less() {
    let whole = load;
    let load = |user: &str, project: &str| {
        whole(user, project).map(|config| (config.sandbox.mode.value, config.sandbox.network.value))
    };
    assert_eq!(load("", "").unwrap(), (SandboxMode::Auto, true));
    let stricter = "sandbox.mode = 'required'\nsandbox.network = false";
    assert_eq!(load("", stricter).unwrap(), (SandboxMode::Required, false));
    assert_eq!(
        load("sandbox.mode = 'off'", "").unwrap(),
        (SandboxMode::Off, true)
    );
    let refused = load("", "sandbox.mode = 'off'").unwrap_err();
    assert!(refused[0].contains("cannot loosen"), "{refused:?}");
    let refused = whole("sandbox.redact = ['a+']", "sandbox.redact = []").unwrap_err();
    assert!(refused[0].contains("cannot loosen"), "{refused:?}");
    for (user, project) in [
        ("", "sandbox.processes = 5000"),
        ("sandbox.memory_mb = 100", "sandbox.memory_mb = 101"),
    ] {
        let refused = whole(user, project).unwrap_err();
        assert!(refused[0].contains("cannot loosen"), "{refused:?}");
    }
    let stricter = whole("", "sandbox.processes = 9\nsandbox.memory_mb = 100").unwrap();
    assert_eq!(stricter.sandbox.memory_mb.value, Some(100));
    let broken = whole("sandbox.redact = ['(', '']", "").unwrap_err();
    assert_eq!(broken.len(), 2, "{broken:?}");
    let refused = load("sandbox.network = false", "sandbox.network = true").unwrap_err();
    assert!(refused[0].contains("cannot loosen"), "{refused:?}");
}

#[test]
fn a_project_cannot_name_files_of_the_home() {
    let dir = tempfile::tempdir().unwrap();
    let (home, path) = (dir.path().join("home"), dir.path().join("w/.signoff"));
    fs::create_dir_all(&path).unwrap();
    let path = path.join("config.toml");
    let load = |text: &str, layer: fn(PathBuf) -> Layers| {
        fs::write(&path, text).unwrap();
        let layers = Layers {
            home: Some(home.clone()),
            ..layer(path.clone())
        };
        Config::load(&layers)
    };
    let project = |path| Layers {
        project: Some(path),
        ..Layers::default()
    };
    let user = |path| Layers {
        user: Some(path),
        ..Layers::default()
    };
    let secret = home.join(".ssh/id_rsa");
    for text in [
        "[agents.a]\ndriver = 'command'\ncommand = ['sh', '-c', 'cat ~/.ssh/id_rsa']\n".to_owned(),
        format!(
            "[mcp.servers.a]\ncommand = ['serve', '{}']\n",
            secret.display()
        ),
        "[notify]\ncommand = ['cat', '../home/.netrc']\n".to_owned(),
        "[run]\nprepare = ['cp $HOME/.netrc .']\n".to_owned(),
    ] {
        let refused = load(&text, project).unwrap_err().to_string();
        assert!(refused.contains("which is in your home"), "{refused}");
        load(&text, user).unwrap();
    }
}

#[test]
fn a_projects_file_that_is_a_link_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let [real, link] = ["real.toml", "link.toml"].map(|name| dir.path().join(name));
    fs::write(&real, "[contract]\nshell = 'sh'\n").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let project = Layers {
        project: Some(link.clone()),
        ..Layers::default()
    };
    let refused = Config::load(&project).unwrap_err().to_string();
    assert!(refused.contains("it is a link"), "{refused}");
    let user = Layers {
        user: Some(link),
        ..Layers::default()
    };
    assert_eq!(Config::load(&user).unwrap().contract.shell.value, "sh");
}

//! Settings, `config` and `init`, and what a signature's terms cover, with the real binary.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use signoff_testkit::{Project, Reply, Script};

use crate::support::{BINARY, agent, makes_out, plan, project, signed};

fn contract(text: &str) -> String {
    format!("**contract:**\n```shell\n{text}\n```\nexit_code == 0\n")
}

/// A user's own configuration.
fn user(project: &Project, text: &str) {
    let folder = project.home().join(".config/signoff");
    std::fs::create_dir_all(&folder).expect("the home is ours");
    std::fs::write(folder.join("config.toml"), text).expect("the home is ours");
}

#[test]
fn config_says_where_each_value_came_from() {
    let project = project(&makes_out(), &plan(&[])).env("SIGNOFF_PLANS_MAX_REJECTIONS", "5");
    user(&project, "[approval]\nproof = \"terminal\"\n");
    let shape = project.json(["config"]);
    assert_eq!(shape["schema"], "signoff.config/1");
    assert_eq!(shape["trust"], "missing");
    let setting = |key: &str| {
        let all = shape["settings"].as_array().expect("a list");
        let one = all.iter().find(|one| one["key"] == key);
        one.unwrap_or_else(|| panic!("no {key}")).clone()
    };
    assert_eq!(
        setting("plans.max_rejections"),
        json!({"key": "plans.max_rejections", "value": 5, "origin": "environment", "file": null,
            "line": null, "variable": "SIGNOFF_PLANS_MAX_REJECTIONS"})
    );
    assert_eq!(setting("approval.proof")["origin"], "user");
    assert_eq!(setting("approval.proof")["line"], 2);
    assert_eq!(setting("run.backoff")["origin"], "project");
    assert_eq!(setting("contract.shell")["origin"], "built-in");
    assert_eq!(setting("agents.coder")["value"]["driver"], "command");
    let human = project.signoff(["config"]);
    human
        .assert_success()
        .assert_stdout_contains("its commands are not trusted")
        .assert_stdout_contains("config.toml:2")
        .assert_stdout_contains("# SIGNOFF_PLANS_MAX_REJECTIONS");
    project.signoff(["trust"]).assert_success();
    assert_eq!(project.json(["config"])["trust"], "given");
}

#[test]
fn one_setting_can_be_asked_for() {
    let project = Project::new(BINARY);
    let answer = |key: &str| {
        project
            .signoff(["config", key])
            .assert_success()
            .stdout
            .clone()
    };
    assert_eq!(answer("approval.proof"), "any\n");
    assert_eq!(answer("approval.auto"), "[]\n");
    assert_eq!(answer("engine.url"), "local\n");
    assert_eq!(answer("run.isolation"), "auto\n");
    assert_eq!(answer("approval.allowed_signers"), "\n");
    assert!(answer("plans").contains("plans.archive_after_days"));
    project
        .signoff(["config", "aproval.proof"])
        .assert_code(2)
        .assert_stderr_contains("did you mean `approval.proof`?");
}

#[test]
fn a_project_cannot_loosen_what_its_user_wants() {
    let project = Project::new(BINARY).env("SIGNOFF_APPROVAL_MINIMUM", "any");
    user(&project, "[approval]\nminimum = \"key\"\n");
    project.write(".signoff/config.toml", "[approval]\nrequired = false\n");
    project
        .signoff(["config"])
        .assert_code(6)
        .assert_stderr_contains("config.toml:2:12: a project cannot loosen `[approval] required` from `true` (built-in) to `false`")
        .assert_stderr_contains("SIGNOFF_APPROVAL_MINIMUM: the environment cannot loosen `[approval] minimum` from `key` (")
        .assert_stderr_contains("signoff/config.toml:2:11) to `any`");
}

#[test]
fn a_pi_store_brings_its_own_settings() {
    let project = Project::new(BINARY);
    project.write(".signoff/config.toml", "").write(
        ".pi/plans.json",
        r#"{"stale_after_days": 7, "guardedTools": ["gmail_send"]}"#,
    );
    // Without plans it is not a store, and the file none of our business.
    let value = |key: &str| project.json(["config", key])["settings"][0].clone();
    assert_eq!(value("plans.stale_after_days")["value"], 30);
    assert_eq!(value("approval.then_run")["value"], false);
    project.write(".pi/plans/.keep", "");
    assert_eq!(value("plans.stale_after_days")["value"], 7);
    assert_eq!(value("plans.stale_after_days")["origin"], "pi");
    assert_eq!(value("approval.then_run")["value"], true);
    project
        .signoff(["config"])
        .assert_success()
        .assert_stderr_contains("the guarded tools have no effect");
}

/// A project on whose PATH are these agents; each says its version.
fn with_agents(agents: &[&str]) -> Project {
    let project = Project::new(BINARY);
    let bin = project.outside("agents");
    std::fs::create_dir(&bin).expect("the folder is ours");
    for agent in agents {
        let program = bin.join(agent);
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && [ -z \"$CODEX_API_KEY\" ] && echo \"{agent} 1.2.3\"\n"
        );
        std::fs::write(&program, script).expect("the folder is ours");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("ours");
    }
    // `Project::bash` finds `signoff` in it.
    let own = project.path().with_file_name("bin");
    let path = format!("{}:{}:/usr/bin:/bin", bin.display(), own.display());
    project.env("PATH", path)
}

#[test]
fn init_writes_roles_for_what_it_found_and_changes_nothing_twice() {
    // The one with a login is better than the one that is preferred.
    let project = with_agents(&["claude", "codex"]).env("CODEX_API_KEY", "secret-key-of-codex");
    let output = project.signoff(["init"]);
    output
        .assert_success()
        .assert_stdout_contains(
            "agents: found codex 1.2.3 (logged in by $CODEX_API_KEY), claude 1.2.3 (not logged in)",
        )
        .assert_stdout_contains(
            "roles: default, planner, coder, developer, tester, reviewer, executor use codex",
        )
        .assert_stdout_contains("git: not a repository")
        .assert_stdout_contains("sandbox: none")
        .assert_stdout_contains("next: `signoff new fix.md --template bugfix");
    let config = project.read(".signoff/config.toml");
    assert!(
        config.contains("\n[agents.default]\ndriver = \"codex\"\n"),
        "{config}"
    );
    assert!(!config.contains("secret-key"), "{config}");
    assert!(project.read(".signoff/.gitignore").contains("/index*"));
    let again = project.json(["init"]);
    assert_eq!(again["written"], json!([]));
    assert_eq!(again["found_agents"], json!(["codex", "claude"]));
    assert_eq!(again["agents"][0]["version"], "1.2.3");
    assert_eq!(again["agents"][0]["login"], "found");
    assert_eq!(again["agents"][1]["login"], "missing");
    assert_eq!(project.read(".signoff/config.toml"), config);
    // What it wrote is trusted, what somebody else wrote is not.
    let coder = "[agents.coder]\ndriver = \"command\"\ncommand = [\"codex\"]\n";
    project.write(".signoff/config.toml", coder);
    project
        .signoff(["init"])
        .assert_success()
        .assert_stdout_contains("then type `signoff trust`");
}

#[test]
fn the_next_command_of_init_works() {
    let project = with_agents(&["codex"]);
    let output = project.signoff(["init"]);
    output
        .assert_success()
        .assert_stdout_contains("next: log in to codex (type `codex login`");
    let said = &output.stdout;
    let (_, command) = said.split_once("then `").expect("a command");
    let (command, _) = command.split_once('`').expect("its end");
    project.bash(command, &project.path()).assert_success();
    project.signoff(["verify", "fix.md"]).assert_success();
}

#[test]
fn init_without_an_agent_says_how_to_get_one() {
    let project = with_agents(&[]);
    project
        .signoff(["init"])
        .assert_success()
        .assert_stdout_contains("agents: none of claude, codex, gemini, opencode, pi is on PATH")
        .assert_stdout_contains("next: install an agent, for example by `npm install -g");
    assert_eq!(project.json(["config", "agents"])["settings"], json!([]));
    // Once there is one, the same command writes its roles.
    let program = project.outside("agents").join("pi");
    std::os::unix::fs::symlink("/usr/bin/test", program).expect("the folder is ours");
    let again = project.json(["init"]);
    let config = project.path().join(".signoff/config.toml");
    assert_eq!(again["written"], json!([config]));
    assert_eq!(again["agents"][0]["version"], json!(null));
    let settings = &project.json(["config", "agents.default"])["settings"];
    assert_eq!(settings[0]["value"]["driver"], "pi");
    assert_eq!(project.json(["config"])["trust"], "given");
}

#[test]
fn init_leaves_the_persons_own_choice_of_an_agent() {
    let project = with_agents(&["codex"]);
    user(&project, "[agents.default]\ndriver = \"pi\"\n");
    project
        .signoff(["init"])
        .assert_success()
        .assert_stdout_contains("roles: your own configuration has `default`");
    let settings = &project.json(["config", "agents.default"])["settings"];
    assert_eq!(settings[0]["value"]["driver"], "pi");
}

#[test]
fn doctor_says_which_agents_there_are_and_what_roles_lack() {
    let project = with_agents(&["codex"]).env("CODEX_API_KEY", "secret-key-of-codex");
    project.write(
        ".signoff/config.toml",
        "[agents.coder]\ndriver = \"codex\"\nmodel = \"big\"\n",
    );
    project
        .signoff(["doctor", "agents"])
        .assert_success()
        .assert_stdout_contains("✓ codex    1.2.3, logged in by $CODEX_API_KEY")
        .assert_stdout_contains("roles: coder")
        .assert_stdout_contains("· claude   not installed; `npm install -g")
        .assert_stdout_contains("✓ coder: driver codex, model big");
    let report = project.json(["doctor", "agents"]);
    assert_eq!(report["sandbox"], json!(null));
    assert_eq!(report["agents"]["known"][1]["roles"], json!(["coder"]));
    assert_eq!(project.json(["doctor", "sandbox"])["agents"], json!(null));
    project.write(
        ".signoff/config.toml",
        "[agents.coder]\ndriver = \"gemini\"\n",
    );
    project
        .signoff(["doctor"])
        .assert_code(6)
        .assert_stdout_contains("sandbox: ")
        .assert_stdout_contains("✗ coder: driver gemini")
        .assert_stderr_contains("the program of role `coder` is missing");
}

#[test]
fn a_plan_whose_agent_is_not_installed_says_how_to_get_it() {
    let project = with_agents(&[]);
    let text = plan(&[&agent("Make it.", "out")]);
    project
        .write(
            ".signoff/config.toml",
            "[agents.default]\ndriver = \"claude\"\n",
        )
        .write("plan.md", &text);
    project.signoff(["trust"]).assert_success();
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(6)
        .assert_stderr_contains("`claude`, which agent")
        .assert_stderr_contains("`npm install -g @anthropic-ai/claude-code` installs it; then start `claude` and type `/login`");
}

#[test]
fn init_tells_what_git_says() {
    let project = Project::new(BINARY);
    let git = |line: &str| {
        let line = format!("git -c user.name=t -c user.email=t {line}");
        project.bash(&line, &project.path()).assert_success();
    };
    git("init -q");
    assert_eq!(project.json(["init"])["git"], "clean");
    project.write("a", "1");
    assert_eq!(project.json(["init"])["git"], "uncommitted");
    git("add a");
    git("commit -qm a");
    assert_eq!(project.json(["init"])["git"], "clean");
}

#[test]
fn another_path_is_another_deal() {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]))
        .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    let project = project.env("PATH", "/opt/mine:/usr/bin:/bin:/usr/bin");
    project
        .signoff(["run", "plan.md"])
        .assert_code(4)
        .assert_stderr_contains(
            "PATH changed: it is now with `/opt/mine` and without `/usr/local/bin`",
        );
    assert_eq!(project.json(["show", "plan.md"])["status"], "verified");
    // The same directories in the same order, spelled differently.
    let path = "/usr/local/bin:/usr/bin/:/bin::/usr/sbin:/sbin:/bin";
    let project = project.env("PATH", path);
    project.signoff(["run", "plan.md"]).assert_success();
}

#[test]
fn a_script_that_a_contract_runs_is_signed_too() {
    let text = plan(&[&contract("bash scripts/check.sh && test -e data.txt")]);
    let project = project(&makes_out(), &text);
    project
        .write("scripts/check.sh", "exit 0\n")
        .write("data.txt", "1");
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    // What a contract only looks at is what the work changes.
    project.write("data.txt", "2");
    assert_eq!(project.json(["show", "plan.md"])["status"], "approved");
    project.write("scripts/check.sh", "exit 0 # or not\n");
    project
        .signoff(["run", "plan.md"])
        .assert_code(4)
        .assert_stderr_contains("scripts/check.sh changed since it was signed");
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
}

#[test]
fn an_agent_cannot_rewrite_the_script_it_is_measured_by() {
    let script = Script::new().reply(Reply::when(["Make it"]).write("check.sh", "exit 0\n"));
    let step = format!(
        "**target:** coder\n**task:**\nMake it.\n\n{}",
        contract("bash check.sh")
    );
    let project = project(&script, &plan(&[&step]));
    project.write("check.sh", "exit 1\n");
    project.signoff(["trust"]).assert_success();
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(4)
        .assert_stderr_contains("check.sh changed since it was signed");
    assert_eq!(project.json(["show", "plan.md"])["status"], "stalled");
    // Restored, the contract is asked, and says what it would have said.
    project.write("check.sh", "exit 1\n");
    let code = project.signoff(["resume"]).code;
    assert_ne!(code, Some(0));
}

#[test]
fn a_script_that_a_step_makes_does_not_void_the_signature() {
    let script = Script::new().reply(Reply::when(["Make it"]).write("check.sh", "exit 0\n"));
    let makes = format!(
        "**target:** coder\n**task:**\nMake it.\n\n{}",
        contract("bash check.sh")
    );
    let text = plan(&[&makes, &contract("bash check.sh")]);
    let project = signed(&script, &text);
    project.signoff(["run", "plan.md"]).assert_success();
    assert_eq!(project.json(["show", "plan.md"])["status"], "completed");
}

#[test]
fn a_misspelled_variable_is_no_silent_wish() {
    let project = Project::new(BINARY).env("SIGNOFF_APPROVAL_PROOV", "key");
    project
        .signoff(["config"])
        .assert_code(6)
        .assert_stderr_contains("did you mean `SIGNOFF_APPROVAL_PROOF`?");
    let output = Project::new(BINARY)
        .env("SIGNOFF_SOAK", "1")
        .signoff(["config", "--format", "json"]);
    let value = output.assert_success().json();
    let read = serde_json::from_value::<signoff_api::config::Config>(value);
    assert!(read.is_ok(), "{read:?}");
}

//! Runs as they are built in: agents and contracts are confined, and secrets are not shown.

use std::process::Command;

use serde_json::Value;
use signoff_testkit::Project;

use crate::support::BINARY;

/// A confined project whose agent is a shell that is given its task.
fn project(task: &str, contract: &str) -> Project {
    prepared(Project::new(BINARY), task, contract)
}

fn prepared(project: Project, task: &str, contract: &str) -> Project {
    let project = project.confined();
    project.write(
        ".signoff/config.toml",
        "[agents.default]\ndriver = \"command\"\ncommand = [\"bash\", \"-c\", \"{task}\"]\n",
    );
    let step = format!(
        "**id:** a\n**target:** default\n**task:**\n{task}\n**contract:**\n```bash\n{contract}\n```\n**on_fail:** abort\n"
    );
    project.write(
        "plan.md",
        &format!("---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Test\n\n## Steps\n\n### 1. A\n\n{step}"),
    );
    project.signoff(["trust"]).assert_success();
    project
}

fn run(project: &Project) -> signoff_testkit::Output {
    project.signoff(["run", "plan.md", "--approve"])
}

fn evidence(project: &Project) -> Value {
    project.json(["status"])["steps"][0]["facts"].clone()
}

#[test]
fn the_evidence_names_what_was_enforced() {
    let project = project("echo x > out", "test -s out");
    let level = project.json(["doctor"])["sandbox"]["level"].clone();
    run(&project).assert_success();
    assert_eq!(evidence(&project)["sandbox"], level);
    // Nothing of the agent's own world stays.
    let runs = project.path().join(".signoff/runs");
    let run = std::fs::read_dir(runs).expect("it ran").flatten().next();
    let run = run.expect("it ran").path();
    assert!(!run.join("scratch").exists());
}

/// The account's home, and what is made by the first run: nobody finds them, though `HOME` is another place.
#[test]
fn what_lies_beside_the_home_is_hidden_from_the_first_agent() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let project = Project::new_in(directory, BINARY);
    let xdg = project.outside("xdg");
    let project = project
        .env("XDG_DATA_HOME", xdg.join("data").display().to_string())
        .env("XDG_STATE_HOME", xdg.join("state").display().to_string())
        .env("XDG_CONFIG_HOME", xdg.join("config").display().to_string());
    std::fs::create_dir_all(xdg.join("config/gh")).expect("the folder is ours");
    std::fs::write(xdg.join("config/gh/hosts.yml"), "secret").expect("the folder is ours");
    let probe = format!("find {} -type f", xdg.display());
    let task = format!("{probe} > seen; echo x > out");
    let project = prepared(
        project,
        &task,
        &format!("{probe}; test -s out && test ! -s seen"),
    );
    // Without a repository of its own the project would have one there before.
    let begin = "git init -q; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a";
    project.bash(begin, &project.path()).assert_success();
    run(&project).assert_success();
    assert_eq!(project.read("seen"), "");
    assert!(xdg.join("data/signoff").is_dir() && xdg.join("state/signoff").is_dir());
}

/// Neither whole nor in pieces, by whomever it is printed.
#[test]
fn the_value_of_a_secret_is_in_no_log_and_no_journal() {
    let key = "tok-abcdef-0123456789-zzz";
    let print = "echo $DEPLOY_TOKEN; echo $DEPLOY_TOKEN >&2";
    let task = format!("echo x > out; {print}; printf tok-abc; sleep 0.3; echo def-0123456789-zzz");
    let project = project(&task, &format!("{print}; false"));
    let user = project.home().join(".config/signoff");
    std::fs::create_dir_all(&user).expect("the folder is ours");
    let env = "[sandbox]\nenv = [\"PATH\", \"HOME\", \"DEPLOY_TOKEN\"]\n";
    std::fs::write(user.join("config.toml"), env).expect("the folder is ours");
    let project = project.env("DEPLOY_TOKEN", key);
    run(&project).assert_code(1);
    let found = project.bash(
        "grep -rl tok-abcdef-0123456789-zzz .signoff; true",
        &project.path(),
    );
    assert_eq!(found.stdout, "");
    let logs = project.bash("cat .signoff/runs/*/steps/a/1/*.log", &project.path());
    assert!(logs.stdout.contains("[redacted]"), "{logs}");
}

/// Where the process gets something of its own, the project would be covered.
#[test]
fn a_project_may_lie_in_shared_memory() {
    let memory = std::path::Path::new("/dev/shm");
    if !memory.is_dir() {
        return; // Not every system has it.
    }
    let level = Project::new(BINARY).confined().json(["doctor"])["sandbox"]["level"].clone();
    for isolation in ["shared", "worktree"] {
        let project = prepared(
            Project::new_in(memory, BINARY),
            "echo x > out",
            "test -s out",
        );
        let begin =
            "git init -q; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a";
        project.bash(begin, &project.path()).assert_success();
        project
            .signoff(["run", "plan.md", "--approve", "--isolation", isolation])
            .assert_success();
        assert_eq!(project.read("out"), "x\n", "{isolation}");
        // No weaker one and no other program had to do.
        assert_eq!(evidence(&project)["sandbox"], level);
    }
}

#[test]
fn a_machine_that_cannot_is_told_apart_from_one_that_must() {
    let project = project("echo x > out", "test -s out").env("SIGNOFF_LEVEL", "landlock");
    let user = project.home().join(".config/signoff");
    std::fs::create_dir_all(&user).expect("a home");
    let required = "sandbox.mode = \"required\"\n";
    std::fs::write(user.join("config.toml"), required).expect("a home");
    run(&project)
        .assert_code(6)
        .assert_stderr_contains("this machine provides only `landlock`");
    assert!(!project.exists("out"));
    std::fs::remove_file(user.join("config.toml")).expect("it was there");
    run(&project).assert_success();
    assert_eq!(evidence(&project)["sandbox"], "landlock");
}

#[test]
fn a_run_goes_on_at_no_weaker_level() {
    let project = project("test -e go && echo x > out", "test -s out");
    run(&project).assert_code(1);
    let weaker = project.env("SIGNOFF_LEVEL", "none");
    weaker.write("go", "");
    weaker
        .signoff(["resume"])
        .assert_code(6)
        .assert_stderr_contains("this machine provides only `none`");
}

#[test]
fn without_a_network_nobody_is_reached() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    let task = format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) && echo x > reached; echo x > out");
    let reached = |network: &str| {
        let project = project(&task, "test -s out");
        let config = project.read(".signoff/config.toml");
        project.write(
            ".signoff/config.toml",
            &format!("sandbox.network = {network}\n{config}"),
        );
        project.signoff(["trust"]).assert_success();
        run(&project).assert_success();
        project.exists("reached")
    };
    assert!(reached("true"));
    assert!(!reached("false"));
}

#[test]
fn secrets_are_not_shown() {
    let key = "not-to-be-seen-0123";
    let task = format!("echo the key is {key}; echo and ticket-4711; echo x > out");
    let project = project(&task, &format!("echo {key} >&2; false")).env("DEPLOY_TOKEN", key);
    let config = project.read(".signoff/config.toml");
    project.write(
        ".signoff/config.toml",
        &format!("sandbox.redact = [\"ticket-[0-9]+\"]\n{config}"),
    );
    project.signoff(["trust"]).assert_success();
    let shown = run(&project);
    shown.assert_code(1).assert_stderr_contains("[redacted]");
    let log = project.signoff(["log", "--format", "json"]);
    let status = project.signoff(["status"]);
    for output in [&shown, &log, &status] {
        let text = format!("{}{}", output.stdout, output.stderr);
        assert!(!text.contains(key), "{text}");
        assert!(!text.contains("ticket-4711"), "{text}");
    }
    log.json_lines();
}

#[test]
fn an_agents_commits_are_its_own_and_its_work_stays() {
    let task = "echo x > out; git add -A; git commit -qm mine && git log --oneline > log";
    let project = project(task, "test -s log");
    let git = |words: &str| {
        let mut git = Command::new("git");
        git.args(words.split(' ')).current_dir(project.path());
        git.env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = git.output().expect("git");
        assert!(output.status.success(), "{words}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    git("init -q -b main");
    git("-c user.name=p -c user.email=p@x commit -q --allow-empty -m first");
    let head = git("rev-parse HEAD");
    run(&project).assert_success();
    assert_eq!(git("rev-parse HEAD"), head);
    assert_eq!(project.read("out"), "x\n");
    assert_eq!(project.read("log").lines().count(), 2);
}

/// What stands in the only attempt's directory of the only run.
fn attempt(project: &Project, name: &str) -> std::path::PathBuf {
    let runs = project.path().join(".signoff/runs");
    let run = std::fs::read_dir(runs).expect("it ran").flatten().next();
    run.expect("it ran").path().join("steps/a/1").join(name)
}

#[test]
fn what_an_agent_stashed_is_kept() {
    let project = project("echo more >> f; git stash -q; echo x > out", "test -s out");
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.args(words).current_dir(project.path());
        git.env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = git.output().expect("git");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    git(&["init", "-q", "-b", "main"]);
    project.write("f", "one\n");
    git(&["add", "f"]);
    git(&[
        "-c",
        "user.name=p",
        "-c",
        "user.email=p@x",
        "commit",
        "-qm",
        "first",
    ]);
    project.write("f", "precious\n");
    run(&project).assert_success();
    assert_eq!(project.read("f"), "precious\n");
    let kept = attempt(&project, "git");
    let kept = kept.to_str().expect("a path");
    let shown = git(&["--git-dir", kept, "show", "stash@{0}:f"]);
    assert_eq!(shown, "precious\nmore\n");
}

#[test]
fn what_a_link_leads_to_is_nowhere_copied() {
    let task = "mkdir sub; echo mine > sub/id; ln -s ../home/keys way; ln -s ../home/keys/id id; echo x > out";
    let project = project(task, "test -s out && rm -r sub && ln -s ../home/keys sub");
    std::fs::create_dir(project.home().join("keys")).expect("a home");
    std::fs::write(project.home().join("keys/id"), "secret").expect("a home");
    run(&project);
    let mut found = Vec::new();
    let mut folders = vec![project.path().join(".signoff/runs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if entry.file_type().expect("a kind").is_dir() {
                folders.push(entry.path());
            } else {
                found.push(std::fs::read(entry.path()).unwrap_or_default());
            }
        }
    }
    assert!(found.iter().all(|bytes| bytes != b"secret"));
}

#[test]
fn where_there_is_room_for_a_trial_does_not_decide() {
    let project = project("echo x > out", "test -s out").env("TMPDIR", "/nonexistent");
    assert_eq!(project.json(["doctor"])["sandbox"]["level"], "namespaces");
}

/// A full disk is not a machine without a sandbox.
#[test]
fn where_nothing_can_be_tried_nothing_starts() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let project = prepared(
        Project::new_in(directory, BINARY),
        "echo x > out",
        "test -s out",
    )
    .env("TMPDIR", "/tmp");
    for command in ["doctor", "run plan.md --approve"] {
        let full = "mount -t tmpfs -o size=64k none $at; dd if=/dev/zero of=$at/fill bs=4k";
        let script = format!(
            "unshare --user --map-root-user --mount sh -c \
             'for at in /tmp /var/tmp /dev/shm; do {full}; done 2> /dev/null; exec {BINARY} {command}'"
        );
        let ended = project.bash(&script, &project.path());
        ended
            .assert_code(6)
            .assert_stderr_contains("could not be tried");
    }
    assert!(!project.path().join("out").exists());
}

/// The home is an allow-list: what a contract misses of it is named where one looks.
#[test]
fn what_a_contract_misses_of_the_home_is_named() {
    let project = project("echo x > out", "test -s out && cat ~/.my-tool/settings");
    for (name, text) in [
        (".my-tool/settings", "1"),
        (".other/x", "2"),
        (".ssh/id", "3"),
    ] {
        let path = project.home().join(name);
        std::fs::create_dir_all(path.parent().expect("in the home")).expect("ours");
        std::fs::write(path, text).expect("ours");
    }
    let missing = |project: &Project| project.json(["doctor"])["home"]["missed"].clone();
    assert_eq!(missing(&project), serde_json::json!([]));
    run(&project).assert_code(1);
    let log = project.signoff(["log", "--format", "json"]);
    let hint = "`[sandbox] home = [\\\"~/.my-tool\\\"]` in a person's own configuration";
    log.assert_stdout_contains(hint);
    let run_id = project.json(["status"])["run"].clone();
    let expected = serde_json::json!([{"path": "~/.my-tool", "run": run_id, "step": "a"}]);
    assert_eq!(missing(&project), expected);
    let shown = project.signoff(["doctor"]);
    shown
        .assert_stdout_contains("the contract of step `a` in run")
        .assert_stdout_contains("names ~/.my-tool, which it does not see")
        .assert_stdout_contains("do not see ~/.config, ~/.local, ~/.my-tool, ~/.other, ~/.ssh;");
    let user = project.home().join(".config/signoff");
    std::fs::create_dir_all(&user).expect("ours");
    let text = "[sandbox]\nhome = [\"~/.my-tool\"]\n";
    std::fs::write(user.join("config.toml"), text).expect("ours");
    project.write("again.md", &project.read("plan.md"));
    let again = project.signoff(["run", "again.md", "--approve"]);
    again.assert_success();
    assert_eq!(missing(&project), serde_json::json!([]));
}

#[test]
fn no_network_is_no_half_measure() {
    let project = project("echo x > out", "test -s out").env("SIGNOFF_LEVEL", "landlock");
    let config = project.read(".signoff/config.toml");
    project.write(
        ".signoff/config.toml",
        &format!("sandbox.network = false\n{config}"),
    );
    project.signoff(["trust"]).assert_success();
    run(&project)
        .assert_code(6)
        .assert_stderr_contains("`[sandbox] network = false`");
}

#[test]
fn no_program_with_somebodys_rights_stays() {
    let project = project("cp /bin/true out; chmod 6755 out", "test -x out");
    run(&project).assert_success();
    let mode = std::fs::metadata(project.path().join("out")).expect("it was made");
    let mode = std::os::unix::fs::PermissionsExt::mode(&mode.permissions());
    assert_eq!(mode & 0o7777, 0o755);
}

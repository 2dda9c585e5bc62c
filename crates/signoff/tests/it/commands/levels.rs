//! A weaker sandbox, or a weaker room, than this machine had before is a question and no default.

use serde_json::Value;
use signoff_testkit::{Output, Project};

use crate::support::BINARY;

const ACCEPT: &str = "signoff doctor --accept-level";

/// A confined project with a plan of one agent's step.
fn project() -> Project {
    let project = Project::new(BINARY).confined();
    project.write(
        ".signoff/config.toml",
        "[agents.default]\ndriver = \"command\"\ncommand = [\"bash\", \"-c\", \"{task}\"]\n",
    );
    let step = "**id:** a\n**target:** default\n**task:**\necho x >> out\n**contract:**\n```bash\ntest -s out\n```\n";
    let head =
        "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Test\n\n## Steps\n\n### 1. A\n\n";
    project.write("plan.md", &format!("{head}{step}"));
    project.signoff(["trust"]).assert_success();
    project
}

/// Runs the plan under a name of its own, since a plan runs once.
fn run_with(project: &Project, env: &[(&str, &str)], more: &[&str]) -> Output {
    let plan = format!("plan-{}.md", runs(project));
    project.write(&plan, &project.read("plan.md"));
    let set = env.iter().map(|(name, value)| format!("{name}={value} "));
    let (set, more) = (set.collect::<String>(), more.join(" "));
    let line = format!("{set}signoff run {plan} --approve {more}");
    project.bash(&line, &project.path())
}

fn runs(project: &Project) -> usize {
    let runs = std::fs::read_dir(project.path().join(".signoff/runs"));
    runs.map_or(0, Iterator::count)
}

/// What `doctor` says of levels: before, now, and what is less.
fn doctor(project: &Project, level: &str) -> Value {
    let output = project.bash(
        &format!("SIGNOFF_LEVEL={level} signoff doctor --format json"),
        &project.path(),
    );
    output.json()
}

#[test]
fn a_weaker_sandbox_is_refused_until_it_is_accepted() {
    let project = project();
    run_with(&project, &[], &[]).assert_success();
    let now = doctor(&project, "namespaces");
    assert_eq!(
        (&now["sandbox"]["before"], &now["weaker"]),
        (&"namespaces".into(), &Value::Array(Vec::new()))
    );
    let begun = runs(&project);
    let weaker = [("SIGNOFF_LEVEL", "landlock")];
    let refused = run_with(&project, &weaker, &[]);
    refused
        .assert_code(4)
        .assert_stderr_contains("the sandbox was `namespaces` and is `landlock`")
        .assert_stderr_contains("namespaces: a test wants less")
        .assert_stderr_contains(ACCEPT);
    // Neither signed nor begun.
    assert!(!refused.stderr.contains("signed"), "{refused}");
    assert_eq!(runs(&project), begun);
    run_with(&project, &weaker, &["--dry-run"])
        .assert_code(4)
        .assert_stderr_contains(ACCEPT);
    // Every way to start a run asks.
    let task = "SIGNOFF_LEVEL=landlock signoff run --task 'echo x >> out' --contract 'test -s out'";
    let refused = project.bash(task, &project.path());
    refused.assert_code(4).assert_stderr_contains(ACCEPT);
    assert_eq!(runs(&project), begun);
    let shown = project.bash("SIGNOFF_LEVEL=landlock signoff doctor", &project.path());
    shown
        .assert_code(4)
        .assert_stdout_contains("`namespaces` when a run last began")
        .assert_stdout_contains("the sandbox was `namespaces` and is `landlock`");

    let accept = format!("export SIGNOFF_LEVEL=landlock; {ACCEPT} --format json");
    let agent = project.bash(&format!("export CLAUDECODE=1; {accept}"), &project.path());
    agent.assert_code(4).assert_stderr_contains("only a person");
    let accepted = project.bash(&accept, &project.path());
    let found = accepted.assert_success().json();
    assert_eq!(
        (&found["sandbox"]["before"], &found["weaker"]),
        (&"landlock".into(), &Value::Array(Vec::new()))
    );
    run_with(&project, &weaker, &[]).assert_success();

    // More than before is remembered without a word.
    run_with(&project, &[], &[]).assert_success();
    run_with(&project, &weaker, &[]).assert_code(4);
}

#[test]
fn a_weaker_room_is_one_too_in_the_checkout_that_had_a_better_one() {
    let project = project();
    run_with(&project, &[("SIGNOFF_ROOM", "overlay-tmpfs")], &[]).assert_success();
    run_with(&project, &[("SIGNOFF_ROOM", "copy")], &[])
        .assert_code(4)
        .assert_stderr_contains("the room was `overlay-tmpfs` and is `copy`")
        .assert_stderr_contains("overlay-tmpfs: a test wants less");
    // Who wants the checkout itself is asked nothing, and changes nothing of what is remembered.
    let shared = ["--isolation", "shared"];
    run_with(&project, &[("SIGNOFF_ROOM", "copy")], &shared).assert_success();
    run_with(&project, &[("SIGNOFF_ROOM", "copy")], &[]).assert_code(4);
    let accept = format!("SIGNOFF_ROOM=copy {ACCEPT}");
    project
        .bash(&accept, &project.path())
        .assert_success()
        .assert_stderr_contains("the room is `copy` from now on");
    run_with(&project, &[("SIGNOFF_ROOM", "copy")], &[]).assert_success();
    let facts = project.json(["status"])["steps"][0]["facts"].clone();
    assert_eq!(facts["room"], "copy");
}

#[test]
fn who_wants_nothing_to_be_confined_is_asked_nothing() {
    let project = project();
    run_with(&project, &[], &[]).assert_success();
    let user = project.home().join(".config/signoff");
    std::fs::create_dir_all(&user).unwrap();
    std::fs::write(user.join("config.toml"), "sandbox.mode = \"off\"\n").unwrap();
    run_with(&project, &[], &[]).assert_success();
    std::fs::remove_file(user.join("config.toml")).unwrap();
    assert_eq!(
        doctor(&project, "landlock")["sandbox"]["before"],
        "namespaces"
    );
    run_with(&project, &[("SIGNOFF_LEVEL", "none")], &[]).assert_code(4);
}

#[test]
fn a_machine_that_remembers_nothing_asks_nothing() {
    let project = project();
    run_with(&project, &[("SIGNOFF_LEVEL", "none")], &[]).assert_success();
    run_with(&project, &[("SIGNOFF_LEVEL", "landlock")], &[]).assert_success();
    assert_eq!(
        doctor(&project, "landlock")["sandbox"]["before"],
        "landlock"
    );
}

#[test]
fn a_person_at_the_terminal_is_asked() {
    let project = project();
    run_with(&project, &[], &[]).assert_success();
    project.write("next.md", &project.read("plan.md"));
    let line = "SIGNOFF_LEVEL=landlock signoff run next.md --approve";
    for (typed, code) in [("", 4), ("no", 4), ("y", 0)] {
        let mut asked = project.on_terminal(line);
        asked.expect("the sandbox was `namespaces` and is `landlock`");
        asked
            .expect("accept this from now on? [y/N] ")
            .type_line(typed);
        asked.wait().assert_code(code);
    }
}

/// The run began with less, so it may go on; this machine had more in the meantime, so somebody is asked.
#[test]
fn a_run_goes_on_with_less_than_the_machine_had_only_if_that_is_accepted() {
    let project = project();
    let begun = [("SIGNOFF_LEVEL", "landlock")];
    project.write(
        "step.md",
        &project
            .read("plan.md")
            .replace("test -s out", "test -s out && test -e go"),
    );
    let first = project.bash(
        "SIGNOFF_LEVEL=landlock signoff run step.md --approve",
        &project.path(),
    );
    assert_ne!(first.code, Some(0), "{first}");
    let run = project.json(["status"])["run"].as_str().unwrap().to_owned();
    run_with(&project, &[], &[]).assert_success();
    project.write("go", "");
    let resume = format!(
        "SIGNOFF_LEVEL=landlock signoff step retry {run} a; SIGNOFF_LEVEL=landlock signoff resume {run}"
    );
    let refused = project.bash(&resume, &project.path());
    refused.assert_code(4).assert_stderr_contains(ACCEPT);
    project
        .bash(&format!("SIGNOFF_LEVEL=landlock {ACCEPT}"), &project.path())
        .assert_success();
    project
        .bash(
            &format!("SIGNOFF_LEVEL=landlock signoff resume {run}"),
            &project.path(),
        )
        .assert_success();
    run_with(&project, &begun, &[]).assert_success();
}

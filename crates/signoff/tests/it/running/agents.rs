//! What an agent gets of the home and the variables of the person it works for.

use std::fs;

use signoff_testkit::Project;

use crate::support::BINARY;

const SEEN: &str = r#"echo "$OTHER_KEY $MY_KEY $(cat ~/.my-agent/auth.json)" > seen"#;

/// A project whose agent writes down what it sees, with this in the user's configuration.
fn project(user: &str) -> Project {
    let project = Project::new(BINARY)
        .confined()
        .env("MY_KEY", "mine")
        .env("OTHER_KEY", "other");
    for (file, text) in [
        (
            ".config/signoff/config.toml",
            format!(
                "{user}\n[agents.default]\ndriver = 'command'\ncommand = ['bash', '-c', '{{task}}']\nlogin = ['~/.my-agent/auth.json']\nenv = ['MY_KEY']\n"
            ),
        ),
        (".my-agent/auth.json", "login".to_owned()),
    ] {
        let path = project.home().join(file);
        fs::create_dir_all(path.parent().expect("it is in the home")).expect("a home");
        fs::write(path, text).expect("a home");
    }
    let step = format!(
        "**target:** default\n**task:**\n{SEEN}\n**contract:**\n```bash\ntest -s seen\n```\n**on_fail:** abort\n"
    );
    project.write(".signoff/.keep", "");
    project.write(
        "plan.md",
        &format!("---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Test\n\n## Steps\n\n### 1. A\n\n{step}"),
    );
    project
}

#[test]
fn a_role_is_handed_what_its_user_named() {
    for user in ["", "sandbox.mode = 'off'"] {
        let project = project(user);
        project
            .signoff(["run", "plan.md", "--approve"])
            .assert_success();
        assert_eq!(project.read("seen"), " mine login\n", "{user}");
    }
}

#[test]
fn a_login_that_is_not_there_is_said_before_anything_runs() {
    let project = project("");
    fs::remove_file(project.home().join(".my-agent/auth.json")).expect("it was there");
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(6)
        .assert_stderr_contains("`~/.my-agent/auth.json`, which agent `default` logs in with");
    assert!(!project.exists("seen"));
}

#[test]
fn what_an_agent_is_handed_is_signed() {
    let project = project("");
    project.signoff(["approve", "plan.md"]).assert_success();
    let path = project.home().join(".config/signoff/config.toml");
    let text = fs::read_to_string(&path).expect("a configuration");
    let more = text.replace("'MY_KEY'", "'MY_KEY', 'OTHER_KEY'");
    fs::write(&path, more).expect("a home");
    project
        .signoff(["run", "plan.md"])
        .assert_code(4)
        .assert_stderr_contains("terms: agents.default.env");
}

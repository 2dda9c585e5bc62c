//! What a person trusts: projects by their ids, and the files of a project that run with their rights.
//! What attackers try, with the real binary.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::Value;
use signoff_testkit::{Output, Project, Reply, Script};

use crate::support::{BINARY, agent, makes_out, plan, project, signed};

fn ready() -> Project {
    signed(&makes_out(), &plan(&[&agent("Make it.", "out")]))
}

/// Another directory of the same person.
fn other(project: &Project) -> PathBuf {
    let path = project.outside("other");
    fs::create_dir_all(&path).expect("the folder is ours");
    path
}

#[track_caller]
fn there(project: &Project, line: &str) -> Output {
    project.bash(line, &other(project))
}

fn signature(project: &Project) -> PathBuf {
    let directory = project.path().join(".signoff/signatures/plan.md");
    let entries = fs::read_dir(directory).expect("it is signed");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.pop().expect("it is signed")
}

#[test]
fn a_signature_that_is_copied_to_another_project_does_not_count() {
    let project = ready();
    there(&project, "signoff init").assert_success();
    let copy = "from=../../project; cp -r $from/plan.md . \
        && cp -r $from/.signoff/config.toml $from/.signoff/signatures $from/.signoff/log .signoff/";
    there(&project, copy).assert_success();
    there(&project, "signoff trust").assert_success();
    there(&project, "signoff run plan.md")
        .assert_code(4)
        .assert_stderr_contains("it was given in another project")
        .assert_stderr_contains("signoff approve plan.md");
    assert!(!other(&project).join("out").exists());
    there(&project, "signoff approve plan.md").assert_success();
    there(&project, "signoff run plan.md").assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
}

/// The commands are the person's own, so that nothing but the id is to be trusted.
fn with_own_agents() -> Project {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    let own = project.home().join(".config/signoff/config.toml");
    let text = fs::read_to_string(&own).expect("it is there");
    let agents = project.read(".signoff/config.toml");
    fs::write(&own, format!("{text}{agents}")).expect("the folder is ours");
    fs::remove_file(project.path().join(".signoff/config.toml")).expect("it was written");
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

#[test]
fn a_copy_of_the_whole_store_counts_once_a_person_trusts_it() {
    let project = with_own_agents();
    there(&project, "cp -r ../../project/. .").assert_success();
    for command in ["signoff run plan.md", "signoff approve plan.md"] {
        there(&project, command)
            .assert_code(4)
            .assert_stderr_contains("has the id of")
            .assert_stderr_contains(&project.path().display().to_string())
            .assert_stderr_contains("signoff trust");
    }
    assert!(!other(&project).join("out").exists());
    there(&project, "signoff doctor").assert_stdout_contains("count here only after");
    there(&project, "signoff trust")
        .assert_success()
        .assert_stderr_contains("count here from now on");
    there(&project, "signoff run plan.md").assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
}

#[test]
fn a_clone_on_another_machine_and_a_project_that_moved_need_nothing() {
    let project = with_own_agents();
    let clone = "cp -r ../../project/. . && XDG_STATE_HOME=$PWD/../state signoff run plan.md";
    there(&project, clone).assert_success();
    let moved = project.outside("moved");
    fs::rename(project.path(), &moved).expect("the folder is ours");
    project.bash("signoff run plan.md", &moved).assert_success();
}

#[test]
fn a_signature_without_a_project_is_to_be_given_again() {
    let project = ready();
    let path = signature(&project);
    let text = fs::read_to_string(&path).expect("it was written");
    let mut old: Value = serde_json::from_str(&text).expect("it is JSON");
    old["schema"] = "signoff.signature/1".into();
    old.as_object_mut().expect("a map").remove("project");
    fs::write(&path, old.to_string()).expect("the folder is ours");
    project
        .signoff(["run", "plan.md"])
        .assert_code(4)
        .assert_stderr_contains("it names no project")
        .assert_stderr_contains("signoff approve plan.md");
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
}

#[test]
fn a_store_below_another_is_refused_by_every_command() {
    let project = ready();
    project.write("sub/plan.md", &project.read("plan.md"));
    for store in [".signoff", ".pi/plans", ".rawko/plans"] {
        let inner = project.path().join("sub").join(store);
        fs::create_dir_all(&inner).expect("the folder is ours");
        for command in [
            "verify plan.md",
            "show plan.md",
            "approve plan.md",
            "run plan.md",
            "list",
            "status",
            "config",
            "doctor",
            "trust",
            "init",
            "tools",
            "new --list",
            "propose plan.md",
        ] {
            let line = format!("signoff {command}");
            project
                .bash(&line, &project.path().join("sub"))
                .assert_code(6)
                .assert_stderr_contains(&format!("{} lies below another store", inner.display()))
                .assert_stderr_contains(&project.path().join(".signoff").display().to_string());
        }
        fs::remove_dir_all(&inner).expect("the folder is ours");
    }
    project
        .bash("signoff verify plan.md", &project.path().join("sub"))
        .assert_success();
}

#[test]
fn no_project_is_set_up_inside_another() {
    let project = ready();
    fs::create_dir(project.path().join("sub")).expect("the folder is ours");
    project
        .bash("signoff init", &project.path().join("sub"))
        .assert_code(6)
        .assert_stderr_contains("lies below another store");
    assert!(!project.exists("sub/.signoff"));
}

#[test]
fn a_link_to_a_trusted_configuration_is_not_trusted() {
    let project = ready();
    let other = other(&project);
    there(&project, "signoff init && rm .signoff/config.toml").assert_success();
    let config = project.path().join(".signoff/config.toml");
    symlink(config, other.join(".signoff/config.toml")).expect("the folder is ours");
    for command in ["signoff config", "signoff trust", "signoff verify plan.md"] {
        there(&project, command)
            .assert_code(4)
            .assert_stderr_contains(
                "/other/.signoff/config.toml is a link to somewhere else, or lies behind one",
            );
    }
}

#[test]
fn no_part_of_the_store_is_a_link() {
    for part in ["", "signatures", "log", "project.json"] {
        let project = ready();
        let path = project.path().join(".signoff").join(part);
        let path = path.components().collect::<PathBuf>();
        let moved = project.outside("moved");
        fs::rename(&path, &moved).expect("the folder is ours");
        symlink(&moved, &path).expect("the folder is ours");
        project
            .signoff(["run", "plan.md"])
            .assert_code(4)
            .assert_stderr_contains(&format!(
                "{} is a link to somewhere else, or lies behind one",
                path.display()
            ));
        assert!(!project.exists("out"), "{part}");
    }
}

#[test]
fn a_plan_of_the_store_and_a_signature_are_no_links() {
    let project = ready();
    project.write("elsewhere.md", &project.read("plan.md"));
    fs::create_dir_all(project.path().join(".signoff/plans")).expect("the folder is ours");
    let link = project.path().join(".signoff/plans/linked.md");
    symlink(project.path().join("elsewhere.md"), &link).expect("the folder is ours");
    project
        .signoff(["approve", ".signoff/plans/linked.md"])
        .assert_code(4)
        .assert_stderr_contains("linked.md is a link to somewhere else, or lies behind one");
    fs::remove_file(link).expect("the folder is ours");
    let path = signature(&project);
    let moved = project.outside("moved");
    fs::rename(&path, &moved).expect("the folder is ours");
    symlink(&moved, &path).expect("the folder is ours");
    project
        .signoff(["run", "plan.md"])
        .assert_stderr_contains("it is a link");
    assert!(!project.exists("out"));
}

/// A server whose only tool writes the file `called`, and that notes each of its starts.
const SERVER: &str = r#"
echo >> ../outside/started
touch ~/mark-of-the-server
while IFS= read -r line; do
  [[ $line =~ \"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"get","description":"gets","inputSchema":{"type":"object"}}]}' ;;
    *) continue ;;
  esac
  printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
done
"#;

fn with_server(project: Project, more: &str) -> Project {
    project.write("tools/server.sh", SERVER);
    let text = format!("[mcp.servers.toy]\ncommand = [\"bash\", \"tools/server.sh\"]\n{more}");
    project.write(".signoff/config.toml", &text);
    project
}

#[test]
fn a_server_whose_script_was_rewritten_is_not_started() {
    let project = with_server(Project::new(BINARY), "");
    project
        .signoff(["trust"])
        .assert_success()
        .assert_stderr_contains("server `toy` runs tools/server.sh, as it is now");
    project.signoff(["tools"]).assert_success();
    fs::remove_file(project.outside("started")).expect("it was started");
    project.write("tools/server.sh", &format!("# rewritten\n{SERVER}"));
    project
        .signoff(["tools"])
        .assert_code(6)
        .assert_stderr_contains("`tools/server.sh` has changed since you trusted it")
        .assert_stderr_contains("signoff trust");
    assert!(!project.outside("started").exists());
    project
        .signoff(["doctor"])
        .assert_stdout_contains("✗ tools/server.sh (server `toy`): changed since it was trusted");
    project.signoff(["trust"]).assert_success();
    project.signoff(["tools"]).assert_success();
    assert!(project.outside("started").exists());
}

#[test]
fn a_server_that_is_confined_reaches_nothing_of_the_person() {
    for (more, reaches) in [("", true), ("confined = true\n", false)] {
        let project = with_server(Project::new(BINARY).confined(), more);
        project.signoff(["trust"]).assert_success();
        project.signoff(["tools"]).assert_success();
        let mark = project.home().join("mark-of-the-server");
        assert_eq!(mark.exists(), reaches, "{more}");
    }
}

#[test]
fn a_server_that_cannot_be_confined_is_not_started() {
    let project = with_server(Project::new(BINARY), "confined = true\n");
    project.signoff(["trust"]).assert_success();
    project
        .signoff(["tools"])
        .assert_code(6)
        .assert_stderr_contains("`confined = true` cannot be met");
    assert!(!project.outside("started").exists());
}

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("writable");
    fs::write(path, text).expect("writable");
    fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("writable");
}

#[test]
fn an_agent_that_rewrites_the_notifier_does_not_have_it_run() {
    let script = Script::new().reply(
        Reply::when(["Make it"])
            .write("out", "x\n")
            .write("notify.sh", "#!/bin/sh\ntouch ../outside/owned\n")
            .say("done"),
    );
    let question = "**ask:** What is it called?\n";
    let project = project(&script, &plan(&[&agent("Make it.", "out"), question]));
    executable(
        &project.path().join("notify.sh"),
        "#!/bin/sh\ntouch ../outside/told\n",
    );
    let config = project.read(".signoff/config.toml");
    let notify = format!("{config}\n[notify]\ncommand = [\"./notify.sh\"]\n");
    project.write(".signoff/config.toml", &notify);
    project.signoff(["trust"]).assert_success();
    let run = project.signoff(["run", "plan.md", "--approve"]);
    assert!(!project.outside("owned").exists(), "{run:?}");
    assert!(!project.outside("told").exists(), "{run:?}");
    run.assert_stderr_contains("`notify.sh` has changed since you trusted it");
}

#[test]
fn an_agent_of_the_tree_is_started_as_it_was_trusted() {
    let step = agent("Make it.", "out");
    let project = project(&Script::new(), &plan(&[&step]));
    executable(
        &project.path().join("agent.sh"),
        "#!/bin/sh\necho x > out\n",
    );
    let config = "[agents.default]\ndriver = \"command\"\ncommand = [\"./agent.sh\", \"{task}\"]\n";
    project.write(".signoff/config.toml", config);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    executable(
        &project.path().join("agent.sh"),
        "#!/bin/sh\ntouch ../outside/owned; echo x > out\n",
    );
    project
        .signoff(["run", "plan.md"])
        .assert_code(4)
        .assert_stderr_contains("agent `default`: `agent.sh` has changed since you trusted it")
        .assert_stderr_contains("read them, then type `signoff trust`");
    assert!(!project.outside("owned").exists());
    project.signoff(["trust"]).assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
}

#[test]
fn the_persons_own_command_that_names_a_file_of_the_project_is_covered_too() {
    let project = with_own_agents();
    let own = project.home().join(".config/signoff/config.toml");
    let text = fs::read_to_string(&own).expect("it is there");
    let notify = "[notify]\ncommand = [\"sh\", \"tools/notify.sh\"]\n";
    fs::write(&own, format!("{text}{notify}")).expect("the folder is ours");
    project.write("tools/notify.sh", "touch ../outside/told\n");
    project
        .signoff(["run", "plan.md"])
        .assert_code(4)
        .assert_stderr_contains("`tools/notify.sh` was not there when you trusted");
    project.signoff(["trust"]).assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
}

#[test]
fn a_project_cannot_hand_files_of_the_home_to_an_agent() {
    let project = ready();
    let secret = project.home().join(".ssh/id_ed25519");
    for word in ["cat ~/.ssh/id_ed25519", &secret.display().to_string()] {
        let text = format!(
            "[agents.default]\ndriver = \"command\"\ncommand = [\"sh\", \"-c\", \"{word}\"]\n"
        );
        project.write(".signoff/config.toml", &text);
        for command in ["trust", "config"] {
            project
                .signoff([command])
                .assert_code(6)
                .assert_stderr_contains("which is in your home");
        }
    }
}

#[test]
fn a_command_in_a_path_entry_of_the_project_is_explained() {
    let project = ready();
    executable(&project.path().join(".venv/bin/our-pytest"), "#!/bin/sh\n");
    let link = project.outside("link");
    symlink(project.path().join(".venv/bin"), &link).expect("the folder is ours");
    let step = "**target:** coder\n**task:**\nMake it.\n\n**contract:** `our-pytest -q`\n";
    project.write("venv.md", &plan(&[step]));
    for entry in [project.path().join(".venv/bin"), link] {
        let path = format!("{}:/usr/bin:/bin", entry.display());
        let variables = [("PATH", path.as_str())];
        project
            .signoff_with(&variables, ["verify", "venv.md"])
            .assert_stdout_contains("which PATH has only inside the project")
            .assert_stdout_contains("write `.venv/bin/our-pytest`");
        project
            .signoff_with(&variables, ["doctor"])
            .assert_stdout_contains(&format!("PATH: {} is inside the project", entry.display()));
    }
}

#[test]
fn another_program_than_the_persons_own_is_told_before_anything_starts() {
    let project = ready();
    executable(&project.path().join(".venv/bin/seq"), "#!/bin/sh\n");
    let step = "**target:** coder\n**task:**\nMake it.\n\n**contract:** `seq 1 && test -f out`\n";
    project.write("venv.md", &plan(&[step]));
    let path = format!("{}/.venv/bin:/usr/bin:/bin", project.path().display());
    let variables = [("PATH", path.as_str())];
    let told = "contract-command-shadowed";
    let help = "write `.venv/bin/seq 1`";
    project
        .signoff_with(&variables, ["verify", "venv.md"])
        .assert_success()
        .assert_stdout_contains(told)
        .assert_stdout_contains("and run `/usr/bin/seq`")
        .assert_stdout_contains(help);
    project
        .signoff_with(&variables, ["approve", "venv.md"])
        .assert_success()
        .assert_stderr_contains(told);
    for arguments in [&["run", "venv.md", "--dry-run"][..], &["run", "venv.md"]] {
        project
            .signoff_with(&variables, arguments)
            .assert_stderr_contains(told)
            .assert_stderr_contains(help);
    }
    // Without the entry both are the same program.
    project
        .signoff_with(&[("PATH", "/usr/bin:/bin")], ["verify", "venv.md"])
        .assert_stdout_lacks(told);
}

#[test]
fn an_agent_in_a_path_entry_of_the_project_is_explained_and_not_run() {
    let project = project(&Script::new(), &plan(&[&agent("Make it.", "out")]));
    executable(
        &project.path().join(".venv/bin/our-agent"),
        "#!/bin/sh\necho x > out\n",
    );
    let config = |program: &str| {
        format!("[agents.default]\ndriver = \"command\"\ncommand = [\"{program}\", \"{{task}}\"]\n")
    };
    let path = format!("{}/.venv/bin:/usr/bin:/bin", project.path().display());
    let variables = [("PATH", path.as_str())];
    let run = |program: &str| {
        project.write(".signoff/config.toml", &config(program));
        project.signoff(["trust"]).assert_success();
        project.signoff_with(&variables, ["run", "plan.md", "--approve"])
    };
    run("our-agent")
        .assert_code(6)
        .assert_stderr_contains("write `.venv/bin/our-agent`");
    assert!(!project.exists("out"));
    run(".venv/bin/our-agent").assert_success();
}

#[test]
fn init_proposes_what_the_lockfiles_suggest() {
    let project = Project::new(BINARY);
    project
        .write("package-lock.json", "{}")
        .write("uv.lock", "");
    project
        .signoff(["init"])
        .assert_success()
        .assert_stdout_contains("prepare: found package-lock.json; `prepare = [\"npm ci\"]`")
        .assert_stdout_contains("uv sync --frozen");
    let config = project.read(".signoff/config.toml");
    assert!(
        config.contains("\n# prepare = [\"npm ci\", \"uv sync --frozen\"]"),
        "{config}"
    );
    assert_eq!(
        project.json(["config", "run.prepare"])["settings"][0]["value"],
        Value::Array(Vec::new())
    );
}

#[test]
fn init_says_that_an_activated_environment_is_not_searched() {
    let project = Project::new(BINARY);
    project.write(".venv/bin/python", "");
    let environment = project.path().join(".venv/bin");
    let environment = environment.display();
    let path = format!("{environment}:/usr/bin:/bin");
    let output = project.signoff_with(&[("PATH", path.as_str())], ["init"]);
    output
        .assert_success()
        .assert_stdout_contains(&format!("PATH: {environment} is inside the project"));
}

#[test]
fn doctor_tells_the_projects_id_and_what_is_trusted() {
    let project = with_server(Project::new(BINARY), "");
    project.signoff(["init"]).assert_success();
    let file: Value = serde_json::from_str(&project.read(".signoff/project.json")).expect("JSON");
    let found = project.json(["doctor"]);
    assert_eq!(found["project"]["id"], file["id"]);
    assert_eq!(found["project"]["trust"], "missing");
    assert_eq!(found["project"]["helpers"][0]["state"], "new");
    let trusted = project.json(["trust"]);
    assert_eq!(trusted["helpers"][0]["path"], "tools/server.sh");
    assert_eq!(trusted["project"], file["id"]);
    let found = project.json(["doctor"]);
    assert_eq!(found["project"]["trust"], "given");
    assert_eq!(found["project"]["helpers"][0]["state"], "trusted");
}

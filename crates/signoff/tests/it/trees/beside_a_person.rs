//! A person works in the checkout while a run is under way: what they do joins the run, never holds it up, and is never
//! blamed on an agent.

use signoff_testkit::{Project, Reply, Script};

use crate::support::busy_checkout::{repository, shell};
use crate::support::{agent, events, plan};

fn makes(file: &str) -> Script {
    Script::new().reply(Reply::always().write(file, "whole\n").say("done"))
}

/// Whatever is printed changes the file that it is printed to, which is in the checkout.
#[test]
fn a_run_that_prints_into_the_checkout_ends() {
    let steps = [agent("Make one.", "out"), agent("Make it more.", "out")];
    let project = repository(
        &makes("out"),
        &plan(&[&steps[0], &steps[1]]),
        &[("mine.txt", "mine\n")],
    );
    let line = format!(
        "timeout 180 {} run plan.md > run.out 2>&1",
        crate::support::BINARY
    );
    let output = project.bash(&line, &project.path());
    let printed = project.read("run.out");
    assert_eq!(output.code, Some(0), "{printed}");
    let joined = events(&project, "checkout_joined").len();
    assert!(joined <= 12, "{joined} joins:\n{printed}");
    // What it printed has grown since, and is in nobody's way.
    project
        .bash("echo more >> run.out", &project.path())
        .assert_success();
    project.signoff(["undo"]).assert_success();
    assert!(project.read("run.out").ends_with("more\n"));
    assert!(!project.path().join("out").exists());
}

/// Another program writes all the time; the run can be stopped all the same.
#[test]
fn a_file_that_never_rests_keeps_no_run_from_working_or_from_being_stopped() {
    let script = Script::new().reply(Reply::always().write("begun", "x").wait_for("go"));
    let project = repository(
        &script,
        &plan(&[&agent("Make one.", "out")]),
        &[("mine.txt", "mine\n")],
    );
    let writing =
        "for i in $(seq 20000); do echo $i >> busy.txt; [ -e stop ] && break; sleep 0.005; done";
    let writer = project.path();
    std::thread::scope(|scope| {
        let person = scope.spawn(|| project.bash(writing, &writer));
        let mut running = project.spawn(["run", "plan.md"]);
        let works = running.wait_until(|| !events(&project, "process_started").is_empty());
        project.signoff(["stop"]);
        let output = running.wait();
        project.write("stop", "");
        drop(person.join());
        assert!(works, "no agent ever started");
        assert!(output.code.is_some());
    });
}

/// An agent step that makes `a.txt`, and whose contract is this line after that.
fn slow(line: &str) -> String {
    format!(
        "**target:** coder\n**task:**\nMake it.\n\n**contract:**\n```shell\ntest -f a.txt || exit 1; {line}\n```\nexit_code == 0\n**on_fail:** abort\n"
    )
}

const FILES: [(&str, &str); 2] = [
    ("mine.txt", "mine\n"),
    (".gitignore", "ignored/\n.venv/\ntarget/\n"),
];

/// What an agent or a contract does while it waits for the person.
const WAIT: &str = "echo x > OUTSIDE/began; until test -e OUTSIDE/go; do sleep 0.02; done";

/// Runs the plan, and lets the person act when the agent or the contract waits for it.
fn act_meanwhile(project: &Project, act: &str) -> signoff_testkit::Output {
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.outside("began").exists()));
    shell(project, act);
    std::fs::write(project.outside("go"), "").expect("the folder is ours");
    running.wait()
}

#[test]
fn a_new_file_in_the_checkout_costs_a_contract_no_more_than_another_run_of_it() {
    let project = repository(&makes("a.txt"), &plan(&[&slow(WAIT)]), &FILES);
    let output = act_meanwhile(&project, "echo mine > z.txt");
    output
        .assert_success()
        .assert_stderr_contains("contract is run again: `z.txt` came into the checkout");
    assert!(!output.stderr.contains("not started"), "{}", output.stderr);
    let status = project.json(["status"]);
    assert_eq!(status["steps"][0]["evidence"], "proved", "{status:#}");
}

/// A contract that asks for a new file in the checkout, waits for it, and then does this.
fn asking_for_files(line: &str) -> String {
    let asks = "f=$(mktemp OUTSIDE/ask.XXXXXX); until test -e $f.ok; do sleep 0.02; done";
    format!(
        "**target:** coder\n**task:**\nMake it.\n\n**contract:**\n```shell\n{asks}; test -f a.txt || exit 1; {line}\n```\nexit_code == 0\n**on_fail:** abort\n"
    )
}

/// Runs the plan beside a program that makes a new file in the checkout whenever a contract asks for one.
fn beside_a_program_that_makes_files(project: &Project) -> signoff_testkit::Output {
    let outside = project.outside("");
    let outside = outside.display();
    let program = format!(
        "i=0; until test -e {outside}/stop; do for f in {outside}/ask.??????; do \
         test -e $f && test ! -e $f.ok || continue; i=$((i+1)); echo x > out.$i; echo out.$i > $f.new; mv $f.new $f.ok; done; sleep 0.01; done"
    );
    let checkout = project.path();
    std::thread::scope(|scope| {
        let program = scope.spawn(|| project.bash(&program, &checkout));
        let output = project.signoff(["run", "plan.md"]);
        std::fs::write(project.outside("stop"), "").expect("the folder is ours");
        drop(program.join());
        output
    })
}

#[test]
fn a_program_that_keeps_making_files_hides_no_contract_from_what_is_ignored() {
    // What came is not seen, `.venv` is, and can be written to.
    let line = "test ! -e $(cat $f.ok) && .venv/bin/tool && test -L .venv/link && test \"$(cat settings.local)\" = mine && \
                echo x > .venv/made && test ! -e .venv/bin/made";
    let project = repository(&makes("a.txt"), &plan(&[&asking_for_files(line)]), &FILES);
    shell(
        &project,
        "echo '*.local' >> .gitignore && git commit -qam ignore && echo mine > settings.local && \
         mkdir -p .venv/bin && printf '#!/bin/sh\n' > .venv/bin/tool && chmod +x .venv/bin/tool && ln -s bin .venv/link",
    );
    let output = beside_a_program_that_makes_files(&project);
    output
        .assert_success()
        .assert_stderr_contains("contract is run again: `out.1` came into the checkout")
        .assert_stderr_contains("stop the program that makes such files");
    let status = project.json(["status"]);
    assert_eq!(status["steps"][0]["evidence"], "proved", "{status:#}");
    assert!(
        !project.exists(".venv/made"),
        "a contract wrote into the checkout"
    );
}

#[test]
fn beside_such_a_program_a_contract_says_why_it_cannot_remove_an_ignored_directory() {
    let line = "rm -rf ignored && test ! -e ignored";
    let project = repository(&makes("a.txt"), &plan(&[&asking_for_files(line)]), &FILES);
    shell(&project, "mkdir -p ignored && echo x > ignored/file");
    beside_a_program_that_makes_files(&project)
        .assert_code(1)
        .assert_stderr_contains("each ignored directory was mounted by itself");
    assert!(project.exists("ignored/file"));
}

#[test]
fn an_ignored_file_that_a_person_writes_in_place_makes_no_contract_green() {
    let line = &format!("{WAIT}; grep -q FIX ignored/i.log");
    let project = repository(&makes("a.txt"), &plan(&[&slow(line)]), &FILES);
    shell(&project, "mkdir ignored && echo x > ignored/i.log");
    let output = act_meanwhile(&project, "echo FIX >> ignored/i.log");
    let status = project.json(["status"]);
    assert_ne!(status["status"], "completed", "{status:#}");
    output
        .assert_stderr_contains("contract is run again: `ignored` changed")
        .assert_stderr_contains("`ignored` changed in the checkout since the run began");
    // The agent did nothing wrong.
    assert!(events(&project, "step_failed").is_empty());
}

/// The agent waits until the person has worked in the checkout.
fn waits(project_file: &str) -> Script {
    Script::new().reply(
        Reply::always()
            .append("OUTSIDE/began", "x")
            .wait_for("OUTSIDE/go")
            .write(project_file, "whole\n")
            .say("done"),
    )
}

#[test]
fn what_a_person_installs_meanwhile_is_told_and_fails_no_attempt() {
    let project = repository(&waits("a.txt"), &plan(&[&slow(".venv/bin/tool")]), &FILES);
    shell(
        &project,
        "mkdir -p .venv/bin && printf '#!/bin/sh\\n' > .venv/bin/tool && chmod +x .venv/bin/tool",
    );
    let output = act_meanwhile(&project, "touch .venv/bin/installed");
    output
        .assert_code(3)
        .assert_stderr_contains("`.venv` changed in the checkout since the run began")
        .assert_stderr_contains("answer `retry`");
    assert!(events(&project, "step_failed").is_empty());
    // Told of it, the person goes on with what they have.
    let inbox = project.json(["inbox"]);
    let item = inbox["items"][0]["id"]
        .as_str()
        .expect("an item has a name");
    project.signoff(["answer", item, "retry"]).assert_success();
    project.signoff(["resume"]).assert_success();
    let status = project.json(["status"]);
    assert_eq!(status["steps"][0]["evidence"], "proved", "{status:#}");
}

#[test]
fn a_cache_that_a_person_fills_meanwhile_is_only_told() {
    let project = repository(&waits("a.txt"), &plan(&[&slow("test -f target/x")]), &FILES);
    shell(&project, "mkdir target && echo x > target/x");
    let output = act_meanwhile(&project, "echo y > target/y");
    output
        .assert_code(1)
        .assert_stderr_contains("`target` changed in the checkout since the run began");
    assert_eq!(events(&project, "step_failed").len(), 1);
}

/// The agent and the person write the same file in different ways.
#[test]
fn a_person_s_edit_of_the_same_file_fails_no_attempt() {
    for land in ["step", "end"] {
        let script = Script::new().reply(
            Reply::always()
                .append("OUTSIDE/began", "x")
                .wait_for("OUTSIDE/go")
                .write("conf.txt", "agent\n")
                .write("a.txt", "whole\n")
                .say("done"),
        );
        let files = [FILES[0], FILES[1], ("conf.txt", "before\n")];
        let plan = plan(&[&slow("grep -q agent conf.txt")]);
        let project = repository(&script, &plan, &files);
        let config = project.home().join(".config/signoff/config.toml");
        let text = std::fs::read_to_string(&config).expect("it was written");
        std::fs::write(config, format!("{text}run.land = \"{land}\"\n")).expect("ours");
        let output = act_meanwhile(&project, "echo person > conf.txt");
        assert!(
            events(&project, "merge_conflicted").is_empty(),
            "{}",
            output.stderr
        );
        assert_eq!(project.read("conf.txt"), "person\n", "{}", output.stderr);
        output.assert_stderr_contains(
            "both you and the run changed these files, and each keeps its own version: conf.txt",
        );
        let status = project.json(["status"]);
        assert_eq!(status["steps"][0]["evidence"], "proved", "{status:#}");
        if land == "step" {
            output.assert_stderr_contains("held: `conf.txt`");
            assert_eq!(project.read("a.txt"), "whole\n");
        }
    }
}

/// What joined before a retry is there when it begins, and so is the work of the attempt before.
#[test]
fn a_retry_begins_with_what_a_person_did_meanwhile() {
    let script = Script::new()
        .reply(Reply::when(["b.txt is missing"]).write("b.txt", "whole\n"))
        .reply(Reply::always().write("a.txt", "whole\n"));
    let line = &format!("{WAIT}; test -f b.txt || {{ echo b.txt is missing >&2; exit 1; }}");
    let body = slow(line).replace("abort", "retry(1), then abort");
    let project = repository(&script, &plan(&[&body]), &FILES);
    let output = act_meanwhile(&project, "echo more >> mine.txt");
    output.assert_success();
    let joined = events(&project, "checkout_joined");
    let started = events(&project, "attempt_started");
    assert_eq!(joined.len(), 1, "{}", output.stderr);
    assert_eq!(started[1]["base"], joined[0]["commit"], "{started:#?}");
    assert_eq!(project.read("a.txt"), "whole\n");
    assert_eq!(project.read("b.txt"), "whole\n");
    assert_eq!(project.read("mine.txt"), "mine\nmore\n");
}

#[test]
fn a_step_that_a_person_undid_says_so() {
    let script = Script::new()
        .reply(Reply::when(["Make one."]).write("one.txt", "whole\n"))
        .reply(
            Reply::always()
                .append("OUTSIDE/began", "x")
                .wait_for("OUTSIDE/go")
                .write("two.txt", "whole\n")
                .say("done"),
        );
    let steps = [agent("Make one.", "one.txt"), agent("Make two.", "two.txt")];
    let project = repository(&script, &plan(&[&steps[0], &steps[1]]), &FILES);
    act_meanwhile(&project, "rm one.txt")
        .assert_stderr_contains("your changes joined: deleted one.txt")
        .assert_stderr_contains("your changes joined since it held: deleted `one.txt`");
}

/// The agent has begun, and works until it is let go.
fn is_at_work(project: &Project) -> signoff_testkit::Running {
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.outside("begun").exists()));
    running
}

fn held(project: &Project) -> String {
    let (begun, go) = (project.outside("begun"), project.outside("go"));
    format!(
        "printf x > {}\nwhile [ ! -e {} ]; do sleep 0.01; done\necho whole > a.txt\n",
        begun.display(),
        go.display()
    )
}

/// A project whose agent is held until there is a file `go` beside the project.
fn with_held_agent() -> Project {
    let project = repository(&Script::new(), &plan(&[&slow("true")]), &FILES);
    project.write("agent.sh", &held(&project)).write(
        ".signoff/config.toml",
        "[agents.coder]\ndriver = \"command\"\ncommand = [\"sh\", \"agent.sh\"]\n",
    );
    shell(&project, "git add agent.sh && git commit -qm agent");
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

fn let_go(project: &Project) {
    std::fs::write(project.outside("go"), "").expect("the folder is ours");
}

/// Removes something of the run's while its agent works. That is no failure of the agent's, and can be put right.
fn check_removed(remove: &str, message: &str, put_right: &str) {
    let project = with_held_agent();
    let running = is_at_work(&project);
    let head = shell(
        &project,
        "git for-each-ref --format='%(objectname)' refs/heads/signoff",
    );
    let branch = shell(
        &project,
        "git for-each-ref --format='%(refname:short)' refs/heads/signoff",
    );
    shell(&project, remove);
    let_go(&project);
    running
        .wait()
        .assert_code(5)
        .assert_stderr_contains(message);
    assert!(events(&project, "attempt_failed").is_empty());
    let put_right = put_right
        .replace("BRANCH", branch.trim())
        .replace("HEAD", head.trim());
    shell(&project, &put_right);
    project.signoff(["resume"]).assert_success();
    assert!(events(&project, "step_failed").is_empty());
}

#[test]
fn a_branch_that_is_deleted_meanwhile_stops_the_run() {
    check_removed(
        "git for-each-ref --format='delete %(refname)' refs/heads/signoff | git update-ref --stdin",
        "restores it",
        "git branch BRANCH HEAD",
    );
}

#[test]
fn a_repository_that_is_moved_meanwhile_stops_the_run() {
    check_removed("mv .git ../.git-moved", "is gone", "mv ../.git-moved .git");
}

#[test]
fn a_submodule_that_a_person_adds_is_told_with_what_to_type() {
    let project = with_held_agent();
    let config = project.home().join(".config/signoff/config.toml");
    let settings = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{settings}run.land = \"end\"\n")).unwrap();
    project.signoff(["approve", "plan.md"]);
    let running = is_at_work(&project);
    shell(
        &project,
        "git init -q ../other && git -C ../other -c user.name=a -c user.email=a@x commit -q --allow-empty -m x && \
         git -c protocol.file.allow=always submodule -q add \"$PWD/../other\" sm",
    );
    let_go(&project);
    running
        .wait()
        .assert_success()
        .assert_stdout_contains("git rm -q --cached sm");
    project.signoff(["land"]).assert_code(5);
    shell(&project, "git rm -q --cached sm");
    project.signoff(["land"]).assert_success();
    shell(
        &project,
        "git add sm && git ls-files --stage sm | grep -q ^160000",
    );
    assert_eq!(project.read("a.txt"), "whole\n");
}

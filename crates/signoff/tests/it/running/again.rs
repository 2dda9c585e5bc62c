//! A plan is run again, with the real binary: after it completed, after `undo`, after an edit of one step.

use serde_json::Value;
use signoff_testkit::ledger::Ledger;
use signoff_testkit::{Project, Reply, Script};

use crate::support::{agent, commit_all, events, first_item_id, newest_run, plan, project};

fn script() -> Script {
    let writes = |text: &str, file: &str| Reply::when([text]).write(file, "whole\n").say("done");
    Script::new()
        .ledger("LEDGER")
        .reply(writes("Make one", "out-1"))
        .reply(writes("Make two", "out-2"))
}

/// A call that leaves a line outside the project each time.
fn publish(project: &Project) -> String {
    let published = project.outside("published");
    let command = format!("echo once >> {}", published.display());
    let args = serde_json::json!({ "command": command });
    format!(
        "**id:** publish\n**tool:** run_command\n**tools:** run_command\n**args:**\n```json\n{args}\n```\n"
    )
}

fn published(project: &Project) -> usize {
    let text = std::fs::read_to_string(project.outside("published")).unwrap_or_default();
    text.lines().count()
}

/// The text of the plan, in which the second step asks for this.
fn text(project: &Project, second: &str) -> String {
    let one = format!("**id:** one\n{}", agent("Make one.", "out-1"));
    let two = format!("**id:** two\n{}", agent(second, "out-2"));
    plan(&[&publish(project), &one, &two])
}

/// A project whose plan was run once.
fn completed() -> Project {
    let project = project(&script(), "").on_trees();
    project.write("plan.md", &text(&project, "Make two."));
    commit_all(&project);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
    project
}

fn kept_from(project: &Project) -> Vec<Value> {
    let status = project.json(["status"]);
    let steps = status["steps"].as_array().expect("steps").iter();
    steps
        .map(|step| step["facts"]["kept_from"].clone())
        .collect()
}

fn ledger(project: &Project) -> Ledger {
    Ledger::read(project.outside("ledger"))
}

#[test]
fn a_completed_plan_is_run_again_and_nothing_is_done_twice() {
    let project = completed();
    let first = newest_run(&project);
    project
        .signoff(["run", "plan.md"])
        .assert_code(5)
        .assert_stderr_contains("`signoff run plan.md --again`");
    let dry = project.json(["run", "plan.md", "--again", "--dry-run"]);
    assert_eq!(dry["steps"][1]["kept_from"], first.as_str(), "{dry:#}");
    project
        .signoff(["run", "plan.md", "--again"])
        .assert_success()
        .assert_stderr_contains(&format!("kept from run {first}"));
    assert_eq!(kept_from(&project), [first.as_str(); 3]);
    ledger(&project)
        .assert_starts("one", 1)
        .assert_starts("two", 1);
    assert_eq!(published(&project), 1);
    assert_eq!(project.json(["show", "plan.md"])["status"], "completed");
    assert_eq!(events(&project, "earlier_step").len(), 3);

    // Everything, if a person says so; the call is asked about.
    project
        .signoff(["run", "plan.md", "--again", "--all"])
        .assert_code(3);
    assert_eq!(published(&project), 1);
    let item = first_item_id(&project);
    project.signoff(["answer", &item, "approve", "--resume"]);
    assert_eq!(published(&project), 2);
}

#[test]
fn after_an_edit_only_what_changed_and_what_depends_on_it_runs() {
    let project = completed();
    let first = newest_run(&project);
    let marked = project.read("plan.md");
    project.write("plan.md", &marked.replace("Make two.", "Make two anew."));
    project.signoff(["approve", "plan.md"]).assert_success();
    project
        .signoff(["run", "plan.md", "--dry-run"])
        .assert_success()
        .assert_stdout_contains("runs, because it was changed: two");
    project.signoff(["run", "plan.md"]).assert_success();
    ledger(&project)
        .assert_starts("one", 1)
        .assert_starts("two", 2);
    assert_eq!(published(&project), 1);
    assert_eq!(
        kept_from(&project),
        [
            Value::from(first.as_str()),
            first.as_str().into(),
            Value::Null
        ]
    );
}

#[test]
fn after_undo_contracts_decide_and_a_call_is_not_made_twice() {
    let project = completed();
    project.signoff(["undo"]).assert_success();
    assert!(!project.exists("out-1"));
    project.signoff(["run", "plan.md", "--again"]);
    ledger(&project)
        .assert_starts("one", 2)
        .assert_starts("two", 2);
    assert_eq!(published(&project), 1);
    assert!(project.exists("out-2"));
}

#[test]
fn nobody_is_said_to_be_asked_about_what_is_kept() {
    let project = project(
        &script(),
        &plan(&["**ask:** Go on?\n**choices:** yes, no\n"]),
    );
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    let stops = "stops and asks you";
    project
        .signoff(["run", "plan.md", "--dry-run"])
        .assert_stdout_contains(stops);
    project.signoff(["run", "plan.md"]).assert_code(3);
    let item = first_item_id(&project);
    project
        .signoff(["answer", &item, "yes", "--resume"])
        .assert_success();
    project
        .signoff(["run", "plan.md", "--again", "--dry-run"])
        .assert_success()
        .assert_stdout_lacks(stops);
}

#[test]
fn a_call_that_a_lost_run_may_have_made_is_asked_about() {
    let project = completed();
    let runs = project.path().join(".signoff/runs");
    std::fs::remove_dir_all(runs.join(newest_run(&project))).expect("it ran");
    project
        .signoff(["run", "plan.md", "--again"])
        .assert_code(3);
    assert_eq!(published(&project), 1);
}

/// Cuts the end of the newest run's journal off, from the first line with this word on, and makes the record of its end
/// say so: that of a crash can be as far behind.
fn cut_before(project: &Project, word: &str) {
    let run = project
        .path()
        .join(".signoff/runs")
        .join(newest_run(project));
    let journal = std::fs::read_to_string(run.join("journal.jsonl")).expect("it ran");
    let lines = journal.split_inclusive('\n');
    let cut: Vec<_> = lines.take_while(|line| !line.contains(word)).collect();
    let last: serde_json::Value =
        serde_json::from_str(cut.last().expect("it began")).expect("JSON");
    let head = serde_json::json!({"v": 1, "seq": last["seq"], "hash": last["hash"]});
    std::fs::write(run.join("journal.jsonl"), cut.concat()).expect("the file is ours");
    std::fs::write(run.join("head.json"), head.to_string()).expect("the file is ours");
}

#[test]
fn a_run_that_was_completed_and_cut_off_does_not_go_on() {
    let project = completed();
    cut_before(&project, "call_started");
    project
        .signoff(["resume"])
        .assert_code(6)
        .assert_stderr_contains("the end was cut off");
    assert_eq!(published(&project), 1);
}

/// A plan of one step that leaves this word outside the project.
fn pays(project: &Project, word: &str) -> String {
    let paid = project.outside("published");
    let command = format!("echo {word} >> {}", paid.display());
    let args = serde_json::json!({ "command": command });
    plan(&[&format!(
        "**id:** pay\n**tool:** run_command\n**tools:** run_command\n**args:**\n```json\n{args}\n```\n"
    )])
}

/// A project whose plan is signed with this text and run.
fn paid(text: impl Fn(&Project) -> String) -> Project {
    let project = project(&script(), "").on_trees();
    project.write("plan.md", &text(&project));
    commit_all(&project);
    project.signoff(["trust"]).assert_success();
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_success();
    project
}

#[test]
fn a_call_of_any_earlier_run_is_not_made_again_without_a_person() {
    let project = paid(|project| pays(project, "one"));
    project.write("plan.md", &pays(&project, "two"));
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_success();
    assert_eq!(published(&project), 2);
    project.write("plan.md", &pays(&project, "one"));
    project.signoff(["approve", "plan.md"]);
    let output = project.signoff(["run", "plan.md", "--again"]);
    assert_eq!(published(&project), 2, "{output}");
    output.assert_code(3);
}

/// Whoever removes a log with its head does not remove what happened.
#[test]
fn runs_that_the_log_does_not_name_count() {
    for cut in [false, true] {
        let project = paid(|project| pays(project, "one"));
        let logs = project.path().join(".signoff/log");
        let log = std::fs::read_dir(&logs).expect("there is a log").flatten();
        let (heads, texts): (Vec<_>, Vec<_>) = log
            .map(|entry| entry.path())
            .partition(|path| path.to_string_lossy().ends_with(".head.json"));
        for path in heads {
            std::fs::remove_file(path).expect("the file is ours");
        }
        for path in texts {
            std::fs::remove_file(path).expect("the file is ours");
        }
        if cut {
            // The log begins anew.
            project.signoff(["approve", "plan.md"]);
        }
        let output = project.signoff(["run", "plan.md"]);
        assert_eq!(published(&project), 1, "{output}");
        output.assert_stderr_contains("does not name run");
    }
}

/// With the log gone and the journal empty, the mark of the call is the last witness.
#[test]
fn a_call_whose_log_and_journal_are_lost_is_not_made_again() {
    let project = paid(|project| pays(project, "one"));
    std::fs::remove_dir_all(project.path().join(".signoff/log")).expect("there is a log");
    let run = project
        .path()
        .join(".signoff/runs")
        .join(newest_run(&project));
    std::fs::write(run.join("journal.jsonl"), "").expect("the file is ours");
    let output = project.signoff(["run", "plan.md"]);
    assert_eq!(published(&project), 1, "{output}");
    output.assert_code(6);
}

#[test]
fn a_call_that_the_journal_has_lost_is_asked_about() {
    let project = project(&script(), "").on_trees();
    let text = pays(&project, "one");
    let waits = format!("{text}\n### 2. Ask\n\n**ask:** Go on?\n**choices:** yes, no\n");
    project.write("plan.md", &waits);
    commit_all(&project);
    project.signoff(["trust"]).assert_success();
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(3);
    cut_before(&project, "attempt_started");
    let output = project.signoff(["resume"]);
    assert_eq!(published(&project), 1, "{output}");
    output
        .assert_code(3)
        .assert_stderr_contains("has no trace of calls");
}

/// A run that waits, so that no log tells its end.
#[test]
fn a_run_whose_journal_was_cut_with_the_record_of_its_end_does_not_go_on() {
    let project = project(&script(), "").on_trees();
    let text = pays(&project, "one");
    let waits = format!("{text}\n### 2. Ask\n\n**ask:** Go on?\n**choices:** yes, no\n");
    project.write("plan.md", &waits);
    commit_all(&project);
    project.signoff(["trust"]).assert_success();
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(3);
    cut_before(&project, "attempt_started");
    let run = newest_run(&project);
    let head = format!(".signoff/runs/{run}/head.json");
    std::fs::remove_file(project.path().join(head)).expect("it has a head");
    for command in [["resume"], ["status"], ["log"]] {
        project
            .signoff(command)
            .assert_code(6)
            .assert_stderr_contains("may have lost its end")
            .assert_stderr_contains(&format!("`signoff prune {run}`"));
    }
    assert_eq!(published(&project), 1);
}

/// What a process printed is a witness as well: the record of the journal's end was made to fit.
#[test]
fn a_run_whose_journal_has_lost_an_attempt_does_not_go_on() {
    let check = "**contract:**\n```shell\ntest -s out-1 && echo there\n```\n";
    for step in [&*agent("Make one.", "out-1"), check] {
        let asks = "**ask:** Go on?\n**choices:** yes, no\n";
        let project = project(&script(), &plan(&[step, asks])).on_trees();
        project.write("out-1", if step == check { "x\n" } else { "" });
        commit_all(&project);
        project.signoff(["trust"]).assert_success();
        project
            .signoff(["run", "plan.md", "--approve"])
            .assert_code(3);
        cut_before(&project, "attempt_started");
        let run = newest_run(&project);
        project
            .signoff(["resume"])
            .assert_code(6)
            .assert_stderr_contains("attempt 1 at step `step-1` left its output")
            .assert_stderr_contains(&format!("`signoff prune {run}`"));
        // It leads on.
        project.signoff(["prune", &run, "--force"]).assert_success();
        project.signoff(["retry", "plan.md"]).assert_success();
        project.signoff(["run", "plan.md"]).assert_code(3);
    }
}

/// A run that failed may go on, and then its journal says so.
#[test]
fn a_run_that_failed_and_was_cut_off_does_not_go_on() {
    let step = format!("{}**on_fail:** abort\n", agent("Do nothing.", "out-1"));
    let project = project(&Script::new().reply(Reply::always()), &plan(&[&step])).on_trees();
    commit_all(&project);
    project.signoff(["trust"]).assert_success();
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(1);
    project.signoff(["resume"]).assert_code(1);
    project.signoff(["status"]).assert_success();
    cut_before(&project, "run_finished");
    for command in ["status", "resume"] {
        project
            .signoff([command])
            .assert_code(6)
            .assert_stderr_contains("its plan's log says that it failed");
    }
}

/// What a step without a contract changed is looked for in the checkout.
#[test]
fn work_that_was_taken_back_with_git_is_done_again() {
    let writes = "**id:** write\n**tool:** write_file\n**tools:** write_file\n**args:**\n```json\n{\"path\": \"w.txt\", \"content\": \"w\"}\n```\n";
    let project = paid(|_| plan(&[writes]));
    assert!(project.exists("w.txt"));
    project
        .signoff(["run", "plan.md", "--again", "--dry-run"])
        .assert_stdout_contains("kept from run");
    std::fs::remove_file(project.path().join("w.txt")).expect("it was made");
    project
        .signoff(["run", "plan.md", "--again", "--dry-run"])
        .assert_stdout_contains("what it changed is not in the checkout");
    // A person decides, because the call took place.
    project
        .signoff(["run", "plan.md", "--again"])
        .assert_code(3);
    let item = first_item_id(&project);
    project.signoff(["answer", &item, "approve", "--resume"]);
    assert!(project.exists("w.txt"));
}

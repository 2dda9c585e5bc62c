//! What a person does about a run that other machines drive: it does what it does on one machine, and the journal that all
//! share says so.

use signoff_testkit::{Reply, Running, Script};

use super::fleet::Fleet;
use crate::support::{agent, plan};

/// Two steps, one after the other; the first waits for a file beside the project.
fn fleet() -> Option<Fleet> {
    let script = Script::new()
        .ledger("LEDGER")
        .reply(
            Reply::when(["Make one."])
                .append("OUTSIDE/begun", "x")
                .wait_for("OUTSIDE/go")
                .write("one", "x\n")
                .say("done"),
        )
        .reply(Reply::when(["Make two."]).write("two", "x\n").say("done"));
    let second = format!("**depends_on:** 1\n{}", agent("Make two.", "two"));
    Fleet::new(&script, &plan(&[&agent("Make one.", "one"), &second]))
}

/// A run whose first agent is at work.
struct UnderWay {
    fleet: Fleet,
    run: String,
    _all: Running,
}

impl UnderWay {
    fn new() -> Option<Self> {
        let fleet = fleet()?;
        let all = fleet.everything();
        let run = fleet.hand_over();
        fleet.wait_for_file("begun");
        Some(Self {
            fleet,
            run,
            _all: all,
        })
    }
}

/// Lets nothing of the run be left that somebody could still take up.
fn wait_until_nobody_drives(fleet: &Fleet) {
    fleet.wait_for_sql(
        "SELECT count(*) FROM signoff_dbos.workflow_status WHERE name = 'plan_run' AND status IN ('ENQUEUED', 'PENDING')",
        "0",
    );
}

#[test]
fn a_run_pauses_stops_and_goes_on_only_when_it_is_asked_to() {
    let Some(UnderWay { fleet, run, _all }) = UnderWay::new() else {
        return;
    };
    fleet
        .project
        .signoff(["pause"])
        .assert_success()
        .assert_stdout_contains("pausing");
    fleet.let_go();
    fleet.wait_for(&run, "paused");
    // Neither what is asked of it meanwhile nor what that had put into the queue takes it up.
    fleet
        .project
        .signoff(["pause"])
        .assert_stdout_contains("no process");
    fleet
        .project
        .signoff(["step", "skip", &run, "2"])
        .assert_success();
    wait_until_nobody_drives(&fleet);
    assert_eq!(fleet.state(&run), "paused");
    let resumed = fleet.project.signoff(["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert_eq!(fleet.events(&run, "step_skipped"), 1);
    fleet.project.signoff(["land"]).assert_success();
    assert_eq!(fleet.project.read("one"), "x\n");
    // Everybody's journal says so, and nothing stays on the way that it came.
    assert_eq!(fleet.events(&run, "run_landed"), 1);
    assert!(!fleet.references(&run).is_empty());
    fleet
        .project
        .signoff(["prune"])
        .assert_success()
        .assert_stdout_contains("remote.git");
    assert_eq!(fleet.references(&run), "");
    fleet
        .project
        .signoff(["status", &run])
        .assert_stdout_contains("completed");
}

#[test]
fn a_run_that_was_given_up_can_be_tried_again_and_undone() {
    let Some(UnderWay { fleet, run, _all }) = UnderWay::new() else {
        return;
    };
    fleet
        .project
        .signoff(["stop"])
        .assert_success()
        .assert_stdout_contains("stopped");
    fleet.wait_for(&run, "paused");
    assert!(fleet.agents().is_empty(), "{:?}", fleet.agents());
    fleet
        .project
        .signoff(["undo", &run])
        .assert_code(5)
        .assert_stderr_contains("has not ended");
    fleet.project.signoff(["abort"]).assert_success();
    wait_until_nobody_drives(&fleet);
    assert_eq!(fleet.state(&run), "failed");
    // A step that is tried again takes the run up where it is driven.
    fleet.let_go();
    fleet
        .project
        .signoff(["step", "retry", &run, "1"])
        .assert_success();
    fleet.wait_for(&run, "completed");
    fleet
        .project
        .signoff(["undo", &run])
        .assert_success()
        .assert_stdout_contains("undone");
    assert_eq!(fleet.events(&run, "run_undone"), 1);
    fleet
        .project
        .signoff(["resume", &run])
        .assert_code(5)
        .assert_stderr_contains("undone");
    fleet.project.signoff(["prune"]).assert_success();
    assert_eq!(fleet.references(&run), "");
}

#[test]
fn a_run_that_stands_still_moves_to_other_machines() {
    let Some(fleet) = fleet() else {
        return;
    };
    // What comes into this checkout step by step is nowhere else.
    fleet
        .project
        .write(".signoff/config.toml", "[run]\nland = \"end\"\n");
    let local = |words: &[&str]| {
        let mut words = words.to_vec();
        words.extend(["--engine", "local"]);
        fleet.project.spawn(words)
    };
    let run = local(&["run", "plan.md"]);
    fleet.wait_for_file("begun");
    fleet
        .project
        .signoff(["run", "--from", "plan.md", "--detach"])
        .assert_code(5);
    fleet.project.signoff(["pause"]).assert_success();
    fleet.let_go();
    run.wait().assert_code(130);
    let _all = fleet.everything();
    let moved = fleet.project.signoff(["run", "--from", "plan.md"]);
    assert_eq!(moved.code, Some(0), "{moved}");
    // What was done here stays done.
    let begun = std::fs::read_to_string(fleet.project.outside("begun")).expect("it was written");
    assert_eq!(begun, "x");
    fleet.project.signoff(["land"]).assert_success();
    assert_eq!(
        fleet.project.read("one") + &fleet.project.read("two"),
        "x\nx\n"
    );
}

/// Signs what the plan's file says now, and has the run go on.
#[track_caller]
fn sign_and_go_on(fleet: &Fleet, plan: &str) {
    let signed = fleet.project.signoff(["approve", plan, "--proof", "key"]);
    signed.assert_success();
    let resumed = fleet.project.signoff(["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
}

#[test]
fn a_plan_that_was_changed_and_signed_is_what_the_run_goes_on_with() {
    let Some(UnderWay { fleet, run, _all }) = UnderWay::new() else {
        return;
    };
    fleet.project.signoff(["pause"]).assert_success();
    fleet.let_go();
    fleet.wait_for(&run, "paused");
    let text = fleet.project.read("plan.md");
    let changed = text.replace("test -s two", "test -s one && test -s two");
    assert_ne!(changed, text);
    fleet.project.write("plan.md", &changed);
    sign_and_go_on(&fleet, "plan.md");
    assert_eq!(fleet.events(&run, "plan_replanned"), 1);
    assert_eq!(fleet.state(&run), "completed");
    let shown = fleet.project.json(["show", "plan.md"]);
    assert_eq!(shown["status"], "completed", "{shown:#}");
}

#[test]
fn a_text_that_is_handed_in_is_signed_where_the_run_began() {
    let gated = format!("{}**approval:** required\n", agent("Make one.", "one"));
    let script = Script::new().reply(Reply::always().write("one", "x\n").say("done"));
    let Some(fleet) = Fleet::new(&script, &plan(&[&gated])) else {
        return;
    };
    let _all = fleet.everything();
    let run = fleet.hand_over();
    fleet.wait_for(&run, "waiting");
    let text = fleet.project.read("plan.md");
    let text = text.replace("**approval:** required\n", "");
    fleet.project.write("next.md", &text);
    fleet
        .project
        .signoff(["revise", "plan.md", "--with", "next.md"])
        .assert_success();
    fleet.wait_for_sql(
        "SELECT count(*) FROM signoff.events WHERE line LIKE '%\"kind\":\"new_version\"%'",
        "1",
    );
    fleet.wait_for(&run, "waiting");
    // Nothing goes on before the signature.
    fleet
        .project
        .signoff(["resume"])
        .assert_code(5)
        .assert_stderr_contains("signoff approve plan-v2");
    fleet.project.signoff(["inbox"]).assert_success();
    sign_and_go_on(&fleet, "plan-v2");
    assert_eq!(fleet.state(&run), "completed");
    assert_eq!(fleet.project.json(["status"])["plan"], "plan-v2");
}

//! A run in a terminal.

use signoff_testkit::{Project, Reply, Script};

use super::tmux::{SIZES, Terminal, has_tmux};
use crate::support::{agent, plan, signed, waits_then_makes_out};
use crate::trees::held_files::held;

/// A run that asks about its second step.
fn asking() -> Project {
    let script = Script::new()
        .reply(
            Reply::when(["Make it"])
                .write("out", "x\n")
                .say("I made it"),
        )
        .reply(Reply::when(["Never"]).say("All is well!"));
    let silent =
        agent("Make it.", "out").replace("|| { echo \"out is missing\" >&2; exit 1; }", "");
    let never = format!("{}**on_fail:** escalate\n", agent("Never do it.", "never"));
    let project = signed(&script, &plan(&[&silent, &never]));
    project.signoff(["run", "plan.md"]).assert_code(3);
    project
}

#[test]
fn the_terminal_is_given_back_on_every_end() {
    if !has_tmux() {
        return;
    }
    let project = asking();
    for size in SIZES {
        for (end, code) in [("q", 0), ("C-c", 0), ("TERM", 130)] {
            let terminal = Terminal::start(&project, size, "signoff watch");
            terminal.expect("Step 1");
            if end == "TERM" {
                terminal.signal(end);
            } else {
                terminal.press(end);
            }
            terminal.expect_restored(code);
        }
    }
}

#[test]
fn panes_show_the_work_and_an_answer_is_given() {
    if !has_tmux() {
        return;
    }
    for size in SIZES {
        let project = asking();
        let terminal = Terminal::start(&project, size, "signoff watch");
        terminal.expect("Step 1").press("k").press("k");
        terminal.press("2").expect("I made it");
        // This contract prints nothing when it holds; it has run all the same.
        terminal.press("3").expect("after attempt 1: ✓ green");
        terminal.press("j").expect("never is missing");
        terminal.press("i").expect("skip");
        terminal.press("a").expect("Answer (").type_line("skip");
        terminal.expect("nothing waits on you");
        terminal.press("q").expect_restored(0);
        let answered = project.signoff(["log"]);
        answered.assert_success().assert_stdout_contains("skip");
    }
}

#[test]
fn a_run_is_paused_stopped_and_resumed() {
    if !has_tmux() {
        return;
    }
    let project = signed(
        &Script::new().reply(waits_then_makes_out()),
        &plan(&[&agent("Make it.", "out")]),
    );
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.path().join("begun").exists()));
    let terminal = Terminal::start(&project, (80, 24), "signoff watch");
    terminal
        .expect("executing")
        .press("p")
        .expect("pausing: nothing new starts");
    terminal.press("s").expect("stopped, with its agents");
    running.wait();
    project.write("go", "x");
    terminal
        .press("r")
        .expect("going on, in a process of its own");
    terminal.expect("completed");
    terminal.press("q").expect_restored(0);
}

#[test]
fn a_run_is_landed_with_held_files_settled_and_undone() {
    if !has_tmux() {
        return;
    }
    for size in SIZES {
        let (project, _) = held(true);
        let terminal = Terminal::start(&project, size, "signoff watch");
        terminal.expect("[1 step]").press("i").expect("! held back");
        terminal.expect("conf.txt");
        terminal
            .press("L")
            .expect("Held files:")
            .type_line("take d/b.txt");
        // The other one still is, and the reason is not cut off.
        terminal
            .expect("1 file is held")
            .expect("it was changed here too");
        assert_eq!(project.read("d/b.txt"), "run\n");
        terminal.press("L").expect("Held files:").type_line("keep");
        terminal.expect("nothing waits on you");
        assert_eq!(project.read("conf.txt"), "mine\n");
        terminal.press("U").expect("Type `undo`:").type_line("undo");
        terminal.expect("undone");
        assert!(!project.path().join("new.txt").exists());
        assert_eq!(project.read("conf.txt"), "mine\n");
        terminal.press("q").expect_restored(0);
    }
}

#[test]
fn a_step_is_skipped_and_the_run_goes_on_without_it() {
    if !has_tmux() {
        return;
    }
    for size in SIZES {
        let project = asking();
        let terminal = Terminal::start(&project, size, "signoff watch");
        // The selection follows the step that waits.
        terminal.expect("status    waiting").press("x");
        terminal.expect("r continues the run").press("r");
        terminal.expect("completed");
        terminal.press("q").expect_restored(0);
        let run = project.json(["status"]);
        assert_eq!(run["steps"][1]["status"], "skipped", "{run}");
        assert_eq!(run["outcome"], "completed", "{run}");
    }
}

#[test]
fn an_agent_lands_and_undoes_nothing() {
    if !has_tmux() {
        return;
    }
    let (project, _) = held(false);
    let terminal = Terminal::start(&project, (80, 24), "env SIGNOFF_INSIDE=1 signoff watch");
    terminal.expect("[1 step]");
    terminal.press("L").type_line("take").expect("land a run");
    terminal.press("U").type_line("undo").expect("undo a run");
    assert_eq!(project.read("conf.txt"), "mine\n");
    assert!(project.path().join("new.txt").exists());
    terminal.press("q").expect_restored(0);
}

#[test]
fn a_step_is_tried_again_and_a_run_is_aborted() {
    if !has_tmux() {
        return;
    }
    let project = asking();
    let terminal = Terminal::start(&project, (80, 24), "signoff watch");
    // The selection follows the step that waits.
    terminal.expect("status    waiting").press("t");
    terminal.expect("r continues the run").press("r");
    terminal.expect("something waits on you");
    terminal
        .press("A")
        .expect("Type `abort`:")
        .type_line("abort");
    terminal.expect("aborted: the run has failed");
    terminal.press("q").expect_restored(0);
    let run = project.json(["status"]);
    assert_eq!(run["outcome"], "failed", "{run}");
    assert_eq!(run["steps"][1]["attempts"], 2, "{run}");
    // What it asked is asked no more.
    let listed = project.json(["list"]);
    assert_eq!(listed["plans"][0]["questions"], 0, "{listed}");
}

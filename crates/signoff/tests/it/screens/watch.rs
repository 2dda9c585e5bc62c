//! A run in a terminal.

use signoff_testkit::{Project, Reply, Script};

use super::tmux::{SIZES, Terminal, has_tmux};
use crate::support::{agent, plan, signed};

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

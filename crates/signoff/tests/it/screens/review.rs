//! A plan under review in a terminal.

use std::time::Instant;

use signoff_testkit::{PATIENCE, Project};

use super::tmux::{SIZES, Terminal, has_tmux};
use crate::support::{agent, makes_out, newest_run, plan, project};

fn proposed() -> Project {
    let second = format!("{}**depends_on:** 1\n", agent("Copy it.", "copy"));
    let text = plan(&[&agent("Make it.", "out"), &second]);
    let project = project(&makes_out(), &text);
    project.signoff(["trust"]).assert_success();
    project.signoff(["propose", "plan.md"]).assert_success();
    project
}

const REVIEW: &str = "signoff review plan.md";

#[test]
fn the_terminal_is_given_back_on_every_end() {
    if !has_tmux() {
        return;
    }
    let project = proposed();
    for size in SIZES {
        for (end, code) in [
            ("q", 0),
            ("C-c", 0),
            ("TERM", 130),
            ("HUP", 130),
            ("INT", 130),
        ] {
            let terminal = Terminal::start(&project, size, REVIEW);
            terminal.expect("Make it.");
            let is_key = end == "q" || end == "C-c";
            if is_key {
                terminal.press(end);
            } else {
                terminal.signal(end);
            }
            terminal.expect_restored(code);
        }
    }
}

#[test]
fn a_terminal_that_is_taken_away_ends_the_screen() {
    if !has_tmux() {
        return;
    }
    let project = proposed();
    let terminal = Terminal::start(&project, (80, 24), REVIEW);
    terminal.expect("Make it.");
    let process = format!("/proc/{}", terminal.pid());
    assert!(std::path::Path::new(&process).exists());
    terminal.kill();
    let begun = Instant::now();
    while std::path::Path::new(&process).exists() {
        assert!(begun.elapsed() < PATIENCE, "it goes on");
        std::thread::yield_now();
    }
}

#[test]
fn a_plan_is_edited_moved_commented_and_signed() {
    if !has_tmux() {
        return;
    }
    for size in SIZES {
        let project = proposed();
        let editor = "sed -i s/Make.it/Make_it_well/";
        let terminal =
            Terminal::start(&project, size, &format!("env EDITOR=\"{editor}\" {REVIEW}"));
        terminal.expect("Make it.");
        // The editor has the terminal to itself, and the screen comes back.
        terminal.press("e").expect("Make_it_well");
        assert!(project.read("plan.md").contains("Make_it_well"));
        terminal.press("c").expect("Comment on").type_line("why?");
        terminal.expect("why?");
        // The second step waits for the first: the bottom line says so, and nothing moves.
        terminal.press("j").press("K").expect("waits for");
        let before = project.json(["show", "plan.md"]);
        assert_eq!(before["steps"][0]["id"], "step-1");
        let digest = before["digest"].as_str().expect("a digest").to_owned();
        let digits: String = digest
            .trim_start_matches("sha256:")
            .chars()
            .take(8)
            .collect();
        terminal
            .press("a")
            .expect("plan's digest:")
            .type_line(&digits);
        terminal.expect("signed");
        let signed = project.json(["show", "plan.md"]);
        assert_eq!(signed["status"], "approved", "{signed}");
        terminal.press("S").expect("has begun: `signoff watch");
        terminal.press("q").expect_restored(0);
        let run = newest_run(&project);
        let ended = project.signoff(["log", &run, "--follow"]);
        ended.assert_stdout_contains("attempt 1: coder at work");
    }
}

#[test]
fn a_step_is_left_out_and_what_somebody_changed_meanwhile_is_not_rejected() {
    if !has_tmux() {
        return;
    }
    let project = proposed();
    let terminal = Terminal::start(&project, (80, 24), REVIEW);
    terminal.expect("Make it.").press("j").press("x");
    terminal.expect("when");
    let shown = project.json(["show", "plan.md"]);
    assert_eq!(shown["steps"][1]["when"], "false", "{shown}");
    let text = project.read("plan.md");
    project.write("plan.md", &text.replace("Make it.", "Make it well."));
    terminal
        .press("r")
        .expect("Reject, because")
        .type_line("no");
    terminal.expect("changed");
    terminal.press("q").expect_restored(0);
    let shown = project.json(["show", "plan.md"]);
    assert_ne!(shown["status"], "rejected", "{shown}");
}

#[test]
fn a_plan_is_rejected_with_feedback() {
    if !has_tmux() {
        return;
    }
    let project = proposed();
    let terminal = Terminal::start(&project, (80, 24), REVIEW);
    terminal.expect("Make it.");
    terminal.press("r").expect("Reject, because");
    terminal
        .type_line("the contract is weak")
        .expect("rejected");
    terminal.press("q").expect_restored(0);
    let shown = project.json(["show", "plan.md"]);
    assert_eq!(shown["status"], "rejected");
    assert_eq!(shown["rejections"][0]["feedback"], "the contract is weak");
}

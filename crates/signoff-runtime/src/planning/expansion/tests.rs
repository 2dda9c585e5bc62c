use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::check;
use signoff_plan::dialect::{Dialect, parse_as};
use signoff_plan::source::Source;

use super::*;

const LOOK: &str = "### 1. Look\n\n**task:** look\n\n";
const BATCH: &str = "### 2–N. Tidy a batch\n\n**task:** tidy [files]\n\n**contract:**\n```shell\ntest -s out\n```\n\n";
const END: &str = "### N+1. End\n\n**id:** end\n**task:** end it\n\n";

fn plan(steps: &[&str]) -> Plan {
    let head = "---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# Tidy\n\n## Steps\n\n";
    let text = format!("{head}{}", steps.concat());
    let source = Source::new("plan.md", text.into_bytes());
    let draft = parse_as(&source, Dialect::Workunit);
    Plan::clone(&check(&draft, &PermissiveWorkspace).plan)
}

fn numbered(number: u32, title: &str, more: &str) -> String {
    format!("### {number}. {title}\n\n{more}\n\n")
}

/// What is wrong with these steps in the place of [`BATCH`] and [`END`].
fn check_steps(steps: &[&str], expected: &[&str]) {
    let before = plan(&[LOOK, BATCH, END]);
    let templates = ["2–N. Tidy a batch".to_owned()];
    let objections = expansion_objections(&before, &templates, &plan(steps));
    let messages: Vec<&str> = objections.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(messages, expected);
}

#[test]
fn concrete_steps_take_the_place_of_open_ones() {
    let (first, second) = (
        numbered(2, "Tidy a", "**task:** tidy a"),
        numbered(3, "Tidy b", "**task:** tidy b"),
    );
    let end = END.replace("N+1", "4");
    check_steps(&[LOOK, &first, &second, &end], &[]);
}

#[test]
fn what_was_not_asked_for_stays() {
    let first = numbered(2, "Tidy a", "**task:** tidy a");
    let end = END.replace("N+1", "3");
    check_steps(
        &[LOOK, &first, &end.replace("end it", "end it and push")],
        &["step `end` (`End`) was changed; repeat it word for word"],
    );
    check_steps(
        &[LOOK, &first],
        &["step `end` (`End`) is missing; repeat it as it was"],
    );
    check_steps(
        &[&LOOK.replace("look", "look around"), &first, &end],
        &["step `step-1` (`Look`) was changed; repeat it word for word"],
    );
}

#[test]
fn nothing_stays_open_that_was_to_be_written() {
    check_steps(
        &[LOOK, BATCH, END],
        &[
            "`2–N. Tidy a batch` is still open: give each step its number, and write it out",
            "`N+1. End` is still open: give each step its number, and write it out",
        ],
    );
    // A batch that nobody asked for may stay, and so may what follows it.
    let before = plan(&[
        LOOK,
        BATCH,
        "### N+1–M. Later\n\n**task:** later\n\n",
        "### M+1. End\n\n**task:** end\n\n",
    ]);
    let after = plan(&[
        LOOK,
        &numbered(2, "Tidy a", "**task:** tidy a"),
        "### N+1–M. Later\n\n**task:** later\n\n",
        "### M+1. End\n\n**task:** end\n\n",
    ]);
    let objections = expansion_objections(&before, &["2–N. Tidy a batch".to_owned()], &after);
    assert!(objections.is_empty(), "{objections:?}");
}

#[test]
fn the_plan_asks_for_no_more_than_before() {
    let before = plan(&[LOOK, BATCH]);
    let after = Plan {
        tools: Some(vec!["run_command".to_owned()]),
        ..plan(&[LOOK, &numbered(2, "Tidy a", "**task:** tidy a")])
    };
    let objections = expansion_objections(&before, &["2–N. Tidy a batch".to_owned()], &after);
    assert_eq!(objections.len(), 1, "{objections:?}");
}

#[test]
fn a_planner_is_not_given_files_without_end() {
    let attached = |name: &str, bytes: usize| Attachment {
        name: name.to_owned(),
        content: Ok("ä".repeat(bytes / 2)),
    };
    let files = memories(vec![
        attached("a", 10),
        attached("a", 10),
        attached("b", FILES_BYTES),
        attached("c", 10),
        Attachment {
            name: "d".to_owned(),
            content: Err("no such file".to_owned()),
        },
    ]);
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    let bytes: usize = files.iter().map(|file| file.text.len()).sum();
    assert!(bytes < FILES_BYTES + 4 * 64, "{bytes}");
    assert!(
        files[1].text.ends_with("left out …]\n"),
        "{}",
        files[1].text.len()
    );
}

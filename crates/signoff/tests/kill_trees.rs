//! A run in worktrees, killed at every named point of merging and landing and at random times: nothing is merged or
//! landed twice, nothing that passed is lost, and what its person has not committed stays as it was.
//!
//! In the ordinary tests each point is visited once or twice; `cargo xtask soak` visits every one at every occasion,
//! and kills resumed runs again.

#[expect(dead_code, reason = "the other tests use the rest of it")]
mod common;
mod trees;

use std::collections::BTreeMap;

use common::plan;
use signoff_testkit::{Dice, Ledger, Project, Reply, Script};
use trees::{
    MINE, attempts, difference, in_the_middle_of_something, nothing_left, picture, repository,
    shell, soak, steps_of,
};

/// Where a run in worktrees can be killed before it has ended, and how many occasions the ordinary tests try.
const MERGING: [(&str, usize); 21] = [
    ("tree.kept", 1),
    ("tree.named", 1),
    ("worktree.made", 2),
    ("worktree.set", 1),
    ("candidate.built", 1),
    ("candidate.shown", 1),
    ("candidate.before", 1),
    ("candidate.after", 2),
    ("merge.before", 1),
    ("merge.moved", 2),
    ("merged.before", 1),
    ("merged.after", 1),
    ("contract.ended", 1),
    ("verdict.before", 1),
    ("verdict.after", 1),
    ("spawn.released", 1),
    ("work.ended", 1),
    ("call.before", 1),
    ("call.after", 1),
    ("append.torn", 1),
    ("append.after", 1),
];

/// And while it lands.
const LANDING: [(&str, usize); 6] = [
    ("land.recorded", 1),
    ("land.files", 1),
    ("land.index", 1),
    ("land.ref", 1),
    ("land.done", 1),
    ("land.landed", 1),
];

/// The steps that change something.
const CHANGING: [&str; 4] = ["step-1", "step-2", "step-3", "step-4"];

fn agent(task: &str, contract: &str) -> String {
    format!(
        "**target:** coder\n**depends_on:** none\n**on_fail:** retry(3), then escalate\n**task:**\n{task}\n\n**contract:**\n```shell\n{contract}\n```\n"
    )
}

/// Two agents that add a line at the same place, one that makes and removes files, a tool, a check.
fn killable() -> Project {
    let tool = "**depends_on:** none\n**tool:** write_file\n**args:**\n```json\n{\"path\": \"by-tool.txt\", \"content\": \"called\\n\"}\n```\n";
    let last = "**contract:**\n```shell\ntest -s by-tool.txt && grep -q one shared.txt && grep -q two shared.txt\n```\n";
    let text = plan(&[
        &agent("Add one.", "grep -q one shared.txt"),
        &agent("Add two.", "grep -q two shared.txt"),
        &agent("Move it.", "test -s new/place.txt && test ! -e old.txt"),
        tool,
        last,
    ]);
    let adds = |word: &str| {
        Reply::when([format!("Add {word}")])
            .pause_ms(2)
            .append("shared.txt", &format!("{word}\n"))
            .say("done")
    };
    let moves = Reply::when(["Move it"])
        .remove("old.txt")
        .write("new/place.txt", "moved\n");
    let script = Script::new()
        .ledger("LEDGER")
        .reply(adds("one"))
        .reply(adds("two"))
        .reply(moves);
    let mut files = vec![("shared.txt", "shared\n"), ("old.txt", "old\n")];
    files.extend(MINE);
    let project = repository(&script, &text, &files);
    in_the_middle_of_something(&project);
    project
}

/// Cut off again and again, or in a call that may have taken place: a person says "once more".
#[track_caller]
fn once_more(project: &Project, what: &str) {
    let item = &project.json(["inbox"])["items"][0];
    let id = item["id"].as_str().unwrap_or_default();
    let choices = item["choices"].to_string();
    let choice = if choices.contains("approve") {
        "approve"
    } else {
        "retry"
    };
    let answered = project.signoff(["answer", id, choice]);
    assert_eq!(answered.code, Some(0), "{what}: {answered}");
}

const RUN: [&str; 4] = ["run", "plan.md", "--jobs", "4"];

/// Goes on until the run has ended and landed. A run that died before its first event never began.
#[track_caller]
fn go_on(project: &Project, what: &str) {
    let mut said = String::new();
    for _ in 0..20 {
        let output = project.signoff(["resume"]);
        said = output.to_string();
        match output.code {
            Some(0) => break,
            Some(2) => drop(project.signoff(RUN)),
            Some(3) => once_more(project, &format!("{what}: {said}")),
            // Anything else: it had ended, and perhaps not landed.
            code => {
                assert_eq!(code, Some(5), "{what}: {output}");
                break;
            }
        }
    }
    let landed = project.signoff(["land"]);
    assert_eq!(landed.code, Some(0), "{what}: {landed}\nafter: {said}");
}

/// What the run may have changed in a picture of the checkout.
fn is_of_run(name: &str) -> bool {
    ["shared.txt", "old.txt", "new/place.txt", "by-tool.txt"].contains(&name)
}

#[track_caller]
fn check_everything(project: &Project, before: &BTreeMap<String, String>, what: &str) {
    let status = project.json(["status"]);
    assert_eq!(status["status"], "completed", "{what}: {status:#}");
    let start = before["git HEAD"].lines().next().expect("a commit");
    // Each changing step is one commit, and nothing else is.
    let landed = attempts(project, start, "HEAD");
    let mut steps = steps_of(&landed);
    steps.sort_unstable();
    assert_eq!(steps, CHANGING, "{what}: {landed:?}");
    Ledger::read(project.outside("ledger")).assert_each_attempt_once();

    // What they did is there, once.
    let mut lines: Vec<String> = project
        .read("shared.txt")
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    assert_eq!(lines, ["one", "shared", "two"], "{what}");
    assert_eq!(project.read("new/place.txt"), "moved\n", "{what}");
    assert_eq!(project.read("by-tool.txt"), "called\n", "{what}");
    assert!(!project.exists("old.txt"), "{what}");
    let committed = shell(
        project,
        "git diff HEAD --stat -- shared.txt old.txt new by-tool.txt",
    );
    assert_eq!(committed, "", "{what}");

    // Everything else is as its person left it.
    let after = picture(project);
    let kept = |picture: &BTreeMap<String, String>| -> BTreeMap<String, String> {
        let lines = |text: &str| -> String {
            let others = text.lines().filter(|line| {
                let path = line.rsplit([' ', '\t']).next().unwrap_or_default();
                !is_of_run(path)
            });
            others.fold(String::new(), |all, line| all + line + "\n")
        };
        let mut kept = picture.clone();
        kept.retain(|name, _| !is_of_run(name) && name != "git HEAD" && name != "git refs");
        for text in kept.values_mut() {
            *text = lines(text);
        }
        kept
    };
    let (before, after) = (kept(before), kept(&after));
    assert!(before == after, "{what}:\n{}", difference(&before, &after));
    nothing_left(project, what);
}

/// Kills a run the `occasion`-th time it reaches the point; false if it never does.
fn kill_at(point: &str, occasion: usize) -> bool {
    let what = format!("{point}:{occasion}");
    let project = killable();
    let before = picture(&project);
    let armed = [("SIGNOFF_FAILPOINT", what.as_str())];
    let output = project.signoff_with(&armed, RUN);
    if output.code == Some(0) {
        check_everything(&project, &before, "not killed");
        return false;
    }
    assert_eq!(output.code, None, "{what}: {output}");
    let log = project.signoff(["log", "--format", "json"]);
    if !log.stdout.contains("landing_started") {
        let after = picture(&project);
        assert!(before == after, "{what}:\n{}", difference(&before, &after));
    }
    if soak() {
        // The same point again, while it recovers.
        project.signoff_with(&armed, ["resume"]);
        project.signoff_with(&armed, ["land"]);
    }
    go_on(&project, &what);
    check_everything(&project, &before, &what);
    true
}

#[test]
fn a_run_that_nobody_kills_lands() {
    let project = killable();
    let before = picture(&project);
    project.signoff(RUN).assert_success();
    check_everything(&project, &before, "undisturbed");
    let log = project.signoff(["log", "--format", "json"]);
    assert!(log.stdout.contains("merge_conflicted"), "{log}");
}

/// Kills runs at each of these points; says how often that was.
fn kill_at_each<'p>(points: impl IntoIterator<Item = &'p (&'p str, usize)>) -> String {
    let only = std::env::var("SIGNOFF_CHAOS_POINT").ok();
    let mut table = Vec::new();
    for &(point, tries) in points {
        if only.as_ref().is_some_and(|only| only != point) {
            continue;
        }
        let mut killed = 0;
        while (soak() || killed < tries) && kill_at(point, killed + 1) {
            killed += 1;
        }
        assert!(killed > 0, "{point} was never reached");
        table.push(format!("{point}: killed {killed} times"));
    }
    table.join("\n")
}

#[test]
fn killed_at_every_first_point_of_merging() {
    println!("{}", kill_at_each(MERGING.iter().step_by(3)));
}

// The same for the rest, for they take their time and run beside each other.
#[test]
fn killed_at_every_second_point_of_merging() {
    println!("{}", kill_at_each(MERGING.iter().skip(1).step_by(3)));
}

#[test]
fn killed_at_every_third_point_of_merging() {
    println!("{}", kill_at_each(MERGING.iter().skip(2).step_by(3)));
}

#[test]
fn killed_at_every_named_point_of_landing() {
    println!("{}", kill_at_each(&LANDING));
}

#[test]
fn killed_while_it_is_taken_back() {
    let project = killable();
    let text = project
        .read("plan.md")
        .replace("test -s by-tool.txt", "false");
    project.write("plan.md", &(text + "**on_fail:** abort\n"));
    project.signoff(["approve", "plan.md"]).assert_success();
    let before = picture(&project);
    let armed = [("SIGNOFF_FAILPOINT", "undo.recorded:1")];
    assert_ne!(project.signoff(RUN).code, Some(0));
    assert_eq!(project.signoff_with(&armed, ["undo"]).code, None);
    project.signoff(["undo"]).assert_success();
    let after = picture(&project);
    assert!(before == after, "{}", difference(&before, &after));
    nothing_left(&project, "undone");
    // It does not come back.
    assert_ne!(project.signoff(["land"]).code, Some(0));
    assert_ne!(project.signoff(["resume"]).code, Some(0));
    assert!(picture(&project) == before);
}

/// Between the branch's move and its being told somebody gives the run up.
#[test]
fn given_up_between_the_move_and_its_being_told() {
    let project = killable();
    let before = picture(&project);
    let armed = [("SIGNOFF_FAILPOINT", "merge.moved:1")];
    assert_eq!(project.signoff_with(&armed, RUN).code, None);
    project.signoff(["abort"]).assert_success();
    let after = picture(&project);
    assert!(before == after, "{}", difference(&before, &after));
    // What was given up does not land, and goes whether the journal knows of it or not.
    project.signoff(["land"]).assert_code(5);
    project.signoff(["undo"]).assert_success();
    let start = before["git HEAD"].lines().next().expect("a commit");
    let landed = attempts(&project, start, "HEAD");
    assert!(landed.is_empty(), "{landed:?}");
    nothing_left(&project, "given up");
}

/// The same, and then somebody goes on with it, with the plan as it was or with another version of it.
#[test]
fn taken_up_again_after_the_move_and_before_its_being_told() {
    for change in [
        (&|project: &Project| {
            project.signoff(["abort"]).assert_success();
        }) as &dyn Fn(&Project),
        &|project| {
            let text = project.read("plan.md");
            project.write("plan.md", &text.replace("Move it.", "Move it. Soon."));
            project.signoff(["approve", "plan.md"]).assert_success();
        },
    ] {
        let project = killable();
        let start = shell(&project, "git rev-parse HEAD");
        let armed = [("SIGNOFF_FAILPOINT", "merge.moved:1")];
        assert_eq!(project.signoff_with(&armed, RUN).code, None);
        change(&project);
        let output = project.signoff(["resume"]);
        // The plan was changed meanwhile, so it does not land by itself.
        let run = shell(&project, "ls .signoff/runs");
        let head = format!("signoff/{}", run.trim());
        let landed = project.signoff(["land"]);
        assert!(
            output.code == Some(0) && landed.code == Some(0),
            "{head}\n{output}\n{landed}"
        );
        let attempts = attempts(&project, start.trim(), "HEAD");
        let mut steps: Vec<_> = attempts
            .iter()
            .map(|name| name.rsplit('/').nth(1))
            .collect();
        steps.sort_unstable();
        steps.dedup();
        assert_eq!((steps.len(), attempts.len()), (4, 4), "{attempts:?}");
    }
}

/// A step whose work may be merged already is not taken out of the run behind the branch's back.
#[test]
fn not_skipped_between_the_move_and_its_being_told() {
    let project = killable();
    let before = picture(&project);
    let armed = [("SIGNOFF_FAILPOINT", "merge.moved:1")];
    assert_eq!(project.signoff_with(&armed, RUN).code, None);
    let events = project.signoff(["log", "--format", "json"]).json_lines();
    let moving = events.iter().find(|event| event["type"] == "merge_started");
    let step = moving.expect("it was about to merge")["step"].clone();
    let run = shell(&project, "ls .signoff/runs");
    let skip = [
        "step",
        "skip",
        run.trim(),
        step.as_str().unwrap_or_default(),
    ];
    project.signoff(skip).assert_code(5);
    go_on(&project, "not skipped");
    check_everything(&project, &before, "not skipped");
}

#[test]
fn killed_at_random_times() {
    let (rounds, first) = if soak() {
        (60, u64::from(std::process::id()))
    } else {
        (3, 1)
    };
    for seed in first..first + rounds {
        let mut dice = Dice(seed);
        let project = killable();
        let before = picture(&project);
        let mut args: &[&str] = &RUN;
        for _ in 0..12 {
            let mut running = project.spawn(args);
            let until =
                std::time::Instant::now() + std::time::Duration::from_millis(dice.roll(700));
            if !running.wait_until(|| std::time::Instant::now() >= until) || !running.is_running() {
                break;
            }
            running.kill();
            let begun = project.signoff(["status"]).code != Some(2);
            args = if begun { &["resume"] } else { &RUN };
        }
        go_on(&project, &format!("seed {seed}"));
        check_everything(&project, &before, &format!("seed {seed}"));
    }
}

//! A run on its own tree, killed at every named point of merging and landing and at random times: nothing is merged or
//! landed twice, nothing that passed is lost, and what its person has not committed stays as it was.
//!
//! In the ordinary tests each point is visited once or twice; `cargo xtask soak` visits every one at every occasion,
//! and kills resumed runs again.

use std::collections::BTreeMap;

use signoff_testkit::{Dice, Ledger, Project, Reply, Script};

use crate::support::busy_checkout::{
    MINE, attempts, difference, in_the_middle_of_something, no_trees_left, nothing_left, picture,
    repository, shell, steps_of,
};
use crate::support::{plan, soak};

/// Where a run on its own tree can be killed before it has ended, and how many occasions the ordinary tests try.
const MERGING: [(&str, usize); 23] = [
    ("tree.kept", 1),
    ("tree.named", 1),
    ("layer.made", 1),
    ("layer.recorded", 1),
    ("candidate.built", 1),
    ("run_tree.shown", 1),
    ("candidate.before", 1),
    ("candidate.after", 1),
    ("merge.before", 1),
    ("merge.moved", 1),
    ("merged.before", 1),
    ("merged.after", 1),
    ("contract.ended", 1),
    ("verdict.before", 1),
    ("verdict.after", 1),
    ("spawn.released", 1),
    ("work.ended", 1),
    ("finished.before", 1),
    ("finished.after", 1),
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

/// And where steps land one by one, as files, while it works.
const STEP_BY_STEP: [(&str, usize); 7] = [
    ("layer.recorded", 1),
    ("merge.moved", 1),
    ("merged.after", 1),
    ("land.rename", 1),
    ("land.file", 1),
    ("files.landed", 1),
    ("append.after", 1),
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
    killable_with(|text| text)
}

/// The same one after another, so that each step lands when it has passed.
fn killable_step_by_step() -> Project {
    killable_with(|text| text.replace("**depends_on:** none\n", ""))
}

fn killable_with(change: impl FnOnce(String) -> String) -> Project {
    let tool = "**depends_on:** none\n**tool:** write_file\n**args:**\n```json\n{\"path\": \"by-tool.txt\", \"content\": \"called\\n\"}\n```\n";
    let last = "**contract:**\n```shell\ntest -s by-tool.txt && grep -q one shared.txt && grep -q two shared.txt\n```\n";
    let text = plan(&[
        &agent("Add one.", "grep -q one shared.txt"),
        &agent("Add two.", "grep -q two shared.txt"),
        &agent("Move it.", "test -s new/place.txt && test ! -e old.txt"),
        tool,
        last,
    ]);
    let text = change(text);
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
    done_once(project, what);
    let committed = shell(
        project,
        "git diff HEAD --stat -- shared.txt old.txt new by-tool.txt",
    );
    assert_eq!(committed, "", "{what}");
    others_untouched(project, before, what);
    nothing_left(project, what);
}

/// What the steps did is there, once.
#[track_caller]
fn done_once(project: &Project, what: &str) {
    Ledger::read(project.outside("ledger")).assert_each_attempt_once();
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
}

/// Everything that is not of the run is as its person left it.
#[track_caller]
fn others_untouched(project: &Project, before: &BTreeMap<String, String>, what: &str) {
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
}

/// Everything is in the checkout, as files that nobody has committed, and all of it can be taken back.
#[track_caller]
fn check_step_by_step(project: &Project, before: &BTreeMap<String, String>, what: &str) {
    let status = project.json(["status"]);
    assert_eq!(status["status"], "completed", "{what}: {status:#}");
    done_once(project, what);
    others_untouched(project, before, what);
    let after = picture(project);
    for name in ["git HEAD", "git refs", "git index"] {
        assert_eq!(before[name], after[name], "{what}: {name}");
    }
    let events = project.signoff(["log", "--format", "json"]).json_lines();
    let of = |kind: &str| -> Vec<_> { events.iter().filter(|it| it["type"] == kind).collect() };
    let mut merged: Vec<_> = of("merged")
        .iter()
        .filter_map(|it| it["step"].as_str())
        .collect();
    merged.retain(|step| CHANGING.contains(step));
    assert_eq!(merged, CHANGING, "{what}");
    assert!(of("checkout_joined").is_empty(), "{what}: {events:#?}");
    // Two steps change it, and each is told at most once.
    let reports = of("files_landed");
    let reports = reports
        .iter()
        .filter(|it| it["files"].to_string().contains("shared.txt"));
    assert!(reports.count() <= 2, "{what}: {events:#?}");
    project.signoff(["undo"]).assert_success();
    let after = picture(project);
    assert!(*before == after, "{what}:\n{}", difference(before, &after));
    no_trees_left(project, what);
}

/// Kills a run whose steps land one by one; false if it never reaches the point.
fn kill_step_by_step_at(point: &str, occasion: usize) -> bool {
    let what = format!("{point}:{occasion}");
    let project = killable_step_by_step();
    let before = picture(&project);
    let armed = [("SIGNOFF_FAILPOINT", what.as_str())];
    let output = project.signoff_with(&armed, RUN);
    if output.code == Some(0) {
        check_step_by_step(&project, &before, "not killed");
        return false;
    }
    assert_eq!(output.code, None, "{what}: {output}");
    // Right before it takes its place, the next file lies beside it.
    if point != "land.rename" {
        others_untouched(&project, &before, &what);
    }
    if soak() {
        project.signoff_with(&armed, ["resume"]);
    }
    go_on(&project, &what);
    check_step_by_step(&project, &before, &what);
    true
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
    kill_each(points, kill_at)
}

fn kill_each<'p>(
    points: impl IntoIterator<Item = &'p (&'p str, usize)>,
    kill_at: impl Fn(&str, usize) -> bool,
) -> String {
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
fn killed_while_steps_land_one_by_one() {
    println!("{}", kill_each(&STEP_BY_STEP, kill_step_by_step_at));
}

#[test]
fn steps_that_nobody_kills_land_one_by_one() {
    let project = killable_step_by_step();
    let before = picture(&project);
    let output = project.signoff(RUN);
    output.assert_success().assert_stderr_contains("landed");
    check_step_by_step(&project, &before, "undisturbed");
}

/// What a person did while the run stood still joins it once, wherever it is killed then.
#[test]
fn killed_while_a_person_s_change_joins() {
    let project = killable_step_by_step();
    let before = picture(&project);
    let armed = [("SIGNOFF_FAILPOINT", "files.landed:1")];
    assert_eq!(project.signoff_with(&armed, RUN).code, None);
    shell(
        &project,
        "echo theirs > theirs.txt && echo more >> mine.txt",
    );
    let armed = [("SIGNOFF_FAILPOINT", "join.recorded:1")];
    assert_eq!(project.signoff_with(&armed, ["resume"]).code, None);
    go_on(&project, "joining");
    let status = project.json(["status"]);
    assert_eq!(status["status"], "completed", "{status:#}");
    done_once(&project, "joined");
    let events = project.signoff(["log", "--format", "json"]).json_lines();
    let joined = events
        .iter()
        .filter(|it| it["files"].to_string().contains("theirs.txt"));
    let joined: Vec<_> = joined.map(|it| it["type"].as_str()).collect();
    assert_eq!(joined, [Some("checkout_joined")]);
    project.signoff(["undo"]).assert_success();
    assert_eq!(project.read("theirs.txt"), "theirs\n");
    assert_eq!(project.read("mine.txt"), "mine\nchanged\nmore\n");
    shell(&project, "rm theirs.txt && sed -i '$d' mine.txt");
    let after = picture(&project);
    assert!(before == after, "{}", difference(&before, &after));
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
    let run = project.signoff(RUN);
    assert_ne!(run.code, Some(0));
    let killed = project.signoff_with(&armed, ["undo"]);
    assert_eq!(killed.code, None, "{}{}", run.stderr, killed.stderr);
    project.signoff(["undo"]).assert_success();
    let after = picture(&project);
    assert!(before == after, "{}", difference(&before, &after));
    nothing_left(&project, "undone");
    // It does not come back.
    assert_ne!(project.signoff(["land"]).code, Some(0));
    assert_ne!(project.signoff(["resume"]).code, Some(0));
    assert!(picture(&project) == before);
}

/// The work of an agent is recorded, and nobody was told of its end: it is not done once more on top of itself.
#[test]
fn killed_between_the_record_of_work_and_its_being_told() {
    for occasion in 1.. {
        let text = plan(&[&agent("Add one.", "grep -q one shared.txt")]);
        let adds = Reply::when(["Add one"]).append("shared.txt", "one\n");
        let script = Script::new().ledger("LEDGER").reply(adds);
        let project = repository(&script, &text, &[("shared.txt", "shared\n")]);
        let what = format!("finished.before:{occasion}");
        let armed = [("SIGNOFF_FAILPOINT", what.as_str())];
        let killed = project.signoff_with(&armed, RUN).code.is_none();
        if killed {
            go_on(&project, &what);
        }
        assert_eq!(project.read("shared.txt"), "shared\none\n", "{what}");
        Ledger::read(project.outside("ledger")).assert_each_attempt_once();
        if !killed {
            assert!(occasion > 1, "it was never killed");
            break;
        }
    }
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

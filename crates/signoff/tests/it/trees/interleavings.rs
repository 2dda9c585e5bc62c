//! Random plans whose agents change random lines of few files, one after another and side by side: both end in the same
//! tree, or a conflict is reported and the tree has every change in the end.
//!
//! A few in the ordinary tests, many in `cargo xtask soak`; `SIGNOFF_CHAOS_SEED` gives others.

use std::fmt::Write as _;

use signoff_testkit::{Dice, Project, Script};

use crate::support::busy_checkout::{attempts, nothing_left, repository, shell, steps_of};
use crate::support::{plan, soak};

/// What one step does to the tree.
enum Change {
    /// Puts its mark at the end of a line, if the file is there.
    Mark {
        file: u64,
        line: u64,
    },
    Remove {
        file: u64,
    },
    Add,
}

struct Step {
    after: Option<u64>,
    changes: Vec<Change>,
}

const FILES: u64 = 3;
const LINES: u64 = 12;

fn steps(dice: &mut Dice) -> Vec<Step> {
    let count = 4 + dice.roll(5);
    (0..count)
        .map(|at| {
            let after = (at > 0 && dice.roll(3) == 0).then(|| dice.roll(at));
            let changes = (0..=dice.roll(2)).map(|_| match dice.roll(10) {
                0 => Change::Remove {
                    file: dice.roll(FILES),
                },
                1 => Change::Add,
                _ => Change::Mark {
                    file: dice.roll(FILES),
                    line: 1 + dice.roll(LINES),
                },
            });
            Step {
                after,
                changes: changes.collect(),
            }
        })
        .collect()
}

impl Change {
    /// What the agent of a step does.
    fn done(&self, step: usize) -> String {
        match self {
            Self::Mark { file, line } => {
                format!("if test -e f{file}; then sed -i '{line}s/$/ by-{step}/' f{file}; fi\n")
            }
            Self::Remove { file } => format!("rm -f f{file}\n"),
            Self::Add => format!("echo {step} > new-{step}\n"),
        }
    }

    /// What its contract wants to see, and only after it.
    fn seen(&self, step: usize) -> String {
        match self {
            Self::Mark { file, line } => {
                format!("test ! -e f{file} || sed -n {line}p f{file} | grep -Eq 'by-{step}( |$)'")
            }
            Self::Remove { file } => format!("test ! -e f{file}"),
            Self::Add => format!("test -e new-{step}"),
        }
    }
}

fn text(steps: &[Step]) -> String {
    let bodies: Vec<String> = (1..)
        .zip(steps)
        .map(|(number, step)| {
            let after = step.after.map_or("none".to_owned(), |at| (at + 1).to_string());
            let seen: Vec<String> = step.changes.iter().map(|it| it.seen(number)).collect();
            let seen = seen.join(" &&\n");
            format!(
                "**target:** coder\n**depends_on:** {after}\n**on_fail:** retry(9), then escalate\n**task:**\nDo part {number}.\n\n**contract:**\n```shell\n{seen}\n```\n"
            )
        })
        .collect();
    plan(&bodies.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A repository in which the agent of each step does what the plan says, after a pause.
fn prepared(steps: &[Step], pauses: &mut Dice) -> Project {
    let lines = (1..=LINES).fold(String::new(), |text, line| format!("{text}line {line}\n"));
    let files = ["f0", "f1", "f2"].map(|name| (name, lines.as_str()));
    let project = repository(&Script::new(), &text(steps), &files);
    let mut script = "part=$(grep -o 'Do part [0-9]*' | head -n 1)\ncase $part in\n".to_owned();
    for (number, step) in (1..).zip(steps) {
        let done: String = step.changes.iter().map(|it| it.done(number)).collect();
        let pause = pauses.roll(120);
        write!(
            script,
            "'Do part {number}')\nsleep 0.{pause:03}\n{done};;\n"
        )
        .expect("a string");
    }
    script += "esac\n";
    let path = project.outside("agent.sh");
    std::fs::write(&path, script).expect("the test's folder is writable");
    let command = serde_json::json!(["bash", path]);
    let config = format!(
        "[run]\nbackoff = \"1ms\"\n\n[agents.coder]\ndriver = \"command\"\ncommand = {command}\n"
    );
    project.write(".signoff/config.toml", &config);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

struct Ended {
    tree: String,
    /// Each line with its marks in order.
    sorted: String,
    conflicts: usize,
}

fn run(steps: &[Step], jobs: &str, pauses: &mut Dice, what: &str) -> Ended {
    let project = prepared(steps, pauses);
    let start = shell(&project, "git rev-parse HEAD");
    let output = project.signoff(["run", "plan.md", "--jobs", jobs]);
    assert_eq!(output.code, Some(0), "{what}: {output}\n{}", text(steps));
    nothing_left(&project, what);
    let landed = attempts(&project, start.trim(), "HEAD");
    let mut merged = steps_of(&landed);
    merged.sort_unstable();
    merged.dedup();
    assert_eq!(merged.len(), landed.len(), "{what}: {landed:?}");
    for (number, step) in (1..).zip(steps) {
        for change in &step.changes {
            let seen = project.bash(&change.seen(number), &project.path());
            assert_eq!(seen.code, Some(0), "{what}: step {number}: {seen}");
        }
    }
    let log = project.signoff(["log", "--format", "json"]).json_lines();
    let conflicted = log
        .iter()
        .filter(|event| event["type"] == "merge_conflicted");
    let sorted = shell(
        &project,
        "git ls-files | grep -v signoff; cat f? 2>/dev/null || :",
    );
    let sorted = sorted.lines().map(|line| {
        let mut words: Vec<&str> = line.split(' ').collect();
        words.sort_unstable();
        words.join(" ") + "\n"
    });
    Ended {
        tree: shell(&project, "git rev-parse HEAD:"),
        sorted: sorted.collect(),
        conflicts: conflicted.count(),
    }
}

#[test]
fn whatever_the_interleaving_the_tree_is_the_same() {
    let given = std::env::var("SIGNOFF_CHAOS_SEED").ok();
    let first = given.and_then(|text| text.parse().ok()).unwrap_or(1_u64);
    let plans = if soak() { 60 } else { 2 };
    let mut conflicts = 0;
    for seed in first..first + plans {
        let steps = steps(&mut Dice(seed));
        let mut pauses = Dice(seed + 1000);
        let one = run(
            &steps,
            "1",
            &mut pauses,
            &format!("seed {seed}, one by one"),
        );
        assert_eq!(one.conflicts, 0, "seed {seed}");
        let what = format!("seed {seed}, side by side");
        let many = run(&steps, "4", &mut pauses, &what);
        let plan = text(&steps);
        assert_eq!(one.sorted, many.sorted, "{what}\n{plan}");
        if many.conflicts == 0 {
            assert_eq!(one.tree, many.tree, "{what}\n{plan}");
        }
        conflicts += many.conflicts;
    }
    println!("{plans} plans, {conflicts} conflicts");
}

//! What people see of a run: before it, while it runs, and after it.

use serde_json::json;
use signoff_testkit::{Project, Reply, Script};

use crate::support::{agent, plan, project, signed};

/// The testkit's programs are told to use no colours.
const ON_XTERM: &str = "env -u NO_COLOR TERM=xterm signoff run plan.md";

fn obliging() -> Script {
    Script::new().reply(Reply::when(["Make it"]).write("out", "x\n").say("made it"))
}

/// A first check, then two that wait side by side until the file `go` is there.
fn side_by_side() -> Project {
    let wait = "**depends_on:** first\n**contract:**\n```shell\nuntil test -e go; do sleep 0.02; done\n```\n";
    let first = "**id:** first\n**contract:**\n```shell\ntest -d .\n```\n";
    signed(&obliging(), &plan(&[first, wait, wait]))
}

/// What a terminal shows in the end of all that was written to it.
fn shown(written: &str) -> Vec<String> {
    let (mut rows, mut row, mut column) = (vec![Vec::new()], 0_usize, 0_usize);
    let mut letters = written.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => (row, column) = (row + 1, 0),
            '\r' => column = 0,
            '\x1b' => {
                let mut sequence = String::new();
                for part in letters.by_ref().skip(1) {
                    sequence.push(part);
                    if part.is_ascii_alphabetic() {
                        break;
                    }
                }
                let count = sequence.trim_end_matches(char::is_alphabetic).parse();
                match sequence.chars().last() {
                    Some('A') => row = row.saturating_sub(count.unwrap_or(1)),
                    Some('J') => {
                        rows.truncate(row + 1);
                        rows.resize(row + 1, Vec::new());
                        rows[row].truncate(column);
                    }
                    Some('K') => rows[row].truncate(column),
                    _ => {}
                }
            }
            letter => {
                rows.resize(rows.len().max(row + 1), Vec::new());
                let len = rows[row].len().max(column + 1);
                rows[row].resize(len, ' ');
                rows[row][column] = letter;
                column += 1;
            }
        }
        rows.resize(rows.len().max(row + 1), Vec::new());
    }
    let text = rows
        .into_iter()
        .map(|row| row.into_iter().collect::<String>());
    text.map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn only_what_is_done_stays_on_a_terminal() {
    let project = side_by_side();
    let mut program = project.on_terminal(ON_XTERM);
    program.expect("1/3 steps · 2 under way");
    project.write("go", "");
    let output = program.wait();
    output.assert_success();
    let screen = shown(&output.stdout);
    let finished = |step: &str| {
        let line = format!("✓ {step}  held (green after");
        screen.iter().filter(|seen| seen.starts_with(&line)).count()
    };
    for step in ["1. Step 1", "2. Step 2", "3. Step 3"] {
        assert_eq!(finished(step), 1, "{step}\n{}", screen.join("\n"));
    }
    let live = |line: &&String| line.contains("under way") || line.contains('▱');
    assert_eq!(
        screen.iter().filter(live).count(),
        0,
        "{}",
        screen.join("\n")
    );
    assert_eq!(
        screen.iter().rfind(|line| !line.is_empty()).unwrap(),
        "completed"
    );
}

#[test]
fn interrupting_leaves_a_clean_terminal() {
    let project = side_by_side();
    let mut program = project.on_terminal(ON_XTERM);
    program.expect("2 under way").press("\x03");
    let output = program.wait();
    output.assert_code(130);
    let screen = shown(&output.stdout).join("\n");
    assert!(!screen.contains('▱') && !screen.contains("^C"), "{screen}");
    assert!(screen.contains("continues"), "{screen}");
}

#[test]
fn a_terminal_that_wants_no_colours_gets_plain_lines() {
    for plain in [
        "env -u NO_COLOR TERM=dumb signoff run plan.md",
        "NO_COLOR=1 TERM=xterm signoff run plan.md",
        "env -u NO_COLOR TERM=xterm signoff run plan.md --color never",
    ] {
        let project = side_by_side();
        project.write("go", "");
        let output = project.on_terminal(plain).wait();
        output.assert_success();
        assert!(
            !output.stdout.contains('\x1b'),
            "{plain}: {}",
            output.stdout
        );
        assert!(output.stdout.contains("▸ 2. Step 2\n"), "{}", output.stdout);
    }
}

#[test]
fn lines_name_their_step_where_several_are_under_way() {
    let project = side_by_side();
    project.write("go", "");
    let output = project.signoff(["run", "plan.md"]);
    output.assert_success();
    let lines: Vec<&str> = output.stderr.lines().map(str::trim).collect();
    // Nothing ran beside the first.
    assert!(lines.contains(&"✓ contract holds"), "{lines:?}");
    let named = ["2. Step 2: ✓ contract holds", "3. Step 3: ✓ contract holds"];
    assert!(named.iter().any(|line| lines.contains(line)), "{lines:?}");
}

#[test]
fn before_the_first_step_one_screen_tells_what_will_happen() {
    let first = format!("**id:** first\n{}", agent("Make it.", "out"));
    let left = "**depends_on:** first\n**target:** writer\n**task:**\nMake it.\n";
    let right = "**depends_on:** first\n**contract:**\n```shell\ntest -s out\n```\n";
    let text = plan(&[&first, left, right]).replace("1h", "100k tokens, 1h, 4 agents");
    let project = project(&obliging(), &text);
    // The repository's settings start nothing.
    let hostile = "git init -q && git config core.fsmonitor 'touch started;' && git -c core.fsmonitor=false add plan.md";
    project.bash(hostile, &project.path()).assert_success();
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    let output = project.signoff(["run", "plan.md"]);
    let screen: Vec<&str> = output
        .stderr
        .lines()
        .take_while(|line| !line.starts_with('▸'))
        .collect();
    let expected = [
        "Test plan",
        "…",
        "sandbox: none (`signoff doctor` shows why), up to 4 steps at once",
        "●    1. Step 1  coder → signoff · contract",
        "├─●  2. Step 2  writer → signoff · no contract",
        "○    3. Step 3  check",
        "uncommitted files: 1: plan.md",
        "the contract of step 1 runs first; if it is green, its agent works anyway",
        "at worst: 6 agents, each up to 10m; the budget allows 100k tokens, 1h, 4 agents",
        "counted: tokens and money that agents report; `driver = \"command\"` reports none",
        "note: steps work in the checkout itself, agents one after another, and nothing is `proved`: the sandbox mounts nothing here (`none`)",
    ];
    let steady: Vec<&str> = screen
        .iter()
        .map(|line| {
            if line.starts_with("run ") {
                "…"
            } else {
                *line
            }
        })
        .collect();
    assert_eq!(steady, expected);
    assert!(!project.exists("started"));
}

#[test]
fn a_green_contract_is_told_before_an_agent_starts() {
    let project = signed(&obliging(), &plan(&[&agent("Make it.", "out")]));
    project.write("out", "there already");
    let output = project.signoff(["run", "plan.md"]);
    let at = |text: &str| {
        output
            .stderr
            .find(text)
            .unwrap_or_else(|| panic!("{text}: {}", output.stderr))
    };
    assert!(at("already green") < at("attempt 1"));
}

#[test]
fn many_items_that_are_well_are_one_row() {
    let items = |count: usize| {
        (0..count)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let step = |count| {
        format!(
            "**for_each:** [{}]\n**contract:**\n```shell\ntest \"$SIGNOFF_ITEM\" != 11\n```\n**on_fail:** skip\n",
            items(count)
        )
    };
    let project = signed(&obliging(), &plan(&[&step(2), &step(11), &step(12)]));
    let output = project.signoff(["run", "plan.md"]);
    let table: Vec<String> = output
        .stdout
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    for (row, count) in [
        ("1. Step 1 [", 2),
        ("2. Step 2 [", 0),
        ("3. Step 3 [", 1),
        ("11 items done", 2),
    ] {
        let found = table.iter().filter(|line| line.starts_with(row)).count();
        assert_eq!(found, count, "{row}\n{}", output.stdout);
    }
}

#[test]
fn events_about_a_step_are_progress_events() {
    let item = "**id:** each\n**for_each:** [\"a\"]\n**contract:**\n```shell\nfalse\n```\n**on_fail:** abort\n";
    let project = signed(&obliging(), &plan(&[&agent("Make it.", "out"), item]));
    let output = project.signoff(["run", "plan.md", "--format", "json"]);
    let events = output.assert_code(1).json_lines();
    let run = events[0]["run"]
        .as_str()
        .expect("a run has a name")
        .to_owned();
    let of = |kind: &str, step: &str| {
        let found = events
            .iter()
            .find(|one| one["type"] == kind && one["step"] == step);
        found
            .unwrap_or_else(|| panic!("no {kind} of {step}"))
            .clone()
    };
    let done = of("step_completed", "step-1");
    assert_eq!(
        (
            &done["taskId"],
            &done["stepId"],
            &done["status"],
            &done["progress"],
            &done["plan_progress"]
        ),
        (
            &json!(run),
            &json!("step-1"),
            &json!("completed"),
            &json!(100),
            &json!(50)
        )
    );
    assert_eq!(
        (&done["result"]["ok"], &done["result"]["timestamp"]),
        (&json!(true), &done["at"])
    );
    assert!(done["result"]["duration"].is_u64(), "{done}");
    assert_eq!(done["stepIndex"], 0);
    let failed = of("step_failed", "each[0]");
    assert_eq!(failed["stepIndex"], 1, "an item has its loop's place");
    let why = "exit_code == 0 (was: exit code 1)";
    assert_eq!(
        (&failed["result"]["ok"], &failed["result"]["error"]),
        (&json!(false), &json!(why))
    );
    let said = of("work_finished", "step-1");
    let path = said["logs"][0]["path"]
        .as_str()
        .expect("where the output is");
    assert_eq!(project.read(path).trim(), "made it");
    let judged = of("contract_finished", "each[0]");
    let log = format!(".signoff/runs/{run}/steps/each.0/1/contract.log");
    assert_eq!(judged["logs"], json!([{"source": "contract", "path": log}]));
    assert_eq!(events[0]["stepId"], json!(null), "nothing about a step");
}

#[test]
fn what_an_agent_did_is_shown_by_its_step() {
    let check = "**id:** seen\n**contract:**\n```shell\ntrue\n```\n";
    let project = signed(&obliging(), &plan(&[&agent("Make it.", "out"), check]));
    project.signoff(["run", "plan.md"]).assert_success();
    let shown = project.signoff(["log", "--step", "1"]);
    shown.assert_success();
    for text in ["step-1, attempt 1  command", "steps/step-1/1/agent.log"] {
        assert!(shown.stdout.contains(text), "{shown}");
    }
    let transcript = project.json(["log", "--step", "step-1"]);
    assert_eq!(transcript["agent"]["driver"], "command", "{transcript}");
    for (arguments, why) in [
        (["--step", "seen"].as_slice(), "step `seen` has no agent"),
        (&["--step", "1", "--attempt", "9"], "has no attempt 9"),
        (&["--step", "none"], "there is no step `none`"),
        (&["--raw"], "--step"),
    ] {
        let command = [&["log"], arguments].concat();
        project
            .signoff(command)
            .assert_code(2)
            .assert_stderr_contains(why);
    }
}

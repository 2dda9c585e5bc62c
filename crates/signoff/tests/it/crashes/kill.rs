//! The real binary, killed at every named point and at random times: nothing acknowledged is lost,
//! no completed step runs again, every contract holds, nothing is left behind.
//!
//! In the ordinary tests each point is visited a few times; `cargo xtask soak` visits every one at
//! every occasion and kills resumed runs again.

use std::collections::BTreeMap;

use signoff_testkit::ledger::Ledger;
use signoff_testkit::{Dice, Output, Project, Reply, Script};

use crate::support::{agent, plan, signed, soak};

/// Where a run can be killed, and how many of its occasions the ordinary tests try.
const POINTS: [(&str, usize); 16] = [
    ("run.created", 1),
    ("append.before", 3),
    ("append.torn", 5),
    ("append.after", 3),
    ("spawn.before", 2),
    ("spawn.held", 3),
    ("spawn.released", 3),
    ("work.ended", 2),
    ("verdict.before", 2),
    ("verdict.after", 2),
    ("mark.before", 1),
    ("mark.after", 1),
    ("replace.before", 1),
    ("replace.temp", 2),
    ("replace.swapped", 1),
    ("replace.after", 1),
];

/// Agents that write in several steps; one says "done" first; one contract has no baseline.
fn script() -> Script {
    let writes = |text: &str, file: &str| {
        Reply::when([text])
            .write(&format!("{file}.part"), "half")
            .pause_ms(3)
            .write(file, "whole\n")
            .remove(&format!("{file}.part"))
            .say("all tests pass")
    };
    Script::new()
        .ledger("LEDGER")
        .reply(writes("Make one", "out-1"))
        .reply(
            Reply::when(["Make two", "The previous attempt failed"])
                .write("out-2", "whole\n")
                .say("now it is done"),
        )
        .reply(Reply::when(["Make two"]).pause_ms(2).say("done"))
        .reply(writes("Make three", "out-3"))
}

fn killable() -> Project {
    let third = format!("{}**baseline:** no\n", agent("Make three.", "out-3"));
    let last = "**contract:**\n```shell\ntest -s out-1 && test -s out-2 && test -s out-3\n```\n";
    let text = plan(&[
        &agent("Make one.", "out-1"),
        &agent("Make two.", "out-2"),
        &third,
        last,
    ]);
    signed(&script(), &text)
}

/// Goes on until the run has ended. A run that died before its first event never began.
fn go_on(project: &Project) -> Output {
    let output = project.signoff(["resume"]);
    if output.code == Some(2) {
        project.signoff(["run", "plan.md"])
    } else {
        output
    }
}

fn check_everything(project: &Project, what: &str) {
    let status = project.json(["status"]);
    assert_eq!(status["status"], "completed", "{what}: {status:#}");

    // Each attempt ran at most once, and none after the one that completed its step.
    let ledger = Ledger::read(project.outside("ledger"));
    ledger.assert_each_attempt_once().assert_one_at_a_time();
    let completed: BTreeMap<String, u64> = project
        .signoff(["log", "--format", "json"])
        .json_lines()
        .iter()
        .filter(|event| event["type"] == "step_completed")
        .map(|event| {
            (
                event["step"].as_str().unwrap_or_default().to_owned(),
                event["attempts"].as_u64().unwrap_or(0),
            )
        })
        .collect();
    assert_eq!(completed.len(), 4, "{what}: {completed:?}");
    for attempt in ledger.started() {
        let last = completed[&attempt.step];
        assert!(
            u64::from(attempt.number) <= last,
            "{what}: {attempt:?} after {last}\n{ledger}"
        );
    }

    // The contracts hold now, whatever the journal says.
    for file in ["out-1", "out-2", "out-3"] {
        assert_eq!(project.read(file), "whole\n", "{what}: {file}");
    }

    // The marks tell the same.
    let text = project.read("plan.md");
    assert_eq!(text.matches("✅").count(), 4, "{what}:\n{text}");
    assert!(text.contains("status: done"), "{what}:\n{text}");

    nothing_left(project, what);
}

/// The steps whose last attempt was cut off, and whose contract held all the same.
fn cut_off_and_completed(project: &Project) -> Vec<String> {
    let mut cut_off = None;
    let mut found = Vec::new();
    for event in project.signoff(["log", "--format", "json"]).json_lines() {
        match event["type"].as_str() {
            Some("attempt_interrupted") => cut_off = event["step"].as_str().map(str::to_owned),
            Some("attempt_started") => cut_off = None,
            Some("step_completed") if cut_off.as_deref() == event["step"].as_str() => {
                found.extend(cut_off.take());
            }
            _ => {}
        }
    }
    found
}

fn nothing_left(project: &Project, what: &str) {
    let processes = project.processes();
    assert!(processes.is_empty(), "{what}: {processes:#?}");
    let mut names: Vec<String> = std::fs::read_dir(project.path())
        .expect("the project exists")
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    // An agent cut off between its work and its tidying leaves its own half file.
    let half: Vec<String> = cut_off_and_completed(project)
        .iter()
        .map(|step| format!("{}.part", step.replace("step", "out")))
        .collect();
    names.retain(|name| !half.contains(name));
    names.sort();
    assert_eq!(
        names,
        [".signoff", "out-1", "out-2", "out-3", "plan.md"],
        "{what}"
    );
    let runs = std::fs::read_dir(project.path().join(".signoff/runs"))
        .expect("there was a run")
        .count();
    assert_eq!(runs, 1, "{what}");
}

/// Kills a run the `occasion`-th time it reaches the point; false if it never does.
fn kill_at(point: &str, occasion: usize) -> bool {
    let what = format!("{point}:{occasion}");
    let project = killable().env("SIGNOFF_FAILPOINT", what.as_str());
    let output = project.signoff(["run", "plan.md"]);
    if output.code == Some(0) {
        return false;
    }
    assert_eq!(output.code, None, "{what}: {output}");
    if soak() {
        // The same point again, while it recovers.
        let again = project.signoff(["resume"]);
        assert!(
            again.code.is_none() || matches!(again.code, Some(0 | 2 | 5)),
            "{what}: {again}"
        );
    }
    let project = project.env("SIGNOFF_FAILPOINT", "");
    let mut output = go_on(&project);
    let torn = project.bash("ls .signoff/runs/*/journal.jsonl.torn", &project.path());
    if torn.code == Some(0) && output.code == Some(0) {
        output.assert_stderr_contains("a crash cut off the last line of the journal");
    }
    if output.code == Some(5) {
        // It had ended before it was killed; going on has brought its marks up to date.
        output = project.signoff(["status"]);
    }
    assert_eq!(output.code, Some(0), "{what}: {output}");
    check_everything(&project, &what);
    true
}

#[test]
fn a_run_that_nobody_kills_completes() {
    let project = killable();
    project.signoff(["run", "plan.md"]).assert_success();
    check_everything(&project, "undisturbed");
    let ledger = Ledger::read(project.outside("ledger"));
    ledger
        .assert_starts("step-1", 1)
        .assert_starts("step-2", 2)
        .assert_starts("step-3", 1);
}

#[test]
fn killed_at_every_named_point() {
    let mut table = Vec::new();
    for (point, tries) in POINTS {
        let mut visited = 0;
        // Spread over the run. A crash at every write is tried in process too (`signoff-runtime/tests/it/driving.rs`).
        for occasion in 1.. {
            let wanted = soak() || visited < tries;
            if !wanted {
                break;
            }
            let stride = match point {
                _ if soak() => 1,
                "append.before" | "append.torn" | "append.after" => 6,
                "spawn.before" | "spawn.held" | "spawn.released" => 2,
                _ => 1,
            };
            if !kill_at(point, 1 + (occasion - 1) * stride) {
                break;
            }
            visited += 1;
        }
        assert!(visited > 0, "{point} was never reached");
        table.push(format!("{point}: killed {visited} times"));
    }
    println!("{}", table.join("\n"));
}

/// Being cut off again and again asks a person, as designed; this one says "once more".
fn answer(project: &Project) {
    let item = project.json(["inbox"])["items"][0]["id"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    project.signoff(["answer", &item, "retry"]).assert_success();
}

#[test]
fn killed_at_random_times() {
    let (rounds, first) = if soak() {
        (100, u64::from(std::process::id()))
    } else {
        (4, 1)
    };
    let mut kills = 0;
    for seed in first..first + rounds {
        let mut dice = Dice(seed);
        let project = killable();
        let mut begun = false;
        for _ in 0..30 {
            let args: &[&str] = if begun {
                &["resume"]
            } else {
                &["run", "plan.md"]
            };
            let mut running = project.spawn(args);
            let until =
                std::time::Instant::now() + std::time::Duration::from_micros(dice.roll(70_000));
            let ended = !running.wait_until(|| std::time::Instant::now() >= until);
            if ended && !running.is_running() {
                let output = running.wait();
                match output.code {
                    Some(0 | 5) => break,
                    Some(2) => begun = false,
                    Some(3) => answer(&project),
                    _ => panic!("seed {seed}: {output}"),
                }
            } else {
                running.kill();
                kills += 1;
                begun = true;
            }
        }
        let status = project.signoff(["status", "--format", "json"]);
        if status.code != Some(0) || status.json()["status"] != "completed" {
            let output = go_on(&project);
            assert!(matches!(output.code, Some(0 | 3)), "seed {seed}: {output}");
            while project.json(["status"])["status"] != "completed" {
                answer(&project);
                project.signoff(["resume"]);
            }
        }
        // It may have been killed between its last event and its last mark: going on says that it has
        // ended, and brings the marks up to date.
        project.signoff(["resume"]).assert_code(5);
        check_everything(&project, &format!("seed {seed}"));
    }
    println!("random kills: {kills}");
    assert!(kills > 0, "no run was killed");
}

#[test]
fn an_agent_cut_off_after_its_work_and_before_its_tidying() {
    let script = Script::new().ledger("LEDGER").reply(
        Reply::when(["Make one"])
            .write("out-1.part", "half")
            .write("out-1", "whole\n")
            .pause_ms(60_000)
            .remove("out-1.part")
            .say("done"),
    );
    let project = signed(&script, &plan(&[&agent("Make one.", "out-1")]));
    let mut running = project.spawn(["run", "plan.md"]);
    // It is there before anything is in it.
    let written =
        || std::fs::read(project.path().join("out-1")).is_ok_and(|text| text == b"whole\n");
    assert!(running.wait_until(written));
    running.kill();
    project
        .signoff(["resume"])
        .assert_success()
        .assert_stderr_contains("interrupted and then verified");
    assert_eq!(cut_off_and_completed(&project), ["step-1"]);
    // What it had not tidied up is the agent's, and stays: only the contract decides.
    assert!(project.path().join("out-1.part").exists());
}

//! Many at once, and all of a sudden: nothing acknowledged is lost, exactly one wins each version,
//! nothing is left behind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use signoff_testkit::Project;

use crate::support::{pi_store, soak};

fn pi() -> (Project, String) {
    let project = pi_store();
    let request = json!({
        "title": "Remind a client",
        "steps": [{"description": "Send a reminder", "tool": "go-easy", "operation": "send"}],
        "context": "It is overdue.",
    });
    let args = ["propose", "-", "--format", "json"];
    let made = project.signoff_with_input(args, &request.to_string());
    let id = made.assert_success().json()["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    (project, id)
}

fn file(project: &Project, id: &str) -> PathBuf {
    project.path().join(format!(".pi/plans/{id}.md"))
}

fn log(project: &Project, id: &str) -> Vec<Value> {
    project
        .read(format!(".signoff/log/{id}.jsonl"))
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

fn kinds(log: &[Value]) -> Vec<&str> {
    log.iter()
        .filter_map(|line| line["type"].as_str())
        .collect()
}

fn nothing_stray(project: &Project) {
    let mut left = vec![project.path()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(&directory)
            .expect("a directory")
            .flatten()
        {
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(!name.contains("signoff-tmp"), "{}", entry.path().display());
            assert!(!name.contains("signoff-next"), "{}", entry.path().display());
            if entry.path().is_dir() {
                left.push(entry.path());
            }
        }
    }
}

/// What an editor does: reads, changes, writes beside, renames over. Knows no lock.
fn edit(path: &Path, number: usize) {
    let text = std::fs::read_to_string(path).expect("the plan is there");
    let own = path.with_extension("editor");
    let edited = text.replace("## Context\n", &format!("## Context\nedit {number}.\n"));
    std::fs::write(&own, edited).expect("the folder is ours");
    std::fs::rename(&own, path).expect("the folder is ours");
}

/// Edits as soon as something new was logged: right into the other's work.
fn edit_after_each_change(path: &Path, log: &Path, stop: &AtomicBool) -> usize {
    let length = || std::fs::metadata(log).map_or(0, |found| found.len());
    let (mut seen, mut edits) = (length(), 0);
    while !stop.load(Ordering::SeqCst) {
        let now = length();
        if now != seen {
            edit(path, edits);
            edits += 1;
            seen = now;
        }
        std::thread::yield_now();
    }
    edits
}

#[test]
fn sixty_four_at_once_one_wins() {
    let (project, id) = pi();
    let running: Vec<_> = (0..64)
        .map(|at| match at % 3 {
            0 => (
                "approve",
                project.spawn(["approve", &id, "--format", "json"]),
            ),
            1 => {
                let feedback = format!("feedback {at}");
                let args = ["reject", &id, "--feedback", &feedback, "--format", "json"];
                ("reject", project.spawn(args))
            }
            _ => ("cancel", project.spawn(["cancel", &id, "--format", "json"])),
        })
        .collect();
    let mut winners = Vec::new();
    for (command, running) in running {
        let output = running.wait();
        match output.code {
            Some(0) => winners.push((command, output.json()["version"].as_u64())),
            Some(5) => {}
            _ => panic!("{command}: {output}"),
        }
    }
    // At first one of three is possible; a cancel may follow either of the others.
    let versions: BTreeSet<_> = winners.iter().map(|(_, version)| *version).collect();
    assert_eq!(
        versions.len(),
        winners.len(),
        "one winner for each version: {winners:?}"
    );
    let log = log(&project, &id);
    assert_eq!(
        log.len(),
        1 + winners.len(),
        "{winners:?}: {:?}",
        kinds(&log)
    );
    let text = std::fs::read_to_string(file(&project, &id)).expect("the plan is there");
    assert!(
        text.contains(&format!("\nversion: {}\n", 1 + winners.len())),
        "{text}"
    );
    nothing_stray(&project);
}

#[test]
fn editors_and_signers_at_once_lose_nothing() {
    let (project, id) = pi();
    let path = file(&project, &id);
    let stop = Arc::new(AtomicBool::new(false));
    let editing = {
        let (path, stop) = (path.clone(), Arc::clone(&stop));
        let log = project.path().join(format!(".signoff/log/{id}.jsonl"));
        std::thread::spawn(move || edit_after_each_change(&path, &log, &stop))
    };
    let mut rejected = BTreeSet::new();
    let mut signatures = 0;
    for round in 0..10 {
        let feedback = format!("feedback {round}");
        let batch = vec![
            project.spawn(["approve", &id, "--format", "json"]),
            project.spawn(["approve", &id, "--format", "json"]),
            project.spawn(["reject", &id, "--feedback", &feedback, "--format", "json"]),
        ];
        for (at, running) in batch.into_iter().enumerate() {
            let output = running.wait();
            match (output.code, at) {
                (Some(0), 2) => {
                    rejected.insert(feedback.clone());
                }
                (Some(0), _) => {
                    signatures += 1;
                }
                (Some(5), _) => {}
                _ => panic!("{output}"),
            }
        }
    }
    stop.store(true, Ordering::SeqCst);
    let edits = editing.join().expect("the editor does not fail");
    assert!(edits > 0, "the editor was never in time");
    // The editor's text: every line it wrote, in the newest file.
    let text = std::fs::read_to_string(&path).expect("the plan is there");
    for number in 0..edits {
        assert!(
            text.contains(&format!("edit {number}.\n")),
            "edit {number} is lost:\n{text}"
        );
    }
    // Whatever was acknowledged is in the log, chained and whole.
    let log = log(&project, &id);
    let said = |kind: &str, field: &str| -> BTreeSet<String> {
        let lines = log.iter().filter(|line| line["type"] == kind);
        lines
            .filter_map(|line| Some(line[field].as_str()?.to_owned()))
            .collect()
    };
    let approvals = kinds(&log)
        .iter()
        .filter(|kind| **kind == "plan_approved")
        .count();
    assert!(approvals >= signatures, "{signatures} of {approvals}");
    let kept = std::fs::read_dir(project.path().join(".signoff/signatures").join(&id));
    assert_eq!(kept.map_or(0, Iterator::count), approvals);
    assert!(said("plan_rejected", "feedback").is_superset(&rejected));
    assert!(signatures > 0 || !rejected.is_empty());
    project.signoff(["show", &id]).assert_success();
    nothing_stray(&project);
}

/// One command under a fault or a kill; afterwards the plan is as before or as it should be.
struct Trial {
    command: &'static [&'static str],
    /// What the log says when it was done.
    done: &'static str,
}

const TRIALS: [Trial; 3] = [
    Trial {
        command: &["approve"],
        done: "plan_approved",
    },
    Trial {
        command: &["reject", "--feedback", "wrong client"],
        done: "plan_rejected",
    },
    Trial {
        command: &["cancel", "--reason", "not needed"],
        done: "plan_cancelled",
    },
];

/// The old or the new file, never a torn one; a state that the log and the file agree on once the
/// next command has run; nothing stray.
fn whole_again(project: &Project, id: &str, before: &str, what: &str) {
    let text = std::fs::read_to_string(file(project, id)).expect("the plan is there");
    assert!(
        text.starts_with("---\nid: ") && text.contains("## Steps"),
        "{what}:\n{text}"
    );
    assert!(text.len() >= before.len() - 2, "{what}: torn:\n{text}");
    project.signoff(["show", id]).assert_success();
    // Any command that does something clears away what a killed one left.
    let next = project.signoff(["reject", id, "--feedback", "once more"]);
    assert!(matches!(next.code, Some(0 | 5)), "{what}: {next}");
    nothing_stray(project);
}

#[test]
fn a_full_disk_at_every_change_loses_nothing() {
    for trial in &TRIALS {
        let mut refused = 0;
        for nth in 1..60 {
            let (project, id) = pi();
            let before = std::fs::read_to_string(file(&project, &id)).expect("the plan is there");
            let what = format!("{:?}, change {nth}", trial.command);
            let project = project.env("SIGNOFF_FAULT", nth.to_string());
            let args = [&trial.command[..1], &[id.as_str()], &trial.command[1..]].concat();
            let output = project.signoff(args);
            let project = project.env("SIGNOFF_FAULT", "");
            let done = kinds(&log(&project, &id)).contains(&trial.done);
            match output.code {
                // Done, perhaps with a note that the file could not be marked.
                Some(0) => assert!(done, "{what}: {output}"),
                Some(6) => {
                    refused += 1;
                    assert!(output.stderr.contains("No space left"), "{what}: {output}");
                }
                _ => panic!("{what}: {output}"),
            }
            // What the plan asks for is said in any case.
            let mut notes = output
                .stderr
                .lines()
                .filter(|line| line.starts_with("note:"));
            let untouched = output.code == Some(0)
                && notes.all(|note| note.starts_with("note: this plan lets"));
            whole_again(&project, &id, &before, &what);
            if untouched {
                break;
            }
            assert!(nth < 59, "{what}: still failing");
        }
        assert!(refused > 1, "{:?}: {refused} refusals", trial.command);
    }
}

#[test]
fn killed_at_random_times_the_plan_is_whole() {
    let rounds = if soak() { 400 } else { 24 };
    let mut killed = 0;
    for round in 0..rounds {
        let trial = &TRIALS[round % TRIALS.len()];
        let (project, id) = pi();
        let before = std::fs::read_to_string(file(&project, &id)).expect("the plan is there");
        let args = [&trial.command[..1], &[id.as_str()], &trial.command[1..]].concat();
        let mut running = project.spawn(args);
        // Spread over what such a command takes.
        let until =
            std::time::Instant::now() + std::time::Duration::from_micros(500 * (round as u64 % 40));
        if running.wait_until(|| std::time::Instant::now() >= until) {
            running.kill();
            killed += 1;
        }
        whole_again(
            &project,
            &id,
            &before,
            &format!("{:?}, round {round}", trial.command),
        );
    }
    println!("killed {killed} of {rounds}");
    assert!(killed > 0);
}

#[test]
fn a_proposal_killed_at_random_is_there_or_not() {
    let rounds = if soak() { 200_u64 } else { 12 };
    let (project, _) = pi();
    project.write(
        "request.json",
        &json!({
            "title": "Another",
            "steps": [{"description": "Look", "tool": "read", "operation": "all"}],
        })
        .to_string(),
    );
    let mut seen = BTreeSet::new();
    for round in 0..rounds {
        let mut running = project.spawn(["propose", "request.json"]);
        let until =
            std::time::Instant::now() + std::time::Duration::from_micros(400 * (round % 50));
        if running.wait_until(|| std::time::Instant::now() >= until) {
            running.kill();
        }
        let plans = project.json(["list"]);
        nothing_stray(&project);
        let plans = plans["plans"].as_array().expect("a list").clone();
        for id in plans.iter().filter_map(|plan| plan["id"].as_str()) {
            if seen.insert(id.to_owned()) {
                project.signoff(["show", id]).assert_success();
            }
        }
    }
}

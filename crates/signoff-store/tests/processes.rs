//! What only shows between processes: locks, lost updates, and what a killed writer leaves.
//!
//! A test starts this same binary again to play [`child`].

#![cfg(test)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use signoff_store::atomic::{self, ReplaceError};
use signoff_store::lock::{self, RunLock};

const TASK: &str = "SIGNOFF_STORE_TEST_TASK";
const FILE: &str = "SIGNOFF_STORE_TEST_FILE";

/// The second process. Does nothing unless a test started it.
#[test]
fn child() {
    let (Ok(task), Ok(file)) = (env::var(TASK), env::var(FILE)) else {
        return;
    };
    let file = Path::new(&file);
    match task.as_str() {
        "increment" => (0..40).for_each(|_| increment(file)),
        "hold" => hold(file),
        #[cfg(feature = "failpoints")]
        "append" => crash::append(file),
        #[cfg(feature = "failpoints")]
        "fill" => crash::fill(file),
        #[cfg(feature = "failpoints")]
        "replace" => crash::replace(file),
        other => panic!("unknown task `{other}`"),
    }
}

fn start(task: &str, file: &Path) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", "child", "--nocapture"])
        .env(TASK, task)
        .env(FILE, file)
        .stdout(Stdio::piped());
    command
}

/// Adds one to the number in the file, again and again until it is our turn.
fn increment(path: &Path) {
    loop {
        let old = fs::read(path).unwrap();
        let number: u64 = std::str::from_utf8(&old).unwrap().parse().unwrap();
        match atomic::replace(path, Some(&old), (number + 1).to_string().as_bytes(), false) {
            Ok(_) => return,
            Err(ReplaceError::Changed { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn no_update_is_lost_among_many_processes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("counter");
    fs::write(&path, "0").unwrap();
    let children: Vec<Child> = (0..5)
        .map(|_| start("increment", &path).spawn().unwrap())
        .collect();
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(fs::read(&path).unwrap(), b"200");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

fn hold(path: &Path) {
    let mut lock = RunLock::try_acquire(path).unwrap().unwrap();
    lock.name_run("20261115-093012-k3f9").unwrap();
    println!("\nheld");
    std::thread::park();
}

#[test]
fn a_killed_process_holds_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path: PathBuf = dir.path().join("lock");
    let mut holder = start("hold", &path).spawn().unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "held"));
    assert!(lock::is_held(&path).unwrap());
    assert!(RunLock::try_acquire(&path).unwrap().is_none());
    let shown = lock::holder(&path).unwrap().unwrap().to_string();
    assert_eq!(
        shown,
        format!("taken by run 20261115-093012-k3f9, pid {}", holder.id())
    );
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(!lock::is_held(&path).unwrap());
    assert!(RunLock::try_acquire(&path).unwrap().is_some());
}

/// Kills a writer at each of its points.
#[cfg(feature = "failpoints")]
mod crash {
    use std::os::unix::process::ExitStatusExt;

    use serde_json::{Map, Value, json};
    use signoff_store::journal::{Journal, load};

    use super::*;

    const AT: &str = "2026-11-15T09:30:12.345Z";

    fn event(number: usize) -> Map<String, Value> {
        let event = json!({"type": "tick", "number": number});
        event.as_object().unwrap().clone()
    }

    /// Appends two single events and then three at once.
    pub(super) fn append(path: &Path) {
        let mut journal = Journal::create(path).unwrap();
        journal.append(AT, &[event(1)]).unwrap();
        journal.append(AT, &[event(2)]).unwrap();
        journal.append(AT, &[event(3), event(4), event(5)]).unwrap();
    }

    /// Appends events with syncs that are waited for and that are not, and says which were acknowledged as lasting.
    pub(super) fn fill(path: &Path) {
        let mut journal = Journal::create(path).unwrap();
        for number in 1..=6 {
            journal.append(AT, &[event(number)]).unwrap();
            journal.begin_sync().unwrap();
            if number % 2 == 0 {
                journal.sync().unwrap();
                println!("lasting {number}");
                journal.write_head().unwrap();
            }
        }
        println!("all of it");
    }

    #[test]
    fn a_full_disk_at_any_change_loses_nothing_that_was_acknowledged() {
        for change in 1.. {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("journal.jsonl");
            let mut child = start("fill", &path);
            let output = child.env("SIGNOFF_FAULT", change.to_string()).output();
            let said = String::from_utf8(output.unwrap().stdout).unwrap();
            let mut lasting = said
                .lines()
                .filter_map(|line| line.strip_prefix("lasting "));
            let lasting = lasting.next_back();
            let lasting: u64 = lasting.map_or(0, |number| number.parse().unwrap());
            if path.exists() {
                let records = Journal::open(&path).unwrap().1;
                let numbers: Vec<_> = records
                    .iter()
                    .map(|one| one.body["number"].clone())
                    .collect();
                let expected: Vec<_> = (1..=records.len()).map(Value::from).collect();
                assert_eq!(numbers, expected, "change {change}");
                assert!(records.len() as u64 >= lasting, "change {change}: {said}");
            } else {
                assert_eq!(lasting, 0, "change {change}");
            }
            if said.contains("all of it") {
                assert!(change > 6, "{said}");
                return;
            }
        }
    }

    pub(super) fn replace(path: &Path) {
        atomic::replace(path, Some(b"old"), b"new", true).unwrap();
    }

    /// Runs the task until it is killed at this point, or to its end.
    fn killed_at(task: &str, point: &str, file: &Path) -> bool {
        let output = start(task, file)
            .env("SIGNOFF_FAILPOINT", point)
            .output()
            .unwrap();
        output.status.signal() == Some(9)
    }

    #[test]
    fn an_interrupted_append_leaves_a_prefix() {
        for (point, complete, torn) in [
            ("append.before:1", 0, false),
            ("append.torn:1", 0, true),
            ("append.after:1", 1, false),
            ("append.before:2", 1, false),
            ("append.torn:2", 1, true),
            ("append.before:3", 2, false),
            // Half of three lines is one and a half.
            ("append.torn:3", 3, true),
            ("append.after:3", 5, false),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("journal.jsonl");
            assert!(killed_at("append", point, &path), "{point}");
            assert_eq!(load(&path).unwrap().len(), complete, "{point}");
            let (mut journal, records) = Journal::open(&path).unwrap();
            assert_eq!(records.len(), complete, "{point}");
            assert_eq!(journal.torn_line().is_some(), torn, "{point}");
            journal.append(AT, &[event(9)]).unwrap();
            drop(journal);
            assert_eq!(load(&path).unwrap().len(), complete + 1, "{point}");
        }
    }

    #[test]
    fn a_point_that_is_not_reached_often_enough_does_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        assert!(!killed_at("append", "append.after:4", &path));
        assert_eq!(load(&path).unwrap().len(), 5);
    }

    #[test]
    fn an_interrupted_replace_leaves_the_old_or_the_new() {
        for (point, expected, files) in [
            ("replace.before:1", "old", 1),
            ("replace.temp:1", "old", 3),
            ("replace.swapped:1", "new", 3),
            ("replace.after:1", "new", 1),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("plan.md");
            fs::write(&path, "old").unwrap();
            assert!(killed_at("replace", point, &path), "{point}");
            assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{point}");
            let count = || fs::read_dir(dir.path()).unwrap().count();
            assert_eq!(count(), files, "{point}");
            atomic::replace(&path, Some(expected.as_bytes()), b"next", true).unwrap();
            assert_eq!(count(), 1, "{point}");
        }
    }
}

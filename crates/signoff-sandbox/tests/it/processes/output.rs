//! Output: all of it is read, a bounded part of it is kept.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use signoff_sandbox::{ExitStatus, Sandbox, Stdin};

use crate::processes::shell::{PATIENCE, command, run, sh};

#[test]
fn a_flood_is_drained_and_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let mut flood = sh("echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last");
    flood.limits.output = 1000;
    flood.limits.log = 5000;
    flood.log = Some(directory.path().join("log"));
    let ended = run(flood);
    assert_eq!(
        (ended.status, ended.log_error),
        (ExitStatus::Exited(0), None)
    );
    assert_eq!(ended.stdout.bytes_total(), 100_000_000 + 12);
    let text = ended.stdout.text();
    assert!(
        text.starts_with("first\nxxx") && text.ends_with("xxx\nlast\n"),
        "{text}"
    );
    assert!(
        text.contains("x\n[… 99999012 bytes left out …]\nx"),
        "{text}"
    );
    assert_eq!(ended.stdout.tail(6), "\nlast\n");
    let log = fs::read_to_string(directory.path().join("log")).unwrap();
    assert_eq!(log.len(), 5000);
    assert!(
        log.starts_with("first\nxxx") && log.ends_with("[… log full, the rest was left out …]\n")
    );
}

#[test]
fn both_streams_are_read_at_once() {
    // More than both pipes hold, first one then the other.
    let ended = run(sh(
        "head -c 500000 /dev/zero >&2; head -c 500000 /dev/zero; head -c 500000 /dev/zero >&2",
    ));
    assert_eq!(ended.status, ExitStatus::Exited(0));
    assert_eq!(
        (ended.stdout.bytes_total(), ended.stderr.bytes_total()),
        (500_000, 1_000_000)
    );
}

#[test]
fn the_log_has_both_streams_in_order_and_is_private() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let mut quiet = command(&["true"]);
    quiet.log = Some(path.clone());
    run(quiet);
    assert!(!path.exists(), "created on the first byte");
    // Each line waits until the file has the one before.
    let wait = format!("until grep -qs $n '{}'; do :; done", path.display());
    let mut talk = sh(&format!(
        "echo 1; n=1; {wait}; echo 2 >&2; n=2; {wait}; echo 3"
    ));
    talk.log = Some(path.clone());
    run(talk);
    assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n3\n");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn a_log_that_cannot_be_written_does_not_stop_the_command() {
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(directory.path().join("elsewhere"), &link).unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.join("log"), file.join("no/log"), link] {
        let mut talk = sh("echo kept; exit 4");
        talk.log = Some(path);
        let ended = run(talk);
        assert_eq!(
            (ended.status, ended.stdout.text().as_str()),
            (ExitStatus::Exited(4), "kept\n")
        );
        assert!(ended.log_error.is_some());
    }
    assert!(!directory.path().join("elsewhere").exists());
}

#[test]
fn output_of_a_helper_that_ends_just_after_its_shell_is_kept() {
    let ended = run(crate::processes::shell::bash(
        "exec > >(sed s/a/b/); echo a; exit 0",
    ));
    assert_eq!(
        (ended.status, ended.stdout.text().as_str()),
        (ExitStatus::Exited(0), "b\n")
    );
}

#[test]
fn a_log_is_made_with_its_directories_and_only_if_something_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("steps/one/1/contract.log");
    for (script, made) in [("true", false), ("echo said", true)] {
        let mut command = sh(script);
        command.log = Some(log.clone());
        assert_eq!(run(command).log_error, None);
        assert_eq!(directory.path().join("steps").exists(), made, "{script}");
    }
    assert_eq!(fs::read_to_string(log).unwrap(), "said\n");
}

#[test]
fn a_listener_hears_stdout_while_the_command_waits_for_an_answer() {
    let mut asks = sh("echo question; echo aside >&2; read answer; echo got $answer");
    asks.stdin = Stdin::Piped;
    let held = Sandbox::new().unwrap().hold(asks).unwrap();
    let mut running = held.release().unwrap();
    let mut stdin = running.take_stdin();
    assert!(running.take_stdin().is_none());
    let mut heard = String::new();
    let ended = running.wait_with(&mut |bytes| {
        heard.push_str(std::str::from_utf8(bytes).unwrap());
        if let Some(mut stdin) = stdin.take_if(|_| heard.ends_with('\n')) {
            let soon = Instant::now() + PATIENCE;
            stdin.write_message(b"42\n", soon).unwrap();
        }
    });
    assert_eq!(ended.status, ExitStatus::Exited(0));
    assert_eq!(heard, "question\ngot 42\n");
    assert_eq!(ended.stdout.text(), heard);
}

#[test]
fn a_command_whose_pipe_is_dropped_reads_the_end() {
    let mut reads = sh("cat; echo over");
    reads.stdin = Stdin::Piped;
    let mut running = Sandbox::new().unwrap().start(reads).unwrap();
    drop(running.take_stdin());
    assert_eq!(running.wait().stdout.text(), "over\n");
}

//! Commands whose stdin and stdout are used while they run.

use std::io::{BufRead, BufReader, Read};
use std::time::Instant;

use signoff_sandbox::{MessageError, Sandbox, StartError};

use crate::processes::shell::{PATIENCE, command, lives, sh};

fn soon() -> Instant {
    Instant::now() + PATIENCE
}

#[test]
fn it_answers_and_exits_when_its_stdin_is_closed() {
    let directory = tempfile::tempdir().unwrap();
    let mut echo = sh("while read line; do echo got $line; echo heard $line >&2; done; echo bye");
    echo.log = Some(directory.path().join("log"));
    let mut piped = Sandbox::new().unwrap().start_piped(echo).unwrap();
    let mut lines = BufReader::new(piped.stdout).lines();
    for word in ["one", "two"] {
        piped
            .stdin
            .write_message(format!("{word}\n").as_bytes(), soon())
            .unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), format!("got {word}"));
    }
    drop(piped.stdin);
    assert_eq!(lines.next().unwrap().unwrap(), "bye");
    assert!(lines.next().is_none());
    assert!(piped.process.wait_for_exit(soon()));
    piped.process.end();
    let log = std::fs::read_to_string(directory.path().join("log")).unwrap();
    assert!(log.starts_with("heard one\n"), "{log}");
}

#[test]
fn a_command_that_does_not_read_is_not_waited_for() {
    let mut piped = Sandbox::new()
        .unwrap()
        .start_piped(sh("sleep 1000"))
        .unwrap();
    let long = vec![b'x'; 1024 * 1024];
    assert_eq!(
        piped.stdin.write_message(&long, Instant::now()),
        Err(MessageError::TooSlow)
    );
    drop(piped.process);
    assert_eq!(
        piped.stdin.write_message(&long, soon()),
        Err(MessageError::Closed)
    );
}

#[test]
fn its_whole_tree_ends_with_it() {
    let piped = Sandbox::new()
        .unwrap()
        .start_piped(sh("setsid sleep 1000 & echo $!; wait"))
        .unwrap();
    let mut lines = BufReader::new(piped.stdout);
    let mut pid = String::new();
    lines.read_line(&mut pid).unwrap();
    let pid: u32 = pid.trim().parse().unwrap();
    drop(piped.process);
    assert!(!lives(pid));
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
}

#[test]
fn a_missing_program_does_not_start() {
    let started = Sandbox::new().unwrap().start_piped(command(&["no-such"]));
    assert!(matches!(started, Err(StartError::NotFound { .. })));
}

#[test]
fn the_end_of_stderr_is_kept() {
    let mut piped = Sandbox::new()
        .unwrap()
        .start_piped(sh("echo no key >&2; exit 3"))
        .unwrap();
    piped.stdout.read_to_end(&mut Vec::new()).unwrap();
    assert!(piped.process.wait_for_exit(soon()));
    assert_eq!(piped.process.stderr_tail(100, soon()), "no key\n");
}

//! A command that is spoken to while it runs.

use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

use signoff_sandbox::{MessageError, Sandbox, StartError};

use crate::shell::{command, lives, sh};

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

#[test]
fn it_answers_and_goes_when_nobody_speaks_any_more() {
    let directory = tempfile::tempdir().unwrap();
    let mut echo = sh("while read line; do echo got $line; echo heard $line >&2; done; echo bye");
    echo.log = Some(directory.path().join("log"));
    let (mut speech, hearing, conversation) = Sandbox::new().unwrap().start_piped(echo).unwrap();
    let mut lines = BufReader::new(hearing).lines();
    for word in ["one", "two"] {
        speech
            .write_message(format!("{word}\n").as_bytes(), soon())
            .unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), format!("got {word}"));
    }
    drop(speech);
    assert_eq!(lines.next().unwrap().unwrap(), "bye");
    assert!(lines.next().is_none());
    assert!(conversation.wait_for_exit(soon()));
    conversation.end();
    let log = std::fs::read_to_string(directory.path().join("log")).unwrap();
    assert!(log.starts_with("heard one\n"), "{log}");
}

#[test]
fn who_does_not_listen_is_not_waited_for() {
    let (mut speech, _hearing, conversation) = Sandbox::new()
        .unwrap()
        .start_piped(sh("sleep 1000"))
        .unwrap();
    let long = vec![b'x'; 1024 * 1024];
    assert_eq!(
        speech.write_message(&long, Instant::now()),
        Err(MessageError::TooSlow)
    );
    drop(conversation);
    assert_eq!(
        speech.write_message(&long, soon()),
        Err(MessageError::Closed)
    );
}

#[test]
fn its_whole_tree_ends_with_it() {
    let (_speech, hearing, conversation) = Sandbox::new()
        .unwrap()
        .start_piped(sh("setsid sleep 1000 & echo $!; wait"))
        .unwrap();
    let mut lines = BufReader::new(hearing);
    let mut pid = String::new();
    lines.read_line(&mut pid).unwrap();
    let pid: u32 = pid.trim().parse().unwrap();
    drop(conversation);
    assert!(!lives(pid));
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
}

#[test]
fn what_is_not_there_does_not_start() {
    let started = Sandbox::new().unwrap().start_piped(command(&["no-such"]));
    assert!(matches!(started, Err(StartError::NotFound { .. })));
}

#[test]
fn what_it_complained_about_is_kept() {
    let (_speech, mut hearing, conversation) = Sandbox::new()
        .unwrap()
        .start_piped(sh("echo no key >&2; exit 3"))
        .unwrap();
    hearing.read_to_end(&mut Vec::new()).unwrap();
    assert!(conversation.wait_for_exit(soon()));
    assert_eq!(conversation.stderr_tail(100, soon()), "no key\n");
}

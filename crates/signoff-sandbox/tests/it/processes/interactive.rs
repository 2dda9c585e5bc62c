//! Programs that a person waits for, at their terminal.

use std::path::Path;

use signoff_sandbox::{
    InteractiveCommand, InteractiveOutput, Sandbox, StartError, Stdin, reap_adopted_orphans,
};

fn run(script: &str, input: &str) -> InteractiveOutput {
    let command = InteractiveCommand {
        argv: ["sh", "-c", script].map(Into::into).to_vec(),
        cwd: Path::new("/"),
        env: vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("WHO".into(), "ada".into()),
        ],
        stdin: Stdin::Bytes(input.as_bytes().to_vec()),
    };
    command.run().unwrap()
}

#[test]
fn its_input_environment_and_output_are_passed_on() {
    let output = run(
        "cat; echo \"$WHO $HOME$PWD\"; echo oops >&2; exit 3",
        "text ",
    );
    let expected = InteractiveOutput {
        code: Some(3),
        stdout: b"text ada /\n".to_vec(),
        stderr: b"oops\n".to_vec(),
    };
    assert_eq!(output, expected);
    assert_eq!(run("kill -KILL $$", "").code, None);
    // More than a pipe holds, and nobody reads it.
    assert_eq!(run("true", &"x".repeat(1 << 20)).code, Some(0));
}

/// Its session is ours, and so is the terminal that it may ask on.
#[test]
fn keeps_the_persons_terminal() {
    let session = |stat: &str| {
        stat.rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .nth(3)
            .map(str::to_owned)
    };
    let theirs = String::from_utf8(run("cat /proc/self/stat", "").stdout).unwrap();
    let ours = std::fs::read_to_string("/proc/self/stat").unwrap();
    assert_eq!(session(&theirs), session(&ours));
}

#[test]
fn a_missing_program_is_named() {
    let command = InteractiveCommand {
        argv: vec!["no-such-program".into()],
        cwd: Path::new("/"),
        env: Vec::new(),
        stdin: Stdin::Null,
    };
    let error = command.run().unwrap_err();
    assert!(matches!(error, StartError::NotFound { .. }), "{error}");
}

/// What it leaves in the background becomes a child of this process once it has lost its parent, and nobody waits for it.
#[test]
fn what_it_leaves_behind_can_be_reaped() {
    let _adopts = Sandbox::new().unwrap();
    let main = std::process::id();
    let path = format!("/proc/{main}/task/{main}/children");
    let children = || std::fs::read_to_string(&path).unwrap();
    let has_exited = |child: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        stat.contains(") Z ")
    };
    run("(setsid true >/dev/null 2>&1 &)", "");
    while !children().split_whitespace().any(has_exited) {
        std::thread::yield_now();
    }
    reap_adopted_orphans();
    assert!(!children().split_whitespace().any(has_exited));
}

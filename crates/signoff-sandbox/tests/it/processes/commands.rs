//! What a command is given, and how its end is reported.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use signoff_sandbox::{Command, ExitStatus, Level, Sandbox, StartError, Stdin};

use crate::processes::shell::{bash, command, run, sh};

#[track_caller]
fn check(command: Command, how: ExitStatus, stdout: &str) {
    let ended = run(command);
    assert_eq!(
        (ended.status, ended.stdout.text().as_str()),
        (how, stdout),
        "{}",
        ended.stderr.text()
    );
    assert_eq!(ended.survivors_left, 0);
}

fn write(path: &Path, text: &str, mode: u32) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn start_error(command: Command) -> StartError {
    Sandbox::new().unwrap().run(command).unwrap_err()
}

#[test]
fn reports_exit_codes_and_signals() {
    check(sh("exit 0"), ExitStatus::Exited(0), "");
    check(sh("exit 3"), ExitStatus::Exited(3), "");
    check(sh("exit 255"), ExitStatus::Exited(255), "");
    check(sh("kill -KILL $$"), ExitStatus::Signaled(9), "");
    check(
        sh("echo last; kill -TERM $$"),
        ExitStatus::Signaled(15),
        "last\n",
    );
}

#[test]
fn keeps_the_streams_apart() {
    let ended = run(sh("echo out; echo err >&2"));
    assert_eq!(
        (ended.stdout.text().as_str(), ended.stderr.text().as_str()),
        ("out\n", "err\n")
    );
}

#[test]
fn reports_a_missing_program_before_starting_anything() {
    for name in [
        "no-such-program",
        "/no/such/program",
        "./no-such-program",
        "",
    ] {
        let error = Sandbox::new().unwrap().hold(command(&[name])).unwrap_err();
        assert!(
            matches!(&error, StartError::NotFound { program } if program == name),
            "{error}"
        );
        assert_eq!(error.to_string(), format!("program `{name}` not found"));
    }
    assert!(matches!(start_error(command(&[])), StartError::Io(_)));
}

#[test]
fn reports_what_cannot_be_executed() {
    let directory = tempfile::tempdir().unwrap();
    write(&directory.path().join("data"), "text", 0o644);
    write(
        &directory.path().join("orphan"),
        "#!/no/such/interpreter\n",
        0o755,
    );
    fs::create_dir(directory.path().join("directory")).unwrap();
    for name in ["./data", "./orphan", "./directory", "data"] {
        let mut command = command(&[name]);
        command.cwd = directory.path().to_owned();
        command.env = vec![("PATH".into(), directory.path().into())];
        let error = start_error(command);
        assert!(
            matches!(&error, StartError::NotExecutable { program } if program == name),
            "{name}: {error}"
        );
    }
}

#[test]
fn names_a_directory_it_cannot_enter() {
    let mut command = sh("true");
    command.cwd = "/no/such/directory".into();
    let error = start_error(command).to_string();
    assert!(
        error.contains("cannot enter `/no/such/directory`"),
        "{error}"
    );
}

#[test]
fn refuses_what_the_system_cannot_express() {
    let mut zero = sh("true");
    zero.argv.push("a\0b".into());
    let mut assignment = sh("true");
    assignment.env.push(("A=B".into(), "c".into()));
    for command in [zero, assignment] {
        let StartError::Io(error) = start_error(command) else {
            panic!("must be refused")
        };
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    }
}

#[test]
fn finds_programs_from_the_command_s_own_point_of_view() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("bin")).unwrap();
    write(
        &directory.path().join("bin/mine"),
        "#!/bin/sh\necho mine \"$0\" \"$1\"\n",
        0o755,
    );
    write(
        &directory.path().join("plain"),
        "echo plain \"$1\"\n",
        0o755,
    );
    let inside = |argv: &[&str], path: &str| {
        let mut command = command(argv);
        command.cwd = directory.path().to_owned();
        command.env = vec![("PATH".into(), path.into())];
        command
    };
    check(
        inside(&["mine", "a b"], "/usr/bin:bin"),
        ExitStatus::Exited(0),
        "mine bin/mine a b\n",
    );
    check(
        inside(&["bin/mine", "x"], ""),
        ExitStatus::Exited(0),
        "mine bin/mine x\n",
    );
    // A script without `#!` is one for the shell.
    check(
        inside(&["./plain", "y"], ""),
        ExitStatus::Exited(0),
        "plain y\n",
    );
    // An empty entry would be the tree itself.
    let error = start_error(inside(&["plain"], ":/usr/bin:"));
    assert!(matches!(error, StartError::NotFound { .. }), "{error}");
}

#[test]
fn starts_in_the_given_directory() {
    let directory = tempfile::tempdir().unwrap();
    let real = directory.path().canonicalize().unwrap();
    let mut command = command(&["pwd"]);
    command.cwd = directory.path().to_owned();
    check(
        command,
        ExitStatus::Exited(0),
        &format!("{}\n", real.display()),
    );
}

#[test]
fn gives_exactly_the_environment_and_the_marker() {
    let mut env = command(&["/usr/bin/env"]);
    env.env = vec![("B".into(), "2 x".into()), ("A".into(), OsString::new())];
    check(env.clone(), ExitStatus::Exited(0), "B=2 x\nA=\n");
    env.env
        .push(("SIGNOFF_INSIDE".into(), "somebody else".into()));
    check(
        env.clone(),
        ExitStatus::Exited(0),
        "B=2 x\nA=\nSIGNOFF_INSIDE=somebody else\n",
    );
    env.marker = Some("run/step/1".to_owned());
    check(
        env,
        ExitStatus::Exited(0),
        "B=2 x\nA=\nSIGNOFF_INSIDE=run/step/1\n",
    );
}

#[test]
fn leaks_no_descriptor() {
    // One that the host forgot to mark, and those of another command that waits meanwhile.
    let forgotten = rustix::io::dup(fs::File::open("/dev/null").unwrap()).unwrap();
    let sandbox = Sandbox::new().unwrap();
    let other = sandbox.hold(sh("true")).unwrap();
    let ended = sandbox.run(sh("ls /proc/$$/fd")).unwrap();
    assert_eq!(ended.stdout.text(), "0\n1\n2\n");
    let held = sandbox.hold(sh("ls /proc/$$/fd")).unwrap();
    assert_eq!(held.release().unwrap().wait().stdout.text(), "0\n1\n2\n");
    drop((forgotten, other));
}

#[test]
fn gives_default_signals_and_no_core_file() {
    // This process ignores SIGPIPE, as every Rust program does, and the thread that forks blocks all signals.
    let status = run(command(&[
        "grep",
        "-E",
        "^Sig(Blk|Ign)",
        "/proc/self/status",
    ]));
    assert_eq!(
        status.stdout.text(),
        "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
    );
    check(
        bash("yes | head -n 1; echo ${PIPESTATUS[0]}; ulimit -Hc"),
        ExitStatus::Exited(0),
        "y\n141\n0\n",
    );
}

#[test]
fn gives_stdin_and_does_not_care_whether_it_is_read() {
    let with = |argv: &[&str], bytes: Vec<u8>| Command {
        stdin: Stdin::Bytes(bytes),
        ..command(argv)
    };
    check(command(&["cat"]), ExitStatus::Exited(0), "");
    check(
        with(&["cat"], b"hello".to_vec()),
        ExitStatus::Exited(0),
        "hello",
    );
    check(with(&["cat"], Vec::new()), ExitStatus::Exited(0), "");
    check(
        with(&["wc", "-c"], vec![b'x'; 3_000_000]),
        ExitStatus::Exited(0),
        "3000000\n",
    );
    check(
        with(&["true"], vec![b'x'; 3_000_000]),
        ExitStatus::Exited(0),
        "",
    );
    check(
        with(&["cat", "/dev/stdin"], b"by name".to_vec()),
        ExitStatus::Exited(0),
        "by name",
    );
}

#[test]
fn says_its_level() {
    let level = Sandbox::new().unwrap().level().unwrap();
    assert_eq!(level, signoff_sandbox::probe().unwrap().level);
    assert_eq!(Level::None.to_string(), "none");
}

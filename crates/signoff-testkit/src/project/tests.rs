use super::*;

/// A project whose "signoff" is a shell.
fn shell() -> Project {
    Project::new("/bin/sh")
}

#[test]
fn programs_see_nothing_of_this_machine() {
    let project = shell().env("EXTRA", "1");
    let output = project.signoff(["-c", "/usr/bin/env"]);
    let names: Vec<&str> = output
        .assert_success()
        .stdout
        .lines()
        .filter_map(|line| line.split_once('=').map(|(name, _)| name))
        .collect();
    for name in ["PATH", "HOME", "TMPDIR", "EXTRA"] {
        assert!(names.contains(&name), "{output}");
    }
    for name in ["CARGO", "CARGO_MANIFEST_DIR", "RUSTUP_TOOLCHAIN"] {
        assert!(!names.contains(&name), "{output}");
    }
}

#[test]
fn output_has_code_and_both_streams() {
    let project = shell();
    project.write("a/b.txt", "text");
    let output = project.signoff(["-c", "cat a/b.txt; echo oops >&2; exit 3"]);
    output
        .assert_code(3)
        .assert_stdout_contains("text")
        .assert_stderr_contains("oops");
    let echoed = project.signoff_with_input(["-c", "cat"], "{\"a\": 1}");
    assert_eq!(echoed.json()["a"], 1);
}

#[test]
#[should_panic(expected = "stderr:\noops")]
fn a_failed_assert_shows_everything() {
    shell()
        .signoff(["-c", "echo oops >&2; exit 3"])
        .assert_success();
}

#[test]
fn a_process_left_behind_is_seen_and_does_not_hang_the_test() {
    let project = shell();
    let output = project.signoff(["-c", "sleep 30 & echo $!"]);
    {
        let left = project.processes();
        assert_eq!(left.len(), 1, "{left:?}");
        // By its number: while the shell's child becomes `sleep`, its command line is empty.
        let number = format!("{} ", output.stdout.trim());
        assert!(left[0].starts_with(&number), "{left:?}");
    }
    project.signoff(["-c", &format!("kill {}", output.stdout.trim())]);
}

#[test]
fn a_spawned_program_can_be_killed() {
    let project = shell();
    let mut running = project.spawn(["-c", "touch begun; exec sleep 30"]);
    assert!(running.wait_until(|| project.exists("begun")));
    assert_eq!(running.kill().code, None);
    let mut ended = project.spawn(["-c", "exit 0"]);
    assert!(!ended.wait_until(|| project.exists("never")));
}

#[test]
fn a_program_on_a_terminal_is_typed_at() {
    let mut program = shell().on_terminal(
        "printf 'name? ' > /dev/tty; read -r name < /dev/tty; echo \"hi $name\"; exit 3",
    );
    program.expect("name? ").type_line("ada");
    program
        .wait()
        .assert_code(3)
        .assert_stdout_contains("hi ada\n");
}

#[test]
fn bash_finds_the_binary_under_its_name() {
    let project = shell();
    let output = project.bash("signoff -c 'echo from here'", &project.path());
    output.assert_success().assert_stdout_contains("from here");
}

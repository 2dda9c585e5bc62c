//! A confined command is a command like any other, in a world of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use signoff_sandbox::{
    Bind, Command, ExitStatus, Level, Nesting, Network, Policy, Sandbox, StartError, find_marked,
    probe,
};

use crate::processes::shell::{Fifo, PATIENCE, bash, lives, marker, sh, wait_until_gone};

/// A tree, and beside it a home and a place for temporary files.
struct World(tempfile::TempDir);

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["tree/.signoff", "home", "temp", "git/hooks", "secret/open"] {
            fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        fs::create_dir(directory.path().join("tree/.git")).unwrap();
        fs::write(directory.path().join("secret/key"), "key\n").unwrap();
        Self(directory)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn policy(&self) -> Policy {
        Policy {
            writable: vec![self.path("tree"), self.path("home")],
            temp: Some(self.path("temp")),
            read_only: vec![self.path("tree/.signoff")],
            ..Policy::default()
        }
    }

    fn command(&self, command: Command) -> Command {
        Command {
            cwd: self.path("tree"),
            policy: Some(self.policy()),
            ..command
        }
    }
}

/// Runs a command, held at its gate and not, and checks how it ends and what it prints.
#[track_caller]
fn check(command: &Command, how: ExitStatus, stdout: &str) {
    let sandbox = sandbox();
    let held = sandbox.hold(command.clone()).unwrap();
    for ended in [
        held.release().unwrap().wait(),
        sandbox.run(command.clone()).unwrap(),
    ] {
        assert_eq!(
            (ended.status, ended.stdout.text().as_str()),
            (how, stdout),
            "{}",
            ended.stderr.text()
        );
    }
}

fn sandbox() -> Sandbox {
    Sandbox::with_level(Level::Namespaces).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_highest_level_works_here() {
    let probe = probe().unwrap();
    assert_eq!(
        (probe.level, probe.failed_levels.len()),
        (Level::Namespaces, 0)
    );
}

#[test]
fn ends_as_it_would_outside() {
    let world = World::new();
    let command = |script| world.command(sh(script));
    check(&command("exit 7"), ExitStatus::Exited(7), "");
    check(&command("kill -TERM $$"), ExitStatus::Signaled(15), "");
    check(&command("kill -ABRT $$"), ExitStatus::Signaled(6), "");
    check(
        &command("pwd"),
        ExitStatus::Exited(0),
        &format!("{}\n", text(&world.path("tree"))),
    );
}

/// As the home of an attempt lies in the store, which is kept.
#[test]
fn what_is_writable_inside_of_what_is_kept_is_writable() {
    let world = World::new();
    fs::create_dir_all(world.path("tree/.signoff/home/kept")).unwrap();
    let script = "echo x > .signoff/home/x && echo x > .signoff/x; echo x > .signoff/home/kept/x; ls -R .signoff";
    for level in [Some(Level::Namespaces), has_bubblewrap()]
        .into_iter()
        .flatten()
    {
        let mut command = world.command(sh(script));
        let policy = command.policy.as_mut().unwrap();
        policy.writable.push(world.path("tree/.signoff/home"));
        policy.read_only.push(world.path("tree/.signoff/home/kept"));
        let ended = Sandbox::with_level(level).unwrap().run(command).unwrap();
        assert_eq!(
            ended.stdout.text(),
            ".signoff:\nhome\n\n.signoff/home:\nkept\nx\n\n.signoff/home/kept:\n",
            "{level}: {}",
            ended.stderr.text()
        );
        fs::remove_file(world.path("tree/.signoff/home/x")).unwrap();
    }
}

fn has_bubblewrap() -> Option<Level> {
    let directories = ["/usr/bin", "/bin", "/usr/local/bin"];
    let is_there = directories
        .iter()
        .any(|directory| Path::new(directory).join("bwrap").exists());
    is_there.then_some(Level::Bubblewrap)
}

#[test]
fn output_of_those_it_leaves_is_read() {
    let world = World::new();
    let command = world.command(bash("echo one > >(sleep 0.05; tee log)"));
    check(&command, ExitStatus::Exited(0), "one\n");
    assert_eq!(fs::read_to_string(world.path("tree/log")).unwrap(), "one\n");
}

#[test]
fn a_program_that_does_not_start_is_reported() {
    let world = World::new();
    fs::write(world.path("tree/script"), "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(world.path("tree/script"), fs::Permissions::from_mode(0o755)).unwrap();
    let command = world.command(crate::processes::shell::command(&["./script"]));
    let sandbox = sandbox();
    let held = sandbox
        .hold(command.clone())
        .unwrap()
        .release()
        .unwrap_err();
    let started = sandbox.start(command).unwrap_err();
    for error in [held, started] {
        assert!(matches!(error, StartError::NotExecutable { .. }), "{error}");
    }
}

#[test]
fn what_cannot_be_protected_is_an_error() {
    let world = World::new();
    std::os::unix::fs::symlink("/etc", world.path("tree/link")).unwrap();
    for (path, why) in [
        ("tree/link", "symbolic link"),
        ("tree/none", "No such file"),
    ] {
        let mut command = world.command(sh("true"));
        let policy = command.policy.as_mut().unwrap();
        policy.read_only.push(world.path(path));
        let error = sandbox().start(command).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains(path), "{error}");
    }
}

#[test]
fn it_finds_what_is_bound_and_not_what_is_hidden() {
    let world = World::new();
    let mut command = world.command(sh(
        "ls .git; echo a > .git/index; cat ../secret/key; ls ../secret; echo b > ../secret/open/b; echo c > /tmp/c",
    ));
    let policy = command.policy.as_mut().unwrap();
    policy.hidden.push(world.path("secret"));
    policy.writable.push(world.path("secret/open"));
    policy.binds.push(Bind {
        from: world.path("git"),
        to: world.path("tree/.git"),
        writable: true,
    });
    let ended = sandbox().run(command).unwrap();
    assert_eq!(
        ended.stdout.text(),
        "hooks\nopen\n",
        "{}",
        ended.stderr.text()
    );
    let written = ["git/index", "secret/open/b", "temp/c"];
    let read = written.map(|path| fs::read_to_string(world.path(path)).unwrap());
    assert_eq!(read, ["a\n", "b\n", "c\n"]);
    assert!(!world.path("tree/.git/index").exists());
}

#[test]
fn everything_a_program_expects_is_there() {
    let world = World::new();
    let script = "set -e; echo x > /dev/null; head -c 1 /dev/urandom > /tmp/r; echo y > /dev/stderr; \
                  echo z > /dev/shm/z; cat /dev/shm/z; cat /proc/self/comm; id -u; \
                  script -qc 'echo in a terminal' /dev/null < /dev/null | tr -d '\\r'";
    let user = rustix::process::geteuid().as_raw();
    let expected = format!("z\ncat\n{user}\nin a terminal\n");
    check(&world.command(sh(script)), ExitStatus::Exited(0), &expected);
    assert!(!Path::new("/dev/shm/z").exists());
}

/// What agents and contracts use, where it is installed, with threads and children of their own.
const PROGRAMS: [(&str, &str); 7] = [
    (
        "python3",
        "python3 -c 'import subprocess, threading, multiprocessing as m; t = threading.Thread(target=print); \
         t.start(); t.join(); subprocess.check_call([\"true\"]); p = m.Process(target=print); p.start(); p.join(); \
         assert p.exitcode == 0'",
    ),
    (
        "node",
        "node -e 'const {Worker} = require(\"worker_threads\"); require(\"child_process\").execSync(\"true\"); \
         require(\"fs\").promises.writeFile(\"node-file\", \"x\"); new Worker(\"1\", {eval: true});'",
    ),
    (
        "git",
        "git init -q repo && cd repo && echo x > x && git add x && \
         git -c user.name=a -c user.email=a@b commit -qm x && git gc -q && git fsck",
    ),
    ("java", "java -version"),
    ("rustc", "echo 'fn main() {}' > a.rs && rustc a.rs && ./a"),
    (
        "gcc",
        "echo 'int main() { return 0; }' > b.c && gcc b.c -o b && ./b",
    ),
    ("perl", "perl -e 'system(\"true\") == 0 or die'"),
];

#[test]
fn programs_work_with_fewer_system_calls() {
    let script = PROGRAMS.map(|(name, script)| {
        format!("if command -v {name} > /dev/null; then ({script}) > log 2>&1 || {{ echo {name}; cat log; }}; fi\n")
    });
    for level in [
        Some(Level::Namespaces),
        Some(Level::Landlock),
        has_bubblewrap(),
    ]
    .into_iter()
    .flatten()
    {
        let world = World::new();
        let mut command = world.command(sh(&script.concat()));
        let variables = ["PATH", "HOME", "RUSTUP_HOME", "CARGO_HOME"];
        let own = variables.map(|name| Some((name.into(), std::env::var_os(name)?)));
        command.env = own.into_iter().flatten().collect();
        command
            .env
            .push(("TMPDIR".into(), world.path("temp").into()));
        let ended = Sandbox::with_level(level).unwrap().run(command).unwrap();
        let said = (ended.stdout.text(), ended.stderr.text());
        assert_eq!(
            (ended.status, said),
            (ExitStatus::Exited(0), Default::default()),
            "{level}"
        );
    }
}

#[test]
fn it_can_talk_to_itself_offline() {
    let world = World::new();
    let script =
        "exec 3<>/dev/udp/127.0.0.1/9; echo ok; cat /proc/net/dev | tail -n +3 | cut -d: -f1";
    check(
        &world.command(bash(script)),
        ExitStatus::Exited(0),
        "ok\n    lo\n",
    );
}

#[test]
fn what_it_leaves_is_counted_and_gone() {
    let world = World::new();
    let script = "for i in 1 2 3; do setsid sleep 1000 > /dev/null 2>&1 & done; exit 0";
    let ended = sandbox().run(world.command(sh(script))).unwrap();
    assert_eq!((ended.survivors_ended, ended.survivors_left), (3, 0));
}

#[test]
fn it_ends_when_asked() {
    let world = World::new();
    let fifo = Fifo::new(&world.path("tree"));
    let script = format!("echo > {}; exec sleep 1000", fifo.path());
    let running = sandbox().start(world.command(sh(&script))).unwrap();
    let stopper = running.stopper();
    let waiting = std::thread::spawn(move || running.wait());
    fifo.read();
    stopper.stop();
    assert_eq!(waiting.join().unwrap().status, ExitStatus::Stopped);
}

#[test]
fn dropped_at_its_gate_it_never_begins() {
    let world = World::new();
    let held = sandbox().hold(world.command(sh("echo > begun"))).unwrap();
    let pid = held.identity().pid;
    assert!(lives(pid));
    drop(held);
    assert!(!lives(pid) && !world.path("tree/begun").exists());
}

#[test]
fn a_piped_command_works() {
    let world = World::new();
    let mut piped = sandbox()
        .start_piped(world.command(crate::processes::shell::command(&["cat"])))
        .unwrap();
    let soon = std::time::Instant::now() + PATIENCE;
    piped.stdin.write_message(b"hello\n", soon).unwrap();
    let mut line = [0; 6];
    std::io::Read::read_exact(&mut piped.stdout, &mut line).unwrap();
    assert_eq!(&line, b"hello\n");
    drop(piped.stdin);
    piped.process.end();
}

#[test]
fn many_at_once_leave_each_other_alone() {
    let world = World::new();
    let sandbox = sandbox();
    let marker = marker();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for round in 0..12 {
                    let mut command =
                        world.command(sh("setsid sleep 1000 > /dev/null 2>&1 & exit 3"));
                    command.marker = Some(marker.clone());
                    let policy = command.policy.as_mut().unwrap();
                    policy.network = [Network::Off, Network::On][round % 2];
                    policy.nesting = [Nesting::Denied, Nesting::Allowed][round % 2];
                    let ended = if round % 3 == 0 {
                        sandbox.hold(command).unwrap().release().unwrap().wait()
                    } else {
                        sandbox.run(command).unwrap()
                    };
                    assert_eq!(
                        (ended.status, ended.survivors_ended, ended.survivors_left),
                        (ExitStatus::Exited(3), 1, 0)
                    );
                }
            });
        }
    });
    assert_eq!(find_marked(&marker), []);
}

/// The harness is killed, and nobody looks for what it left.
#[test]
fn a_crash_of_the_harness_ends_everything() {
    let world = World::new();
    let fifo = Fifo::new(&world.path("tree"));
    let marker = marker();
    let script = format!(
        "env -i setsid sleep 1000 & setsid sleep 1000 & echo > {}; wait",
        fifo.path()
    );
    let harness =
        crate::processes::crash::Harness::start_confined(&marker, &world.path("tree"), &script);
    fifo.read();
    assert!(lives(harness.command.pid));
    let members = descendants(harness.process.id());
    assert!(
        members.len() >= 4,
        "init process, shell and two sleepers: {members:?}"
    );
    let command = harness.crash();
    // The init process is gone when all others are reaped, which is up to us.
    for pid in [command.pid].into_iter().chain(members.into_iter().rev()) {
        wait_until_gone(pid);
    }
    assert_eq!(find_marked(&marker), []);
}

fn descendants(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace() {
            let child = child.parse().unwrap();
            found.push(child);
            found.extend(descendants(child));
        }
    }
    found
}

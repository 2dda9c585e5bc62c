//! A command finds directories that are made of layers.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use signoff_sandbox::{Bind, Command, CommandReport, Level, Overlay, Policy, Sandbox};

use crate::processes::crash::Harness;
use crate::processes::shell::{Fifo, marker, sh, wait_until_gone};

/// A checkout below a home, a tree that was recorded of it, and what whites out the rest of the checkout.
struct World {
    _directory: tempfile::TempDir,
    root: PathBuf,
    checkout: PathBuf,
}

impl World {
    fn new() -> Self {
        Self::at("home/project")
    }

    fn at(checkout: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        let world = Self {
            checkout: root.join(checkout),
            root,
            _directory: directory,
        };
        world.write("home/key", "key\n");
        for name in ["mask", "upper", "work", "git"] {
            fs::create_dir_all(world.path(name)).unwrap();
        }
        for (name, text) in [
            ("tree/src/main", "recorded\n"),
            ("tree/plan", "plan\n"),
            ("tree/run.sh", "#!/bin/sh\necho the recorded one\n"),
            ("git/HEAD", "private\n"),
        ] {
            world.write(name, text);
        }
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(world.path("tree/run.sh"), executable).unwrap();
        for (name, text) in [
            ("src/main", "live\n"),
            ("src/stray", "stray\n"),
            ("notes", "notes\n"),
            ("build/out/object", "object\n"),
            (".git/HEAD", "the person's\n"),
        ] {
            write_to(&world.checkout.join(name), text);
        }
        world.white_out("src/stray");
        world.white_out("notes");
        world.white_out(".git");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn write(&self, name: &str, text: &str) {
        write_to(&self.path(name), text);
    }

    fn white_out(&self, name: &str) {
        let path = self.path("mask").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        white_out(&path);
    }

    fn overlay(&self) -> Overlay {
        Overlay {
            at: self.checkout.clone(),
            lower: vec![self.path("tree"), self.path("mask"), self.checkout.clone()],
            upper: self.path("upper"),
            work: self.path("work"),
        }
    }

    fn command(&self, script: &str) -> Command {
        Command {
            cwd: self.checkout.clone(),
            policy: Some(Policy {
                hidden: vec![self.path("home")],
                overlays: vec![self.overlay()],
                ..Policy::default()
            }),
            ..sh(script)
        }
    }

    fn run(&self, script: &str) -> CommandReport {
        self.run_with(script, |_| {})
    }

    fn run_with(&self, script: &str, change: impl Fn(&mut Policy)) -> CommandReport {
        let mut command = self.command(script);
        change(command.policy.as_mut().unwrap());
        sandbox().run(command).unwrap()
    }
}

fn write_to(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

impl Drop for World {
    /// The kernel leaves directories that only root could remove.
    fn drop(&mut self) {
        open_directories(&self.root);
    }
}

fn open_directories(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).ok();
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_dir() {
            open_directories(&entry.path());
        }
    }
}

fn white_out(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::CharacterDevice, Mode::empty(), 0).unwrap();
}

fn sandbox() -> Sandbox {
    Sandbox::with_level(Level::Namespaces).unwrap()
}

#[track_caller]
fn said(ended: &CommandReport, expected: &str) {
    let (out, err) = (ended.stdout.text(), ended.stderr.text());
    assert_eq!(out, expected, "{:?}: {err}", ended.status);
}

#[test]
fn layers_cover_each_other_at_the_path_of_the_lowest() {
    let world = World::new();
    let ended = world.run("pwd; ls -A; cat src/main build/out/object; ls src");
    let expected = format!(
        "{}\nbuild\nplan\nrun.sh\nsrc\nrecorded\nobject\nmain\n",
        world.checkout.display()
    );
    said(&ended, &expected);
}

#[test]
fn every_change_lands_in_the_upper_layer() {
    let world = World::new();
    let ended = world.run(
        "set -e; echo new > new; echo more >> src/main; rm plan; rm -rf build; mkdir -p build/b; \
         mv src/main src/moved; ls -R",
    );
    said(
        &ended,
        ".:\nbuild\nnew\nrun.sh\nsrc\n\n./build:\nb\n\n./build/b:\n\n./src:\nmoved\n",
    );
    let upper = world.path("upper");
    assert_eq!(
        fs::read_to_string(upper.join("src/moved")).unwrap(),
        "recorded\nmore\n"
    );
    let gone = fs::symlink_metadata(upper.join("plan")).unwrap();
    assert!(gone.file_type().is_char_device());
    let kept = ["build/out/object", "src/main", "notes"].map(|name| world.checkout.join(name));
    assert!(kept.iter().all(|path| path.exists()));
    assert_eq!(
        fs::read_to_string(world.path("tree/src/main")).unwrap(),
        "recorded\n"
    );
}

/// The next command goes on with what the last one left, with a new directory for the kernel.
#[test]
fn an_upper_layer_can_be_used_again() {
    let world = World::new();
    world.run("rm -rf build; echo 1 > a");
    fs::create_dir(world.path("work2")).unwrap();
    let ended = world.run_with("ls -A", |policy| {
        policy.overlays[0].work = world.path("work2");
    });
    said(&ended, "a\nplan\nrun.sh\nsrc\n");
}

#[test]
fn odd_names_are_names() {
    let world = World::at("home/a:b,c\\d e\"\n/project");
    for name in ["tree", "mask", "upper", "work"] {
        let odd = world.path(&format!("{name}:,\\ {name}"));
        fs::rename(world.path(name), odd).unwrap();
    }
    let odd = |name: &str| world.path(&format!("{name}:,\\ {name}"));
    let ended = world.run_with("cat src/main build/out/object; echo x > x", |policy| {
        policy.overlays[0] = Overlay {
            lower: vec![odd("tree"), odd("mask"), world.checkout.clone()],
            upper: odd("upper"),
            work: odd("work"),
            ..world.overlay()
        };
    });
    said(&ended, "recorded\nobject\n");
    assert!(odd("upper").join("x").exists());
}

#[test]
fn long_names_are_names() {
    let long = "x".repeat(200);
    let world = World::at(&format!("home/{long}/{long}/{long}"));
    said(&world.run("cat src/main"), "recorded\n");
}

#[test]
fn what_lies_inside_is_found_in_its_layers() {
    let world = World::new();
    world.write("tree/secret/token", "token\n");
    world.write("tree/.env", "password\n");
    std::os::unix::fs::symlink("secret", world.path("tree/alias")).unwrap();
    fs::create_dir_all(world.path("target")).unwrap();
    let inside = |name: &str| world.checkout.join(name);
    let ended = world.run_with(
        "cat .git/HEAD; echo x > .git/index; echo x >> plan; rm -f plan; cat plan; echo x > src/new; ls src secret; \
         cat .env; echo x > target/x; echo x > kept/x; ls",
        |policy| {
            policy.binds = vec![
                Bind { from: world.path("git"), to: inside(".git"), writable: true },
                Bind { from: world.path("target"), to: inside("target"), writable: true },
                Bind { from: world.path("git"), to: inside("kept"), writable: false },
            ];
            policy.read_only = vec![inside("plan"), inside("src"), inside(".git/HEAD")];
            policy.hidden.extend([inside("alias"), inside(".env"), inside("none")]);
        },
    );
    said(
        &ended,
        "private\nplan\nmain\nalias\nbuild\nkept\nplan\nrun.sh\nsecret\nsrc\ntarget\n"
            .replace("main\n", "secret:\n\nsrc:\nmain\n")
            .as_str(),
    );
    assert!(world.path("git/index").exists() && world.path("target/x").exists());
    assert!(!world.path("git/x").exists());
    let made = ["target", ".git", "kept"].map(|name| world.path("upper").join(name));
    assert!(
        made.iter().all(|path| path.is_dir()),
        "mount points are made in the upper layer"
    );
    assert!(!world.path("upper/plan").exists() && !world.path("upper/src").exists());
    assert!(!inside("target").exists());
}

#[test]
fn what_cannot_be_protected_inside_is_an_error() {
    let world = World::new();
    std::os::unix::fs::symlink("plan", world.path("tree/link")).unwrap();
    for (name, why) in [
        ("none", "entity not found"),
        ("notes", "entity not found"),
        ("link", "symbolic link"),
    ] {
        let mut command = world.command("true");
        let policy = command.policy.as_mut().unwrap();
        policy.read_only.push(world.checkout.join(name));
        let error = sandbox().start(command).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains(name), "{error}");
    }
}

/// What an earlier command left in the upper layer does not lead a mount elsewhere.
#[test]
fn a_link_leads_no_mount_elsewhere() {
    let world = World::new();
    world.write("tree/docs/rules", "rules\n");
    fs::create_dir(world.path("upper/mine")).unwrap();
    std::os::unix::fs::symlink("mine", world.path("upper/docs")).unwrap();
    world.write("upper/mine/rules", "none\n");
    let mut command = world.command("echo x > docs/rules");
    let policy = command.policy.as_mut().unwrap();
    policy.read_only.push(world.checkout.join("docs/rules"));
    assert!(sandbox().start(command).is_err());
}

#[test]
fn a_program_of_a_layer_is_executed() {
    let world = World::new();
    let mut command = world.command("");
    command.argv = vec!["./run.sh".into()];
    said(
        &sandbox().run(command.clone()).unwrap(),
        "the recorded one\n",
    );
    command.argv = vec!["./notes".into()];
    let error = sandbox().start(command).unwrap_err().to_string();
    assert!(error.contains("not found"), "{error}");
}

#[test]
fn it_is_useless_for_devices_and_other_users() {
    let world = World::new();
    let ended = world.run(
        "grep ' overlay ' /proc/self/mounts | cut -d' ' -f3,4 | grep -o 'overlay rw,nosuid,nodev'; \
                           grep -c lowerdir=/proc/self/fd /proc/self/mounts",
    );
    said(&ended, "overlay rw,nosuid,nodev\n1\n");
}

#[test]
fn other_levels_say_that_they_cannot() {
    let world = World::new();
    for level in [Level::None, Level::Landlock, Level::Bubblewrap] {
        let error = Sandbox::with_level(level)
            .unwrap()
            .start(world.command("true"))
            .unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("overlays need the level `namespaces`"),
            "{text}"
        );
    }
}

#[test]
fn an_upper_layer_in_shared_memory_works() {
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
        return; // Not every machine has it.
    };
    let world = World::new();
    for name in ["upper", "work"] {
        fs::create_dir(memory.path().join(name)).unwrap();
    }
    let ended = world.run_with("echo x > x; ls /dev/shm", |policy| {
        policy.overlays[0].upper = memory.path().join("upper");
        policy.overlays[0].work = memory.path().join("work");
    });
    said(&ended, "");
    assert!(memory.path().join("upper/x").exists());
}

/// Root sees files of others as theirs, and may change what everybody may.
#[test]
fn files_of_other_users_are_theirs() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::new();
    for name in ["tree/src", "tree/src/main"] {
        std::os::unix::fs::chown(world.path(name), Some(1234), Some(2345)).unwrap();
        fs::set_permissions(world.path(name), fs::Permissions::from_mode(0o777)).unwrap();
    }
    let ended = world.run(
        "echo x >> src/main; echo y > src/new; stat -c '%u %g' src src/main src/new; chown 0 src",
    );
    said(&ended, "1234 2345\n1234 2345\n0 0\n");
    assert_eq!(
        fs::read_to_string(world.path("upper/src/main")).unwrap(),
        "recorded\nx\n"
    );
}

/// Everything above, by somebody else.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the harness itself is not a command"
)]
fn an_ordinary_user_has_the_same() {
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65534;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let (program, temp) = (directory.path().join("program"), directory.path().join("t"));
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::create_dir(&temp).unwrap();
    std::os::unix::fs::chown(&temp, Some(NOBODY), Some(NOBODY)).unwrap();
    let output = std::process::Command::new(program)
        .arg("overlays::")
        .env("TMPDIR", &temp)
        .current_dir("/")
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("every_change_lands_in_the_upper_layer ... ok"),
        "{said}"
    );
    assert_eq!(
        fs::read_dir(&temp).unwrap().count(),
        0,
        "everything was removed"
    );
}

/// The harness is killed, and nothing stays mounted.
#[test]
fn a_crash_leaves_no_mount() {
    let world = World::new();
    let tree = world.path("crash/tree");
    for name in ["tree/overlay", "lower", "upper", "work"] {
        fs::create_dir_all(world.path("crash").join(name)).unwrap();
    }
    let fifo = Fifo::new(&tree);
    let script = "cd TREE && grep -c ' overlay ' /proc/self/mounts > fifo; exec sleep 1000"
        .replace("TREE", tree.to_str().unwrap());
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap();
    let harness = Harness::start_overlaid(&marker(), &tree, &world.path("crash"), &script);
    assert_eq!(fifo.read().trim(), "1");
    let name = world.root.to_str().unwrap();
    assert!(!mounts().contains(name));
    let command = harness.crash();
    wait_until_gone(command.pid);
    assert!(!mounts().contains(name));
}

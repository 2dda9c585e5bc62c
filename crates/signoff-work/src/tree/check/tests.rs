use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use signoff_sandbox::{Command, ExitStatus, Limits, Sandbox, Stdin};

use super::*;
use crate::beneath::make_pipe;

/// Where it is found, and how it is laid.
type Trap = (&'static str, &'static dyn Fn(&Path));

fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("a/b")).unwrap();
    fs::write(folder.path().join("a/file"), "text").unwrap();
    symlink("/etc/passwd", folder.path().join("a/b/link")).unwrap();
    folder
}

fn check_with(root: &Path, limits: TreeLimits) -> Result<TreeReport, TreeError> {
    let options = TreeOptions {
        limits,
        unreadable: Unreadable::Error,
        is_left_out: &|path, _| path == b"left-out",
        stop: &StopFlag::new(),
    };
    check_tree(root, &options)
}

fn check(root: &Path) -> Result<TreeReport, TreeError> {
    check_with(root, TreeLimits::default())
}

#[test]
fn says_what_a_tree_holds() {
    let folder = tree();
    let root = folder.path();
    fs::create_dir_all(root.join(".git/objects")).unwrap();
    fs::create_dir_all(root.join("left-out")).unwrap();
    make_pipe(&root.join("left-out/.gitignore"));
    make_pipe(&root.join("pipe"));
    let odd = OsStr::from_bytes(b"\xff");
    fs::write(root.join(odd), "1").unwrap();
    let report = check(root).unwrap();
    let expected = TreeReport {
        files: 3,
        directories: 2,
        bytes: 5,
        largest: 4,
        special: vec!["pipe".into()],
    };
    assert_eq!(report, expected);
}

#[test]
fn whatever_would_be_overlooked_is_an_error() {
    let expect = |limits, expected: &str, lay: &dyn Fn(&Path)| {
        let folder = tree();
        lay(folder.path());
        let error = check_with(folder.path(), limits).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let all = TreeLimits::default();
    expect(
        TreeLimits { entries: 3, ..all },
        "more than 3 files",
        &|_| {},
    );
    expect(TreeLimits { bytes: 3, ..all }, "more than 3 bytes", &|_| {});
    expect(
        TreeLimits { depth: 1, ..all },
        "`a/b…` lies too deep",
        &|_| {},
    );
    expect(all, "`holes` has 1099511627776 bytes", &|root| {
        File::create(root.join("holes"))
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
    });
    expect(all, "`a/.gitattributes` has", &|root| {
        let file = File::create(root.join("a/.gitattributes")).unwrap();
        file.set_len(1 << 30).unwrap();
    });
    // Longer than a path can be: git goes on with a warning.
    expect(all, "lies too deep", &|root| {
        let name = "n".repeat(250);
        let mut fd = open_folder(rustix::fs::CWD, root.as_os_str().as_bytes()).unwrap();
        for _ in 0..20 {
            let mode = rustix::fs::Mode::from_raw_mode(0o755);
            rustix::fs::mkdirat(&fd, &name, mode).unwrap();
            fd = open_folder(&fd, name.as_bytes()).unwrap();
        }
    });
    let stop = StopFlag::new();
    stop.set();
    let options = TreeOptions {
        limits: all,
        unreadable: Unreadable::Error,
        is_left_out: &|_, _| false,
        stop: &stop,
    };
    assert!(matches!(
        check_tree(tree().path(), &options),
        Err(TreeError::Stopped)
    ));
}

/// Root reads everything.
#[test]
fn a_directory_that_cannot_be_listed_is_an_error() {
    if rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tree();
    let hidden = folder.path().join("a/b");
    fs::set_permissions(&hidden, Permissions::from_mode(0o111)).unwrap();
    let error = check(folder.path()).unwrap_err();
    fs::set_permissions(&hidden, Permissions::from_mode(0o755)).unwrap();
    assert!(
        error.to_string().starts_with("`a/b` cannot be read"),
        "{error}"
    );
}

/// Each of these holds up a git that looks at the tree, as the control shows.
#[test]
fn traps_for_git_are_found() {
    let traps: [Trap; 9] = [
        (".gitignore", &|root| {
            make_pipe(&root.join(".gitignore"));
        }),
        ("a/.gitignore", &|root| {
            make_pipe(&root.join("a/.gitignore"));
        }),
        ("a/.gitattributes", &|root| {
            make_pipe(&root.join("a/.gitattributes"));
        }),
        ("a/.git/HEAD", &|root| {
            repository(&root.join("a/.git"));
            make_pipe(&root.join("a/.git/HEAD"));
        }),
        ("a/.git/packed-refs", &|root| {
            repository(&root.join("a/.git"));
            fs::write(root.join("a/.git/HEAD"), "ref: refs/heads/x\n").unwrap();
            make_pipe(&root.join("pipe"));
            symlink("../../pipe", root.join("a/.git/packed-refs")).unwrap();
        }),
        ("a/../b/HEAD", &|root| {
            repository(&root.join("b"));
            make_pipe(&root.join("b/HEAD"));
            fs::write(root.join("a/.git"), "gitdir: ../b\n").unwrap();
        }),
        ("a/.git", &|root| {
            let outside = root.with_extension("outside");
            repository(&outside);
            make_pipe(&outside.join("HEAD"));
            fs::write(
                root.join("a/.git"),
                format!("gitdir: {}\n", outside.display()),
            )
            .unwrap();
        }),
        ("a/.git", &|root| {
            repository(&root.join("b"));
            make_pipe(&root.join("b/HEAD"));
            symlink("../b", root.join("a/.git")).unwrap();
        }),
        ("a/.gitattributes", &|root| {
            let file = File::create(root.join("a/.gitattributes")).unwrap();
            file.set_len(1 << 40).unwrap();
        }),
    ];
    for (at, lay) in traps {
        let folder = tree();
        lay(folder.path());
        let error = check(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("`{at}` ")), "{error}");
        assert!(holds_up_git(folder.path(), "0.3"), "{at}");
        fs::remove_dir_all(folder.path().with_extension("outside")).ok();
    }
}

/// What looks alike and is harmless.
#[test]
fn sound_repositories_in_a_tree_are_no_traps() {
    let folder = tree();
    let root = folder.path();
    repository(&root.join("a/.git"));
    fs::write(root.join("a/.git/HEAD"), "ref: refs/heads/x\n").unwrap();
    for (name, target) in [("c", "../a/.git"), ("d", "/none/such"), ("e", "../none")] {
        fs::create_dir(root.join(name)).unwrap();
        fs::write(root.join(name).join(".git"), format!("gitdir: {target}\n")).unwrap();
    }
    check(root).unwrap();
    assert!(!holds_up_git(root, "60"));
}

fn repository(path: &Path) {
    for folder in ["objects", "refs"] {
        fs::create_dir_all(path.join(folder)).unwrap();
    }
}

/// Whether git does not end by itself within these seconds.
fn holds_up_git(root: &Path, seconds: &str) -> bool {
    let sandbox = Sandbox::new().unwrap();
    let git = |words: &[&str]| {
        let argv = [&["timeout", seconds, "git"], words].concat();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let command = Command {
            argv: argv.iter().map(Into::into).collect(),
            cwd: root.to_owned(),
            env: vec![
                ("PATH".into(), path),
                ("GIT_CONFIG_GLOBAL".into(), "/dev/null".into()),
            ],
            stdin: Stdin::Null,
            marker: None,
            limits: Limits {
                time: None,
                output: 1024,
                log: 0,
            },
            log: None,
            policy: None,
            mounts: None,
        };
        sandbox.run(command).unwrap().status
    };
    git(&["init", "-q"]);
    git(&["add", "--all"]) == ExitStatus::Exited(124)
}

//! Trees that hold up whoever looks at them.

use std::fs::{self, File};
use std::path::Path;
use std::sync::mpsc::channel;

use signoff_work::environment::Variables;
use signoff_work::git::{Git, GitError, Repository};
use signoff_work::tools::StopFlag;

use crate::git::world::{World, sandbox};

/// What is said of it, and how it is laid.
type Trap = (&'static str, &'static dyn Fn(&Path));

fn make_pipe(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).unwrap();
}

#[test]
fn a_look_at_a_trap_is_a_failure_with_its_reason() {
    let traps: [Trap; 4] = [
        ("`sub/.gitignore` is not an ordinary file", &|tree| {
            make_pipe(&tree.join("sub/.gitignore"));
        }),
        ("`sub/.git/HEAD` is not an ordinary file", &|tree| {
            fs::create_dir_all(tree.join("sub/.git/objects")).unwrap();
            fs::create_dir_all(tree.join("sub/.git/refs")).unwrap();
            make_pipe(&tree.join("sub/.git/HEAD"));
        }),
        ("`sub/holes` has 1099511627776 bytes", &|tree| {
            File::create(tree.join("sub/holes"))
                .unwrap()
                .set_len(1 << 40)
                .unwrap();
        }),
        ("more than 17179869184 bytes in all", &|tree| {
            for name in 0..10 {
                let file = File::create(tree.join("sub").join(name.to_string()));
                file.unwrap().set_len(2 << 30).unwrap();
            }
        }),
    ];
    for (expected, lay) in traps {
        let world = World::committed(&[("sub/a", "1"), (".gitignore", "target\n")]);
        let own = world.own();
        let worktree = world.worktree(&own, "one");
        worktree.make(&world.head()).unwrap();
        lay(worktree.path());
        let error = worktree.tree().unwrap_err();
        assert!(matches!(error, GitError::Tree { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
        // What is ignored may be large.
        if expected.contains("holes") {
            fs::create_dir(worktree.path().join("target")).unwrap();
            let (from, to) = (
                worktree.path().join("sub/holes"),
                worktree.path().join("target/holes"),
            );
            fs::rename(from, to).unwrap();
            worktree.tree().unwrap();
        }
    }
}

#[test]
fn a_checkout_with_a_trap_is_not_looked_at() {
    let world = World::committed(&[("sub/a", "1")]);
    make_pipe(&world.path("sub/.gitattributes"));
    let error = world.own().snapshot().unwrap_err().to_string();
    assert!(
        error.contains("`sub/.gitattributes` is not an ordinary file"),
        "{error}"
    );
}

/// The person's repository has a trap that nothing finds before git does.
#[test]
fn a_git_that_waits_ends_when_the_run_is_stopped() {
    let world = World::committed(&[("a", "1")]);
    let variables: Variables = [("PATH".into(), std::env::var_os("PATH").unwrap())].into();
    let stop = StopFlag::new();
    let git = Git::new(sandbox(), &variables, &world.repo()).with_stop(stop.clone());
    let repository = Repository::find(git, &world.repo()).unwrap().unwrap();
    let head = world.path(".git/HEAD");
    fs::remove_file(&head).unwrap();
    make_pipe(&head);
    let (send, receive) = channel();
    std::thread::spawn(move || send.send(repository.head()));
    // Opening succeeds once git is on the other side, where it waits for what is written.
    let _writer = fs::OpenOptions::new().write(true).open(&head).unwrap();
    stop.set();
    let error = receive.recv().unwrap().unwrap_err();
    assert!(matches!(error, GitError::Stopped { .. }), "{error}");
}

//! The steps of small policies.

use super::*;
use crate::policy::Bind;

/// Returns the steps of a policy as words, with paths relative to the test's directory.
fn steps(policy: &Policy, world: &Path) -> Vec<String> {
    let world = world.to_str().unwrap();
    let words = |step: &MountStep| match step {
        MountStep::OpenTree { from, writable } => Some(format!("open {from:?} {writable}")),
        MountStep::CoverDirectory { at } => Some(format!("cover {at:?}")),
        MountStep::CoverFile { at } => Some(format!("blank {at:?}")),
        MountStep::MakeDirectory { at } => Some(format!("directory {at:?}")),
        MountStep::MakeFile { at } => Some(format!("file {at:?}")),
        MountStep::Attach { number, at } => Some(format!("attach {number} {at:?}")),
        MountStep::BindReadOnly { at } => Some(format!("protect {at:?}")),
        _ => None,
    };
    let steps = mount_steps(policy, false).unwrap();
    let words = steps.iter().filter_map(words);
    words
        .map(|text| text.replace(world, "").replace('"', ""))
        .collect()
}

fn world() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(directory.path()).unwrap();
    fs::create_dir_all(path.join("a/b/c")).unwrap();
    fs::write(path.join("a/file"), "").unwrap();
    fs::write(path.join("other"), "").unwrap();
    (directory, path)
}

#[test]
fn opens_before_it_covers_and_covers_before_it_attaches() {
    let (_directory, path) = world();
    let policy = Policy {
        writable: vec![path.join("a/b/c")],
        hidden: vec![path.join("a"), path.join("none")],
        read_only: vec![path.join("a/b")],
        ..Policy::default()
    };
    assert_eq!(
        steps(&policy, &path),
        [
            "open /a/b/c true",
            "cover /a",
            "directory /a/b",
            "directory /a/b/c",
            "attach 0 /a/b/c"
        ]
    );
}

#[test]
fn protects_before_it_attaches_what_lies_inside() {
    let (_directory, path) = world();
    let policy = Policy {
        writable: vec![path.join("a/b/c"), path.join("a")],
        read_only: vec![path.join("a/b")],
        ..Policy::default()
    };
    assert_eq!(
        steps(&policy, &path),
        [
            "open /a/b/c true",
            "open /a true",
            "attach 1 /a",
            "protect /a/b",
            "directory /a/b",
            "directory /a/b/c",
            "attach 0 /a/b/c"
        ]
    );
}

#[test]
fn hides_a_file_and_binds_one() {
    let (_directory, path) = world();
    let policy = Policy {
        hidden: vec![path.join("a"), path.join("other")],
        binds: vec![Bind {
            from: path.join("other"),
            to: path.join("a/new"),
            writable: false,
        }],
        ..Policy::default()
    };
    assert_eq!(
        steps(&policy, &path),
        [
            "open /other false",
            "cover /a",
            "blank /other",
            "file /a/new",
            "attach 0 /a/new"
        ]
    );
}

#[test]
fn makes_read_only_after_opening_and_before_attaching() {
    let (_directory, path) = world();
    let policy = Policy {
        writable: vec![path.join("a")],
        ..Policy::default()
    };
    let steps = mount_steps(&policy, true).unwrap();
    let at = |wanted: fn(&MountStep) -> bool| steps.iter().position(wanted).unwrap();
    let took = at(|step| matches!(step, MountStep::OpenTree { .. }));
    let froze = at(|step| matches!(step, MountStep::MakeReadOnly));
    let placed = at(|step| matches!(step, MountStep::Attach { .. }));
    assert!(took < froze && froze < placed);
    assert_eq!(
        steps.first(),
        Some(&MountStep::MakePrivate { devices: false })
    );
}

#[test]
fn a_directory_in_shared_memory_is_attached_in_the_commands_own() {
    let Ok(directory) = tempfile::tempdir_in("/dev/shm") else {
        return; // Not every machine has it.
    };
    let policy = Policy {
        writable: vec![directory.path().to_owned()],
        ..Policy::default()
    };
    let steps = mount_steps(&policy, false).unwrap();
    let at = |wanted: &dyn Fn(&MountStep) -> bool| steps.iter().position(wanted).unwrap();
    let memory = at(&|step| *step == MountStep::MountSharedMemory);
    let made = at(&|step| matches!(step, MountStep::MakeDirectory { .. }));
    let placed = at(&|step| matches!(step, MountStep::Attach { .. }));
    assert!(memory < made && made < placed, "{steps:?}");
    assert_eq!(
        steps[placed].to_string(),
        format!("mount `{}`", directory.path().display())
    );
}

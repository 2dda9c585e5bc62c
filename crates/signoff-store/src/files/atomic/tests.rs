use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::*;

fn temp_dir() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    (dir, root)
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

#[test]
fn replaces_what_was_expected_and_leaves_nothing_else() {
    let (_dir, root) = temp_dir();
    let path = root.join("plan.md");
    replace(&path, None, b"one", true).unwrap();
    let replaced = replace(&path, Some(b"one"), b"two", false).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(replaced.path, path);
    assert_eq!(Fingerprint::of(&path).unwrap(), Some(replaced.fingerprint));
    assert_eq!(names(&root), ["plan.md"]);
    fs::write(&path, "edited").unwrap();
    assert_ne!(Fingerprint::of(&path).unwrap(), Some(replaced.fingerprint));
}

#[test]
fn never_overwrites_what_somebody_else_wrote() {
    let (_dir, root) = temp_dir();
    let path = root.join("plan.md");
    let changed = |expected| {
        matches!(
            replace(&path, expected, b"ours", true),
            Err(ReplaceError::Changed { .. })
        )
    };
    assert!(changed(Some(b"deleted meanwhile")));
    assert!(!path.exists());
    fs::write(&path, "theirs").unwrap();
    assert!(changed(Some(b"old")));
    assert!(changed(Some(b"")));
    assert!(changed(None));
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    assert_eq!(names(&root), ["plan.md"]);
}

#[test]
fn keeps_the_mode() {
    let (_dir, root) = temp_dir();
    let path = root.join("plan.md");
    for bits in [0o600, 0o640, 0o755, 0o444] {
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
        replace(&path, Some(b"old"), b"new", false).unwrap();
        assert_eq!(mode(&path), bits);
        fs::remove_file(&path).unwrap();
    }
    overwrite(&path, b"x", FileMode::Private).unwrap();
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn follows_links_and_keeps_them() {
    let (_dir, root) = temp_dir();
    fs::create_dir(root.join("real")).unwrap();
    let (link, target) = (root.join("link.md"), root.join("real/plan.md"));
    fs::write(&target, "old").unwrap();
    symlink("real/plan.md", &link).unwrap();
    assert_eq!(
        replace(&link, Some(b"old"), b"new", true).unwrap().path,
        target
    );
    assert!(link.is_symlink());
    assert_eq!(fs::read(&target).unwrap(), b"new");
    symlink("nowhere/else", root.join("dangling")).unwrap();
    assert!(replace(&root.join("dangling"), None, b"new", true).is_err());
}

#[test]
fn refuses_what_is_no_file() {
    let (_dir, root) = temp_dir();
    fs::create_dir(root.join("plan")).unwrap();
    let result = replace(&root.join("plan"), Some(b""), b"new", true);
    assert!(matches!(result, Err(ReplaceError::NotAFile { .. })));
    assert!(replace(&root.join("no/plan.md"), None, b"new", true).is_err());
    assert_eq!(names(&root), ["plan"]);
}

#[test]
fn what_a_killed_writer_left_is_cleared_away() {
    let (_dir, root) = temp_dir();
    let (path, stray) = (root.join("plan.md"), root.join(".plan.md.signoff-tmp"));
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    fs::write(&stray, "half a te").unwrap();
    replace(&path, Some(b"old"), b"new", true).unwrap();
    assert_eq!(
        (names(&root), mode(&path)),
        (vec!["plan.md".to_owned()], 0o640)
    );
    assert!(!remove_stray_temp(&path).unwrap());
    fs::write(&stray, "half a te").unwrap();
    assert!(remove_stray_temp(&path).unwrap());
    assert_eq!(names(&root), ["plan.md"]);
}

#[test]
fn a_writer_at_work_keeps_its_file() {
    let (_dir, root) = temp_dir();
    let path = root.join("plan.md");
    let temp = TempFile::lock(&path, 0o600).unwrap();
    assert!(!remove_stray_temp(&path).unwrap());
    assert_eq!(names(&root), [".plan.md.signoff-tmp"]);
    drop(temp);
    assert_eq!(names(&root), [""; 0]);
}

#[test]
fn a_link_planted_at_the_hidden_name_is_not_followed() {
    let (_dir, root) = temp_dir();
    let (path, victim) = (root.join("plan.md"), root.join("victim"));
    fs::write(&victim, "precious").unwrap();
    for plant in [
        |victim: &Path, at: &Path| symlink(victim, at),
        |victim: &Path, at: &Path| fs::hard_link(victim, at),
    ] {
        plant(&victim, &root.join(".plan.md.signoff-tmp")).unwrap();
        replace(&path, None, b"new", true).unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn any_file_name_has_room_for_the_hidden_one() {
    let (_dir, root) = temp_dir();
    let path = root.join("n".repeat(255));
    replace(&path, None, b"new", true).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

/// Adds one to the number in the file, again and again until it is our turn.
pub(crate) fn increment(path: &Path) {
    loop {
        let old = fs::read(path).unwrap();
        let number: u64 = std::str::from_utf8(&old).unwrap().parse().unwrap();
        match replace(path, Some(&old), (number + 1).to_string().as_bytes(), false) {
            Ok(_) => return,
            Err(ReplaceError::Changed { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn no_update_is_lost_among_many_writers() {
    let (_dir, root) = temp_dir();
    let path = root.join("counter");
    fs::write(&path, "0").unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..50).for_each(|_| increment(&path)));
        }
    });
    assert_eq!(fs::read(&path).unwrap(), b"400");
    assert_eq!(names(&root), ["counter"]);
}

#[test]
fn only_one_creates() {
    let (_dir, root) = temp_dir();
    let path = root.join("new");
    let winners = thread::scope(|scope| {
        let path = &path;
        let tasks: Vec<_> = (0..16)
            .map(|number: u8| scope.spawn(move || replace(path, None, &[number], false).is_ok()))
            .collect();
        tasks
            .into_iter()
            .filter_map(|task| task.join().ok())
            .filter(|won| *won)
            .count()
    });
    assert_eq!(winners, 1);
}

/// An editor that knows no lock adds a line to its text and renames over. We rewrite the first line
/// all the time, and must never put an older text of the editor's in the place of a newer one.
#[test]
fn an_editor_that_renames_over_is_never_overwritten() {
    const EDITS: usize = 400;
    let (_dir, root) = temp_dir();
    let path = root.join("plan.md");
    fs::write(&path, "ours 0\n").unwrap();
    let (done, lost) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (mut won, mut made) = (0, 0);
    thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let mut text = "ours 0\n".to_owned();
            let mut number = 0;
            // Until the two have met; who comes first is the machine's affair.
            while number < EDITS || (lost.load(Ordering::SeqCst) == 0 && number < 100 * EDITS) {
                text.extend(["edit ", &number.to_string(), "\n"]);
                let own = path.with_extension("editor");
                fs::write(&own, &text).unwrap();
                fs::rename(&own, &path).unwrap();
                number += 1;
            }
            done.store(true, Ordering::SeqCst);
            number
        });
        loop {
            // Looked at first: once more after the editor has gone home, when nobody can come between.
            let alone = done.load(Ordering::SeqCst);
            let old = fs::read(&path).unwrap();
            let text = String::from_utf8(old.clone()).unwrap();
            let (first, rest) = text.split_once('\n').unwrap();
            let count: usize = first.trim_start_matches("ours ").parse().unwrap();
            let new = format!("ours {}\n{rest}", count + 1);
            match replace(&path, Some(&old), new.as_bytes(), false) {
                Ok(_) => won += 1,
                Err(ReplaceError::Changed { .. }) => {
                    lost.fetch_add(1, Ordering::SeqCst);
                }
                Err(error) => panic!("{error}"),
            }
            if alone {
                break;
            }
        }
        made = editor.join().unwrap();
    });
    let text = fs::read_to_string(&path).unwrap();
    let edits = text
        .lines()
        .filter(|line| line.starts_with("edit "))
        .count();
    let lost = lost.into_inner();
    assert_eq!(edits, made, "{won} won, {lost} lost");
    assert!(won > 0 && lost > 0, "{won} won, {lost} lost");
    assert_eq!(names(&root), ["plan.md"]);
}

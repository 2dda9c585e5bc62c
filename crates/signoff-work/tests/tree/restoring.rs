//! What is put back.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::Site;

/// Makes some files, does something, undoes it, and looks whether everything is as it was.
#[track_caller]
fn check(does: impl Fn(&Site), restored: &[&str]) {
    let mut site = Site::new();
    for file in ["a", "b/c", "b/d/e"] {
        site.write(file, "old");
    }
    site.mode("a", 0o750);
    symlink("a", site.path("link")).expect("a link");
    fs::create_dir(site.path("empty")).expect("a folder");
    let before = site.look();
    does(&site);
    let done = site.undo(&before);
    assert_eq!(done.failed, []);
    assert_eq!(done.restored, restored);
    assert_eq!(site.told(&before), [""; 0]);
    assert_eq!(fs::read_to_string(site.path("a")).expect("a file"), "old");
    assert_eq!(
        fs::metadata(site.path("a")).expect("a file").mode() & 0o777,
        0o750
    );
    let names = fs::read_dir(&site.root).expect("a folder");
    let mut names: Vec<_> = names
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["a", "b", "empty", "link"]);
}

#[test]
fn everything_is_as_it_was() {
    check(|_| (), &[]);
    check(|site| site.write("a", "new"), &["a"]);
    check(|site| site.mode("a", 0o600), &["a"]);
    check(|site| site.write("new/deep/file", ""), &["new/deep/file"]);
    check(
        |site| fs::remove_dir_all(site.path("b")).unwrap(),
        &["b/c", "b/d/e"],
    );
    check(
        |site| {
            fs::remove_dir(site.path("empty")).unwrap();
            fs::remove_file(site.path("a")).unwrap();
        },
        &["a"],
    );
    check(
        |site| {
            fs::remove_file(site.path("link")).unwrap();
            site.write("link", "now a file");
        },
        &["link"],
    );
}

#[test]
fn files_and_folders_that_changed_places_change_back() {
    check(
        |site| {
            fs::remove_file(site.path("a")).unwrap();
            site.write("a/b/c", "");
        },
        &["a/b/c", "a"],
    );
    check(
        |site| {
            fs::remove_dir_all(site.path("b")).unwrap();
            site.write("b", "");
        },
        &["b", "b/c", "b/d/e"],
    );
}

#[test]
fn no_link_is_followed_out_of_the_workspace() {
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(outside.path().join("d")).unwrap();
    for file in ["c", "d/e"] {
        fs::write(outside.path().join(file), "theirs").unwrap();
    }
    check(
        |site| {
            fs::remove_dir_all(site.path("b")).unwrap();
            symlink(outside.path(), site.path("b")).unwrap();
        },
        &["b", "b/c", "b/d/e"],
    );
    for file in ["c", "d/e"] {
        assert_eq!(
            fs::read_to_string(outside.path().join(file)).unwrap(),
            "theirs"
        );
    }
}

#[test]
fn a_link_that_comes_between_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    let mut site = Site::new();
    site.write("b/c", "old");
    let before = site.look();
    site.write("b/c", "new");
    let changes = site.changes(&before);
    // The very same file, by another way: its stamp tells nothing.
    let moved = outside.path().join("b");
    fs::rename(site.path("b"), &moved).unwrap();
    symlink(&moved, site.path("b")).unwrap();
    let done = site.keeper.restore(&before, &changes);
    assert_eq!(done.restored, [""; 0]);
    assert_eq!(done.failed.len(), 1);
    assert_eq!(fs::read_to_string(moved.join("c")).unwrap(), "new");
}

#[test]
fn what_somebody_changed_meanwhile_is_left_alone() {
    let mut site = Site::new();
    for file in ["a", "b"] {
        site.write(file, "old");
    }
    let before = site.look();
    site.write("a", "by the contract");
    site.write("new", "by the contract");
    fs::remove_file(site.path("b")).unwrap();
    let changes = site.changes(&before);
    for file in ["a", "b", "new"] {
        site.write(file, "by a person, in an editor");
    }
    let done = site.keeper.restore(&before, &changes);
    assert_eq!(done.restored, [""; 0]);
    let why = "somebody has changed it since";
    let failed: Vec<_> = done
        .failed
        .iter()
        .map(|(path, why)| (path.as_str(), why.as_str()))
        .collect();
    assert_eq!(failed, [("new", why), ("a", why), ("b", why)]);
    assert_eq!(
        fs::read_to_string(site.path("a")).unwrap(),
        "by a person, in an editor"
    );
}

#[test]
fn a_name_that_is_no_text_is_restored_exactly() {
    let name = OsStr::from_bytes(b"\xff\xfe.txt");
    let mut site = Site::new();
    site.write(name, "old");
    let before = site.look();
    fs::remove_file(site.path(name)).unwrap();
    let done = site.undo(&before);
    assert_eq!(done.restored, ["\u{fffd}\u{fffd}.txt"]);
    assert_eq!(fs::read_to_string(site.path(name)).unwrap(), "old");
}

#[test]
fn an_earlier_state_can_be_put_back_after_many_changes() {
    let mut site = Site::new();
    site.write("a", "0");
    let first = site.look();
    for number in 1..5 {
        site.write("a", &number.to_string());
        site.look();
    }
    assert_eq!(site.undo(&first).restored, ["a"]);
    assert_eq!(fs::read_to_string(site.path("a")).unwrap(), "0");
}

#[test]
fn a_folder_with_ignored_files_in_the_place_of_a_file_is_reported() {
    let mut site = Site::new();
    fs::create_dir(site.path(".git")).unwrap();
    site.write(".gitignore", "*.o\n");
    site.write("a", "old");
    let before = site.look();
    fs::remove_file(site.path("a")).unwrap();
    site.write("a/x.o", "");
    let done = site.undo(&before);
    let why = "a folder stands in its place, with ignored files in it";
    assert_eq!(done.failed, [("a".to_owned(), why.to_owned())]);
    assert!(site.path("a/x.o").exists());
    assert_eq!(fs::read_dir(&site.root).unwrap().count(), 3);
}

#[test]
fn a_damaged_store_is_noticed() {
    let mut site = Site::new();
    site.write("a", "old");
    let before = site.look();
    site.write("a", "new");
    let store = site.root.parent().unwrap().join("store/contents");
    let mode = fs::metadata(&store).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let changes = site.changes(&before);
    fs::write(&store, "lost").unwrap();
    let done = site.keeper.restore(&before, &changes);
    assert_eq!(
        done.failed,
        [("a".to_owned(), "the kept content is damaged".to_owned())]
    );
    assert_eq!(fs::read_to_string(site.path("a")).unwrap(), "new");
}

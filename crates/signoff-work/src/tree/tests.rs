//! When a file is read again.

use std::fs;
use std::time::Duration;

use super::entry::Content;
use super::*;

const FAKE: Content = Content::File(Some([7; 32]));

/// Looks twice, the first time this long after the file was written, with another hash put in between.
fn hash_is_taken_over(age: Duration, between: impl Fn(&Path)) -> bool {
    let directory = tempfile::tempdir().unwrap();
    let tree = directory.path().join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("a"), "one").unwrap();
    let mut keeper = Keeper::new(&tree, &directory.path().join("store"));
    keeper.look(None, SystemTime::now() + age).unwrap();
    let last = Arc::get_mut(&mut keeper.last).unwrap();
    last.entries[0].content = FAKE;
    between(&tree.join("a"));
    let after = keeper.look(None, SystemTime::now() + age).unwrap();
    after.tree().entries[0].content == FAKE
}

#[test]
fn a_file_that_looks_the_same_is_not_read_again() {
    let minute = Duration::from_mins(1);
    assert!(hash_is_taken_over(minute, |_| ()));
    assert!(!hash_is_taken_over(minute, |file| fs::write(file, "two").unwrap()));
    assert!(!hash_is_taken_over(minute, |file| {
        fs::remove_file(file).unwrap();
        fs::write(file, "one").unwrap();
    }));
}

#[test]
fn a_file_that_was_written_just_now_is_read_again() {
    // It could be written once more within the same tick of the file system's clock.
    assert!(!hash_is_taken_over(Duration::ZERO, |_| ()));
}

//! Too much is said aloud.

use signoff_work::tree::{Keeper, Limits};

use super::{Site, told};

#[track_caller]
fn check(limits: Limits, warnings: &[&str], failed: &[(&str, &str)]) {
    let mut site = Site::new();
    site.keeper = Keeper::with_limits(&site.root, &site.root.with_file_name("store"), limits);
    site.write("a", "aaaa");
    site.write("b", "bbbbbbbb");
    site.write("c", "cc");
    let before = site.look();
    assert_eq!(before.warnings(), warnings);
    for file in ["a", "b", "c"] {
        site.write(file, "new");
    }
    let changes = site.changes(&before);
    let expected = ["modified a", "modified b", "modified c"];
    assert_eq!(told(&changes), &expected[..before.len()]);
    let done = site.keeper.restore(&before, &changes);
    let found: Vec<_> = done
        .failed
        .iter()
        .map(|(path, why)| (path.as_str(), why.as_str()))
        .collect();
    assert_eq!(found, failed);
}

const KEPT: &str = "its content was not kept";

#[test]
fn what_is_too_much_to_keep_is_seen_and_not_undone() {
    let limits = Limits::default();
    check(limits, &[], &[]);
    let one = "`b` is not kept: a change to it is seen, but not undone";
    check(
        Limits {
            largest: 7,
            ..limits
        },
        &[one],
        &[("b", KEPT)],
    );
    check(Limits { bytes: 6, ..limits }, &[one], &[("b", KEPT)]);
    let two =
        "2 files are not kept, `b` the first of them: changes to them are seen, but not undone";
    check(
        Limits { files: 1, ..limits },
        &[two],
        &[("b", KEPT), ("c", KEPT)],
    );
}

#[test]
fn what_is_too_much_to_see_is_said() {
    let mut site = Site::new();
    let limits = Limits {
        seen: 2,
        ..Limits::default()
    };
    site.keeper = Keeper::with_limits(&site.root, &site.root.with_file_name("store"), limits);
    for file in ["a", "b", "c", "d"] {
        site.write(file, "");
    }
    let seen = site.look();
    assert_eq!(seen.len(), 2);
    let said = "the workspace has more than 2 files: what changes in the others is not seen";
    assert_eq!(seen.warnings(), [said]);
}

#[test]
fn a_store_that_cannot_be_written_is_said() {
    let mut site = Site::new();
    site.write("a", "x");
    let store = site.path("a");
    site.keeper = Keeper::new(&site.root, &store);
    let seen = site.look();
    assert!(seen.warnings()[0].starts_with("what was in the files cannot be kept: "));
}

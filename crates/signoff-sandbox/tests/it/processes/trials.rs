//! What could not be tried is not taken for what does not work.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use signoff_sandbox::{OverlayTrialError, probe, try_overlay};

/// What a copy of this program tries, if it is told to.
const PART: &str = "SIGNOFF_TEST_TRIAL";

#[test]
fn overlays_work_here() {
    let directory = tempfile::tempdir().unwrap();
    let (parent, lower) = (directory.path().join("a:b"), directory.path().join("lower"));
    fs::create_dir(&parent).unwrap();
    fs::create_dir(&lower).unwrap();
    assert_eq!(try_overlay(&parent, &lower), Ok(()));
    let left = |path: &Path| fs::read_dir(path).unwrap().count();
    assert_eq!((left(&parent), left(&lower)), (0, 0));
}

#[test]
fn layers_that_lie_in_each_other_do_not_work() {
    let directory = tempfile::tempdir().unwrap();
    let parent = directory.path().join("inside");
    fs::create_dir(&parent).unwrap();
    let error = try_overlay(&parent, directory.path()).unwrap_err();
    assert!(matches!(error, OverlayTrialError::Fails { .. }), "{error}");
}

#[test]
fn a_missing_directory_says_nothing_about_overlays() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing");
    for (parent, lower) in [
        (&missing, directory.path()),
        (&directory.path().to_owned(), &missing),
    ] {
        let error = try_overlay(parent, lower).unwrap_err();
        assert!(
            matches!(error, OverlayTrialError::Inconclusive { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("missing"), "{error}");
    }
}

/// Plays the part it was given; its test otherwise does nothing.
#[test]
fn part() {
    let Ok(part) = std::env::var(PART) else {
        return;
    };
    match part.split_once(' ').unwrap() {
        ("probe", _) => println!("\nfound {:?}", probe()),
        ("overlay", uppers) => {
            println!(
                "\nfound {:?}",
                try_overlay(uppers.as_ref(), "/etc".as_ref())
            );
        }
        other => panic!("{other:?}"),
    }
}

/// Runs the part in mounts of its own that a script makes.
#[expect(
    clippy::disallowed_methods,
    reason = "the harness itself is not a command"
)]
fn play(part: &str, mounts: &str) -> String {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let uppers = directory.path().join("place");
    fs::create_dir(&uppers).unwrap();
    let program = std::env::current_exe().unwrap();
    let script = format!(
        "set -e; place={}; {mounts}; {PART}=\"{part} $place\" exec {} --exact processes::trials::part --nocapture",
        uppers.display(),
        program.display()
    );
    let output = std::process::Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .env_remove("TMPDIR")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = said.lines().find_map(|line| line.strip_prefix("found "));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(found.is_some(), "{said}{error}");
    found.unwrap().to_owned()
}

/// Fills a small file system to the last byte.
const FULL: &str =
    "mount -t tmpfs -o size=64k none $at; dd if=/dev/zero of=$at/fill bs=4k 2> /dev/null || true";

#[test]
fn on_a_full_disk_no_level_is_found() {
    let mounts = format!("for at in /tmp /var/tmp /dev/shm; do {FULL}; done");
    let found = play("probe", &mounts);
    assert!(
        found.starts_with("Err(ProbeError") && found.contains("No space left"),
        "{found}"
    );
    let full = play("overlay", &format!("at=$place; {FULL}"));
    assert!(
        full.starts_with("Err(Inconclusive") && full.contains("No space left"),
        "{full}"
    );
}

#[test]
fn above_an_overlay_an_upper_layer_does_not_work() {
    let mounts = "mount -t tmpfs none $place; cd $place; mkdir lower upper work merged; \
                  mount -t overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work none merged; \
                  place=$place/merged";
    let found = play("overlay", mounts);
    assert!(found.starts_with("Err(Fails"), "{found}");
}

//! Attacks on files.

use crate::attacks::host::{Function, Host};
use crate::attacks::outcome::{ALL, Attack, By, MOUNTS, NOTHING, check};

pub(crate) const ATTACKS: &[(&str, Function)] = &[
    ("journal", journal),
    ("plan", plan),
    ("plan-replaced", plan_replaced),
    ("unmount", unmount),
    ("nested-unmount", nested_unmount),
    ("hard-link", hard_link),
    ("renamed-parent", renamed_parent),
    ("outside", outside),
    ("symlink", symlink),
    ("real-home", real_home),
];

fn attack(name: &'static str, stopped_by: &'static [signoff_sandbox::Level]) -> Attack {
    Attack {
        name,
        by: By::Anybody,
        stopped_by,
    }
}

fn journal(host: &Host) -> bool {
    host.run("echo evil >> .signoff/journal; echo evil > .signoff/new; rm -rf .signoff");
    host.is_changed("tree/.signoff/journal") || !host.path("tree/.signoff/journal").exists()
}

#[test]
fn writes_the_journal() {
    check(&attack("journal", MOUNTS));
}

fn plan(host: &Host) -> bool {
    host.run("echo '- [x] evil ✅' >> plan.md");
    host.is_changed("tree/plan.md")
}

#[test]
fn writes_a_mark_into_the_plan() {
    check(&attack("plan", MOUNTS));
}

fn plan_replaced(host: &Host) -> bool {
    host.run("echo evil > other; mv -f other plan.md; rm -f plan.md; mv plan.md gone; ln -f other plan.md");
    host.read("tree/plan.md") != "true\n"
}

#[test]
fn puts_another_file_in_place_of_the_plan() {
    check(&attack("plan-replaced", MOUNTS));
}

fn unmount(host: &Host) -> bool {
    host.run(
        "umount .signoff; umount -l .signoff; mount -o remount,rw,bind .signoff; mount -o remount,rw /; \
         unshare -Urm umount .signoff; echo evil >> .signoff/journal",
    );
    host.is_changed("tree/.signoff/journal")
}

#[test]
fn unmounts_what_protects_the_journal() {
    check(&attack("unmount", MOUNTS));
}

/// With namespaces of its own, in which it has every right.
fn nested_unmount(host: &Host) -> bool {
    let mut command = host.command(
        "unshare -Urm sh -c 'umount .signoff; umount -l .signoff; mount -o remount,rw,bind .signoff; \
         mount -o remount,rw /; echo evil >> .signoff/journal'; echo evil >> .signoff/journal",
    );
    let policy = command.policy.as_mut().unwrap();
    policy.nesting = signoff_sandbox::Nesting::Allowed;
    host.sandbox.run(command).unwrap();
    host.is_changed("tree/.signoff/journal")
}

#[test]
fn unmounts_from_a_sandbox_of_its_own() {
    check(&attack("nested-unmount", MOUNTS));
}

fn hard_link(host: &Host) -> bool {
    host.run("echo evil >> link");
    host.is_changed("tree/.signoff/journal")
}

/// A link that was there before is another name for the same file. Whoever protects a file has to hash it.
#[test]
fn writes_through_a_prepared_hard_link() {
    check(&attack("hard-link", NOTHING));
}

fn renamed_parent(host: &Host) -> bool {
    host.run("mv docs old; mkdir docs; echo evil > docs/protected.md");
    host.is_changed("tree/docs/protected.md")
}

/// What is protected goes with its directory, and another one takes its place. Whoever protects a file that does not
/// lie directly below something writable has to hash it.
#[test]
fn renames_the_directory_of_a_protected_file() {
    check(&attack("renamed-parent", NOTHING));
}

fn outside(host: &Host) -> bool {
    host.run("echo evil > ../outside/file; echo evil > ../outside/new");
    host.is_changed("outside/file") || host.is_changed("outside/new")
}

#[test]
fn writes_beside_the_tree() {
    check(&attack("outside", ALL));
}

fn symlink(host: &Host) -> bool {
    host.run("ln -s \"$PLACE/outside\" way; echo evil > way/file; ln -s \"$PLACE/outside/file\" f; echo evil > f");
    host.is_changed("outside/file")
}

#[test]
fn writes_through_a_symbolic_link() {
    check(&attack("symlink", ALL));
}

fn real_home(host: &Host) -> bool {
    // The control that the private one is writable is part of it.
    let ended =
        host.run("echo fine > \"$HOME/.profile\" && echo evil > \"$PLACE/outside/.profile\"");
    assert_eq!(
        host.read("home/.profile"),
        "fine\n",
        "{}",
        ended.stderr.text()
    );
    host.is_changed("outside/.profile")
}

#[test]
fn writes_to_another_home() {
    check(&attack("real-home", ALL));
}

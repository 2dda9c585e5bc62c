//! Attacks with the rights of root, which outlast its capabilities.

use signoff_sandbox::Level;

use crate::attacks::host::{Function, Host};
use crate::attacks::outcome::{ALL, Attack, By, check};
use crate::attacks::tool::{call, reached};

pub(crate) const ATTACKS: &[(&str, Function)] = &[
    ("device", device),
    ("kernel-setting", kernel_setting),
    ("kernel-setting-nested", kernel_setting_nested),
    ("capability", capability),
    ("namespaces", namespaces),
    ("machine-file", machine_file),
    ("machine-file-nested", machine_file_nested),
    ("system-call", system_call),
    ("own-mark", own_mark),
];

fn attack(name: &'static str, stopped_by: &'static [Level]) -> Attack {
    Attack {
        name,
        by: By::Root,
        stopped_by,
    }
}

/// Opens, and writes nothing: it is the machine's own.
fn opens(host: &Host, path: &str) -> bool {
    let ended = host.run(&format!(": >> {path} && echo opened"));
    ended.stdout.text().contains("opened")
}

fn device(host: &Host) -> bool {
    let ended = host.run("[ -c /dev/kmsg ] && : >> /dev/kmsg && echo opened");
    ended.stdout.text().contains("opened")
}

#[test]
fn opens_a_device_of_the_machine() {
    check(&attack("device", ALL));
}

fn kernel_setting(host: &Host) -> bool {
    opens(host, "/proc/sys/kernel/core_pattern") || opens(host, "/proc/sysrq-trigger")
}

#[test]
fn changes_the_kernel() {
    check(&attack("kernel-setting", ALL));
}

fn kernel_setting_nested(host: &Host) -> bool {
    let mut command = host.command(": >> /proc/sys/kernel/core_pattern && echo opened");
    command.policy.as_mut().unwrap().nesting = signoff_sandbox::Nesting::Allowed;
    let ended = host.sandbox.run(command).unwrap();
    ended.stdout.text().contains("opened")
}

#[test]
fn changes_the_kernel_where_sandboxes_are_allowed() {
    check(&attack("kernel-setting-nested", ALL));
}

/// Opens everything of the kernel's that is writable for its user, until something opens.
const OPEN_ANY: &str = "find /proc /sys -type f -perm /222 -not -path '/proc/[0-9]*' -not -path '/proc/self/*' \
    -not -path '/proc/thread-self/*' 2> /dev/null | while read -r file; do \
    { true >> \"$file\"; } 2> /dev/null && echo \"opened $file\" && break; done";

fn machine_file(host: &Host) -> bool {
    host.run(OPEN_ANY).stdout.text().contains("opened")
}

#[test]
fn writes_to_a_file_of_the_machine() {
    check(&attack("machine-file", ALL));
}

fn machine_file_nested(host: &Host) -> bool {
    let mut command = host.command(OPEN_ANY);
    command.policy.as_mut().unwrap().nesting = signoff_sandbox::Nesting::Allowed;
    let ended = host.sandbox.run(command).unwrap();
    println!("{}", ended.stdout.text());
    ended.stdout.text().contains("opened")
}

#[test]
fn writes_to_a_file_of_the_machine_where_sandboxes_are_allowed() {
    check(&attack("machine-file-nested", ALL));
}

/// Talks to a part of the kernel that no agent needs.
fn system_call(host: &Host) -> bool {
    reached(&host.run(&call("keys")))
}

#[test]
fn calls_what_nobody_needs() {
    check(&Attack {
        by: By::Anybody,
        ..attack("system-call", ALL)
    });
}

/// Removes the mark of its run, by which it is found after a crash. Where it has a process namespace of its own it
/// dies with the harness anyway.
fn own_mark(host: &Host) -> bool {
    let mut command = host.command("ulimit -m 1000 && echo removed");
    command.argv[0] = "/bin/bash".into();
    let ended = host.sandbox.run(command).unwrap();
    ended.stdout.text().contains("removed")
}

#[test]
fn removes_its_own_mark() {
    check(&Attack {
        by: By::Anybody,
        ..attack("own-mark", ALL)
    });
}

/// In which it would have every right, and more of the kernel to attack.
fn namespaces(host: &Host) -> bool {
    let ended = host.run("unshare -U true && echo made");
    ended.stdout.text().contains("made")
}

#[test]
fn makes_namespaces() {
    check(&Attack {
        by: By::Anybody,
        ..attack("namespaces", ALL)
    });
}

fn capability(host: &Host) -> bool {
    let ended = host.run("cat /proc/self/status");
    let text = ended.stdout.text();
    let lines = text.lines().filter(|line| line.starts_with("Cap"));
    lines
        .into_iter()
        .any(|line| !line.ends_with("0000000000000000"))
}

#[test]
fn keeps_a_capability() {
    check(&attack("capability", ALL));
}

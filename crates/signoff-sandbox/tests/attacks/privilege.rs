//! Attacks with the rights of root, which outlast its capabilities.

use signoff_sandbox::Level;

use crate::outcome::{ALL, Attack, By, MOUNTS, check};
use crate::player::{Function, Host};

pub(crate) const ATTACKS: &[(&str, Function)] = &[
    ("device", device),
    ("kernel-setting", kernel_setting),
    ("kernel-setting-nested", kernel_setting_nested),
    ("capability", capability),
    ("namespaces", namespaces),
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

/// In which it would have every right, and more of the kernel to attack.
fn namespaces(host: &Host) -> bool {
    let ended = host.run("unshare -U true && echo made");
    ended.stdout.text().contains("made")
}

#[test]
fn makes_namespaces() {
    check(&Attack {
        by: By::Anybody,
        ..attack("namespaces", MOUNTS)
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

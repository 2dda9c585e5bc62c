//! A harness inside of a command of another one: it gets what is left, and says why it is not more.

use signoff_sandbox::{Level, Nesting};

use crate::attacks::host::{Function, Host};
use crate::attacks::outcome::{Attack, By, check};
use crate::attacks::tool::call;

pub(crate) const ATTACKS: &[(&str, Function)] = &[
    ("inner-denied", |host| inner(host, Nesting::Denied)),
    ("inner-allowed", |host| inner(host, Nesting::Allowed)),
];

/// Says whether a harness inside gets namespaces. Where it does not, it says why, and has something else.
fn inner(host: &Host, nesting: Nesting) -> bool {
    let mut command = host.command(&call("probe"));
    command.policy.as_mut().unwrap().nesting = nesting;
    command.policy.as_mut().unwrap().temp = Some(host.path("temp"));
    if !host.level.uses_mounts() {
        let temp = host.path("temp");
        command.env.push(("TMPDIR".into(), temp.into()));
    }
    let said = host.sandbox.run(command).unwrap().stdout.text();
    let found = said.lines().find_map(|line| line.strip_prefix("level "));
    match found {
        Some("namespaces") => true,
        Some("landlock" | "bubblewrap") => {
            assert!(said.contains("namespaces: cannot confine"), "{said}");
            false
        }
        _ => panic!("{said}"),
    }
}

#[test]
fn a_harness_that_may_not_make_namespaces() {
    check(&Attack {
        name: "inner-denied",
        by: By::Anybody,
        stopped_by: &[Level::Namespaces, Level::Bubblewrap, Level::Landlock],
    });
}

#[test]
fn a_harness_that_may() {
    check(&Attack {
        name: "inner-allowed",
        by: By::Ordinary,
        stopped_by: &[Level::Landlock],
    });
}

//! Attacks of code under test on the process that started it and judges it.

use signoff_sandbox::{Level, Tracing};

use crate::attacks::host::{Function, Host};
use crate::attacks::outcome::{ALL, Attack, By, NOTHING, check};
use crate::attacks::tool::{call, reached};

pub(crate) const ATTACKS: &[(&str, Function)] = &[
    ("attach", |host| judged(host, "attach", Tracing::Denied)),
    ("seize", |host| judged(host, "seize", Tracing::Denied)),
    ("write-memory", |host| {
        judged(host, "write-memory", Tracing::Denied)
    }),
    ("memory-file", |host| {
        judged(host, "memory-file", Tracing::Denied)
    }),
    ("take-descriptor", |host| {
        judged(host, "take-descriptor", Tracing::Denied)
    }),
    ("take-descriptor-of-agent", |host| {
        judged(host, "take-descriptor", Tracing::Allowed)
    }),
    ("debugger", |host| judged(host, "attach", Tracing::Allowed)),
];

/// Says whether what a process starts gets hold of it.
fn judged(host: &Host, how: &str, tracing: Tracing) -> bool {
    let mut command = host.command(&call(&format!("judge {how}")));
    command.policy.as_mut().unwrap().tracing = tracing;
    reached(&host.sandbox.run(command).unwrap())
}

fn attack(name: &'static str, stopped_by: &'static [Level]) -> Attack {
    Attack {
        name,
        by: By::Anybody,
        stopped_by,
    }
}

#[test]
fn traces_its_judge() {
    check(&attack("attach", ALL));
    check(&attack("seize", ALL));
}

#[test]
fn writes_to_the_memory_of_its_judge() {
    check(&attack("write-memory", ALL));
}

#[test]
fn writes_to_the_memory_of_its_judge_by_a_file() {
    check(&attack("memory-file", ALL));
}

#[test]
fn takes_a_descriptor_of_its_judge() {
    check(&attack("take-descriptor", ALL));
}

#[test]
fn an_agent_takes_a_descriptor() {
    check(&attack("take-descriptor-of-agent", ALL));
}

/// Not an attack: an agent debugs what it started.
#[test]
fn an_agent_can_trace_its_own() {
    check(&attack("debugger", NOTHING));
}

//! The agents that people have do their work inside the sandbox, and fail there, against a model on loopback.
//!
//! Only where they are: `SIGNOFF_TEST_AGENTS` names the directory of their programs. `cargo xtask test` installs three of
//! them; `cargo xtask soak` all five, and tries every case with every one.

mod acp;
mod drafting;
mod failing;
mod guarding;
mod hooks;
mod limits;
mod planning;
mod probing;
mod tools;
mod whole_loop;
mod working;
mod world;

use signoff_stub::{Reply, Script, Turn};
use signoff_testkit::Output;

use self::world::{Setup, World};
use crate::support::test_agents::agents;

/// The attempt is the last one.
const ONCE: &str = "**on_fail:** abort";

fn shell(command: &str) -> Turn {
    let command = command.to_owned();
    Reply::Shell { command }.into()
}

fn say(text: &str) -> Turn {
    Reply::Text(text.to_owned()).into()
}

/// A model that has the agent do the task.
fn makes_it() -> Script {
    Script::new([shell("echo made > made.txt"), say("I made made.txt.")])
}

/// How a run of one agent ends.
#[derive(Debug, Clone, Copy)]
struct Expected<'a> {
    code: i32,
    /// The agent made what the task asks for.
    made: bool,
    /// What is said on the way.
    says: &'a [&'a str],
}

/// Runs the plan with each of these agents.
#[track_caller]
fn check(quick: &[&'static str], setup: Setup<'_>, script: &Script, expected: Expected<'_>) {
    for agent in agents(quick) {
        check_one(agent, setup, script, expected);
    }
}

#[track_caller]
fn check_one(
    agent: &'static str,
    setup: Setup<'_>,
    script: &Script,
    expected: Expected<'_>,
) -> (World, Output) {
    let world = World::new(agent, setup, script.clone());
    let ran = world.run();
    ran.assert_code(expected.code);
    assert_eq!(
        world.project.exists("made.txt"),
        expected.made,
        "{agent}: {ran}"
    );
    for words in expected.says {
        ran.assert_stderr_contains(words);
    }
    assert_eq!(world.leftovers(), Vec::<String>::new(), "{agent}: {ran}");
    (world, ran)
}

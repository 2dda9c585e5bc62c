//! Agents that are spoken with: over ACP they work, and ask.

use super::{Expected, ONCE, Setup, World, agents, check_one, makes_it};
use crate::support::{events, first_item_id};

/// How an agent is started so that it speaks ACP; nothing if it cannot by itself.
fn command(agent: &str) -> Option<&'static [&'static str]> {
    match agent {
        "gemini" => Some(&["gemini", "--acp"]),
        "opencode" => Some(&["opencode", "acp"]),
        _ => None,
    }
}

#[test]
fn an_agent_that_speaks_acp_works_in_the_sandbox() {
    for agent in agents(&["gemini"]) {
        let Some(acp) = command(agent) else {
            continue;
        };
        let setup = Setup {
            step: ONCE,
            acp,
            ..Setup::default()
        };
        let expected = Expected {
            code: 0,
            made: true,
            says: &[],
        };
        let (world, ran) = check_one(agent, setup, &makes_it(), expected);
        assert_eq!(world.step()["evidence"], "proved", "{agent}: {ran}");
    }
}

#[test]
fn without_a_sandbox_a_person_is_asked_about_a_command() {
    for agent in agents(&["gemini"]) {
        // opencode asks nobody by default.
        let Some(acp) = command(agent).filter(|_| agent != "opencode") else {
            continue;
        };
        for (answer, code) in [("allow", 0), ("deny", 1)] {
            let setup = Setup {
                step: ONCE,
                acp,
                role: "\n[sandbox]\nmode = 'off'\n",
                ..Setup::default()
            };
            let world = World::new(agent, setup, makes_it());
            let mut running = world.project.spawn(["run", "plan.md", "--approve"]);
            let items = || world.project.json(["inbox"])["items"][0]["id"].clone();
            assert!(running.wait_until(|| items().is_string()), "{agent}");
            let item = first_item_id(&world.project);
            world
                .project
                .signoff(["answer", &item, answer])
                .assert_success();
            let ran = running.wait();
            ran.assert_code(code);
            assert_eq!(
                world.project.exists("made.txt"),
                code == 0,
                "{agent}: {ran}"
            );
            let asked = &events(&world.project, "inbox_opened")[0];
            let question = asked["question"].as_str().unwrap_or_default();
            assert!(question.contains("echo made"), "{agent}: {asked}");
        }
    }
}

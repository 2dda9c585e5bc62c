//! Agents that are stopped: by a budget, and by the end of the harness.

use signoff_stub::{Reply, Script, Usage};
use signoff_testkit::Output;

use super::{Setup, World, agents, say, shell};
use crate::support::{events, only_item};

/// Two thousand tokens.
const ANSWER: Usage = Usage {
    input: 1900,
    cached: 0,
    output: 100,
};

/// An agent whose third answer goes over the limit, and asks for something that takes long.
fn over_budget(agent: &'static str, first: &str) -> (World, Output) {
    let turns = [
        shell(first),
        shell("true"),
        shell("sleep 15"),
        say("I worked."),
    ];
    let script = Script::new(turns.map(|turn| turn.with_usage(ANSWER)));
    let setup = Setup {
        plan: "**Budget:** max 5k tokens",
        ..Setup::default()
    };
    let world = World::new(agent, setup, script);
    let ran = world.run();
    let ended = events(&world.project, "work_finished");
    assert_eq!(ended.len(), 1, "{agent}: {ran}");
    assert_eq!(ended[0]["ended"], "over_budget", "{agent}: {ended:?}");
    assert_eq!(world.prompts().len(), 3, "{agent}: {ran}");
    // What the third answer took is told in parts, and it may be stopped in between.
    let tokens = world.step()["usage"]["tokens"].as_u64();
    let is_told = tokens.is_some_and(|tokens| (5_001..=6_000).contains(&tokens));
    assert!(is_told, "{agent}: {ran}");
    assert_eq!(world.leftovers(), Vec::<String>::new(), "{agent}: {ran}");
    (world, ran)
}

/// Does it tell what it used before its end?
fn tells_early(agent: &str) -> bool {
    !["codex", "gemini"].contains(&agent)
}

fn agents_that_tell(quick: &[&'static str]) -> Vec<&'static str> {
    let mut agents = agents(quick);
    agents.retain(|agent| tells_early(agent));
    agents
}

#[test]
fn an_agent_over_its_budget_is_stopped_and_its_work_is_judged() {
    for agent in agents_that_tell(&["claude", "pi"]) {
        let (world, ran) = over_budget(agent, "echo made > made.txt");
        ran.assert_success();
        assert_eq!(world.step()["status"], "completed", "{agent}: {ran}");
    }
}

#[test]
fn over_its_budget_and_not_done_a_person_is_asked() {
    for agent in agents_that_tell(&["pi"]) {
        let (world, ran) = over_budget(agent, "true");
        ran.assert_code(3);
        let item = only_item(&world.project);
        let question = item["question"].as_str().unwrap_or_default();
        assert!(
            question.starts_with("budget used up: 6k of 5k tokens"),
            "{agent}: {item}"
        );
    }
}

#[test]
fn a_killed_harness_leaves_nothing_and_forgets_no_tokens() {
    for agent in agents(&["claude", "pi"]) {
        let tells = tells_early(agent);
        // The first attempt does nothing and hangs.
        let nothing = Reply::Shell {
            command: "true".to_owned(),
        };
        let script = Script::new([
            shell("echo made > made.txt").after_failures([nothing]),
            say("I made it.").after_failures([Reply::Hang]),
        ]);
        let world = World::new(agent, Setup::default(), script);
        let mut running = world.project.spawn(["run", "plan.md", "--approve"]);
        let hangs =
            running.wait_until(|| world.prompts().len() > 1 && (!tells || world.has_told_usage()));
        assert!(hangs, "{agent}: {}", running.wait());
        running.kill();
        let resumed = world.project.signoff(["resume"]);
        resumed.assert_success();
        assert_eq!(
            world.leftovers(),
            Vec::<String>::new(),
            "{agent}: {resumed}"
        );
        let cut_off = events(&world.project, "attempt_interrupted");
        assert_eq!(cut_off.len(), 1, "{agent}: {resumed}");
        if !tells {
            continue;
        }
        let used = &cut_off[0]["report"]["usage"][0];
        assert_eq!(used["input_tokens"], 1000, "{agent}: {cut_off:?}");
        // One answer before the crash, two after it.
        assert_eq!(world.step()["usage"]["tokens"], 3300, "{agent}: {resumed}");
    }
}

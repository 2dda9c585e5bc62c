//! Agents that are stopped: by a budget, and by the end of the harness.

use signoff_stub::{Reply, Script, Usage};

use super::{Setup, World, agents, say, shell};
use crate::support::{events, only_item};

/// Two thousand tokens.
const ANSWER: Usage = Usage {
    input: 1900,
    cached: 0,
    output: 100,
};

#[test]
fn a_budget_stops_an_agent_within_one_answer() {
    for agent in agents(&["claude", "pi"]) {
        // They tell what they used only at their end.
        if ["codex", "gemini"].contains(&agent) {
            continue;
        }
        let turns = (0..20).map(|number| shell(&format!("echo {number} >> work.txt; [ -e made.txt ] || echo made > made.txt")).using(ANSWER));
        let script = Script::new(turns.chain([say("I worked.")]));
        let setup = Setup {
            plan: "**Budget:** max 5k tokens",
            ..Setup::default()
        };
        let world = World::new(agent, setup, script);
        let ran = world.run();
        let stopped = events(&world.project, "work_finished");
        assert_eq!(stopped.len(), 1, "{agent}: {ran}");
        let ended = stopped[0].to_string();
        assert!(ended.contains("over_budget"), "{agent}: {ended}");
        // The third answer is over the limit; a fourth may be on its way when that is heard.
        let answers = world.prompts().len();
        assert!((3..=4).contains(&answers), "{agent}: {answers}");
        let tokens = world.step()["usage"]["tokens"].as_u64().unwrap_or(0);
        assert!((6000..=8000).contains(&tokens), "{agent}: {tokens}");
        // The work so far is judged: it holds.
        assert_eq!(world.step()["status"], "completed", "{agent}: {ran}");
    }
}

#[test]
fn over_budget_and_not_done_asks_a_person() {
    for agent in agents(&["pi"]) {
        if ["codex", "gemini"].contains(&agent) {
            continue;
        }
        let turns = (0..20).map(|number| shell(&format!("echo {number} >> work.txt")).using(ANSWER));
        let setup = Setup {
            plan: "**Budget:** max 5k tokens",
            ..Setup::default()
        };
        let world = World::new(agent, setup, Script::new(turns));
        let ran = world.run();
        assert_eq!(events(&world.project, "work_finished").len(), 1, "{agent}: {ran}");
        let item = only_item(&world.project);
        assert!(item.to_string().contains("budget"), "{agent}: {item}");
    }
}

#[test]
fn a_killed_harness_leaves_nothing_and_forgets_no_tokens() {
    for agent in agents(&["claude", "pi"]) {
        let script = Script::new([shell("echo wrong > made.txt"), Reply::Hang.into()]);
        let world = World::new(agent, Setup::default(), script);
        let mut running = world.project.spawn(["run", "plan.md", "--approve"]);
        let hangs = running.wait_until(|| world.prompts().len() > 1 && world.has_told_usage());
        assert!(hangs, "{agent}: {}", running.wait());
        running.kill();
        world.project.signoff(["abort"]).assert_success();
        assert_eq!(world.leftovers(), Vec::<String>::new(), "{agent}");
        let cut_off = events(&world.project, "attempt_interrupted");
        let report = &cut_off[0]["report"];
        assert!(report.to_string().contains("1000"), "{agent}: {cut_off:?}");
    }
}

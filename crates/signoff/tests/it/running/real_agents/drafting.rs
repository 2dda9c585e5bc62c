//! A real agent as the model that drafts a plan.

use signoff_stub::Script;

use super::{Setup, World, agents, say};

const PLAN: &str = "````markdown
---
type: plan
status: draft
owner: planner
---

# Make it

**Budget:** max 10k tokens

## Steps

### 1. Make it

**task:** Write `made` into `made.txt`.

**contract:**
```shell
grep -q made made.txt
```
````
";

#[test]
fn an_agent_drafts_a_plan_and_changes_nothing() {
    for agent in agents(&["claude"]) {
        let script = Script::new([say(PLAN)]);
        let world = World::new(agent, Setup::default(), script);
        let planned = world.project.json(["plan", "make it"]);
        assert_eq!(planned["outcome"], "verified", "{agent}: {planned}");
        assert!(planned["tokens"].as_u64() > Some(0), "{agent}: {planned}");
        assert!(!world.project.exists("made.txt"), "{agent}");
        let asked = world.stub.requests();
        let prompts = asked.iter().filter_map(|request| request.prompt.as_ref());
        let tools: Vec<&String> = prompts.flat_map(|prompt| &prompt.tools).collect();
        // What it is told to leave alone it is not even given.
        let changes = |tool: &&String| ["Bash", "Write", "Edit"].contains(&tool.as_str());
        assert!(!tools.is_empty(), "{agent}");
        assert!(!tools.into_iter().any(|tool| changes(&tool)), "{agent}");
        assert_eq!(world.leftovers(), Vec::<String>::new(), "{agent}");
    }
}

/// The agent changes nothing about how its model's answer is taken: whole and checked, or not at all.
#[test]
fn what_an_agent_says_is_a_whole_plan_or_none() {
    let cut = &PLAN[..PLAN.len() - 40];
    let bare = PLAN.replace("````markdown\n", "").replace("````\n", "");
    for (answer, expected) in [
        (say(cut), "ends before its end"),
        (say(&format!("{PLAN}\n{PLAN}")), "several plans"),
        (say(&bare), "nothing marks the end of the plan"),
    ] {
        for agent in agents(&["claude"]) {
            let setup = Setup {
                role: "\n[llm]\nmax_rounds = 1\n",
                ..Setup::default()
            };
            let world = World::new(agent, setup, Script::new([answer.clone()]));
            let planned = world.project.signoff(["plan", "make it"]);
            assert_eq!(planned.code, Some(1), "{agent}: {planned}");
            assert!(planned.stderr.contains(expected), "{agent}: {planned}");
            assert_eq!(world.leftovers(), Vec::<String>::new(), "{agent}");
        }
    }
}

#[test]
fn an_agent_that_is_spoken_with_drafts_too() {
    for agent in agents(&["gemini"]) {
        if agent != "gemini" {
            continue;
        }
        let setup = Setup {
            acp: &["gemini", "--acp"],
            ..Setup::default()
        };
        let world = World::new(agent, setup, Script::new([say(PLAN)]));
        let planned = world.project.json(["plan", "make it"]);
        assert_eq!(planned["outcome"], "verified", "{planned}");
        assert_eq!(world.leftovers(), Vec::<String>::new());
    }
}

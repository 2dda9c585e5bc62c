//! The tools of an agent in a signed run, with the agents themselves.

use std::fs;

use serde_json::json;
use signoff_stub::{Reply, Script, Turn};

use super::{Setup, World, agents, say};
use crate::support::events;
use crate::support::shop::{self, KEY, orders};

/// The model calls a tool of a server.
fn calls(tool: &str) -> Turn {
    Reply::Tool {
        name: tool.to_owned(),
        arguments: json!({"item": "tea"}),
    }
    .into()
}

/// A world with a shop, whose step has these tools.
fn world(agent: &'static str, tools: &str, script: Script) -> World {
    let step = format!("**tools:** {tools}\n**on_fail:** abort");
    let setup = Setup {
        step: &step,
        ..Setup::default()
    };
    let mut world = World::new(agent, setup, script);
    world.project = world.project.env("SHOP_API_KEY", KEY);
    let config = world.project.home().join(".config/signoff/config.toml");
    let text = fs::read_to_string(&config).expect("it was written");
    fs::write(&config, format!("{text}\n{}", shop::open(&world.project))).expect("a home");
    world
}

fn called(world: &World) -> Vec<String> {
    let events = events(&world.project, "agent_call_started").into_iter();
    let tools = events.filter_map(|event| event["call"]["tool"].as_str().map(str::to_owned));
    tools.collect()
}

#[test]
fn a_server_tool_in_the_scope_works_and_is_journaled() {
    for agent in agents(&["claude"]) {
        // Codex declares such tools only after a search.
        let tool = if agent == "codex" {
            "mcp__shop__order"
        } else {
            "order"
        };
        let script = Script::new([
            calls(tool),
            super::shell("echo made > made.txt"),
            say("I ordered it."),
        ]);
        let world = world(agent, "run_command, shop.order", script);
        let ran = world.run();
        ran.assert_code(0);
        assert_eq!(orders(&world.project), 1, "{agent}: {ran}");
        assert_eq!(called(&world), ["shop.order"], "{agent}: {ran}");
        let prompts = world.prompts().concat();
        assert!(prompts.contains("ordered it"), "{agent}: {prompts}");
        // The other tools of the server are not offered.
        assert!(!prompts.contains("Burns it down"), "{agent}: {prompts}");
    }
}

#[test]
fn a_tool_outside_the_scope_is_denied() {
    // With the tool on its own list, only the hook is left to deny it: the person's own arguments win over ours.
    for agent in agents(&["claude"]) {
        let own: &[&str] = match agent {
            "claude" => &[
                "claude",
                "--tools",
                "Bash,Read",
                "--allowedTools",
                "Bash,Read",
            ],
            "pi" => &["pi", "--tools", "bash,read"],
            "codex" => &["codex"],
            // Their rules are not on the command line, and hold as well.
            _ => &[],
        };
        let step = "**tools:** read_file\n**on_fail:** abort";
        let role = match own {
            [] => String::new(),
            own => format!("command = {own:?}\n"),
        };
        let setup = Setup {
            step,
            role: &role,
            ..Setup::default()
        };
        let world = World::new(agent, setup, super::makes_it());
        let ran = world.run();
        assert_ne!(ran.code, Some(0), "{agent}: {ran}");
        assert!(!world.project.exists("made.txt"), "{agent}: {ran}");
        if own.is_empty() {
            continue;
        }
        let finished = &events(&world.project, "work_finished")[0];
        let denied = finished["report"]["denied"].as_array().map(Vec::len);
        assert!(denied.is_some_and(|count| count > 0), "{agent}: {finished}");
    }
}

//! Hooks that a person has for an agent, in a home that the agent does not see.

use std::fs;

use serde_json::{Value, json};

use super::{ONCE, Setup, World, agents, makes_it};

#[test]
fn one_whose_script_is_not_in_the_sandbox_blocks_nothing_and_is_named() {
    for agent in agents(&["claude"]) {
        let (settings, event) = match agent {
            "claude" => (".claude/settings.json", "PreToolUse"),
            "gemini" => (".gemini/settings.json", "BeforeTool"),
            // They have none, or do not start them here.
            _ => continue,
        };
        let setup = Setup {
            step: ONCE,
            ..Setup::default()
        };
        let world = World::new(agent, setup, makes_it());
        let home = world.project.home();
        fs::write(home.join("check.py"), "").expect("a home");
        // `python3` ends with exit code 2 without its script, which denies the tool.
        let hook = |command: &str| json!({"matcher": ".*", "hooks": [{"type": "command", "command": command}]});
        let path = home.join(settings);
        let text = fs::read_to_string(&path).expect("the stub's settings");
        let mut text: Value = serde_json::from_str(&text).expect("they are JSON");
        text["hooks"] = json!({event: [hook("python3 ~/check.py"), hook("echo ran >> hook.txt")]});
        fs::write(&path, text.to_string()).expect("a home");
        let doctor = world.project.signoff(["doctor", "agents"]);
        let ran = world.run();
        let told = format!("the hook `python3 ~/check.py` ({event}) of ~/{settings} is left out");
        ran.assert_success().assert_stderr_contains(&told);
        doctor.assert_stdout_contains(&told);
        assert_eq!(world.step()["evidence"], "proved", "{agent}: {ran}");
        let marks = fs::read_to_string(world.project.path().join("hook.txt")).unwrap_or_default();
        assert!(marks.contains("ran"), "{agent}: the other hook did not run");
    }
}

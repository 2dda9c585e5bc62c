//! Agents that work: what is proved, counted and handed to them.

use signoff_stub::{Reply, Script, Turn};

use super::{Expected, ONCE, Setup, World, agents, check, check_one, makes_it, say, shell};

const WORKS: Expected<'_> = Expected {
    code: 0,
    made: true,
    says: &[],
};

#[test]
fn work_is_proved_and_counted() {
    for agent in agents(&["claude", "gemini", "pi"]) {
        let setup = Setup {
            step: ONCE,
            // Its stream does not say which model it uses, and without that nobody knows the price.
            role: if agent == "codex" {
                "model = 'gpt-5.5'\n"
            } else {
                ""
            },
            ..Setup::default()
        };
        let (world, ran) = check_one(agent, setup, &makes_it(), WORKS);
        let step = world.step();
        assert_eq!(step["evidence"], "proved", "{agent}: {step}");
        assert_eq!(step["usage"]["tokens"], 2200, "{agent}: {step}");
        let usd = step["usage"]["usd"].as_f64();
        assert!(usd.is_some_and(|usd| usd > 0.0), "{agent}: {step}");
        assert!(
            ran.stdout.contains("2.2k tokens") || ran.stderr.contains("2.2k tokens"),
            "{ran}"
        );
    }
}

/// It installs packages for the plugin, thousands of files, beside it.
#[test]
fn what_opencode_installs_for_a_plugin_of_the_project_does_not_land() {
    for agent in agents(&[]).into_iter().filter(|agent| *agent == "opencode") {
        let world = World::new(agent, Setup::default(), makes_it());
        let plugin = ".opencode/plugins/own.ts";
        world
            .project
            .write(plugin, "export const Own = async () => ({});\n");
        let ran = world.run();
        ran.assert_success()
            .assert_stderr_contains("landed made.txt");
        assert!(world.project.exists(plugin), "{ran}");
        for installed in ["node_modules", "package.json", ".gitignore"] {
            let path = format!(".opencode/{installed}");
            assert!(!world.project.exists(&path), "{path}: {ran}");
        }
    }
}

#[test]
fn a_model_that_is_busy_for_a_while_is_asked_again() {
    let busy = Reply::Status {
        code: 429,
        retry_after: Some(0),
    };
    let script = Script::new([
        shell("echo made > made.txt").after_failures([busy.clone(), busy]),
        say("I made it."),
    ]);
    check(&["claude", "pi"], Setup::default(), &script, WORKS);
}

#[test]
fn a_retry_begins_with_the_failure() {
    // Only the first attempt makes the wrong thing: the stub counts failures over all of them.
    let wrong = Reply::Shell {
        command: "echo wrong > made.txt".to_owned(),
    };
    let script = Script::new([
        shell("echo made > made.txt").after_failures([wrong]),
        say("I made it."),
    ]);
    for agent in agents(&["claude", "pi"]) {
        let (world, ran) = check_one(agent, Setup::default(), &script, WORKS);
        assert_eq!(world.step()["attempts"], 2, "{agent}: {ran}");
        let prompts = world.prompts();
        let tells = |prompt: &String| prompt.contains("made.txt is not made");
        assert!(!prompts.first().is_some_and(tells), "{agent}");
        assert!(prompts.last().is_some_and(tells), "{agent}: {prompts:#?}");
    }
}

#[test]
fn the_model_of_a_role_is_asked_for() {
    for agent in agents(&["claude"]) {
        let model = match agent {
            // They know only models of their configuration.
            "opencode" | "pi" => "stub/stub-model",
            _ => "x-model",
        };
        let role = format!("model = '{model}'\n");
        let setup = Setup {
            step: ONCE,
            role: &role,
            ..Setup::default()
        };
        let (world, _) = check_one(agent, setup, &makes_it(), WORKS);
        let asked = world.stub.requests();
        let mut asked = asked.iter().filter_map(|request| request.prompt.as_ref());
        let name = model.rsplit('/').next().unwrap_or(model);
        assert!(asked.any(|prompt| prompt.model == name), "{agent}");
        assert_eq!(world.step()["model"], model, "{agent}");
    }
}

#[test]
fn a_tool_outside_the_scope_is_not_usable() {
    for agent in agents(&["claude", "pi"]) {
        // Codex has no other tools than its shell, so confined it is held by the sandbox only.
        if agent == "codex" {
            continue;
        }
        let setup = Setup {
            step: "**tools:** read_file\n**on_fail:** abort",
            ..Setup::default()
        };
        let world = World::new(agent, setup, makes_it());
        let ran = world.run();
        assert_ne!(ran.code, Some(0), "{agent}: {ran}");
        assert!(!world.project.exists("made.txt"), "{agent}: {ran}");
        assert!(!world.prompts().is_empty(), "{agent} did not start: {ran}");
    }
}

#[test]
fn a_flood_fills_neither_memory_nor_disk() {
    // pi repeats the whole message with every piece of it.
    let bytes = |agent| {
        if agent == "claude" {
            8 << 20
        } else {
            256 << 10
        }
    };
    for agent in agents(&["claude"]) {
        let flood = Reply::Flood {
            bytes: bytes(agent),
        };
        let script = Script::new([Turn::from(flood)]);
        let setup = Setup {
            step: ONCE,
            ..Setup::default()
        };
        let world = World::new(agent, setup, script);
        let mut running = world.project.spawn(["run", "plan.md", "--approve"]);
        let status = format!("/proc/{}/status", running.id());
        let mut peak = 0;
        running.wait_until(|| {
            peak = peak.max(peak_memory(&status));
            false
        });
        let ran = running.wait();
        assert!((1..200_000).contains(&peak), "{agent}: {peak} kB, {ran}");
        let log = std::fs::metadata(world.log()).expect("a log").len();
        assert!(log <= 65 << 20, "{agent}: {log}");
    }
}

/// In kB.
fn peak_memory(status: &str) -> u64 {
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[test]
fn a_retry_may_go_on_with_the_session() {
    // The model's answer depends on how many it gave in this conversation: a new one would hear the first again.
    let script = Script::new([
        say("I have not begun."),
        shell("echo made > made.txt"),
        say("I made it."),
    ]);
    let setup = Setup {
        role: "retry_session = 'continue'\n",
        ..Setup::default()
    };
    for agent in agents(&["claude", "pi"]) {
        if agent == "gemini" {
            // It cannot.
            continue;
        }
        let (world, ran) = check_one(agent, setup, &script, WORKS);
        assert_eq!(world.step()["attempts"], 2, "{agent}: {ran}");
        let prompts = world.prompts();
        let remembers = |prompt: &String| prompt.contains("I have not begun.");
        assert!(
            prompts.last().is_some_and(remembers),
            "{agent}: {prompts:#?}"
        );
        // What the first attempt used is not counted again.
        assert_eq!(world.step()["usage"]["tokens"], 3300, "{agent}");
    }
}

//! Gemini CLI: an extension of the person, or the settings of a project.

use serde_json::{Value, json};
use signoff_api::connect::Scope;
use signoff_plan::guard::Agent;

use super::{
    ConnectContext, HOOK_SECONDS, Integration, NAME, PlannedFile, entries, hook_entry, member,
    skill, whole_file, whole_json,
};

const CONTEXT: &str = include_str!("../../../../../integrations/gemini/GEMINI.md");
const COMMANDS: [(&str, &str); 2] = [
    (
        "plan.toml",
        include_str!("../../../../../integrations/gemini/commands/plan.toml"),
    ),
    (
        "plans.toml",
        include_str!("../../../../../integrations/gemini/commands/plans.toml"),
    ),
];

pub(super) fn integration(surroundings: &ConnectContext) -> Integration {
    match surroundings.scope {
        Scope::User => Integration {
            files: extension(surroundings),
            next: vec!["start `gemini`, and type `/signoff:plan WHAT` to plan something".to_owned()],
        },
        Scope::Project => Integration {
            files: project_files(surroundings),
            next: vec![
                "Gemini CLI reads `.gemini/` only in folders that you have trusted in Gemini CLI; in others, and with `--skip-trust`, nothing is guarded"
                    .to_owned(),
            ],
        },
    }
}

/// What calls the guard; the time is in milliseconds.
fn hook(surroundings: &ConnectContext) -> Value {
    json!({
        "name": NAME,
        "type": "command",
        "command": surroundings.hook(Agent::Gemini),
        "timeout": HOOK_SECONDS * 1000,
    })
}

fn extension(surroundings: &ConnectContext) -> Vec<PlannedFile> {
    let home = surroundings.home_directory("GEMINI_CLI_HOME", "");
    let extension = home.join(".gemini/extensions").join(NAME);
    let manifest = json!({
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Plans that a person signs before anything is changed",
        "mcpServers": {NAME: surroundings.server()},
        "contextFileName": "GEMINI.md",
    });
    let hook = hook(surroundings);
    let hooks = json!({"hooks": {
        "BeforeTool": [{"matcher": ".*", "hooks": [hook]}],
        "SessionStart": [{"hooks": [hook]}],
    }});
    let mut files = vec![
        whole_json(extension.join("gemini-extension.json"), &manifest),
        whole_json(extension.join("hooks/hooks.json"), &hooks),
        whole_file(extension.join("GEMINI.md"), CONTEXT),
        skill(extension.join("skills")),
    ];
    let commands = COMMANDS.iter();
    files.extend(
        commands.map(|(name, text)| {
            whole_file(extension.join("commands").join(NAME).join(name), *text)
        }),
    );
    files
}

fn project_files(surroundings: &ConnectContext) -> Vec<PlannedFile> {
    let gemini = surroundings.root.join(".gemini");
    let hook = hook(surroundings);
    let settings = vec![
        hook_entry("BeforeTool", json!({"matcher": ".*", "hooks": [hook]})),
        hook_entry("SessionStart", json!({"hooks": [hook]})),
        member("mcpServers", NAME, surroundings.server()),
    ];
    let mut files = vec![
        entries(gemini.join("settings.json"), settings),
        skill(gemini.join("skills")),
    ];
    let commands = COMMANDS.iter();
    files.extend(
        commands
            .map(|(name, text)| whole_file(gemini.join("commands").join(NAME).join(name), *text)),
    );
    files
}

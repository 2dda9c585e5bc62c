//! Claude Code.
//!
//! The hooks stand in `settings.json` in both scopes: every version reads them there, also where nobody has trusted the
//! directory. `UserPromptSubmit` is there because plan mode may be switched on during a session. The rest is a plugin in the person's skills, which plain `claude` loads, and single files in a project: a
//! plugin of a project is not loaded before the directory is trusted (all tried with 2.1.197).

use serde_json::{Value, json};
use signoff_api::connect::Scope;
use signoff_plan::guard::Agent;
use signoff_work::settings::json::Entry;

use super::{
    ConnectContext, HOOK_SECONDS, Integration, NAME, PlannedFile, commands, entries, hook_entry,
    member, skill, whole_file, whole_json,
};

const MANIFEST: &str = include_str!("../../../../../integrations/claude/plugin.json");

pub(super) fn integration(surroundings: &ConnectContext) -> Integration {
    let mut files = match surroundings.scope {
        Scope::User => plugin(surroundings),
        Scope::Project => project_files(surroundings),
    };
    let settings = match surroundings.scope {
        Scope::User => surroundings.home_directory("CLAUDE_CONFIG_DIR", ".claude"),
        Scope::Project => surroundings.root.join(".claude"),
    };
    files.insert(
        0,
        entries(settings.join("settings.json"), hooks(surroundings)),
    );
    Integration {
        files,
        next: vec![
            "start `claude`, and type `/signoff:plan WHAT` to plan something; Shift-Tab switches plan mode".to_owned(),
            "`claude --bare` skips hooks, and so the guard".to_owned(),
        ],
    }
}

fn hooks(surroundings: &ConnectContext) -> Vec<Entry> {
    let hook = json!({
        "type": "command",
        "command": surroundings.hook(Agent::Claude),
        "timeout": HOOK_SECONDS,
    });
    let every = |matcher: Option<&str>| match matcher {
        Some(matcher) => json!({"matcher": matcher, "hooks": [hook]}),
        None => json!({"hooks": [hook]}),
    };
    vec![
        hook_entry("PreToolUse", every(Some("*"))),
        hook_entry("PermissionRequest", every(Some("ExitPlanMode"))),
        hook_entry("SessionStart", every(None)),
        hook_entry("UserPromptSubmit", every(None)),
    ]
}

fn plugin(surroundings: &ConnectContext) -> Vec<PlannedFile> {
    let claude = surroundings.home_directory("CLAUDE_CONFIG_DIR", ".claude");
    let plugin = claude.join("skills").join(NAME);
    let servers: Value = json!({"mcpServers": {NAME: surroundings.server()}});
    let mut files = vec![
        whole_file(plugin.join(".claude-plugin/plugin.json"), MANIFEST),
        whole_json(plugin.join(".mcp.json"), &servers),
        skill(plugin.join("skills")),
    ];
    files.extend(commands(plugin.join("commands"), ""));
    files
}

fn project_files(surroundings: &ConnectContext) -> Vec<PlannedFile> {
    let root = &surroundings.root;
    let server = member("mcpServers", NAME, surroundings.server());
    let mut files = vec![
        entries(root.join(".mcp.json"), vec![server]),
        skill(root.join(".claude/skills")),
    ];
    files.extend(commands(root.join(".claude/commands").join(NAME), ""));
    files
}

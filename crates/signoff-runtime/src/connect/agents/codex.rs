//! Codex CLI: an MCP server in `config.toml`, hooks in `hooks.json`, the skill and custom prompts.

use serde_json::json;
use signoff_api::connect::Scope;
use signoff_plan::guard::Agent;
use signoff_work::settings::toml::Section;

use super::{
    ConnectContext, FileContent, HOOK_SECONDS, Integration, NAME, PlannedFile, commands, entries,
    hook_entry, skill,
};

pub(super) fn integration(surroundings: &ConnectContext) -> Integration {
    let codex = match surroundings.scope {
        Scope::User => surroundings.home_directory("CODEX_HOME", ".codex"),
        Scope::Project => surroundings.root.join(".codex"),
    };
    let hook = json!({
        "type": "command",
        "command": surroundings.hook(Agent::Codex),
        "timeout": HOOK_SECONDS,
    });
    let hooks = ["PreToolUse", "SessionStart"];
    let hooks = hooks.map(|event| hook_entry(event, json!({"hooks": [hook]})));
    let server = PlannedFile {
        path: codex.join("config.toml"),
        content: FileContent::Toml(server(surroundings)),
    };
    let mut files = vec![
        entries(codex.join("hooks.json"), hooks.to_vec()),
        server,
        // Codex reads skills from here in both scopes.
        skill(surroundings.root.join(".agents/skills")),
    ];
    let mut next = vec![
        "Codex runs hooks only after you have reviewed them: start `codex`, type `/hooks`, and trust those of Signoff. Until then nothing is guarded".to_owned(),
    ];
    match surroundings.scope {
        Scope::User => files.extend(commands(codex.join("prompts"), "signoff-")),
        Scope::Project => next.push(
            "Codex reads `.codex/` only in directories that you have trusted in Codex".to_owned(),
        ),
    }
    Integration { files, next }
}

fn server(surroundings: &ConnectContext) -> Section {
    Section {
        path: ["mcp_servers".to_owned(), NAME.to_owned()],
        members: vec![
            ("command".to_owned(), surroundings.program().into()),
            ("args".to_owned(), vec!["mcp"].into()),
        ],
    }
}

//! opencode: a plugin that throws where the guard denies, an MCP server in its configuration, commands and the skill.

use std::path::PathBuf;

use serde_json::json;
use signoff_api::connect::Scope;

use super::{ConnectContext, Integration, NAME, commands, entries, member, skill, whole_file};

const PLUGIN: &str = include_str!("../../../../../integrations/opencode/signoff.ts");

pub(super) fn integration(surroundings: &ConnectContext) -> Integration {
    let (settings, directory) = match surroundings.scope {
        Scope::User => {
            let config = surroundings.home_directory("XDG_CONFIG_HOME", ".config");
            let directory = config.join("opencode");
            (directory.clone(), directory)
        }
        Scope::Project => {
            let root = surroundings.root.clone();
            (root.clone(), root.join(".opencode"))
        }
    };
    let server = json!({
        "type": "local",
        "command": [surroundings.program(), "mcp"],
        "enabled": true,
    });
    let mut files = vec![
        whole_file(
            directory.join("plugins/signoff.ts"),
            surroundings.script(PLUGIN),
        ),
        entries(settings_file(settings), vec![member("mcp", NAME, server)]),
        skill(directory.join("skills")),
    ];
    files.extend(commands(directory.join("commands"), "signoff-"));
    Integration {
        files,
        next: vec![
            "start `opencode`, and type `/signoff-plan WHAT` to plan something".to_owned(),
            "`opencode --pure` loads no plugins, and so no guard".to_owned(),
        ],
    }
}

/// The one that is there; opencode reads both.
fn settings_file(directory: PathBuf) -> PathBuf {
    let with_comments = directory.join("opencode.jsonc");
    if with_comments.exists() {
        return with_comments;
    }
    directory.join("opencode.json")
}

//! opencode: `opencode run --format json`. Looked up in 1.18.33.

mod stream;

use serde_json::{Map, Value, json};

use super::command_line::CommandLine;
use super::driver::{
    AgentDriver, DriverKind, Launch, LaunchFile, LaunchGuard, LaunchOptions, ReaderOptions,
    StreamReader,
};
use super::scope::{Agent, ToolScope};
use super::servers::by_name;

#[derive(Debug)]
pub(super) struct Opencode;

/// Tools that touch nothing.
const ALWAYS: [&str; 2] = ["todowrite", "todoread"];

const PLUGIN: &str = "signoff-opencode.js";

impl AgentDriver for Opencode {
    fn kind(&self) -> DriverKind {
        DriverKind::Opencode
    }

    fn program(&self) -> &'static str {
        "opencode"
    }

    fn launch(&self, options: &LaunchOptions<'_>) -> Launch {
        let line = CommandLine::new(options, self.program())
            .subcommand("run")
            .option(&["--format"], "json")
            .option(&["--dir"], options.workspace)
            .optional(&["-m", "--model"], options.model)
            .optional(&["-s", "--session", "-c", "--continue"], options.resume);
        // It asks nobody: without this, what it would ask about is refused.
        let line = if options.confined {
            line.switch(&["--auto"])
        } else {
            line
        };
        let scope = options.tools.map(ToolScope::of);
        let line = match &scope {
            Some(scope) => line.variable(
                "OPENCODE_PERMISSION",
                permissions(scope, options.confined).to_string(),
            ),
            None => line,
        };
        let line = match options.guard {
            Some(guard) => line.variable(
                "OPENCODE_CONFIG_CONTENT",
                configuration(options, guard).to_string(),
            ),
            None => line,
        };
        let plugin = options.guard.iter().map(|guard| LaunchFile {
            name: PLUGIN,
            bytes: plugin(*guard).into_bytes(),
        });
        Launch {
            keeps_own_sandbox: !options.confined,
            holds_scope: scope.is_some(),
            files: plugin.collect(),
            ..line.launch()
        }
    }

    fn reader(&self, options: &ReaderOptions<'_>) -> Box<dyn StreamReader> {
        Box::new(stream::OpencodeReader::new(options.model))
    }
}

/// The last matching rule counts, and these rules are merged into the person's own. So every tool is named: a person's
/// rule for a tool outside the scope must not come after `*`.
fn permissions(scope: &ToolScope, confined: bool) -> Value {
    let mut rules = Map::new();
    rules.insert("*".to_owned(), "deny".into());
    let selected = scope.tools_in_scope(Agent::Opencode.tools());
    for tool in Agent::Opencode
        .tools()
        .iter()
        .flat_map(|(_, tools)| tools.iter())
    {
        let rule = if selected.contains(tool) {
            "allow"
        } else {
            "deny"
        };
        rules.insert((*tool).to_owned(), rule.into());
    }
    if confined {
        // Files outside the workspace are our sandbox's business.
        rules.insert("external_directory".to_owned(), "allow".into());
    }
    for tool in ALWAYS {
        rules.insert(tool.to_owned(), "allow".into());
    }
    for tool in &scope.servers {
        let name = tool.tool.as_deref().unwrap_or("*");
        rules.insert(format!("{}_{name}", tool.server), "allow".into());
    }
    Value::Object(rules)
}

/// What is added to the person's configuration: the plugin that asks the guard, and servers.
fn configuration(options: &LaunchOptions<'_>, guard: LaunchGuard<'_>) -> Value {
    let plugin = format!("file://{}", options.file(PLUGIN).display());
    let servers = by_name(
        guard.servers,
        |server| json!({ "type": "local", "command": server.command, "enabled": true }),
    );
    json!({ "plugin": [plugin], "mcp": servers })
}

fn plugin(guard: LaunchGuard<'_>) -> String {
    let hook = Value::from(guard.hook).to_string();
    include_str!("opencode/guard.js").replace("\"@HOOK@\"", &hook)
}

//! The tools that a plan leaves its agents, in words that agents' own tools can be found by.

use std::collections::BTreeSet;

/// Something that tools of an agent do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ability {
    Read,
    Search,
    Write,
    Run,
    Fetch,
}

/// A tool scope of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ToolScope {
    abilities: BTreeSet<Ability>,
    pub(super) servers: Vec<ServerTool>,
}

/// A tool of an MCP server, or all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerTool {
    pub(super) server: String,
    pub(super) tool: Option<String>,
}

/// What an agent calls its tools.
pub(super) type ToolNames = [(Ability, &'static [&'static str])];

impl ToolScope {
    /// Reads the names of a plan: our own tools, what agents call theirs, `server.tool`, or a server.
    pub(super) fn of(names: &[String]) -> Self {
        let mut scope = Self::default();
        for name in names {
            match ability(name) {
                Some(ability) => {
                    scope.abilities.insert(ability);
                }
                None => scope.servers.extend(server_tool(name)),
            }
        }
        scope
    }

    pub(super) fn has(&self, ability: Ability) -> bool {
        self.abilities.contains(&ability)
    }

    /// Whether an agent in this scope can change nothing.
    pub(super) fn is_read_only(&self) -> bool {
        !self.has(Ability::Write) && !self.has(Ability::Run) && self.servers.is_empty()
    }

    /// The tools of an agent that are in the scope.
    pub(super) fn select(&self, names: &ToolNames) -> Vec<&'static str> {
        let selected = names.iter().filter(|(ability, _)| self.has(*ability));
        selected
            .flat_map(|(_, names)| names.iter().copied())
            .collect()
    }
}

fn ability(name: &str) -> Option<Ability> {
    Some(match name.to_lowercase().as_str() {
        "read_file" | "read" | "view" | "read_many_files" => Ability::Read,
        "list_directory" | "search_files" | "list" | "ls" | "search" | "grep" | "glob" | "find"
        | "grep_search" => Ability::Search,
        "write_file" | "edit_file" | "delete_file" | "move_file" | "write" | "edit"
        | "multiedit" | "replace" | "patch" | "apply_patch" | "notebookedit" => Ability::Write,
        "run_command" | "bash" | "shell" | "exec" | "terminal" | "run_shell_command" => {
            Ability::Run
        }
        "http_request" | "fetch" | "web_fetch" | "webfetch" | "web_search" | "websearch"
        | "google_web_search" => Ability::Fetch,
        _ => return None,
    })
}

fn server_tool(name: &str) -> Option<ServerTool> {
    let (server, tool) = match name.strip_prefix("mcp__") {
        Some(name) => name.split_once("__").unwrap_or((name, "*")),
        None => name.split_once('.').unwrap_or((name, "*")),
    };
    let is_name = |text: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        !text.is_empty() && text.bytes().all(fits)
    };
    let tool = (tool != "*").then(|| tool.to_owned());
    let fits = is_name(server) && tool.as_deref().is_none_or(is_name);
    fits.then(|| ServerTool {
        server: server.to_owned(),
        tool,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_of_plans_and_agents() {
        let names = [
            "read_file",
            "Bash",
            "github.create_issue",
            "mcp__jira__find",
            "jira",
            "name_*",
            "a.b\"c",
        ];
        let scope = ToolScope::of(&names.map(str::to_owned));
        assert_eq!(
            scope.abilities,
            BTreeSet::from([Ability::Read, Ability::Run])
        );
        let servers: Vec<_> = scope
            .servers
            .iter()
            .map(|one| (one.server.as_str(), one.tool.as_deref()))
            .collect();
        assert_eq!(
            servers,
            [
                ("github", Some("create_issue")),
                ("jira", Some("find")),
                ("jira", None)
            ]
        );
        assert!(!scope.is_read_only());
        assert!(ToolScope::of(&["read".to_owned()]).is_read_only());
    }
}

//! The tools that a plan leaves its agents, in words that agents' own tools can be found by.

use std::collections::BTreeSet;

use super::ability::{Ability, ToolNames, of_word};

/// A tool scope of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolScope {
    abilities: BTreeSet<Ability>,
    /// Tools of servers, in the order of the plan.
    pub servers: Vec<ServerTool>,
}

/// A tool of an MCP server, or all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTool {
    /// The server's name in the configuration.
    pub server: String,
    /// `None` means every tool.
    pub tool: Option<String>,
}

impl ToolScope {
    /// Reads the names of a plan: our own tools, what agents call theirs, `server.tool`, or a server.
    pub fn of(names: &[String]) -> Self {
        let mut scope = Self::default();
        for name in names {
            match of_word(name) {
                Some(ability) => {
                    scope.abilities.insert(ability);
                }
                None => scope.servers.extend(server_tool(name)),
            }
        }
        scope
    }

    /// Whether the scope has tools that do this.
    pub fn has(&self, ability: Ability) -> bool {
        let given = if ability == Ability::Watch {
            Ability::Run
        } else {
            ability
        };
        self.abilities.contains(&given)
    }

    /// Whether an agent in this scope can change nothing.
    pub fn is_read_only(&self) -> bool {
        !self.has(Ability::Write) && !self.has(Ability::Run) && self.servers.is_empty()
    }

    /// The tools of an agent that are in the scope.
    pub fn tools_in_scope(&self, names: &ToolNames) -> Vec<&'static str> {
        let selected = names.iter().filter(|(ability, _)| self.has(*ability));
        selected
            .flat_map(|(_, names)| names.iter().copied())
            .collect()
    }

    /// Whether it has a tool of a server.
    pub fn has_server_tool(&self, server: &str, tool: &str) -> bool {
        self.servers.iter().any(|one| {
            one.server == server && one.tool.as_deref().is_none_or(|named| named == tool)
        })
    }
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
        assert!(scope.has_server_tool("github", "create_issue"));
        assert!(!scope.has_server_tool("github", "delete"));
        assert!(scope.has_server_tool("jira", "delete"));
    }
}

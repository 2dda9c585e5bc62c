//! A tool call of an agent, and which tool it means.

use serde_json::Value;

use super::{Ability, Agent};

/// A call that an agent is about to make.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    /// Whose call it is.
    pub agent: Agent,
    /// The agent's own name of the tool.
    pub tool: &'a str,
    /// Its arguments.
    pub input: &'a Value,
    /// Server and tool, where the agent tells them apart from its own name.
    pub server: Option<(&'a str, &'a str)>,
}

/// Names that our own MCP server has in agents: by itself, and as part of the plugin for Claude Code.
const OUR_SERVERS: [&str; 2] = ["signoff", "plugin_signoff_signoff"];

impl<'a> ToolCall<'a> {
    /// What it does, if it is a known tool of the agent itself.
    pub(super) fn ability(&self) -> Option<Ability> {
        match self.server {
            Some(_) => None,
            None => self.agent.ability(self.tool),
        }
    }

    /// Server and tool, for a tool of an MCP server whose name tells both apart.
    pub(super) fn server_tool(&self) -> Option<(&'a str, &'a str)> {
        self.server
            .or_else(|| self.tool.strip_prefix("mcp__")?.split_once("__"))
    }

    /// Whether it is one of the tools with which agents plan: `plan_propose` and the like, of our own server only.
    pub(super) fn is_planning(&self) -> bool {
        if self.ability().is_some() {
            return false;
        }
        let tool = match (self.server_tool(), self.agent) {
            (Some((server, tool)), _) => OUR_SERVERS.contains(&server).then_some(tool),
            (None, Agent::Gemini) => self.tool.strip_prefix("mcp_signoff_"),
            (None, Agent::Opencode) => self.tool.strip_prefix("signoff_"),
            // Tools of its extensions have plain names.
            (None, Agent::Pi) => Some(self.tool),
            (None, Agent::Claude | Agent::Codex) => None,
        };
        tool.is_some_and(|tool| tool.starts_with("plan_"))
    }

    /// Whether a name of the guard's list means this tool: `name` or `name_*`, with or without its server.
    pub(super) fn is_named(&self, pattern: &str) -> bool {
        let fits = |name: &str| match pattern.strip_suffix('*') {
            Some(prefix) => starts_with(name, prefix),
            None => name.eq_ignore_ascii_case(pattern),
        };
        if fits(self.tool) {
            return true;
        }
        if let Some((server, tool)) = self.server_tool() {
            return [server, tool].into_iter().any(fits)
                || [format!("{server}.{tool}"), format!("{server}_{tool}")]
                    .iter()
                    .any(|name| fits(name));
        }
        // Where server and tool run together, any part behind an underscore may be the tool. A guard that takes
        // too much for its own is only strict.
        let parts = self.tool.match_indices('_').map(|(at, _)| at + 1);
        let mut rests = parts.filter_map(|at| self.tool.get(at..));
        self.ability().is_none() && rests.any(fits)
    }
}

fn starts_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(agent: Agent, tool: &str) -> ToolCall<'_> {
        ToolCall {
            agent,
            tool,
            input: &Value::Null,
            server: None,
        }
    }

    #[test]
    fn only_our_own_server_plans() {
        for (agent, tool) in [
            (Agent::Claude, "mcp__signoff__plan_propose"),
            (Agent::Claude, "mcp__plugin_signoff_signoff__plan_list"),
            (Agent::Codex, "mcp__signoff__plan_get"),
            (Agent::Gemini, "mcp_signoff_plan_propose"),
            (Agent::Opencode, "signoff_plan_propose"),
            (Agent::Pi, "plan_propose"),
        ] {
            assert!(call(agent, tool).is_planning(), "{tool}");
        }
        for (agent, tool) in [
            (Agent::Claude, "mcp__other__plan_propose"),
            (Agent::Claude, "mcp__signoff2__plan_propose"),
            (Agent::Claude, "mcp__signoff__delete"),
            (Agent::Claude, "plan_propose"),
            (Agent::Codex, "mcp__x__signoff__plan_propose"),
            (Agent::Gemini, "mcp_other_plan_propose"),
            (Agent::Gemini, "plan_propose"),
            (Agent::Opencode, "plan_enter"),
            (Agent::Opencode, "other_plan_propose"),
        ] {
            assert!(!call(agent, tool).is_planning(), "{tool}");
        }
        let told = ToolCall {
            server: Some(("signoff_plan", "x")),
            ..call(Agent::Gemini, "mcp_signoff_plan_x")
        };
        assert!(!told.is_planning());
    }

    #[test]
    fn guarded_names_mean_tools_of_servers_too() {
        for (tool, pattern) in [
            ("mcp__odoo__odoo_create", "odoo_create"),
            ("mcp__odoo__odoo_create", "odoo_*"),
            ("mcp__odoo__create", "odoo.create"),
            ("mcp__odoo__create", "odoo"),
            ("mcp__odoo__create", "odoo_create"),
            ("mcp__odoo__create", "ODOO_*"),
            ("mcp_my_mail_gmail_send", "gmail_send"),
            ("gmail_send", "gmail_send"),
            ("Bash", "Bash"),
        ] {
            assert!(
                call(Agent::Gemini, tool).is_named(pattern),
                "{tool} {pattern}"
            );
        }
        for (tool, pattern) in [
            ("mcp__odoo__read", "odoo_create"),
            ("gmail_send_later", "gmail_send"),
            ("read_file", "file"),
            ("Bash", "Ba"),
        ] {
            assert!(
                !call(Agent::Gemini, tool).is_named(pattern),
                "{tool} {pattern}"
            );
        }
    }
}

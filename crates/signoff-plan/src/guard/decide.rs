//! Whether a call passes.

use std::fmt;

use super::call::ToolCall;
use super::commands::commands_of;
use super::own_commands::persons_command;
use super::{Ability, ToolScope, plan_mode};
use crate::tools::allows;

/// `[guard] mode`, from the looser to the stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuardMode {
    /// Guarded tools and commands of people are not checked. Plan mode still applies.
    Off,
    /// They are logged, and pass.
    Log,
    /// They do not pass.
    Block,
}

impl GuardMode {
    /// Every mode, by its name in the configuration.
    pub const CHOICES: [(&'static str, Self); 3] = [
        ("off", Self::Off),
        ("log", Self::Log),
        ("block", Self::Block),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Log => "log",
            Self::Block => "block",
        }
    }
}

/// What holds for the calls of an agent that a person started.
#[derive(Debug, Clone, Copy)]
pub struct GuardRules<'a> {
    /// Only reading and planning pass.
    pub plan_mode: bool,
    /// What becomes of guarded tools and commands of people.
    pub mode: GuardMode,
    /// Tools that run only in signed plans: `name` or `name_*`.
    pub guarded: &'a [String],
    /// The files that a call is about.
    pub files: &'a dyn SessionFiles,
}

/// Knows the files around a session.
pub trait SessionFiles: fmt::Debug {
    /// Whether this absolute path is below a plan directory of the session, or the agent's own plan, without leading out
    /// of it by a link.
    fn is_plan_file(&self, path: &str) -> bool;

    /// A repository without a checkout of its own, in which git would run when it is started in the session's directory,
    /// or in one of these, as they are written: a `~` may be quoted, and a `..` behind a link mean either directory. It may
    /// have come with a clone, and its settings name programs.
    fn bare_repository(&self, directories: &[String]) -> Option<String>;
}

/// What holds inside a run.
#[derive(Debug, Clone, Copy)]
pub struct StepScope<'a> {
    /// The tools of the step; `None` lets every tool pass.
    pub tools: Option<&'a [String]>,
    /// The servers that the agent was given.
    pub servers: &'a [String],
}

/// Which rule a call breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuardRule {
    /// It does more than reading and planning.
    PlanMode,
    /// It is a command of a person.
    PersonOnly,
    /// It runs only in signed plans.
    Guarded,
    /// It is not among the step's tools.
    Scope,
}

impl fmt::Display for GuardRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PlanMode => "plan-mode",
            Self::PersonOnly => "person-only",
            Self::Guarded => "guarded",
            Self::Scope => "scope",
        })
    }
}

/// Why a call does not pass, or would not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// The rule that it breaks.
    pub rule: GuardRule,
    /// What the agent is told.
    pub reason: String,
    /// Whether the call is blocked; otherwise it is only logged.
    pub blocks: bool,
}

/// Decides a call of an agent that a person started. `None` means that it passes.
pub fn decide(call: &ToolCall<'_>, rules: &GuardRules<'_>) -> Option<Denial> {
    let is_strict = rules.plan_mode || rules.mode == GuardMode::Block;
    if (is_strict || rules.mode == GuardMode::Log)
        && let Some(command) = command_of_person(call)
    {
        return Some(Denial {
            rule: GuardRule::PersonOnly,
            reason: format!(
                "`{command}` is for people: an agent cannot sign, answer or undo. Ask your person to type it"
            ),
            blocks: is_strict,
        });
    }
    if rules.plan_mode
        && let Err(reason) = plan_mode::check(call, rules.files)
    {
        return Some(Denial {
            rule: GuardRule::PlanMode,
            reason: format!(
                "Plan mode: {reason}. Only reading and planning are possible now. Propose the change with `plan_propose` (or `signoff propose`); a person signs it, and it runs as a plan"
            ),
            blocks: true,
        });
    }
    let is_guarded = || rules.guarded.iter().any(|pattern| call.is_named(pattern));
    if rules.mode != GuardMode::Off && is_guarded() && !call.is_planning() {
        return Some(Denial {
            rule: GuardRule::Guarded,
            reason: format!(
                "`{}` is guarded: it runs only as a step of a signed plan. Propose one with `plan_propose`",
                call.tool
            ),
            blocks: rules.mode == GuardMode::Block,
        });
    }
    None
}

/// The command of a person that a call would run.
fn command_of_person(call: &ToolCall<'_>) -> Option<String> {
    match call.ability() {
        Some(Ability::Run) => {
            let commands = commands_of(call.input).unwrap_or_default();
            commands.iter().find_map(|text| persons_command(text))
        }
        _ => None,
    }
}

/// Decides a call of an agent inside a run. `None` means that it passes.
pub fn decide_in_run(call: &ToolCall<'_>, scope: &StepScope<'_>) -> Option<Denial> {
    let tools = scope.tools?;
    if is_in_scope(call, tools, scope.servers) {
        return None;
    }
    Some(Denial {
        rule: GuardRule::Scope,
        reason: format!(
            "Tool not available in plan scope. Only [{}] are available.",
            tools.join(", ")
        ),
        blocks: true,
    })
}

fn is_in_scope(call: &ToolCall<'_>, tools: &[String], servers: &[String]) -> bool {
    let parsed = ToolScope::of(tools);
    let is_named = || {
        tools
            .iter()
            .any(|name| name.eq_ignore_ascii_case(call.tool))
    };
    match call.ability() {
        Some(Ability::Own) => return true,
        Some(Ability::Delegate) => return is_named() && call.agent.guards_sub_agents(),
        Some(ability) => return parsed.has(ability) || is_named(),
        None => {}
    }
    let named_by_agent = call
        .server_tool()
        .map(|(server, tool)| vec![(server, tool)]);
    let candidates = named_by_agent.unwrap_or_else(|| split_by_servers(call.tool, servers));
    if candidates.is_empty() {
        // A tool of an extension, with a plain name.
        return allows(tools, call.tool).is_some();
    }
    candidates.iter().any(|(server, tool)| {
        let is_given = servers.iter().any(|given| given == server);
        let dotted = format!("{server}.{tool}");
        is_given && (parsed.has_server_tool(server, tool) || allows(tools, &dotted).is_some())
    })
}

/// Server and tool of a name in which they run together: `mcp_server_tool` or `server_tool`.
fn split_by_servers<'a>(name: &'a str, servers: &'a [String]) -> Vec<(&'a str, &'a str)> {
    let name = name.strip_prefix("mcp_").unwrap_or(name);
    let of_server = |server: &'a String| {
        let tool = name.strip_prefix(server.as_str())?.strip_prefix('_')?;
        Some((server.as_str(), tool))
    };
    servers.iter().filter_map(of_server).collect()
}

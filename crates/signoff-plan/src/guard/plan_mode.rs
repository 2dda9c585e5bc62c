//! What passes in plan mode: reading, planning, and writing plans.

use super::call::ToolCall;
use super::commands::{changes_meaning, commands_of};
use super::decide::PlanFiles;
use super::own_commands::is_planning;
use super::paths::written_paths;
use super::{Ability, Agent};
use crate::shell::read_only;

/// Says why a call does not pass.
pub(super) fn check(call: &ToolCall<'_>, plan_files: &dyn PlanFiles) -> Result<(), String> {
    let Some(ability) = call.ability() else {
        return check_other(call);
    };
    match ability {
        Ability::Read | Ability::Search | Ability::Watch | Ability::Fetch | Ability::Own => Ok(()),
        Ability::Run => check_command(call),
        Ability::Write => check_write(call, plan_files),
        Ability::Delegate if call.agent.guards_sub_agents() => Ok(()),
        Ability::Delegate => Err(format!(
            "`{}` starts a sub-agent, whose calls nobody checks",
            call.tool
        )),
    }
}

fn check_command(call: &ToolCall<'_>) -> Result<(), String> {
    if let Some(key) = changes_meaning(call.input) {
        return Err(format!(
            "the argument `{key}` of `{}` changes what its command does",
            call.tool
        ));
    }
    let commands = commands_of(call.input)
        .ok_or_else(|| format!("the command of `{}` cannot be told", call.tool))?;
    commands.iter().try_for_each(|text| check_text(text))
}

/// Says why a command line does not pass in plan mode.
pub fn check_text(text: &str) -> Result<(), String> {
    if is_planning(text) {
        return Ok(());
    }
    read_only(text).map_err(|why| why.to_string())
}

fn check_write(call: &ToolCall<'_>, plan_files: &dyn PlanFiles) -> Result<(), String> {
    let paths = written_paths(call.tool, call.input)
        .ok_or_else(|| format!("the file that `{}` changes cannot be told", call.tool))?;
    let is_plan = |path: &&String| is_plain(path) && plan_files.is_plan_file(path);
    match paths.iter().find(|path| !is_plan(path)) {
        None => Ok(()),
        Some(path) => Err(format!(
            "`{}` would change `{}`, which is not a plan of this session (by its absolute path)",
            call.tool,
            path.escape_debug()
        )),
    }
}

/// Whether every agent means the same file by it: absolute, without `..`, and without characters that one of them
/// replaces.
fn is_plain(path: &str) -> bool {
    let is_odd = |c: char| c.is_control() || (c.is_whitespace() && c != ' ');
    path.starts_with('/')
        && !path.contains(is_odd)
        && path.split('/').all(|part| part != ".." && part != ".")
}

/// A tool that the agent did not bring along, or that is new.
fn check_other(call: &ToolCall<'_>) -> Result<(), String> {
    if call.is_planning() || is_our_skill(call) {
        return Ok(());
    }
    Err(format!("`{}` is not known to only read", call.tool))
}

/// Skills of Claude Code can run commands while they are loaded; ours does not.
fn is_our_skill(call: &ToolCall<'_>) -> bool {
    let skill = call
        .input
        .get("skill")
        .or_else(|| call.input.get("command"));
    let name = skill.and_then(|name| name.as_str()).unwrap_or_default();
    let name = name.trim_start_matches('/');
    call.agent == Agent::Claude
        && ["Skill", "SlashCommand"].contains(&call.tool)
        && (name == "signoff" || name.starts_with("signoff:"))
}

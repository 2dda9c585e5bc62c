//! What passes in plan mode: reading, planning, and writing plans.

use serde_json::Value;

use super::call::ToolCall;
use super::commands::{changes_meaning, commands_of};
use super::decide::SessionFiles;
use super::git_directories::{GitDirectories, git_directories};
use super::own_commands::is_planning;
use super::paths::written_paths;
use super::{Ability, Agent};
use crate::shell::read_only;

/// Says why a call does not pass.
pub(super) fn check(call: &ToolCall<'_>, files: &dyn SessionFiles) -> Result<(), String> {
    let Some(ability) = call.ability() else {
        return check_other(call);
    };
    match ability {
        Ability::Read | Ability::Search | Ability::Watch | Ability::Fetch | Ability::Own => Ok(()),
        Ability::Run => check_command(call, files),
        Ability::Write => check_write(call, files),
        Ability::Delegate => check_sub_agent(call),
    }
}

/// A sub-agent is in the mode of its session, unless the call gives it another or a worktree of its own.
fn check_sub_agent(call: &ToolCall<'_>) -> Result<(), String> {
    let tool = call.tool;
    let mode = call.input.get("mode").filter(|mode| !mode.is_null());
    if !call.agent.guards_sub_agents() {
        Err(format!(
            "`{tool}` starts a sub-agent, whose calls nobody checks"
        ))
    } else if mode.is_some_and(|mode| mode != "plan") || call.input.get("isolation").is_some() {
        Err(format!(
            "`{tool}` would start a sub-agent that is not in plan mode"
        ))
    } else {
        Ok(())
    }
}

fn check_command(call: &ToolCall<'_>, files: &dyn SessionFiles) -> Result<(), String> {
    if let Some(key) = changes_meaning(call.input) {
        return Err(format!(
            "the argument `{key}` of `{}` changes what its command does",
            call.tool
        ));
    }
    let commands = commands_of(call.input)
        .ok_or_else(|| format!("the command of `{}` cannot be told", call.tool))?;
    commands
        .iter()
        .try_for_each(|text| check_line(text, call.input, files))
}

/// Says why a command line does not pass in plan mode, given the other arguments of its call.
pub fn check_line(text: &str, input: &Value, files: &dyn SessionFiles) -> Result<(), String> {
    check_text(text)?;
    check_repositories(text, input, files)
}

/// Says why git must not run where a command line runs it: what a repository that came with a clone has in its settings
/// would be started.
fn check_repositories(text: &str, input: &Value, files: &dyn SessionFiles) -> Result<(), String> {
    let directories = match git_directories(text, input) {
        GitDirectories::NoGit => return Ok(()),
        GitDirectories::Known(directories) => directories,
        GitDirectories::Unknown => {
            return Err(
                "the directory that git would run in cannot be told: write it out".to_owned(),
            );
        }
    };
    match files.bare_repository(&directories) {
        None => Ok(()),
        Some(path) => Err(format!(
            "git would run in the bare repository `{}`, and start what its settings name",
            path.escape_debug()
        )),
    }
}

/// Says why a text does not pass, wherever it runs.
fn check_text(text: &str) -> Result<(), String> {
    if is_planning(text) {
        return Ok(());
    }
    read_only(text).map_err(|why| why.to_string())
}

fn check_write(call: &ToolCall<'_>, files: &dyn SessionFiles) -> Result<(), String> {
    let paths = written_paths(call.tool, call.input)
        .ok_or_else(|| format!("the file that `{}` changes cannot be told", call.tool))?;
    let is_plan = |path: &&String| is_plain(path) && files.is_plan_file(path);
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

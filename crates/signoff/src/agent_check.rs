//! Detects whether an agent runs this command. Only a person may sign, answer or trust.
//!
//! An agent is recognised by the variables that it sets for the commands of its shell tool. This is a hint, not a
//! barrier: a program with the person's shell can imitate the person, which is why signatures have proofs.

use std::ffi::OsStr;

use signoff_engine::Actor;
use signoff_work::environment::Variables;

use crate::failure::Failure;

/// Variables that agents set, and the agent that sets each. Found by printing the environment inside each agent's shell
/// tool (November 2026).
///
/// A person's shell has none of them. Editors with an agent set others for their terminal (`CLAUDE_CODE_SSE_PORT`,
/// `GEMINI_CLI_IDE_SERVER_PORT`), and people set others in their profile (`CODEX_HOME`, `OPENCODE_CONFIG`, `PI_OFFLINE`).
/// opencode also sets `AGENT`, but so do other programs.
const MARKERS: [(&str, &str); 10] = [
    // Ours: every process of a run has it.
    (signoff_sandbox::MARKER, "a run of signoff"),
    // claude-code 2.1.197; all versions set the first one.
    ("CLAUDECODE", "Claude Code"),
    ("AI_AGENT", "an agent"),
    // codex 0.166.0; the last one only if it confines the command.
    ("CODEX_THREAD_ID", "Codex"),
    ("CODEX_CI", "Codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "Codex"),
    // gemini-cli 0.61.0.
    ("GEMINI_CLI", "Gemini CLI"),
    // opencode 1.18.33.
    ("OPENCODE", "opencode"),
    ("OPENCODE_PID", "opencode"),
    // pi 0.74.2.
    ("PI_CODING_AGENT", "pi"),
];

/// A variable, and the agent that sets it.
type AgentVariable = (&'static str, &'static str);

/// Refuses what only a person may do.
pub(crate) fn require_person(variables: &Variables, what: &str) -> Result<(), Failure> {
    match marker_in_variables(variables).or_else(|| marker_of_ancestor(variables)) {
        Some((variable, agent)) => Err(Failure::new(
            4,
            "person-only",
            format!("only a person can {what}, and an agent is running this command"),
        )
        .hint(format!("`{variable}` is set here, as {agent} sets it"))
        .hint("a person can do it, in a terminal that no agent started")),
        None => Ok(()),
    }
}

/// Is this command part of a run, whose processes can never speak for a person?
pub(crate) fn is_inside_run(variables: &Variables) -> bool {
    let is_ours = |(name, _): &AgentVariable| *name == signoff_sandbox::MARKER;
    variables.contains_key(OsStr::new(signoff_sandbox::MARKER))
        || ancestors(variables)
            .filter_map(|process| marker_in_block(&environment_of(process)))
            .any(|found| is_ours(&found))
}

/// Who runs this command: a person, unless an agent is detected.
pub(crate) fn actor(variables: &Variables) -> Actor {
    match require_person(variables, "") {
        Ok(()) => Actor::Person,
        Err(_) => Actor::Agent,
    }
}

/// A marker in the environment of this process.
fn marker_in_variables(variables: &Variables) -> Option<AgentVariable> {
    MARKERS
        .into_iter()
        .find(|(name, _)| variables.contains_key(OsStr::new(name)))
}

/// A marker in the environment of an ancestor process, so that clearing the environment does not hide an agent.
fn marker_of_ancestor(variables: &Variables) -> Option<AgentVariable> {
    ancestors(variables).find_map(|process| marker_in_block(&environment_of(process)))
}

/// The processes above this one, the nearest first.
fn ancestors(variables: &Variables) -> impl Iterator<Item = u32> {
    let top = test_shell(variables);
    let is_above = move |process: &u32| *process > 1 && Some(*process) != top;
    let first = Some(std::os::unix::process::parent_id()).filter(is_above);
    // A person's terminal has no longer chain of processes.
    std::iter::successors(first, move |process| parent_of(*process).filter(is_above)).take(64)
}

/// `/proc/PID/environ`; nothing where it cannot be read.
fn environment_of(process: u32) -> Vec<u8> {
    std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default()
}

/// The process that stands for a person's shell, in test builds only: agents run our tests too, and their markers must
/// not count for the people that the tests play.
fn test_shell(variables: &Variables) -> Option<u32> {
    let given = variables.get(OsStr::new("SIGNOFF_TEST_SHELL"))?;
    signoff_store::failpoint::COMPILED_IN.then(|| given.to_str()?.parse().ok())?
}

/// A marker in `/proc/PID/environ`: `NAME=value` entries that end in zero.
fn marker_in_block(environment: &[u8]) -> Option<AgentVariable> {
    let sets = |name: &str| {
        environment
            .split(|byte| *byte == 0)
            .filter_map(|variable| variable.strip_prefix(name.as_bytes()))
            .any(|rest| rest.starts_with(b"="))
    };
    MARKERS.into_iter().find(|(name, _)| sets(name))
}

/// The parent's id: the second field after the name, which may itself contain spaces and parentheses.
fn parent_of(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(names: &[&str]) -> Variables {
        names
            .iter()
            .map(|name| ((*name).into(), "1".into()))
            .collect()
    }

    #[test]
    fn each_agent_is_recognised_and_named() {
        for (name, agent) in MARKERS {
            let refused = require_person(&variables(&["PATH", name]), "sign").unwrap_err();
            assert_eq!((refused.exit, refused.code), (4, "person-only"));
            let hints = refused.hints.join("\n");
            assert!(hints.contains(name) && hints.contains(agent), "{hints}");
        }
    }

    #[test]
    fn a_person_who_uses_agents_is_a_person() {
        for name in [
            "CLAUDE_CODE_SSE_PORT",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "CODEX_HOME",
            "GEMINI_API_KEY",
            "GEMINI_CLI_IDE_SERVER_PORT",
            "GEMINI_CLI_TRUST_WORKSPACE",
            "OPENCODE_CONFIG",
            "PI_OFFLINE",
            "TERM_PROGRAM",
            "VSCODE_INJECTION",
            "AGENT",
        ] {
            assert_eq!(marker_in_variables(&variables(&[name])), None, "{name}");
        }
    }

    #[test]
    fn a_name_counts_as_a_whole_in_an_ancestors_block_too() {
        let check = |block: &str, name: Option<&str>| {
            let found = marker_in_block(block.as_bytes()).map(|(name, _)| name);
            assert_eq!(found, name, "{block:?}");
        };
        for (name, _) in MARKERS {
            check(&format!("PATH=/bin\0{name}=1\0"), Some(name));
        }
        check("GEMINI_CLI=\0", Some("GEMINI_CLI"));
        check("OPENCODE_CONFIG=x\0MY_OPENCODE=1\0", None);
        check("TEXT=a\nCLAUDECODE=1\0", None);
        check("", None);
    }
}

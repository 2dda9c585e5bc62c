//! The command line that stands in an agent's settings.

use std::path::Path;

use signoff_plan::guard::Agent;

/// Runs the guard and lets only its own answers through. Agents take any other end of a hook (a missing program, a crash,
/// a signal) for leave, and Codex also a refusal without a reason.
///
/// Without single quotes, `!` and backslashes, so that every shell hands it over to `sh` as it stands.
const SCRIPT: &str = r#""$@"; c=$?; case $c in 0) exit 0;; 2) echo "(signoff guard)" >&2;; *) echo "signoff guard did not answer (exit code $c), so this call is denied. Is $1 still installed? A person can remove this hook with: signoff connect --undo" >&2;; esac; exit 2"#;

/// Whether a project must have a store for anything to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookStore {
    /// The hook is a person's own and is called in every directory.
    Optional,
    /// The hook belongs to a project: if its store is gone, nothing passes.
    Required,
}

/// The shell text that calls the guard in front of an agent. It denies (exit code 2, with a reason on stderr) if the
/// binary is gone or ends with anything but an answer.
pub fn hook_command(binary: &Path, agent: Agent, store: HookStore) -> String {
    let binary = shell_quote(&binary.to_string_lossy());
    let project = match store {
        HookStore::Optional => "",
        HookStore::Required => " --project",
    };
    format!(
        "/bin/sh -c '{SCRIPT}' signoff-guard {binary} guard --agent {}{project}",
        agent.name()
    )
}

/// One word, for any shell.
fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

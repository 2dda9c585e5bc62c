//! The real agents that tests can start: `SIGNOFF_TEST_AGENTS` names the directory of their programs.

use std::path::PathBuf;
use std::{env, fs};

use super::soak;

/// Where the commands are that agents need.
pub(crate) const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Those that the long form has.
const ALL: [&str; 5] = ["claude", "gemini", "pi", "opencode", "codex"];

/// These agents, or all of them in the long form, as far as they are installed. That one is not is said; CI does not
/// accept it.
#[expect(clippy::print_stderr, reason = "whoever looks sees what was not tried")]
pub(crate) fn agents(quick: &[&'static str]) -> Vec<&'static str> {
    let wanted = if soak() { &ALL } else { quick };
    let is_there = |agent: &&str| installed(agent).is_some();
    let (found, missing): (Vec<&str>, Vec<&str>) = wanted.iter().partition(|agent| is_there(agent));
    if !missing.is_empty() {
        let missing = missing.join(", ");
        assert!(
            env::var_os("CI").is_none(),
            "not in SIGNOFF_TEST_AGENTS: {missing}; `cargo xtask test` installs them"
        );
        eprintln!("not tried, because SIGNOFF_TEST_AGENTS does not have them: {missing}");
    }
    found
}

/// The directory of an agent's program; `None` if it is not installed.
// The program itself, not a link to it: what is beside it belongs to it.
pub(crate) fn installed(agent: &str) -> Option<PathBuf> {
    let program = PathBuf::from(env::var_os("SIGNOFF_TEST_AGENTS")?).join(agent);
    let program = fs::read_link(&program).unwrap_or(program);
    let directory = program.parent().map(PathBuf::from);
    directory.filter(|_| program.exists())
}

//! `doctor`: what this machine can do for a run.

use signoff_api::doctor::{Doctor, State, Worktrees};
use signoff_runtime::project::load_config;
use signoff_store::root::discover;

use crate::failure::Failure;
use crate::report::style::harmless;
use crate::session::Session;

pub(crate) fn doctor(session: &mut Session) -> Result<u8, Failure> {
    // It is about the machine: no project is needed, though one may ask for more.
    let store = discover(&session.around.directory);
    let config = load_config(&session.around, store.as_ref())?;
    let project = store.map(|_| session.project()).transpose()?;
    let found = signoff_runtime::doctor::doctor(&config, project.as_ref())?;
    let fails = found.sandbox.mode == "required" && !confines(&found);
    if session.is_json() {
        session.json(&found);
    } else {
        for line in lines(&found) {
            session.out.answer(line);
        }
    }
    if fails {
        let text = "`[sandbox] mode = \"required\"` cannot be met: no plan will run here";
        session.out.say(text);
    }
    Ok(if fails { 6 } else { 0 })
}

fn confines(found: &Doctor) -> bool {
    matches!(found.sandbox.level.as_str(), "namespaces" | "bubblewrap")
}

/// Whether agents can work side by side.
pub(crate) fn worktrees(found: &Worktrees) -> String {
    if found.possible {
        return "worktrees: possible, so agents can work side by side".to_owned();
    }
    let why = harmless(&found.why.join("; "));
    format!("worktrees: not possible, so agents work one after another: {why}")
}

fn lines(found: &Doctor) -> Vec<String> {
    let sandbox = &found.sandbox;
    let network = if sandbox.network { "on" } else { "off" };
    let mut lines = vec![format!(
        "sandbox: {} (mode {}), network {network}",
        sandbox.level, sandbox.mode
    )];
    for level in &sandbox.levels {
        let (mark, more) = match level.state {
            State::Works => ("✓", String::new()),
            State::Fails => (
                "✗",
                format!(
                    "\n    does not work here: {}",
                    level.why.as_deref().unwrap_or_default()
                ),
            ),
            State::NotTried => ("·", String::new()),
        };
        lines.push(format!(
            "  {mark} {:<11} {}{more}",
            level.level, level.enforces
        ));
    }
    lines.extend(found.worktrees.as_ref().map(worktrees));
    lines
}

//! The tools that steps of a plan can call, as plan mode's manifest names them.

use std::fmt::Write as _;

use signoff_plan::tools::BUILT_IN;
use signoff_store::tool_record;

use crate::project::Project;

/// Tools of one server that are named.
const TOOLS: usize = 30;

/// One line for each server. No server is started for it: what they offered when they were last asked counts.
pub(super) fn lines(project: &Project) -> String {
    let mut text = String::from("\nAvailable executor tools:\n");
    let built_in: Vec<&str> = BUILT_IN.iter().map(|tool| tool.name).collect();
    push(&mut text, "built-in", &built_in);
    let record = tool_record::load(project.store.workspace(), &project.config);
    for (name, server) in &record.servers {
        let tools: Vec<&str> = server.tools.iter().map(|tool| tool.name.as_str()).collect();
        push(&mut text, name, &tools);
    }
    for name in project.config.servers.keys() {
        if !record.servers.contains_key(name) {
            writeln!(text, "- {name}: not asked yet (`signoff tools` asks it)")
                .expect("a string grows");
        }
    }
    text
}

fn push(text: &mut String, name: &str, tools: &[&str]) {
    let more = tools.len().saturating_sub(TOOLS);
    let list = tools[..tools.len() - more].join(", ");
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    writeln!(text, "- {name}: {list}{more}").expect("a string grows");
}

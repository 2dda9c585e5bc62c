//! A file that the plan's context names does not exist.
//!
//! ## Why
//! The content of artifacts is part of the executor's prompt. One that is not there is left out, and the agent starts
//! without it.
//!
//! ## Example
//! ```text
//! ### Artifacts
//! - invoice.pdf → .pi/plans/artifacts/PLAN-a1b2c3d4/
//! ```
//!
//! ## Instead
//! Put the file there, correct its path (from the project's root), or take the line out.

use serde_json::Value;

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let lists = context.draft.record.iter();
    for (_, listed) in lists.filter(|(name, _)| *name == "artifacts") {
        let lines = listed.value.as_array().into_iter().flatten();
        for artifact in lines.filter_map(Value::as_str).filter_map(named_file) {
            let [path, below] = &artifact;
            if context.workspace.path_exists(below) || context.workspace.path_exists(path) {
                continue;
            }
            let message = format!(
                "the plan names artifact `{path}`, which does not exist: no agent is told of it"
            );
            let found = context.problem(Code::MissingArtifact, listed.span, message);
            let help = "put the file there, correct the path, or take the line out";
            problems.push(found.help(help));
        }
    }
}

/// The two places that a line `name → path` can mean; `None` for a line of words.
fn named_file(line: &str) -> Option<[String; 2]> {
    let (name, path) = match line.rsplit_once('→') {
        Some(named) => named,
        None if line.trim().contains(char::is_whitespace) => return None,
        None => ("", line),
    };
    let path = path.trim().trim_matches('`').trim_end_matches('/');
    let below = format!("{path}/{}", name.trim().trim_matches('`'));
    (!path.is_empty()).then(|| [path.to_owned(), below])
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;
    use super::*;

    #[test]
    fn artifacts_must_exist() {
        let proposal = |items: &str| {
            format!(
                "---\nid: PLAN-1\ntitle: T\nstatus: draft\nversion: 1\n---\n## Context\nIt is.\n\n### Artifacts\n{items}\n\n## Steps\n1. A\n"
            )
        };
        check(
            Code::MissingArtifact,
            &proposal("- app.py → src/\n- README.md\n- `README.md`\n- what the client said"),
            &[],
        );
        let help = "put the file there, correct the path, or take the line out";
        check(
            Code::MissingArtifact,
            &proposal("- bill → docs/bill.pdf"),
            &[&format!(
                "bill → docs/bill.pdf | the plan names artifact `docs/bill.pdf`, which does not exist: no agent is told of it | {help}"
            )],
        );
    }
}

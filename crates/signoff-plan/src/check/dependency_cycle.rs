//! Steps wait for each other.
//!
//! ## Why
//! None of them could ever start.
//!
//! ## Example
//! ```text
//! ### 1. Build
//! **depends_on:** 2
//! ### 2. Test
//! **depends_on:** 1
//! ```
//!
//! ## Instead
//! Remove one of the dependencies that the message shows.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let steps: Vec<_> = context.steps().collect();
    for cycle in context.graph.cycles() {
        let members: Vec<_> = cycle.iter().filter_map(|index| steps.get(*index)).collect();
        let Some(first) = members.first() else {
            continue;
        };
        let mut names: Vec<_> = members
            .iter()
            .map(|step| format!("`{}`", step.id()))
            .collect();
        let message = if names.len() == 1 {
            format!("step {} waits for itself", names.join(""))
        } else {
            names.push(format!("`{}`", first.id()));
            format!("steps wait for each other: {}", names.join(" → "))
        };
        let span = |step: &&super::context::StepView<'_>| {
            let written = step
                .written
                .depends_on
                .as_ref()
                .and_then(|list| list.first());
            written.map_or(step.span(), |reference| reference.span)
        };
        let mut found = first.problem(Code::DependencyCycle, span(first), message);
        for step in members.iter().skip(1) {
            found = found.related(span(step), format!("step `{}` waits here", step.id()));
        }
        problems.push(found.help("remove one of these dependencies"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn the_whole_cycle_is_shown() {
        check(
            Code::DependencyCycle,
            &plan(
                "### 1. A\n**depends_on:** c\n### 2. B\n### 3. C\n**id:** c\n**depends_on:** 2\n",
            ),
            &[
                "c | steps wait for each other: `step-1` → `c` → `step-2` → `step-1` | remove one of these dependencies",
            ],
        );
        check(
            Code::DependencyCycle,
            &plan("### 1. A\n**depends_on:** 1\n"),
            &["1 | step `step-1` waits for itself | remove one of these dependencies"],
        );
    }
}

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

use super::context::{Context, StepView};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let steps: Vec<_> = context.steps().collect();
    for cycle in context.graph.cycles() {
        let members: Vec<_> = cycle.iter().filter_map(|index| steps.get(*index)).collect();
        let Some(first) = members.first() else {
            continue;
        };
        let message = if members.len() == 1 {
            format!("step `{}` waits for itself", first.id())
        } else {
            format!("steps wait for each other: {}", way(&members))
        };
        let span = |step: &&StepView<'_>| {
            let written = step
                .written
                .depends_on
                .as_ref()
                .and_then(|list| list.first());
            written.map_or(step.span(), |reference| reference.span)
        };
        let mut found = first.problem(Code::DependencyCycle, span(first), message);
        for step in members.iter().skip(1).take(SHOWN) {
            found = found.with_related(span(step), format!("step `{}` waits here", step.id()));
        }
        problems.push(found.help("remove one of these dependencies"));
    }
}

/// How many steps of a cycle are shown at most.
const SHOWN: usize = 8;

/// The way around; of a long one its beginning and its end.
fn way(members: &[&StepView<'_>]) -> String {
    let name = |step: &&StepView<'_>| format!("`{}`", step.id());
    let mut names: Vec<String> = members.iter().take(SHOWN).map(name).collect();
    if members.len() > SHOWN {
        names.truncate(SHOWN / 2);
        names.push(format!("… {} more …", members.len() - SHOWN));
        names.extend(members.iter().skip(members.len() - SHOWN / 2).map(name));
    }
    names.extend(members.first().map(name));
    names.join(" → ")
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

    #[test]
    fn of_a_long_cycle_both_ends_are_shown() {
        let steps = (1..=30).map(|number| {
            let before = if number == 1 { 30 } else { number - 1 };
            format!("### {number}. A\n**id:** s{number}\n**depends_on:** s{before}\n")
        });
        let text = plan(&steps.collect::<String>());
        let found = super::super::testing::checked(&text).diagnostics;
        let cycle = found.iter().find(|one| one.code == Code::DependencyCycle);
        let cycle = cycle.expect("a cycle");
        assert!(
            cycle.message.contains(" → … 22 more … → "),
            "{}",
            cycle.message
        );
        assert_eq!(cycle.message.matches('→').count(), 9);
        assert_eq!(cycle.related.len(), SHOWN);
    }
}

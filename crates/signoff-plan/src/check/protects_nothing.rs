//! A pattern in `protects` matches no file.
//!
//! ## Why
//! Nothing that is there now is protected, and the signature covers nothing by it. Usually the pattern
//! has a slip in it. A file that an attempt creates and that the pattern matches is still a change of a
//! protected file.
//!
//! ## Example
//! ```text
//! **protects:** test/**
//! ```
//!
//! ## Instead
//! The path as it is in the workspace: `tests/**`, or `tests` for everything below it. `*` and `?` stand
//! for part of a name, `**` for any number of directories, `{a,b}` for either.

use super::context::{Context, StepView};
use super::glob_overlap::overlap;
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        for pattern in &step.written.protects {
            let text = pattern.value.as_str();
            let below = format!("{text}/**");
            let is_there = |pattern: &str| {
                context.workspace.pattern_matches(pattern)
                    || comes_with_the_plan(context, step, pattern)
            };
            if is_there(text) || is_there(&below) {
                continue;
            }
            let message = format!(
                "step `{}` protects `{text}`, which matches no file",
                step.id()
            );
            let found = step.problem(Code::ProtectsNothing, pattern.span, message);
            problems.push(found.help("correct the pattern, or leave it out"));
        }
    }
}

/// Whether a step before it makes a file that the pattern matches.
fn comes_with_the_plan(context: &Context<'_>, step: StepView<'_>, pattern: &str) -> bool {
    let makes = |other: &StepView<'_>| {
        let mut made = other.resolved.produces.iter();
        made.any(|made| overlap(made, pattern))
    };
    let makers = context.steps().filter(makes).map(|other| other.index);
    let makers: Vec<usize> = makers.collect();
    context.graph.waits_for_any(step.index, &makers)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn a_pattern_that_matches_nothing_is_said() {
        let step =
            |protects: &str| format!("### 1. A\n**contract:** `true`\n**protects:** {protects}\n");
        for pattern in [
            "src/**",
            "README.md",
            "*.md",
            "**/*.py",
            "src/",
            "src",
            "{src,docs}/**",
        ] {
            check(Code::ProtectsNothing, &plan(&step(pattern)), &[]);
        }
        check(
            Code::ProtectsNothing,
            &plan(&step("test/**")),
            &[
                "test/** | step `step-1` protects `test/**`, which matches no file | \
                 correct the pattern, or leave it out",
            ],
        );
    }

    #[test]
    fn files_that_an_earlier_step_makes_may_be_protected() {
        let two = |produces: &str, depends: &str| {
            plan(&format!(
                "### 1. A\n**contract:** `true`\n**produces:** {produces}\n\
                 ### 2. B\n**contract:** `true`\n{depends}**protects:** test/*.py\n"
            ))
        };
        check(Code::ProtectsNothing, &two("test/**", ""), &[]);
        let said = "test/*.py | step `step-2` protects `test/*.py`, which matches no file | \
                    correct the pattern, or leave it out";
        check(Code::ProtectsNothing, &two("docs/**", ""), &[said]);
        check(
            Code::ProtectsNothing,
            &two("test/**", "**depends_on:** none\n"),
            &[said],
        );
    }
}

//! A step waits for one that does not exist.
//!
//! ## Why
//! It could never start, or would start too early.
//!
//! ## Example
//! ```text
//! **depends_on:** biuld
//! ```
//!
//! ## Instead
//! The id or number of another step, or `none`. Without `**depends_on:**` a step waits for every
//! step before it.

use super::plan_references;
use super::positions::Positions;
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::draft::{Draft, Spanned};
use crate::model::Depends;
use crate::source::Span;
use crate::spelling::Dialect;
use crate::suggest::nearest;

/// Resolves what each step waits for to positions, in plan order, and reports unknown names.
pub(super) fn resolve(
    draft: &Draft,
    ids: &[String],
    problems: &mut Vec<Diagnostic>,
) -> Vec<Depends> {
    let positions = Positions::new(ids.iter().map(String::as_str));
    let mut resolved = Vec::with_capacity(ids.len());
    for (index, step) in draft.steps.iter().enumerate() {
        // A reference implies the dependency; a step waits for itself in no sense.
        let implied = plan_references::used_steps(step, &positions);
        let implied = implied.into_iter().filter(|used| *used != index);
        let Some(references) = &step.depends_on else {
            resolved.push(if draft.dialect.is_sequential() {
                // What it uses of later steps is reported as `order-error`.
                Depends::AllBefore
            } else {
                Depends::from_positions(
                    index,
                    implied.filter_map(|at| u32::try_from(at).ok()).collect(),
                )
            });
            continue;
        };
        let mut dependencies: Vec<u32> = implied.filter_map(|at| u32::try_from(at).ok()).collect();
        for reference in references {
            // A thread's tasks have no numbers.
            let numbers = match draft.dialect {
                Dialect::Thread => 0,
                Dialect::Workunit | Dialect::Proposal | Dialect::Record | Dialect::Toolplan => {
                    ids.len()
                }
            };
            match position(&reference.value, &positions, numbers) {
                Some(found) => dependencies.extend(u32::try_from(found)),
                None => {
                    let id = ids.get(index).map_or("", String::as_str);
                    // Comparing with all ids takes long; after so many no reader goes on.
                    let ids = if problems.len() < most_suggestions(ids.len()) {
                        ids
                    } else {
                        &[]
                    };
                    problems.push(unknown(draft, id, reference, ids));
                }
            }
        }
        resolved.push(Depends::from_positions(index, dependencies));
    }
    resolved
}

/// How many problems get a suggestion in a plan of so many steps.
pub(super) fn most_suggestions(steps: usize) -> usize {
    (500_000 / steps.max(1)).clamp(3, 100)
}

/// The step that an id or a number means. An explicit id wins.
fn position(reference: &str, positions: &Positions<'_>, count: usize) -> Option<usize> {
    if let Some(index) = positions.of(reference) {
        return Some(index);
    }
    let digits = reference.bytes().all(|b| b.is_ascii_digit());
    let number: usize = reference.parse().ok().filter(|_| digits)?;
    number.checked_sub(1).filter(|index| *index < count)
}

/// A step of a record waits for an index that no step has.
pub(crate) fn index(
    dialect: Dialect,
    id: &str,
    index: u64,
    highest: Option<u64>,
    span: Span,
) -> Diagnostic {
    let message = format!("step `{id}` waits for index {index}, which no step has");
    let found = Diagnostic::new(Code::UnknownDependency, dialect, span, message).step(id);
    let found = found.with_missing_field(MissingFieldScope::Anywhere(&["index"]));
    match highest {
        Some(highest) if index > highest => {
            found.help(format!("indexes begin at 0; the highest here is {highest}"))
        }
        _ => found,
    }
}

fn unknown(draft: &Draft, id: &str, reference: &Spanned<String>, ids: &[String]) -> Diagnostic {
    let name = &reference.value;
    let number = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    // Elsewhere a number is a name like any other.
    let message = if number && draft.dialect == Dialect::Workunit {
        format!("step `{id}` waits for step {name}, which does not exist")
    } else {
        format!("step `{id}` waits for `{name}`, which does not exist")
    };
    let others = ids.iter().map(String::as_str).filter(|other| *other != id);
    let others = others.chain((draft.dialect == Dialect::Workunit).then_some("none"));
    let found = Diagnostic::new(
        Code::UnknownDependency,
        draft.dialect,
        reference.span,
        message,
    );
    let found = found.with_missing_field(MissingFieldScope::Anywhere(&["id"]));
    found.step(id).suggest(nearest(name, others))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, checked, plan};
    use super::*;

    #[test]
    fn only_steps_can_be_waited_for() {
        let steps =
            "### 1. A\n**id:** build\n### 2. B\n**id:** deploy\n**depends_on:** biuld, 1, 9\n";
        check(
            Code::UnknownDependency,
            &plan(steps),
            &[
                "biuld | step `deploy` waits for `biuld`, which does not exist | did you mean `build`?",
                "9 | step `deploy` waits for step 9, which does not exist | -",
            ],
        );
    }

    #[test]
    fn the_default_is_every_step_before() {
        let steps = "### 1. A\n### 2. B\n**depends_on:** none\n### 3. C\n### 4. D\n**depends_on:**\n- 3\n- step-1\n- 3\n";
        let plan = checked(&plan(steps)).plan;
        let ids = |at| plan.dependency_ids(at).collect::<Vec<_>>().join(" ");
        let found: Vec<_> = (0..plan.steps.len()).map(ids).collect();
        assert_eq!(found, ["", "", "step-1 step-2", "step-1 step-3"]);
    }

    #[test]
    fn a_reference_implies_the_dependency() {
        let tool = |id: &str, more: &str| {
            format!("### 1. A\n**id:** {id}\n**depends_on:** none\n**tool:** write_file\n{more}\n")
        };
        let steps = [
            tool("a", ""),
            tool(
                "b",
                "**args:** {\"path\": \"x\", \"content\": [\"$a.x\", \"$$c ${d}\"]}",
            ),
            tool("c", "**when:** steps[\"a\"].output.ok or steps.b.output.ok"),
            tool("d", "**args:** {\"path\": \"$d\"}"),
        ];
        let plan = checked(&plan(&steps.concat())).plan;
        let ids = |at| plan.dependency_ids(at).collect::<Vec<_>>().join(" ");
        let found: Vec<_> = (0..plan.steps.len()).map(ids).collect();
        assert_eq!(found, ["", "a d", "a b", ""]);
    }
}

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

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::draft::{Draft, Spanned};
use crate::model::Depends;
use crate::suggest::nearest;

/// Resolves what each step waits for to positions, in plan order, and reports unknown names.
pub(super) fn resolve(
    draft: &Draft,
    ids: &[String],
    problems: &mut Vec<Diagnostic>,
) -> Vec<Depends> {
    let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, id) in ids.iter().enumerate() {
        positions.entry(id).or_insert(index);
    }
    let mut resolved = Vec::new();
    for (index, step) in draft.steps.iter().enumerate() {
        let Some(references) = &step.depends_on else {
            resolved.push(draft.dialect.unsaid_dependencies(index));
            continue;
        };
        let mut dependencies = Vec::new();
        for reference in references {
            match position(&reference.value, &positions, ids.len()) {
                Some(found) => dependencies.extend(u32::try_from(found)),
                None => {
                    let id = ids.get(index).map_or("", String::as_str);
                    problems.push(unknown(draft, id, reference, ids));
                }
            }
        }
        resolved.push(Depends::on(index, dependencies));
    }
    resolved
}

/// The step that an id or a number means. An explicit id wins.
fn position(reference: &str, positions: &BTreeMap<&str, usize>, count: usize) -> Option<usize> {
    if let Some(index) = positions.get(reference) {
        return Some(*index);
    }
    let digits = reference.bytes().all(|b| b.is_ascii_digit());
    let number: usize = reference.parse().ok().filter(|_| digits)?;
    number.checked_sub(1).filter(|index| *index < count)
}

fn unknown(draft: &Draft, id: &str, reference: &Spanned<String>, ids: &[String]) -> Diagnostic {
    let name = &reference.value;
    let number = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    let message = if number {
        format!("step `{id}` waits for step {name}, which does not exist")
    } else {
        format!("step `{id}` waits for `{name}`, which does not exist")
    };
    let others = ids.iter().map(String::as_str).filter(|other| *other != id);
    let found = Diagnostic::new(
        Code::UnknownDependency,
        draft.dialect,
        reference.span,
        message,
    );
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
}

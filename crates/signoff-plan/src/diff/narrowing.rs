//! Does a new version of a plan only leave out? Then whoever signed the old one has agreed to all that is left.

use std::collections::BTreeSet;

use crate::diff::pairs;
use crate::digest::canonical;
use crate::model::{Budget, Depends, Plan, Step};

/// Does `after` ask for nothing that `before` does not? It may leave out steps that have not `begun`, tools, and budget;
/// everything else is the same, above all every command.
pub fn only_narrows(before: &Plan, after: &Plan, begun: &BTreeSet<String>) -> bool {
    narrowed_plan(before, after, begun)
        .is_some_and(|expected| canonical(&expected) == canonical(after))
}

/// The old plan with what the new one leaves out, if that may be left out.
fn narrowed_plan(before: &Plan, after: &Plan, begun: &BTreeSet<String>) -> Option<Plan> {
    let from: Vec<usize> = pairs(before, after).into_iter().collect::<Option<_>>()?;
    let kept: BTreeSet<usize> = from.iter().copied().collect();
    let is_kept = |at: usize| kept.contains(&at);
    let gone = |(at, step): (usize, &Step)| (!is_kept(at)).then(|| step.id.clone());
    let gone: BTreeSet<String> = before.steps.iter().enumerate().filter_map(gone).collect();
    if !gone.is_disjoint(begun) {
        return None;
    }
    let moved = |was: &u32| {
        let was = usize::try_from(*was).ok()?;
        u32::try_from(from.iter().position(|from| *from == was)?).ok()
    };
    let mut expected = before.clone();
    expected.steps.clear();
    for (at, (now, was)) in after.steps.iter().zip(&from).enumerate() {
        let was = before.steps.get(*was)?;
        let mut step = was.clone();
        step.number = at + 1;
        has_no_more_tools(was.tools.as_deref(), now.tools.as_deref()).then_some(())?;
        step.tools.clone_from(&now.tools);
        step.budget = narrower_budget(&was.budget, &now.budget)?;
        if let Depends::On(positions) = &was.depends_on {
            step.depends_on =
                Depends::from_positions(at, positions.iter().filter_map(moved).collect());
        }
        expected.steps.push(step);
    }
    has_no_more_tools(before.tools.as_deref(), after.tools.as_deref()).then_some(())?;
    expected.tools.clone_from(&after.tools);
    expected.budget = narrower_budget(&before.budget, &after.budget)?;
    expected.id.clone_from(&after.id);
    expected.version = after.version;
    expected.previous.clone_from(&after.previous);
    Some(expected)
}

/// Without a list every tool may be used.
fn has_no_more_tools(before: Option<&[String]>, after: Option<&[String]>) -> bool {
    match (before, after) {
        (None, None) => true,
        (Some(_), None) => false,
        // A tool that is named is allowed without a question.
        (None, Some(after)) => after.is_empty(),
        (Some(before), Some(after)) => after.iter().all(|tool| before.contains(tool)),
    }
}

fn narrower_budget(before: &Budget, after: &Budget) -> Option<Budget> {
    fn is_at_most<T: PartialOrd>(before: Option<&T>, after: Option<&T>) -> bool {
        match (before, after) {
            (None, _) => true,
            (Some(before), Some(after)) => after <= before,
            (Some(_), None) => false,
        }
    }
    let is_within = is_at_most(before.tokens.as_ref(), after.tokens.as_ref())
        && is_at_most(before.usd_e4.as_ref(), after.usd_e4.as_ref())
        && is_at_most(before.wall.as_ref(), after.wall.as_ref())
        && is_at_most(before.agents.as_ref(), after.agents.as_ref());
    is_within.then(|| after.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PermissiveWorkspace;
    use crate::check::check;
    use crate::dialect::parse;
    use crate::source::Source;

    const ONE: &str = "### 1. One\n**id:** one\n**contract:**\n```shell\ntest -e a\n```\n";
    const TWO: &str = "### 2. Two\n**id:** two\n**task:** Do.\n**tools:** read_file, write_file\n**budget:** max 5k tokens\n**contract:**\n```shell\ntest -e b\n```\n";
    const THREE: &str = "### 3. Three\n**id:** three\n**contract:**\n```shell\ntest -e c\n```\n";

    fn plan(steps: &[&str]) -> Plan {
        let head = "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# T\n\n## Steps\n\n";
        let numbered = steps.iter().enumerate().map(|(at, step)| {
            let (_, rest) = step.split_once(". ").expect("a heading");
            format!("### {}. {rest}", at + 1)
        });
        let text = format!("{head}{}", numbered.collect::<Vec<_>>().join("\n"));
        let checked = check(
            &parse(&Source::new("p", text.into_bytes())),
            &PermissiveWorkspace,
        );
        assert_eq!(checked.errors(), 0, "{:?}", checked.diagnostics);
        Plan::clone(&checked.plan)
    }

    #[track_caller]
    fn check_narrows(after: &[&str], expected: bool) {
        let begun = BTreeSet::from(["one".to_owned()]);
        let found = only_narrows(&plan(&[ONE, TWO, THREE]), &plan(after), &begun);
        assert_eq!(found, expected, "{after:?}");
    }

    #[test]
    fn steps_tools_and_budget_may_be_left_out() {
        check_narrows(&[ONE, TWO, THREE], true);
        check_narrows(&[ONE, TWO], true);
        check_narrows(&[ONE, THREE], true);
        check_narrows(&[ONE, &TWO.replace(", write_file", ""), THREE], true);
        check_narrows(&[ONE, &TWO.replace("5k", "4k"), THREE], true);
    }

    #[test]
    fn everything_else_is_a_change() {
        check_narrows(&[TWO, THREE], false);
        check_narrows(&[ONE, &TWO.replace("test -e b", "true")], false);
        check_narrows(&[ONE, &TWO.replace("Do.", "Do more.")], false);
        check_narrows(&[ONE, &TWO.replace("5k", "6k")], false);
        check_narrows(
            &[ONE, &TWO.replace("**budget:** max 5k tokens\n", "")],
            false,
        );
        check_narrows(&[ONE, &TWO.replace("write_file", "run_command")], false);
        check_narrows(
            &[ONE, &TWO.replace("**tools:** read_file, write_file\n", "")],
            false,
        );
        let four = THREE
            .replace("three", "four")
            .replace("test -e c", "test -e d");
        check_narrows(
            &[ONE, TWO, THREE, &four.replace("3. Three", "4. Four")],
            false,
        );
    }
}

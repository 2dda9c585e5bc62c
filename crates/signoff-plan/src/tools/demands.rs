//! What a plan asks for beyond work that its contracts judge: whoever signs it should not have to look for it among the steps.

use std::collections::BTreeMap;

use super::{Approval, BuiltIn, built_in, is_agreed, scope};
use crate::model::{FailAction, Plan, Step, Work};

/// Steps that are named; the rest is counted.
const NAMED: usize = 5;

/// Which steps ask for something, and how that is said.
type StepDemand<'a> = (&'a dyn Fn(&Step) -> bool, &'a str);

/// What the plan asks for, each as a clause: `calls delete_file without asking first (step-2)`. Empty for most plans.
pub fn plan_demands(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(by_tool(plan, unasked_call, |tool| {
        format!("calls `{tool}` without asking first")
    }));
    found.extend(by_tool(plan, far_reaching, |tool| match tool {
        "*" => "lets agents use every tool".to_owned(),
        tool => format!("lets agents use `{tool}`"),
    }));
    let every: [StepDemand<'_>; 6] = [
        (
            &|step| step.isolation.as_deref() == Some("shared"),
            "lets agents work in your checkout itself",
        ),
        (
            &|step| has_contract(step, |contract| !contract.baseline),
            "does not run the contract before the work",
        ),
        (
            &|step| has_contract(step, |contract| contract.fewer_tests_allowed),
            "allows fewer tests than before",
        ),
        (
            &|step| has_contract(step, |contract| contract.holds_once),
            "does not re-run the contract at the end",
        ),
        (&|step| !step.critical, "goes on without a step that failed"),
        (
            &|step| step.on_fail.then == FailAction::Skip,
            "skips a step that failed",
        ),
    ];
    for (is_so, what) in every {
        let steps: Vec<&str> = plan
            .steps
            .iter()
            .filter(|step| is_so(step))
            .map(|step| step.id.as_str())
            .collect();
        if !steps.is_empty() {
            found.push(format!("{what} ({})", names(&steps)));
        }
    }
    let model = plan.executor_model.iter();
    found.extend(model.map(|model| format!("chooses the model `{model}` for its agents")));
    found
}

fn has_contract(step: &Step, is_so: impl Fn(&crate::model::Contract) -> bool) -> bool {
    step.contract.as_ref().is_some_and(is_so)
}

/// A clause for each tool that a step asks for in this way, with the steps.
fn by_tool<'p>(
    plan: &'p Plan,
    tools_of: impl Fn(&'p Plan, &'p Step) -> Vec<&'p str>,
    clause: impl Fn(&str) -> String,
) -> Vec<String> {
    let mut tools: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for step in &plan.steps {
        for tool in tools_of(plan, step) {
            tools.entry(tool).or_default().push(&step.id);
        }
    }
    let clauses = tools.into_iter();
    clauses
        .map(|(tool, steps)| format!("{} ({})", clause(tool), names(&steps)))
        .collect()
}

/// The tool that a step calls without a question, where such a call usually has one.
fn unasked_call<'p>(plan: &'p Plan, step: &'p Step) -> Vec<&'p str> {
    let Work::Tool { tool, .. } = &step.work else {
        return Vec::new();
    };
    let is_harmless = built_in(tool).is_some_and(|tool| matches!(tool.approval, Approval::Never));
    let asks = step.approval || is_harmless || !is_agreed(plan, step, tool);
    if asks { Vec::new() } else { vec![tool] }
}

/// What an agent's scope names that reaches further than files of the project.
fn far_reaching<'p>(plan: &'p Plan, step: &'p Step) -> Vec<&'p str> {
    if !matches!(step.work, Work::Agent { .. }) {
        return Vec::new();
    }
    let names = scope(plan, step).unwrap_or_default().iter();
    names
        .map(String::as_str)
        .filter(|name| !is_about_files(name))
        .collect()
}

fn is_about_files(name: &str) -> bool {
    built_in(name).is_some_and(|tool| {
        matches!(
            tool.id,
            BuiltIn::ReadFile
                | BuiltIn::WriteFile
                | BuiltIn::EditFile
                | BuiltIn::ListDirectory
                | BuiltIn::SearchFiles
        )
    })
}

fn names(steps: &[&str]) -> String {
    let first = steps.iter().take(NAMED).copied();
    let first: Vec<&str> = first.collect();
    match steps.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::PermissiveWorkspace;
    use crate::check::check;
    use crate::dialect::{Dialect, parse_as};
    use crate::source::Source;

    const AGENT: &str = "**target:** coder\n**task:** x\n**contract:**\n```shell\ntest -s x\n```\n";
    const DELETE: &str = "**tool:** delete_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n";

    #[track_caller]
    fn check_demands(head: &str, steps: &[&str], expected: &[&str]) {
        let mut text = format!(
            "---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# T\n\n{head}\n\n## Steps\n"
        );
        for (at, step) in steps.iter().enumerate() {
            write!(text, "\n### {}. S\n\n{step}\n", at + 1).expect("a string takes everything");
        }
        let source = Source::new("plan.md", text.into_bytes());
        let draft = parse_as(&source, Dialect::Workunit);
        let checked = check(&draft, &PermissiveWorkspace);
        assert_eq!(
            plan_demands(&checked.plan),
            expected,
            "{:?}",
            checked.diagnostics
        );
    }

    #[test]
    fn most_plans_ask_for_nothing() {
        check_demands("", &[AGENT, DELETE], &[]);
        check_demands("**Tools:** read_file, write_file", &[AGENT], &[]);
        check_demands("**Tools:** delete_*", &[DELETE], &[]);
    }

    #[test]
    fn tools_that_reach_further_are_named() {
        check_demands(
            "**Tools:** delete_file, run_command, git-push",
            &[AGENT, DELETE, &format!("{DELETE}**approval:** required\n")],
            &[
                "calls `delete_file` without asking first (step-2)",
                "lets agents use `delete_file` (step-1)",
                "lets agents use `git-push` (step-1)",
                "lets agents use `run_command` (step-1)",
            ],
        );
        let every = format!("{AGENT}**tools:** \"*\"\n").replace('"', "");
        check_demands("", &[&every], &["lets agents use every tool (step-1)"]);
    }

    #[test]
    fn weaker_rules_are_named() {
        let weak = format!(
            "{AGENT}**baseline:** no\n**fewer_tests:** allowed\n**holds:** once\n**on_fail:** skip\n**critical:** no\n**isolation:** shared\n"
        );
        check_demands(
            "",
            &[&weak, AGENT],
            &[
                "lets agents work in your checkout itself (step-1)",
                "does not run the contract before the work (step-1)",
                "allows fewer tests than before (step-1)",
                "does not re-run the contract at the end (step-1)",
                "goes on without a step that failed (step-1)",
                "skips a step that failed (step-1)",
            ],
        );
    }

    #[test]
    fn many_steps_are_counted() {
        let step = format!("{AGENT}**critical:** no\n");
        let steps = vec![step.as_str(); 7];
        check_demands(
            "",
            &steps,
            &[
                "goes on without a step that failed (step-1, step-2, step-3, step-4, step-5 and 2 more)",
            ],
        );
    }
}

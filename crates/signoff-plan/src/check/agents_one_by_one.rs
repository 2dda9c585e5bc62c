//! Agent steps could overlap, and no agent can have a tree of its own here.
//!
//! ## Why
//! Two agents at work in one directory would trample on each other. Where the sandbox can mount and there is the git
//! program, each gets a tree of its own, and what they did is merged; elsewhere they run one after another. The plan works
//! all the same, and takes longer.
//!
//! ## Example
//! ```text
//! ### 1. English
//! **depends_on:** none
//! **task:** Translate it.
//! ### 2. German
//! **depends_on:** none
//! **task:** Translate it.
//! ```
//!
//! ## Instead
//! `signoff doctor` says what is missing. Nothing, if the time does not matter. A git repository is not needed.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::overlap::agents_can_overlap;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    // The plan first: most have no such steps, and then the sandbox need not be tried.
    let Some((first, second)) = agents_can_overlap(context.plan) else {
        return;
    };
    let (Some(first), Some(second)) = (context.step(first), context.step(second)) else {
        return;
    };
    if context.workspace.has_trees() {
        return;
    }
    let who = if first.index == second.index {
        format!("the items of step `{}`", second.id())
    } else {
        format!("agent steps, like `{}` and `{}`,", first.id(), second.id())
    };
    let message = format!(
        "{who} could overlap, but none can have a tree of its own here: they run one after another"
    );
    let found = second.problem(Code::AgentsOneByOne, second.span(), message);
    problems.push(found.help("`signoff doctor` says why"));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestWorkspace, plan};
    use crate::Workspace;
    use crate::check::{Checked, check as run};
    use crate::dialect::parse;
    use crate::source::Source;

    /// The usual world on a machine that mounts nothing.
    struct NoTrees;

    impl Workspace for NoTrees {
        fn path_exists(&self, path: &str) -> bool {
            TestWorkspace.path_exists(path)
        }

        fn topic_exists(&self, name: &str) -> bool {
            TestWorkspace.topic_exists(name)
        }

        fn command_exists(&self, name: &str) -> bool {
            TestWorkspace.command_exists(name)
        }

        fn agent_exists(&self, name: &str) -> bool {
            TestWorkspace.agent_exists(name)
        }

        fn has_trees(&self) -> bool {
            false
        }

        fn agents(&self) -> Vec<String> {
            TestWorkspace.agents()
        }
    }

    fn checked(steps: &str, workspace: &dyn Workspace) -> Checked {
        run(
            &parse(&Source::new("plan.md", plan(steps).into())),
            workspace,
        )
    }

    #[track_caller]
    fn check(steps: &str, expected: Option<&str>) {
        let found = checked(steps, &NoTrees).diagnostics;
        let found: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
        let why =
            "could overlap, but none can have a tree of its own here: they run one after another";
        let expected = expected.map(|who| format!("{who} {why}"));
        assert_eq!(found, Vec::from_iter(expected.as_deref()), "{steps}");
        assert_eq!(checked(steps, &TestWorkspace).diagnostics, [], "{steps}");
    }

    const AGENT: &str = "**task:** x\n**contract:** `make`\n";

    #[test]
    fn it_is_said_where_agents_could_overlap_without_trees() {
        check(
            &format!("### 1. A\n{AGENT}### 2. B\n**depends_on:** none\n{AGENT}"),
            Some("agent steps, like `step-1` and `step-2`,"),
        );
        check(
            &format!("### 1. A\n**for_each:** [1, 2]\n{AGENT}"),
            Some("the items of step `step-1`"),
        );
        check(&format!("### 1. A\n{AGENT}### 2. B\n{AGENT}"), None);
    }

    #[test]
    fn nothing_is_wrong_with_such_a_plan() {
        let two = format!("### 1. A\n{AGENT}### 2. B\n**depends_on:** none\n{AGENT}");
        let checked = checked(&two, &NoTrees);
        assert_eq!((checked.errors(), checked.warnings()), (0, 0));
        assert!(checked.strict().accept().is_ok());
    }
}

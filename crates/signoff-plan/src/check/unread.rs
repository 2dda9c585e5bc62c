//! Problems that are not reported if a file could not be read to its end.

use crate::diagnostic::{Code, Diagnostic};

/// Removes problems about missing or unfinished parts: they may be in the text that could not be read.
pub(super) fn remove_follow_ups(problems: &mut Vec<Diagnostic>) {
    if !problems.iter().any(|problem| problem.cuts_off) {
        return;
    }
    problems.retain(|problem| {
        problem.cuts_off
            || !matches!(
                problem.code,
                Code::BudgetMissing
                    | Code::ContractSyntax
                    | Code::ContractVacuous
                    | Code::EmptyTask
                    | Code::FrontmatterInvalid
                    | Code::FrontmatterMissing
                    | Code::MissingContract
                    | Code::MissingField
                    | Code::MissingTitle
                    | Code::NoSteps
                    | Code::UnknownDependency
                    | Code::UnknownParam
                    | Code::UnknownReference
                    | Code::UnterminatedFence
            )
    });
}

#[cfg(test)]
mod tests {
    use crate::check::check;
    use crate::check::testing::TestWorkspace;
    use crate::dialect::parse;
    use crate::source::Source;

    /// Every diagnostic of a file, as `caret | message`.
    #[track_caller]
    fn said(name: &str, text: &str, expected: &[&str]) {
        let checked = check(&parse(&Source::new(name, text.into())), &TestWorkspace);
        let found: Vec<_> = checked
            .diagnostics
            .iter()
            .map(|one| format!("{} | {}", one.span.slice(text), one.message))
            .collect();
        assert_eq!(found, expected, "{name}: {text}");
    }

    #[test]
    fn what_is_no_plan_is_judged_by_its_name_or_its_first_sign() {
        const OBJECT: &str = "the plan must be keys and values, not";
        said("a.json", "{}", &[" | the plan has no steps"]);
        said("a.json", "[]", &[&format!("[] | {OBJECT} a list")]);
        said("<stdin>", "[]", &[&format!("[] | {OBJECT} a list")]);
        said("a.json", "null", &[&format!("null | {OBJECT} `null`")]);
        said("a.json", "", &[&format!(" | {OBJECT} an empty file")]);
        said("a.yaml", "[]", &[&format!("[] | {OBJECT} a list")]);
        said("a.yml", "null", &[&format!("null | {OBJECT} `null`")]);
        said("a.yaml", "", &[&format!(" | {OBJECT} an empty file")]);
    }

    #[test]
    fn a_tab_in_yaml_is_the_only_fault() {
        let tab = "a tab stands in the indentation, which YAML does not allow: write spaces";
        let problem = format!("the plan cannot be read as YAML: {tab}");
        said(
            "a.yaml",
            "id: p\ntask: x\nsteps:\n\t- index: 0\n",
            &[&format!("\t | {problem}")],
        );
        said(
            "a.yaml",
            "id: p\ntask: x\nsteps:\n  - index: 0\n\tdescription: a\n",
            &[&format!("\t | {problem}")],
        );
    }

    #[test]
    fn a_block_comment_is_one_fault() {
        said(
            "a.json",
            "{ /* x: { */ \"steps\": [/**/{\"id\": \"a\", \"tool\": \"read_file\", \"args\": {\"path\": \"p\"}}]}",
            &[
                "/* x: { */ | the plan cannot be read as JSON: `/* … */` is not read here: write comments as `// …`",
                "/**/ | the plan cannot be read as JSON: `/* … */` is not read here: write comments as `// …`",
            ],
        );
    }
}

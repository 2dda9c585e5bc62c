//! What keeps a plan from being committed: the nine rules of the `thread` dialect, unknown fields and names of
//! files. Everything else that is wrong keeps it from being signed, later.

use signoff_plan::diagnostic::{Code, Diagnostic, Severity};
use signoff_plan::draft::Draft;

/// Does this problem keep the plan from being committed?
pub(super) fn prevents_commit(draft: &Draft, problem: &Diagnostic) -> bool {
    if problem.severity != Severity::Error {
        return false;
    }
    match problem.code {
        // Rules 1 and 3. A text that is cut off, or no text, has no valid frontmatter.
        Code::FrontmatterMissing | Code::FrontmatterInvalid | Code::NotUtf8 | Code::TooLarge => {
            true
        }
        // Rules 1 and 3 too: `plan.md` or an id is missing. A contract may be missing as well.
        Code::MissingField => {
            let unnamed = draft.steps.iter().any(|step| step.id.is_none());
            unnamed || problem.step.is_none()
        }
        // A list where a text should be is not a valid frontmatter; a text that means nothing is.
        Code::BadValue => draft.problems.contains(problem),
        // Rules 2, 4, 5, 6, 7, 8 and 9.
        Code::MissingTitle
        | Code::DuplicateId
        | Code::BadId
        | Code::UnknownDependency
        | Code::DependencyCycle
        | Code::DuplicateIndex
        | Code::EmptyTask => true,
        Code::UnknownField | Code::BadFilename => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use signoff_plan::PermissiveWorkspace;
    use signoff_plan::check::check;
    use signoff_plan::dialect::{Dialect, parse_as};
    use signoff_plan::source::Source;

    use super::*;

    /// The codes that stop a plan of one task with this frontmatter, besides its id.
    #[track_caller]
    fn check_task(fields: &str, expected: &[&str]) {
        let task = format!("---\nid: a\n{fields}---\nA\n");
        check_files(
            &[
                ("plan.md", "---\ntitle: T\n---\n"),
                ("tasks/01-a.md", &task),
            ],
            expected,
        );
    }

    #[track_caller]
    fn check_files(files: &[(&str, &str)], expected: &[&str]) {
        let files = files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
        let source = Source::directory("t", files.collect());
        let draft = parse_as(&source, Dialect::Thread);
        let found = check(&draft, &PermissiveWorkspace).diagnostics;
        let codes: Vec<_> = found
            .iter()
            .filter(|problem| prevents_commit(&draft, problem))
            .map(|problem| problem.code.as_str())
            .collect();
        assert_eq!(codes, expected, "{found:#?}");
    }

    #[test]
    fn the_nine_rules_stop_a_plan() {
        check_files(&[], &["missing-field"]);
        check_files(&[("plan.md", "no frontmatter\n")], &["frontmatter-missing"]);
        check_files(&[("plan.md", "---\ntitle: T\n")], &["frontmatter-invalid"]);
        check_files(&[("plan.md", "---\ntitle: ' '\n---\n")], &["missing-title"]);
        let plan = ("plan.md", "---\ntitle: T\n---\n");
        let task = |text: &'static str| ("tasks/01-a.md", text);
        check_files(&[plan, task("no frontmatter\n")], &["frontmatter-missing"]);
        check_files(&[plan, task("---\nagent: x\n---\nA\n")], &["missing-field"]);
        check_files(&[plan, task("---\nid: a\n---\n\n")], &["empty-task"]);
        check_files(&[plan, task("---\nid: A_b\n---\nA\n")], &["bad-id"]);
        let same = ("tasks/01-b.md", "---\nid: a\n---\nB\n");
        check_files(
            &[plan, task("---\nid: a\n---\nA\n"), same],
            &["duplicate-index", "duplicate-id"],
        );
        check_files(
            &[plan, ("tasks/a.md", "---\nid: a\n---\nA\n")],
            &["bad-filename"],
        );
    }

    #[test]
    fn of_a_field_its_kind_counts_and_its_meaning_does_not() {
        check_task("", &[]);
        check_task("depends_on: [b]\n", &["unknown-dependency"]);
        check_task("depends_on: [a]\n", &["dependency-cycle"]);
        check_task("agnet: b\n", &["unknown-field"]);
        check_task("subtasks: 7\n", &["bad-value"]);
        check_task("timeout: [1]\n", &["bad-value"]);
        check_task("timeout: soon\n", &[]);
        check_task("contract: \"if\"\n", &[]);
        check_task("expect: exit_code == 0\n", &[]);
        check_task("on_fail: pray\n", &[]);
        check_task("when: \"((\"\n", &[]);
    }
}

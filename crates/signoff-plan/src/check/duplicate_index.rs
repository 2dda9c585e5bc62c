//! Two steps have one index.
//!
//! ## Why
//! Dependencies of a record name steps by index. With two of them it is unknown which one is meant, and
//! which comes first.
//!
//! ## Example
//! ```text
//! steps:
//!   - index: 0
//!     description: Build
//!   - index: 0
//!     description: Test
//! ```
//!
//! The same holds for files of a thread: `tasks/02-implement.md` and `tasks/02-test.md`.
//!
//! ## Instead
//! An index of its own for each step, from 0 on, in the order they are to run;
//! `tasks/02-implement.md` and `tasks/03-test.md`.

use crate::diagnostic::{Code, Diagnostic};
use crate::draft::Spanned;
use crate::source::Span;
use crate::spelling::Dialect;

/// The index of a step is that of another one.
pub(crate) fn at(dialect: Dialect, index: &Spanned<u64>, first: Span) -> Diagnostic {
    let message = format!("two steps have the index {}", index.value);
    Diagnostic::new(Code::DuplicateIndex, dialect, index.span, message)
        .with_related(first, "first here")
        .help("give each step an index of its own, and correct the `dependsOn` that name it")
}

/// Two files of a thread begin with one number. Each is given by its name, at its first line; `free` is a number that
/// no file has.
pub(crate) fn files(
    dialect: Dialect,
    first: Spanned<&str>,
    second: Spanned<&str>,
    free: Option<u32>,
) -> Diagnostic {
    let message = format!(
        "files `{}` and `{}` begin with the same number",
        first.value, second.value
    );
    let found = Diagnostic::new(Code::DuplicateIndex, dialect, second.span, message)
        .with_related(first.span, "the other one");
    match free {
        Some(free) => found.help(format!("rename one of them; `{free:02}` is free")),
        None => found.help("rename one of them"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;
    use super::*;

    const HELP: &str =
        "give each step an index of its own, and correct the `dependsOn` that name it";

    #[test]
    fn indexes_are_unique() {
        let steps = "task: x\nsteps:\n- index: 0\n  description: a\n- index: 2\n  description: b\n";
        check(Code::DuplicateIndex, steps, &[]);
        check(
            Code::DuplicateIndex,
            &steps.replace("index: 2", "index: 0"),
            &[&format!("0 | two steps have the index 0 | {HELP}")],
        );
    }

    #[track_caller]
    fn check_files(names: &[&str], expected: &[&str]) {
        let mut files = vec![("plan.md".to_owned(), "---\ntitle: T\n---\nx\n".into())];
        for (at, name) in names.iter().enumerate() {
            files.push((
                (*name).to_owned(),
                format!("---\nid: t{at}\n---\nx\n").into(),
            ));
        }
        let source = crate::source::Source::directory("thread", files);
        let problems = crate::dialect::parse(&source).problems;
        let found: Vec<_> = problems
            .iter()
            .filter(|problem| problem.code == Code::DuplicateIndex)
            .map(|problem| {
                let name = source.name_at(problem.span.start);
                let help = problem.help.as_deref().unwrap_or("-");
                format!("{name} | {} | {help}", problem.message)
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn files_have_a_number_each() {
        check_files(&["tasks/01-a.md", "tasks/02-b.md"], &[]);
        check_files(
            &["tasks/01-a.md", "tasks/01-b.md", "tasks/01-c.md"],
            &[
                "thread/tasks/01-b.md | files `tasks/01-a.md` and `tasks/01-b.md` begin with the same number | \
                 rename one of them; `02` is free",
                "thread/tasks/01-c.md | files `tasks/01-a.md` and `tasks/01-c.md` begin with the same number | \
                 rename one of them; `02` is free",
            ],
        );
    }
}

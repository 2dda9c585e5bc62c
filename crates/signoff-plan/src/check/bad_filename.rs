//! A file in `tasks/` has a name that no task file has, or lies where no file of the plan does.
//!
//! ## Why
//! The two digits order the tasks. A file that is quietly left out because of its name would be
//! missed only when its work is.
//!
//! ## Example
//! ```text
//! tasks/1-setup.md
//! tasks/02_Implement.md
//! tasks/notes.txt
//! task/03-deploy.md
//! ```
//!
//! ## Instead
//! Two digits, then lower-case words and numbers joined by `-`: `tasks/01-setup.md`,
//! `tasks/02-implement.md`. What is not a task belongs somewhere else. Beside `plan.md` and `tasks/` nothing is read;
//! that is a warning.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source::Span;
use crate::spelling::Dialect;

/// The number that a file in `tasks/` is ordered by; `None` = not the name of a task file.
pub fn task_index(name: &str) -> Option<u32> {
    let (digits, slug) = name.strip_suffix(".md")?.split_once('-')?;
    let two = digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit());
    (two && is_kebab_case(slug)).then(|| digits.parse().ok())?
}

/// Whether a text is lower-case words and numbers, joined by `-`.
pub fn is_kebab_case(text: &str) -> bool {
    let part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.split('-')
        .all(|word| !word.is_empty() && word.chars().all(part))
}

/// A text as lower-case words and numbers, joined by `-`; may be empty.
pub(crate) fn kebab_case(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit()));
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// The problem of a file, whose first line stands at `span`.
pub(crate) fn at(dialect: Dialect, span: Span, name: &str) -> Diagnostic {
    let message = format!("file name `tasks/{name}` is not of the form `tasks/NN-slug.md`");
    let help = match likely_meant(name) {
        Some(better) => format!("rename it to `{better}`"),
        None => "name it like `01-setup-db.md`, or move it out of `tasks`".to_owned(),
    };
    Diagnostic::new(Code::BadFilename, dialect, span, message).help(help)
}

/// What lies in the directory of a thread and is not part of the plan. A directory's name ends with a slash.
pub fn stray_file(name: &str) -> Diagnostic {
    let message = format!(
        "`{name}` is not part of the plan: only `plan.md` and the files in `tasks/` are read"
    );
    let help = match name.strip_suffix('/').map(str::to_lowercase) {
        Some(name) if ["task", "tasks"].contains(&name.as_str()) => "rename it to `tasks/`",
        Some(_) => "move it out of the plan's directory",
        None => "move it into `tasks/` if it is a task, otherwise out of the plan's directory",
    };
    let mut found = Diagnostic::new(Code::BadFilename, Dialect::Thread, Span::at(0), message);
    // It may be anybody's notes.
    found.severity = Severity::Warning;
    found.help(help)
}

/// The name that was most likely meant.
fn likely_meant(name: &str) -> Option<String> {
    let (stem, extension) = name.rsplit_once('.')?;
    let markdown = ["md", "markdown"].contains(&extension.to_lowercase().as_str());
    let slug = kebab_case(stem);
    let digits = slug.len() - slug.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, words) = slug.split_at_checked(digits)?;
    let words = words.trim_start_matches('-');
    let number: u32 = number.parse().ok().filter(|number| *number < 100)?;
    (markdown && !words.is_empty()).then(|| format!("{number:02}-{words}.md"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::TestWorkspace;
    use super::*;
    use crate::check::check as run;
    use crate::dialect::parse;
    use crate::source::Source;

    #[test]
    fn two_digits_and_a_slug_are_a_task() {
        for (name, index) in [
            ("01-setup-db.md", Some(1)),
            ("00-a.md", Some(0)),
            ("99-a1-2.md", Some(99)),
            ("1-a.md", None),
            ("001-a.md", None),
            ("01-.md", None),
            ("01-a--b.md", None),
            ("01-A.md", None),
            ("01-a_b.md", None),
            ("01-a.MD", None),
            ("01-a", None),
            ("01-ä.md", None),
            ("٠١-a.md", None),
            (" 01-a.md", None),
            ("sub/01-a.md", None),
        ] {
            assert_eq!(task_index(name), index, "{name}");
        }
    }

    #[track_caller]
    fn check(name: &str, expected: &str) {
        let files = [
            ("plan.md", "---\ntitle: T\n---\nx\n"),
            (&format!("tasks/{name}"), "---\nid: a\n---\nx\n"),
        ];
        let files = files.map(|(name, text)| (name.to_owned(), text.into()));
        let source = Source::directory("thread", files.into());
        let problems = run(&parse(&source), &TestWorkspace).diagnostics;
        let found: Vec<_> = problems
            .iter()
            .filter(|problem| problem.code == Code::BadFilename)
            .map(|problem| {
                assert_eq!(
                    source.name_at(problem.span.start),
                    format!("thread/tasks/{name}")
                );
                format!(
                    "{} | {}",
                    problem.message,
                    problem.help.as_deref().unwrap_or("-")
                )
            })
            .collect();
        let expected = Some(expected).filter(|expected| !expected.is_empty());
        assert_eq!(found, Vec::from_iter(expected));
    }

    #[test]
    fn other_files_are_reported() {
        check("01-a.md", "");
        check(
            "1_Setup DB.md",
            "file name `tasks/1_Setup DB.md` is not of the form `tasks/NN-slug.md` | rename it to `01-setup-db.md`",
        );
        check(
            "notes.txt",
            "file name `tasks/notes.txt` is not of the form `tasks/NN-slug.md` | \
             name it like `01-setup-db.md`, or move it out of `tasks`",
        );
        check(
            "setup.md",
            "file name `tasks/setup.md` is not of the form `tasks/NN-slug.md` | \
             name it like `01-setup-db.md`, or move it out of `tasks`",
        );
        check(
            "sub/01-a.md",
            "file name `tasks/sub/01-a.md` is not of the form `tasks/NN-slug.md` | \
             name it like `01-setup-db.md`, or move it out of `tasks`",
        );
    }
}

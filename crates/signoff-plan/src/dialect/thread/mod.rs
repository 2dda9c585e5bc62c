//! A directory: `plan.md` with a title and the narrative, and a file `tasks/NN-slug.md`
//! for each task. Strict: what is not known is an error.

mod fields;
mod plan;
mod task;

use std::collections::BTreeMap;

use super::Dialect;
use crate::check::{bad_filename, duplicate_index, missing_field, too_large};
use crate::draft::Draft;
use crate::markdown::frontmatter::{FrontmatterSpans, find_frontmatter};
use crate::source::{Source, SourceFile, Span, Spanned, first_line, text_from};

const DIALECT: Dialect = Dialect::Thread;

/// The file with the title and the narrative.
pub(crate) const PLAN_FILE: &str = "plan.md";
/// The directory of the tasks, as names of files begin with it.
pub(crate) const TASKS: &str = "tasks/";

/// Whether the files are those of a thread.
pub(super) fn recognise(source: &Source) -> bool {
    let mut parts = source.parts().iter();
    parts.any(|part| part.name == PLAN_FILE || part.name.starts_with(TASKS))
}

/// Reads a directory, whatever it holds.
pub(super) fn parse(source: &Source) -> Draft {
    let mut draft = Draft::empty(DIALECT);
    let plan = source.parts().iter().find(|part| part.name == PLAN_FILE);
    match plan.and_then(|part| ThreadFile::new(source, part)) {
        Some(file) => plan::read(&file, &mut draft),
        None => draft.problems.push(missing_field::plan_file(DIALECT)),
    }
    for (at, file) in tasks(source, &mut draft).iter().enumerate() {
        if at == too_large::STEPS {
            let found = too_large::steps(DIALECT, file.first_line());
            draft.problems.push(found);
            break;
        }
        task::read(file, &mut draft);
    }
    draft
}

/// The task files, in the order of their numbers. One with another name is reported; if it is
/// markdown it is read all the same, after the others, so that its own problems are not hidden.
fn tasks<'a>(source: &'a Source, draft: &mut Draft) -> Vec<ThreadFile<'a>> {
    let mut found = Vec::new();
    for part in source.parts() {
        let name = part.name.strip_prefix(TASKS);
        let file = name.and_then(|_| ThreadFile::new(source, part));
        let (Some(name), Some(file)) = (name, file) else {
            continue;
        };
        let index = bad_filename::task_index(name);
        if index.is_none() {
            let problem = bad_filename::at(DIALECT, file.first_line(), name);
            draft.problems.push(problem);
        }
        if index.is_some() || is_markdown(name) {
            found.push((index.unwrap_or(u32::MAX), file));
        }
    }
    found.sort_by(|(a, left), (b, right)| (a, left.name).cmp(&(b, right.name)));
    report_duplicates(&found, draft);
    found.into_iter().map(|(_, file)| file).collect()
}

fn is_markdown(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

fn report_duplicates(files: &[(u32, ThreadFile<'_>)], draft: &mut Draft) {
    let mut first: BTreeMap<u32, &ThreadFile<'_>> = BTreeMap::new();
    let used: std::collections::BTreeSet<u32> = files.iter().map(|(index, _)| *index).collect();
    for (index, file) in files.iter().filter(|(index, _)| *index < 100) {
        match first.get(index) {
            Some(other) => {
                let free = (index + 1..100).find(|free| !used.contains(free));
                let other = Spanned::new(other.name, other.first_line());
                let this = Spanned::new(file.name, file.first_line());
                let problem = duplicate_index::files(DIALECT, other, this, free);
                draft.problems.push(problem);
            }
            None => {
                first.insert(*index, file);
            }
        }
    }
}

/// One file of the directory, in the text of the whole.
struct ThreadFile<'a> {
    name: &'a str,
    /// The text up to the end of this file: places in it count from the beginning of the whole.
    text: &'a str,
    /// Where the file begins, behind a byte order mark.
    start: usize,
}

impl<'a> ThreadFile<'a> {
    /// The file, unless it stands behind a byte that is not a text.
    fn new(source: &'a Source, part: &'a SourceFile) -> Option<Self> {
        let text = source.text();
        let text = text.get(..part.span.end.min(text.len()))?;
        let content = text.get(part.span.start..)?;
        let mark = if content.starts_with('\u{feff}') {
            3
        } else {
            0
        };
        Some(Self {
            name: &part.name,
            text,
            start: part.span.start + mark,
        })
    }

    fn frontmatter(&self) -> Option<FrontmatterSpans> {
        find_frontmatter(self.text, self.start)
    }

    /// Where to point for the file as a whole.
    fn first_line(&self) -> Span {
        let rest = text_from(self.text, self.start);
        let line = first_line(rest);
        Span::new(self.start, self.start + line.len())
    }

    /// The text from an offset on, without blank lines at both ends.
    fn body(&self, from: usize) -> (String, Span) {
        let text = text_from(self.text, from);
        let blank = text
            .split_inclusive('\n')
            .take_while(|line| line.trim().is_empty());
        let start = from + blank.map(str::len).sum::<usize>();
        let kept = text_from(self.text, start).trim_end();
        let start = if kept.is_empty() { from } else { start };
        let span = Span::new(start, start + kept.len());
        (kept.replace("\r\n", "\n"), span)
    }
}

/// Every name, by what it is a field of.
#[cfg(test)]
pub(super) fn names() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("plan", crate::spelling::thread::PLAN_NAMES.to_vec()),
        ("step", crate::spelling::thread::STEP_NAMES.to_vec()),
    ]
}

#[cfg(test)]
mod tests;

//! The least text that is a step, in each dialect.

use serde_json::Value;

use super::super::EditRefused;
use super::super::keyed::KeyedFile;
use super::super::splice::Splice;
use super::NewStep;
use super::blocks::StepBlocks;
use crate::check::bad_filename::{kebab_case, task_index};
use crate::check::resolve::step_ids;
use crate::dialect::Dialect;
use crate::dialect::object::Format;
use crate::dialect::thread::TASKS;
use crate::draft::Draft;
use crate::field::step_name;
use crate::json::{Separators, inline};
use crate::source::{Source, Span, text_from, text_up_to};
use crate::write::yaml::scalar;

/// A step with this number and title, where it goes.
pub(super) fn least_text(
    source: &Source,
    draft: &Draft,
    blocks: &StepBlocks<'_>,
    at: usize,
    number: Option<u64>,
    new: &NewStep,
) -> Result<Splice, EditRefused> {
    let site = InsertionPoint::new(source, blocks, at)?;
    let title = new.title.trim();
    if title.is_empty() || title.contains('\n') {
        let why = "a title is one line of text".to_owned();
        return Err(EditRefused::BadValue(why));
    }
    let text = match draft.dialect {
        Dialect::Workunit => {
            let hashes: String = site.model.chars().take_while(|c| *c == '#').collect();
            let number = number
                .map(|number| format!("{number}. "))
                .unwrap_or_default();
            format!("{hashes} {number}{title}")
        }
        Dialect::Proposal => {
            let indent: String = site.model.chars().take_while(|c| *c == ' ').collect();
            let mark = site
                .model
                .trim_start()
                .trim_start_matches(|c: char| c.is_ascii_digit());
            let mark = if mark.starts_with(')') { ')' } else { '.' };
            format!("{indent}{}{mark} {title}", number.unwrap_or(1))
        }
        Dialect::Record => {
            let mut members = Vec::new();
            members.extend(number.map(|number| ("index", Value::from(number))));
            members.push(("description", Value::from(title)));
            site.object(source, draft, &members)?
        }
        Dialect::Toolplan => {
            let id = free_id(draft, new);
            let mut members = vec![("id", Value::from(id))];
            members.extend(number.map(|number| ("order", Value::from(number))));
            members.push(("description", Value::from(title)));
            site.object(source, draft, &members)?
        }
        Dialect::Thread => return Err(EditRefused::NoPlace("this step".to_owned())),
    };
    Ok(site.insertion(source, draft, &text))
}

/// Where a step is added, beside one that shows how steps are written here.
struct InsertionPoint<'a> {
    /// The text of the step beside it.
    model: &'a str,
    span: Span,
    /// It goes before that step, as the first of all.
    is_first: bool,
    /// What stands between two steps, if there are two.
    gap: Option<&'a str>,
}

impl<'a> InsertionPoint<'a> {
    fn new(source: &'a Source, blocks: &StepBlocks<'_>, at: usize) -> Result<Self, EditRefused> {
        let beside = at.saturating_sub(1);
        let none = || EditRefused::NoPlace("a first step: write it into the file".to_owned());
        let span = *blocks.spans.get(beside).ok_or_else(none)?;
        let next = blocks.spans.get(beside + 1);
        let before = beside.checked_sub(1).and_then(|at| blocks.spans.get(at));
        let gap = next.map(|next| Span::new(span.end, next.start));
        let gap = gap.or_else(|| before.map(|before| Span::new(before.end, span.start)));
        Ok(Self {
            model: span.slice(source.text()),
            span,
            is_first: at == 0,
            gap: gap.map(|gap| gap.slice(source.text())),
        })
    }

    /// The line end in use.
    fn line_end(source: &Source) -> &'static str {
        let line = source.text().split_inclusive('\n').next();
        let crlf = line.is_some_and(|line| line.ends_with("\r\n"));
        if crlf { "\r\n" } else { "\n" }
    }

    fn insertion(&self, source: &Source, draft: &Draft, text: &str) -> Splice {
        let newline = Self::line_end(source);
        let gap = match (draft.dialect, self.gap) {
            (Dialect::Workunit, Some(gap)) if gap.trim().is_empty() => gap.to_owned(),
            (Dialect::Proposal, Some(gap)) if gap.trim().is_empty() => {
                gap.trim_end_matches(' ').to_owned()
            }
            (Dialect::Record | Dialect::Toolplan, Some(gap)) if is_plain(gap) => gap.to_owned(),
            (Dialect::Record | Dialect::Toolplan, _) => self.item_gap(source, newline),
            (Dialect::Proposal, _) => newline.to_owned(),
            _ => format!("{newline}{newline}"),
        };
        if self.is_first {
            Splice::insert(self.span.start, format!("{text}{gap}"))
        } else {
            Splice::insert(self.span.end, format!("{gap}{text}"))
        }
    }

    /// What separates items of a list of which there is one so far.
    fn item_gap(&self, source: &Source, newline: &str) -> String {
        let before = self.line_before(source);
        match before.trim() {
            "-" => format!("{newline}{before}"),
            "" => format!(",{newline}{before}"),
            _ => ", ".to_owned(),
        }
    }

    /// What stands before the step on its line.
    fn line_before(&self, source: &Source) -> String {
        let before = text_up_to(source.text(), self.span.start);
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        text_from(before, line).to_owned()
    }

    /// An item of keys and values, spelled as the one beside it.
    fn object(
        &self,
        source: &Source,
        draft: &Draft,
        members: &[(&str, Value)],
    ) -> Result<String, EditRefused> {
        let newline = Self::line_end(source);
        let format = KeyedFile::new(source, draft)?.editor.format;
        let before = self.line_before(source);
        if format == Format::Yaml && !self.model.starts_with('{') {
            let indent = " ".repeat(before.chars().count());
            let line = |(key, value): &(&str, Value)| format!("{key}: {}", scalar(value));
            let lines: Vec<String> = members.iter().map(line).collect();
            return Ok(lines.join(&format!("{newline}{indent}")));
        }
        let pair = |(key, value): &(&str, Value)| {
            format!("\"{key}\": {}", inline(value, Separators::WIDE))
        };
        let pairs: Vec<String> = members.iter().map(pair).collect();
        let inner = self
            .model
            .lines()
            .nth(1)
            .filter(|_| self.model.starts_with('{'));
        Ok(match inner {
            Some(line) => {
                let indent = &line[..line.len() - line.trim_start().len()];
                let outer: String = before.chars().take_while(|c| c.is_whitespace()).collect();
                let pairs = pairs.join(&format!(",{newline}{indent}"));
                format!("{{{newline}{indent}{pairs}{newline}{outer}}}")
            }
            None => format!("{{{}}}", pairs.join(", ")),
        })
    }
}

/// Only what separates items: a comment there belongs to one of them.
fn is_plain(gap: &str) -> bool {
    gap.chars()
        .all(|c| c.is_whitespace() || matches!(c, ',' | '-'))
}

/// An id that no step has: the one that is asked for, or one made of the title.
fn free_id(draft: &Draft, new: &NewStep) -> String {
    let ids = step_ids(draft);
    let asked = new
        .fields
        .iter()
        .find(|(name, _)| step_name(name) == Some("id"));
    if let Some(id) = asked.and_then(|(_, value)| value.as_str()) {
        return id.to_owned();
    }
    let base = Some(kebab_case(&new.title)).filter(|id| !id.is_empty());
    let base = base.unwrap_or_else(|| "step".to_owned());
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    names.find(|name| !ids.contains(name)).unwrap_or(base)
}

/// The directory with a file for a new task.
pub(super) fn thread_task(
    source: &Source,
    draft: &Draft,
    new: &NewStep,
) -> Result<Source, EditRefused> {
    let numbers = source.parts().iter().filter_map(|part| {
        let name = part.name.strip_prefix(TASKS)?;
        task_index(name)
    });
    let next = numbers.max().map_or(1, |last| last + 1);
    if next > 99 {
        return Err(EditRefused::NoPlace("more than 99 tasks".to_owned()));
    }
    let id = free_id(draft, new);
    let task = new
        .fields
        .iter()
        .find(|(name, _)| step_name(name) == Some("task"));
    let task = task.and_then(|(_, value)| value.as_str());
    let task = task.unwrap_or(&new.title).trim();
    let text = format!(
        "---\nid: {}\ntitle: {}\ndepends_on: []\n---\n\n{task}\n",
        scalar(&Value::from(id.as_str())),
        scalar(&Value::from(new.title.trim())),
    );
    let name = format!("{TASKS}{next:02}-{}.md", kebab_case(&id));
    let files = source
        .split()
        .map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
    let files = files.chain([(name, text.into_bytes())]).collect();
    Ok(Source::directory(source.name(), files))
}

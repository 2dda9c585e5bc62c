//! Where marks and changes go in the native dialect: a tick in the heading, a status line, the
//! frontmatter, labelled fields.

mod contract;
mod definition;
mod field;
mod header;

use std::collections::BTreeMap;

pub(super) use self::definition::edit;
use super::{EditRefused, Marks, Splice, StepMark, state};
use crate::check::resolve;
use crate::draft::{self, Draft, StatusMark};
use crate::source::{Source, Span, text_from, text_up_to};
use crate::spelling::Dialect;
use crate::spelling::status::{plan_words, step_words};

const TICK: &str = "✅";

/// What to write where.
pub(super) fn splices(
    source: &Source,
    draft: &Draft,
    marks: &Marks,
) -> Result<Vec<Splice>, EditRefused> {
    let mut splices = Vec::new();
    if let Some(word) = &marks.status {
        if !plan_words(draft.dialect).contains(&word.as_str()) {
            return Err(EditRefused::UnknownStatus(word.clone()));
        }
        splices.extend(status(source, draft, word)?);
    }
    let ids = resolve::step_ids(draft);
    // If two steps have the same id, the first one counts.
    let steps = ids.iter().map(String::as_str).zip(&draft.steps).rev();
    let steps: BTreeMap<&str, &draft::DraftStep> = steps.collect();
    for (id, mark) in &marks.steps {
        let step = steps.get(id.as_str());
        let step = step.ok_or_else(|| EditRefused::UnknownStep(id.clone()))?;
        splices.extend(step_mark(source, step, *mark)?);
    }
    Ok(splices)
}

fn status(source: &Source, draft: &Draft, word: &str) -> Result<Option<Splice>, EditRefused> {
    Ok(match &draft.status {
        Some(status) if status.value == word => None,
        // The key alone is there: its place is where the value is missing.
        Some(status) if status.value.is_empty() => {
            let after = text_from(source.text(), status.span.end);
            let colon = after.find(':').map(|colon| status.span.end + colon + 1);
            colon.map(|offset| Splice::insert(offset, format!(" {word}")))
        }
        // Over several lines it is not a word; who knows what else it is.
        Some(status) if status.span.slice(source.text()).contains('\n') => {
            return Err(EditRefused::UnknownStatus(status.value.clone()));
        }
        Some(status) if is_shared(source, status.span.start) => {
            return Err(EditRefused::Shared("status".to_owned()));
        }
        Some(status) => Some(Splice::replace(status.span, word)),
        None => {
            let offset = draft.anchors.insert_status;
            let no_place = || EditRefused::Unreadable("there is no frontmatter".to_owned());
            let offset = offset.ok_or_else(no_place)?;
            let end = line_end(source, draft.anchors.header.end);
            Some(Splice::insert(offset, format!("status: {word}{end}")))
        }
    })
}

/// Whether what begins here is a YAML alias or has an anchor.
fn is_shared(source: &Source, start: usize) -> bool {
    let before = text_up_to(source.text(), start).trim_end_matches([' ', '\t']);
    let word = before.rsplit([' ', '\t', '\n']).next();
    text_from(source.text(), start).starts_with('*')
        || word.is_some_and(|word| word.starts_with('&'))
}

fn step_mark(
    source: &Source,
    step: &draft::DraftStep,
    wanted: StepMark,
) -> Result<Vec<Splice>, EditRefused> {
    let marks = &step.marks;
    if state(marks) == Some(wanted) {
        return Ok(Vec::new());
    }
    let word = match wanted {
        StepMark::Failed => Some("failed"),
        StepMark::Skipped => Some("skipped"),
        StepMark::None | StepMark::Done => None,
        // The dialect has no words for steps that have not ended.
        StepMark::NotBegun | StepMark::Blocked | StepMark::Running => return Ok(Vec::new()),
    };
    let mut splices = Vec::new();
    let mut kept = None;
    for mark in &marks.statuses {
        let gone = removal(source, mark)?;
        if word.is_some() && kept.is_none() {
            kept = Some(mark.word.span);
        } else {
            splices.push(Splice::remove(gone));
        }
    }
    match (word, kept) {
        (Some(word), Some(span)) => splices.push(Splice::replace(span, word)),
        (Some(word), None) => {
            let end = line_end(source, step.heading.end);
            let line = format!("{end}**status:** {word}");
            splices.push(Splice::insert(marks.insert_status, line));
        }
        (None, _) => {}
    }
    if wanted != StepMark::Done {
        splices.extend(marks.ticks.iter().map(|tick| Splice::remove(*tick)));
    } else if marks.ticks.is_empty() {
        splices.push(tick_mark(source, marks.insert_tick));
    }
    Ok(splices)
}

/// What to take away with a status line: the line, but not a comment that stands behind the mark.
fn removal(source: &Source, mark: &StatusMark) -> Result<Span, EditRefused> {
    let known = step_words(Dialect::Workunit).contains(&mark.word.value.as_str());
    let rest = source.text().get(mark.word.span.end..mark.line.end);
    let (true, Some(rest)) = (known, rest) else {
        let why = format!("`{}` is not a status of a step", mark.word.value);
        return Err(EditRefused::Unreadable(why));
    };
    let after = rest.strip_prefix('`').unwrap_or(rest);
    let after = after.strip_prefix("**").unwrap_or(after);
    if after.trim().is_empty() {
        return Ok(whole_line(source, mark.line));
    }
    Ok(Span::new(
        mark.line.start,
        mark.line.end - after.trim_start().len(),
    ))
}

/// A tick before the title, with the space that sets it apart.
fn tick_mark(source: &Source, offset: usize) -> Splice {
    let before = text_up_to(source.text(), offset);
    let text = if before.ends_with([' ', '\t']) {
        format!("{TICK} ")
    } else {
        format!(" {TICK}")
    };
    Splice::insert(offset, text)
}

/// The line end in use at the end of a line; a file of one line gets a plain one.
fn line_end(source: &Source, offset: usize) -> &'static str {
    let rest = text_from(source.text(), offset);
    let line = rest.split_inclusive('\n').next().unwrap_or_default();
    if line.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// A line with the line end before it, which is how one is inserted.
fn whole_line(source: &Source, line: Span) -> Span {
    let before = text_up_to(source.text(), line.start);
    let kept = before.strip_suffix('\n').unwrap_or(before);
    let kept = kept.strip_suffix('\r').unwrap_or(kept);
    Span::new(kept.len(), line.end)
}

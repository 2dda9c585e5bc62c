//! Edits of the dialect `proposal`: one markdown file. Marks and most fields stand in the
//! frontmatter, a step's own below its text, rejections at the end.

mod sections;
mod step;

use serde_json::Value;

use super::frontmatter::Frontmatter;
use super::resolved_edit::ResolvedEdit;
use super::{Edit, EditRefused, Marks, Splice};
use crate::dialect::rejection;
use crate::draft::Draft;
use crate::source::Source;
use crate::spelling::status::plan_words;

/// What to write where, for these marks. Marks of steps have no place in the file.
pub(super) fn splices(
    source: &Source,
    draft: &Draft,
    marks: &Marks,
) -> Result<Vec<Splice>, EditRefused> {
    let Some(word) = &marks.status else {
        return Ok(Vec::new());
    };
    if !plan_words(draft.dialect).contains(&word.as_str()) {
        return Err(EditRefused::UnknownStatus(word.clone()));
    }
    if draft
        .status
        .as_ref()
        .is_some_and(|status| status.value == *word)
    {
        return Ok(Vec::new());
    }
    header(source)?.set("status", &Value::from(word.as_str()))
}

/// What to write where, for one change.
pub(super) fn edit(
    source: &Source,
    draft: &Draft,
    edit: &Edit,
) -> Result<Vec<Splice>, EditRefused> {
    match ResolvedEdit::new(draft, edit)? {
        ResolvedEdit::Plan { name, value } => set_plan(source, draft, name, &value),
        ResolvedEdit::Step { at, name, value } => step::set(source, draft, at, name, &value),
        ResolvedEdit::Reject { version, feedback } => {
            let feedback = feedback.replace("\r\n", "\n");
            let heading = rejection::heading(Some(version));
            let section = format!(
                "{heading}\n{}\n",
                rejection::escape_feedback(feedback.trim())
            );
            Ok(vec![sections::append(source, &section, line_end(source))])
        }
    }
}

fn header(source: &Source) -> Result<Frontmatter<'_>, EditRefused> {
    Frontmatter::new(source.text(), source.byte_order_mark_len())
}

/// The line end in use.
fn line_end(source: &Source) -> &'static str {
    header(source).map_or("\n", |header| header.line_end())
}

fn set_plan(
    source: &Source,
    draft: &Draft,
    name: &str,
    value: &Value,
) -> Result<Vec<Splice>, EditRefused> {
    match name {
        "title" => {
            // It may stand in a heading instead.
            let heading = draft.title.as_ref().map(|title| title.span);
            let heading = heading.filter(|span| span.start >= draft.anchors.body.start);
            match (heading, value.as_str()) {
                (Some(span), Some(text)) if !text.contains('\n') => {
                    Ok(vec![Splice::replace(span, text)])
                }
                _ => header(source)?.set("title", value),
            }
        }
        "context" => sections::context(source, draft, value, line_end(source)),
        "risks" => sections::risks(source, draft, value, line_end(source)),
        name => {
            let no_place = || EditRefused::NoPlace(format!("an edit of `{name}`"));
            let key = draft.dialect.plan_key(name).ok_or_else(no_place)?;
            header(source)?.set(key, value)
        }
    }
}

#[cfg(test)]
mod tests;

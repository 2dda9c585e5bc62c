//! One change of a plan in the native dialect.

use serde_json::Value;

use super::field::FieldEditor;
use super::{header, line_end, step_mark};
use crate::dialect::rejection;
use crate::dialect::workunit::layout::layout;
use crate::draft::{self, Draft};
use crate::edit::resolved_edit::ResolvedEdit;
use crate::edit::{Edit, EditRefused, Splice, StepMark};
use crate::source::{Source, text_from, text_up_to};
use crate::spelling::workunit::{HEADER_NAMES, PLAN_NAMES};
use crate::write::workunit::FieldOwner;

/// What to write where, for one change.
pub(in crate::edit) fn edit(
    source: &Source,
    draft: &Draft,
    edit: &Edit,
) -> Result<Vec<Splice>, EditRefused> {
    match ResolvedEdit::new(draft, edit)? {
        ResolvedEdit::Plan { name, value } => set_plan(source, draft, name, &value),
        ResolvedEdit::Step { at, name, value } => set_step(source, draft, at, name, &value),
        ResolvedEdit::Reject { version, feedback } => Ok(vec![reject(source, version, feedback)]),
    }
}

fn set_plan(
    source: &Source,
    draft: &Draft,
    name: &'static str,
    value: &Value,
) -> Result<Vec<Splice>, EditRefused> {
    match name {
        name if HEADER_NAMES.contains(&name) => header::set(source, name, value),
        "title" => title(source, draft, value),
        "context" => context(source, draft, value),
        "risks" => FieldEditor::new(source, &layout(source)).risks(value),
        name if PLAN_NAMES.contains(&name) => {
            let layout = layout(source);
            FieldEditor::new(source, &layout).set(&layout.plan, FieldOwner::Plan, name, value)
        }
        record => Err(EditRefused::NoPlace(format!("an edit of `{record}`"))),
    }
}

fn set_step(
    source: &Source,
    draft: &Draft,
    at: usize,
    name: &'static str,
    value: &Value,
) -> Result<Vec<Splice>, EditRefused> {
    let layout = layout(source);
    let (Some(part), Some(step)) = (layout.steps.get(at), draft.steps.get(at)) else {
        return Err(EditRefused::NoPlace("this step".to_owned()));
    };
    let editor = FieldEditor::new(source, &layout);
    match name {
        "title" => {
            let text = value.as_str().unwrap_or_default();
            Ok(vec![Splice::replace(step.title.span, one_line(text)?)])
        }
        "status" => step_mark(source, step, mark_of(value)),
        "id" => {
            let mut splices = editor.set(part, FieldOwner::Step, name, value)?;
            splices.extend(renamed_references(draft, at, value));
            Ok(splices)
        }
        "contract.command" | "contract.shell" | "contract.expect" => {
            editor.contract(part, step, name, value)
        }
        "args" => editor.args(part, value),
        _ if crate::model::STEP_RECORD.contains(&name) => {
            Err(EditRefused::NoPlace(format!("an edit of `{name}`")))
        }
        _ => editor.set(part, FieldOwner::Step, name, value),
    }
}

fn mark_of(value: &Value) -> StepMark {
    match value.as_str() {
        Some("done") => StepMark::Done,
        Some("failed") => StepMark::Failed,
        Some("skipped") => StepMark::Skipped,
        _ => StepMark::None,
    }
}

/// The references to a step, under its new id.
fn renamed_references(draft: &Draft, at: usize, id: &Value) -> Vec<Splice> {
    let unnamed = format!("step-{}", at + 1);
    let new = id.as_str().unwrap_or(&unnamed);
    let old = draft.steps.get(at).and_then(|step| step.id.as_ref());
    let old = old.map_or(unnamed.as_str(), |id| id.value.as_str());
    let references = |step: &draft::DraftStep| step.depends_on.clone().unwrap_or_default();
    draft
        .steps
        .iter()
        .flat_map(references)
        .filter(|reference| reference.value == old)
        .map(|reference| Splice::replace(reference.span, new))
        .collect()
}

fn one_line(text: &str) -> Result<&str, EditRefused> {
    if crate::write::workunit::one_line(text) {
        return Ok(text);
    }
    let why = "a title is one line of text".to_owned();
    Err(EditRefused::BadValue(why))
}

fn title(source: &Source, draft: &Draft, value: &Value) -> Result<Vec<Splice>, EditRefused> {
    let splice = match (&draft.title, value.as_str()) {
        (Some(title), Some(text)) => Splice::replace(title.span, one_line(text)?),
        (Some(title), None) => {
            let before = text_up_to(source.text(), title.span.start);
            let start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let rest = text_from(source.text(), title.span.end);
            let line = rest.split_inclusive('\n').next().unwrap_or_default();
            let end = title.span.end + line.len();
            Splice::remove(crate::source::Span::new(start, end))
        }
        (None, Some(text)) => {
            let end = line_end(source, draft.anchors.header.end);
            let text = format!("{end}# {}{end}", one_line(text)?);
            Splice::insert(draft.anchors.body.start, text)
        }
        (None, None) => return Ok(Vec::new()),
    };
    Ok(vec![splice])
}

/// The narrative: a labelled field, or prose that stands in one place.
fn context(source: &Source, draft: &Draft, value: &Value) -> Result<Vec<Splice>, EditRefused> {
    let layout = layout(source);
    let prose = draft.context.as_ref();
    let prose = prose.filter(|_| layout.plan.get("context").is_none());
    let Some(prose) = prose else {
        return FieldEditor::new(source, &layout).set(
            &layout.plan,
            FieldOwner::Plan,
            "context",
            value,
        );
    };
    let written = prose.span.slice(source.text());
    if written.replace("\r\n", "\n") != prose.value {
        let why = "the narrative stands in several places".to_owned();
        return Err(EditRefused::Unreadable(why));
    }
    let text = value.as_str().unwrap_or_default();
    let text = text.replace('\n', line_end(source, 0));
    Ok(vec![Splice::replace(prose.span, text)])
}

fn reject(source: &Source, version: u64, feedback: &str) -> Splice {
    let end = line_end(source, 0);
    let feedback = feedback.replace("\r\n", "\n");
    let heading = rejection::heading(Some(version));
    let feedback = rejection::escape_feedback(feedback.trim());
    let section = format!("\n{heading}\n\n{feedback}\n");
    let missing = if source.bytes().ends_with(b"\n") {
        ""
    } else {
        end
    };
    let section = format!("{missing}{}", section.replace('\n', end));
    Splice::insert(source.bytes().len(), section)
}

//! Sections of the body: context, risks, and what is appended.

use serde_json::Value;

use crate::dialect::proposal::{ProposalPart, split};
use crate::draft::Draft;
use crate::edit::{EditRefused, Splice};
use crate::markdown::{Document, LineKind};
use crate::source::{Source, Span, text_up_to};

/// A section at the end of the file, with a blank line before it.
pub(super) fn append(source: &Source, section: &str, line_end: &str) -> Splice {
    let text = source.text();
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        line_end
    };
    let section = section.replace('\n', line_end);
    Splice::insert(text.len(), format!("{end}{line_end}{section}"))
}

/// Sets the prose of the plan, where all of it stands in one place.
pub(super) fn context(
    source: &Source,
    draft: &Draft,
    value: &Value,
    line_end: &str,
) -> Result<Vec<Splice>, EditRefused> {
    let new = value.as_str().unwrap_or_default();
    if let Some(context) = &draft.context {
        let raw = context.span.slice(source.text()).replace("\r\n", "\n");
        if raw != context.value {
            let what = "context that stands in several places".to_owned();
            return Err(EditRefused::NotOnlyField(what));
        }
        let text = new.replace('\n', line_end);
        return Ok(vec![Splice::replace(context.span, text)]);
    }
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let document = Document::new(source.text(), draft.anchors.body.start);
    let parts = split(&document);
    let there = parts
        .iter()
        .find(|(part, _)| *part == ProposalPart::Context);
    let (at, heading) = match there {
        // There are outputs or artifacts only.
        Some((_, lines)) if has_text(&document, lines) => {
            (offset(&document, lines.end), "### Notes\n")
        }
        Some((_, lines)) => {
            let text = format!("{new}\n").replace('\n', line_end);
            let at = offset(&document, lines.start);
            return Ok(vec![Splice::insert(
                at,
                on_new_line(source, at, &text, line_end),
            )]);
        }
        None => (
            before_rest(&document, &parts, ProposalPart::Context),
            "## Context\n",
        ),
    };
    let text = format!("{heading}{new}\n");
    Ok(vec![insert(source, at, &text, line_end)])
}

/// Sets the list of risks.
pub(super) fn risks(
    source: &Source,
    draft: &Draft,
    value: &Value,
    line_end: &str,
) -> Result<Vec<Splice>, EditRefused> {
    let items = value.as_array().into_iter().flatten();
    let mut list = String::new();
    for item in items.filter_map(Value::as_str) {
        list.extend(["- ", item, "\n"]);
    }
    let document = Document::new(source.text(), draft.anchors.body.start);
    let parts = split(&document);
    let Some((_, lines)) = parts.iter().find(|(part, _)| *part == ProposalPart::Risks) else {
        if list.is_empty() {
            return Ok(Vec::new());
        }
        let at = before_rest(&document, &parts, ProposalPart::Risks);
        return Ok(vec![insert(
            source,
            at,
            &format!("## Risks\n{list}"),
            line_end,
        )]);
    };
    let inside = document.lines.get(lines.clone()).unwrap_or_default();
    if inside.iter().any(|line| line.kind == LineKind::Comment) {
        return Err(EditRefused::NotOnlyField(
            "a comment among the risks".to_owned(),
        ));
    }
    let mut filled = inside.iter().filter(|line| !document.is_blank(line));
    let span = match (filled.next(), filled.next_back()) {
        (Some(first), last) => Span::new(first.span.start, last.unwrap_or(first).next),
        (None, _) => Span::at(offset(&document, lines.start)),
    };
    let mut list = list.replace('\n', line_end);
    if span.is_empty() {
        list = on_new_line(source, span.start, &list, line_end);
    }
    Ok(vec![Splice::replace(span, list)])
}

fn has_text(document: &Document<'_>, lines: &std::ops::Range<usize>) -> bool {
    let lines = document.lines.get(lines.clone()).unwrap_or_default();
    lines.iter().any(|line| !document.is_blank(line))
}

/// Where a line begins, or the file ends.
fn offset(document: &Document<'_>, line: usize) -> usize {
    let line_start = document.lines.get(line).map(|line| line.span.start);
    let end = document.lines.last().map_or(0, |line| line.next);
    line_start.unwrap_or(end)
}

/// Where a section goes that is not there: before risks and rejections, or at the end.
fn before_rest(
    document: &Document<'_>,
    parts: &[(ProposalPart, std::ops::Range<usize>)],
    new: ProposalPart,
) -> usize {
    let follows = |part: &ProposalPart| match part {
        ProposalPart::Rejection(_) => true,
        ProposalPart::Risks => new == ProposalPart::Context,
        ProposalPart::Title(_)
        | ProposalPart::Steps
        | ProposalPart::Context
        | ProposalPart::Narrative => false,
    };
    let next = parts.iter().find(|(part, _)| follows(part));
    match next {
        // The lines of a section begin behind its heading.
        Some((_, lines)) => offset(document, lines.start.saturating_sub(1)),
        None => offset(document, document.lines.len()),
    }
}

/// A section between others: blank lines set it apart.
fn insert(source: &Source, at: usize, text: &str, line_end: &str) -> Splice {
    let before = text_up_to(source.text(), at);
    let blank = before.ends_with("\n\n") || before.ends_with("\n\r\n");
    let gap = if blank { "" } else { line_end };
    let behind = if at == source.text().len() {
        ""
    } else {
        line_end
    };
    let text = text.replace('\n', line_end);
    let text = on_new_line(source, at, &format!("{gap}{text}{behind}"), line_end);
    Splice::insert(at, text)
}

/// Text behind a line end, which the last line of a file may not have.
fn on_new_line(source: &Source, at: usize, text: &str, line_end: &str) -> String {
    let before = text_up_to(source.text(), at);
    if before.is_empty() || before.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{line_end}{text}")
    }
}

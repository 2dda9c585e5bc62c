//! Values of a step's fields: one value, free markdown, conditions, a contract.

use super::DIALECT;
use super::context::numbered_lines;
use super::item::{dedent, marker_len};
use super::subitem::SubitemField;
use crate::check::{bad_value, missing_field};
use crate::diagnostic::Diagnostic;
use crate::dialect::block;
use crate::draft::{CommandText, DraftContract, Spanned};
use crate::markdown::{Document, Fence, LineKind};
use crate::source::Span;

/// One value, in back-ticks or not, that may go on over several lines.
pub(super) fn scalar(document: &Document<'_>, field: &SubitemField) -> Option<Spanned<String>> {
    let mut parts: Vec<Span> = Vec::new();
    parts.extend(Some(field.inline).filter(|span| !span.is_empty()));
    for (_, line) in numbered_lines(document, &field.lines) {
        let text = document.trim_span(line.span);
        if line.kind == LineKind::Text && !text.is_empty() {
            parts.push(text);
        }
    }
    let (first, last) = (parts.first()?, parts.last()?);
    let texts: Vec<_> = parts.iter().map(|part| document.slice(*part)).collect();
    let whole = Spanned::new(texts.join(" "), first.to(*last));
    Some(match code(&whole.value) {
        // Only on one line the code has the length of its place.
        Some(inside) if parts.len() == 1 => Spanned::new(
            inside.slice(&whole.value).to_owned(),
            inside.shift(first.start),
        ),
        Some(inside) => Spanned::new(inside.slice(&whole.value).to_owned(), whole.span),
        None => whole,
    })
}

/// Free markdown, without the indentation of the field.
pub(super) fn markdown(document: &Document<'_>, field: &SubitemField) -> Spanned<String> {
    let mut lines = Vec::new();
    let mut span = field.inline;
    if !field.inline.is_empty() {
        lines.push(document.slice(field.inline));
    }
    for (_, line) in numbered_lines(document, &field.lines) {
        let text = dedent(document.slice(line.span), field.indent);
        if lines.is_empty() && text.trim().is_empty() {
            continue;
        }
        lines.push(text);
        span = Span::new(span.start.min(line.span.start), line.span.end);
    }
    let text = lines.join("\n").trim_end().to_owned();
    if text.is_empty() {
        span = field.name.span;
    }
    Spanned::new(text, span)
}

/// Conditions: one on the field's line, and one on each line under it.
pub(super) fn conditions(document: &Document<'_>, field: &SubitemField) -> Vec<Spanned<String>> {
    let below =
        numbered_lines(document, &field.lines).filter(|(_, line)| line.kind == LineKind::Text);
    let below = below.map(|(_, line)| document.trim_span(line.span));
    let lines = std::iter::once(field.inline).chain(below);
    let lines = lines.filter(|span| !span.is_empty());
    lines.map(|span| condition(document, span)).collect()
}

fn condition(document: &Document<'_>, span: Span) -> Spanned<String> {
    let marker = marker_len(document.slice(span)).unwrap_or(0);
    let span = document.trim_span(Span::new(span.start + marker, span.end));
    let span = code(document.slice(span)).map_or(span, |inside| inside.shift(span.start));
    Spanned::new(document.slice(span).to_owned(), span)
}

/// A contract: a command in back-ticks, or a fenced block, then conditions.
pub(super) fn contract(
    document: &Document<'_>,
    field: &SubitemField,
    problems: &mut Vec<Diagnostic>,
) -> Option<DraftContract> {
    let blocks = fenced_blocks(document, field);
    let mut expect = conditions(document, field);
    let (command, shell) = match blocks.first() {
        Some(fence) => (
            block::command(fence),
            block::shell(DIALECT, fence, problems),
        ),
        None => {
            let command = inline_command(document, field, problems)?;
            // The line of the field holds the command, so it is not a condition.
            expect.retain(|condition| condition.span.start > field.inline.end);
            (command, None)
        }
    };
    for extra in blocks.iter().skip(1) {
        let found = bad_value::second_contract(DIALECT, extra.span, command.span());
        problems.push(found);
    }
    let span = field.name.span;
    let contract = DraftContract {
        span,
        command,
        shell,
        expect,
        ..DraftContract::default()
    };
    if contract.command.text.trim().is_empty() {
        problems.push(missing_field::command(DIALECT, span));
        return None;
    }
    Some(contract)
}

fn fenced_blocks<'d>(document: &'d Document<'_>, field: &SubitemField) -> Vec<&'d Fence> {
    let mut blocks: Vec<&Fence> = Vec::new();
    for (_, line) in numbered_lines(document, &field.lines) {
        if let LineKind::Fence(index) = line.kind {
            let fence = document.fences.get(index);
            let new = |fence: &&Fence| blocks.last().is_none_or(|last| last.span != fence.span);
            blocks.extend(fence.filter(new));
        }
    }
    blocks
}

/// The command in back-ticks on the field's own line.
fn inline_command(
    document: &Document<'_>,
    field: &SubitemField,
    problems: &mut Vec<Diagnostic>,
) -> Option<CommandText> {
    let Some(inline) = code(document.slice(field.inline)) else {
        problems.push(match document.slice(field.inline) {
            "" => missing_field::command(DIALECT, field.name.span),
            text => missing_field::back_ticks(DIALECT, field.inline, text),
        });
        return None;
    };
    let inline = inline.shift(field.inline.start);
    let mut command = CommandText::default();
    command.push(document.slice(inline), inline);
    Some(command)
}

/// The span of the text between back-ticks, if that is all there is.
fn code(text: &str) -> Option<Span> {
    let marks = text.len() - text.trim_start_matches('`').len();
    let inside = text.get(marks..text.len().checked_sub(marks)?)?;
    let fence = "`".repeat(marks);
    let closed = marks > 0 && text.get(text.len() - marks..) == Some(fence.as_str());
    // A run of as many marks inside would have ended it.
    let runs = inside.split(|c| c != '`').any(|run| run.len() == marks);
    if !closed || runs || inside.is_empty() {
        return None;
    }
    // One space on both sides sets back-ticks in the text apart from those around it.
    let padded = inside.starts_with(' ') && inside.ends_with(' ') && !inside.trim().is_empty();
    let pad = usize::from(padded && marks > 1);
    Some(Span::new(marks + pad, text.len() - marks - pad))
}

#[cfg(test)]
mod tests {
    use super::code;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(code(text).map(|span| span.slice(text)), expected, "{text}");
    }

    #[test]
    fn code_stands_between_back_ticks() {
        check("`make`", Some("make"));
        check("``a `b` c``", Some("a `b` c"));
        check("`` `b` ``", Some("`b`"));
        check("` a `", Some(" a "));
        for text in ["make", "`a` b", "`a` `b`", "``", "`", "", "``a`", "`é"] {
            check(text, None);
        }
    }
}

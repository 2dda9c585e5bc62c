//! `**contract:**`: a fenced block, then condition lines.

use super::DIALECT;
use super::fields::{Fields, LabelledField};
use super::values::{fences, marker_len, plain_value};
use crate::check::{bad_value, missing_field};
use crate::diagnostic::Diagnostic;
use crate::dialect::block;
use crate::draft::{CommandText, DraftContract, Spanned};
use crate::markdown::Document;
use crate::source::Span;

/// Reads a contract; without a command there is none.
pub(super) fn read(
    document: &Document<'_>,
    fields: &Fields,
    problems: &mut Vec<Diagnostic>,
) -> Option<DraftContract> {
    let field = fields.get("contract")?;
    let (blocks, lines) = fences(document, field);
    let mut expect: Vec<_> = lines
        .iter()
        // An unknown label has been reported as one.
        .filter(|line| !document.slice(**line).starts_with("**"))
        .map(|line| condition(document, *line))
        .collect();
    let (command, shell) = match blocks.first() {
        Some(fence) => {
            if !field.inline.is_empty() {
                expect.insert(0, condition(document, field.inline));
            }
            (
                block::command(fence),
                block::shell(DIALECT, fence, problems),
            )
        }
        None => (inline_command(document, field, problems)?, None),
    };
    for extra in blocks.iter().skip(1) {
        problems.push(bad_value::second_contract(
            DIALECT,
            extra.span,
            command.span(),
        ));
    }
    if command.text.trim().is_empty() {
        problems.push(missing_field::command(DIALECT, field.label));
        return None;
    }
    Some(DraftContract {
        span: field.label,
        command,
        shell,
        expect,
        ..DraftContract::default()
    })
}

/// A command in back-ticks on the label's line.
fn inline_command(
    document: &Document<'_>,
    field: &LabelledField,
    problems: &mut Vec<Diagnostic>,
) -> Option<CommandText> {
    let text = document.slice(field.inline);
    let inside = text
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'));
    match inside.filter(|command| !command.contains('`')) {
        Some(inside) => {
            let mut command = CommandText::default();
            let start = field.inline.start + 1;
            command.push(inside, Span::new(start, start + inside.len()));
            Some(command)
        }
        None => {
            problems.push(match text {
                "" => missing_field::command(DIALECT, field.label),
                text => missing_field::back_ticks(DIALECT, field.inline, text),
            });
            None
        }
    }
}

fn condition(document: &Document<'_>, span: Span) -> Spanned<String> {
    let marker = marker_len(document.slice(span)).unwrap_or(0);
    let span = document.trim_span(Span::new(span.start + marker, span.end));
    plain_value(Spanned::new(document.slice(span).to_owned(), span))
}

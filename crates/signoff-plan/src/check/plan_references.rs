//! What steps use of each other, of parameters and of loops: references in `args`, expressions, and
//! templates in texts.

use serde_json::Value;

use super::positions::Positions;
use crate::draft::{Draft, DraftStep, Spanned};
use crate::expression::{self, ExpressionError, ExpressionReads, PlaceholderContent, placeholders};
use crate::reference::{PathPart, TokenKind, scan};
use crate::source::Span;

/// Everything that the steps of a plan use, each with the position of the step.
#[derive(Debug, Default)]
pub(super) struct PlanReferences<'a> {
    /// What begins with a dollar in arguments.
    pub(super) references: Vec<(usize, ArgumentReference<'a>)>,
    pub(super) expressions: Vec<(usize, Expression<'a>)>,
    /// `{{ … }}` in titles, tasks and arguments.
    pub(super) templates: Vec<(usize, Template<'a>)>,
}

/// Something in `args` that begins with a dollar.
#[derive(Debug)]
pub(super) struct ArgumentReference<'a> {
    /// As written.
    pub(super) text: &'a str,
    pub(super) span: Span,
    pub(super) kind: TokenKind<'a>,
}

/// A `when` or `for_each`.
#[derive(Debug)]
pub(super) struct Expression<'a> {
    pub(super) field: ExpressionField,
    pub(super) text: &'a Spanned<String>,
    pub(super) reads: Result<ExpressionReads<'a>, Vec<ExpressionError>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpressionField {
    When,
    ForEach,
}

/// `{{ … }}` in a text that is not shell code.
#[derive(Debug)]
pub(super) struct Template<'a> {
    pub(super) span: Span,
    pub(super) content: PlaceholderContent<'a>,
    /// What the expression reads, where it is one of ours.
    pub(super) reads: Result<ExpressionReads<'a>, Vec<ExpressionError>>,
}

impl<'a> PlanReferences<'a> {
    pub(super) fn new(draft: &'a Draft) -> Self {
        let mut found = Self::default();
        for (index, step) in draft.steps.iter().enumerate() {
            each_text(step, &mut |text, span| {
                found.note_references(index, text, span);
                found.note_templates(index, text, span);
            });
            for text in std::iter::once(&step.title).chain(&step.task) {
                found.note_templates(index, &text.value, text.span);
            }
            let written = expressions(step).map(|expression| (index, expression));
            found.expressions.extend(written);
        }
        found
    }

    fn note_references(&mut self, index: usize, text: &'a str, span: Span) {
        for found in scan(text) {
            let referred = ArgumentReference {
                text: found.span.slice(text),
                span: span_within(text, span, found.span),
                kind: found.kind,
            };
            self.references.push((index, referred));
        }
    }

    fn note_templates(&mut self, index: usize, text: &'a str, span: Span) {
        if !text.bytes().any(|byte| byte == b'{') {
            return;
        }
        for placeholder in placeholders(text) {
            let reads = match placeholder.content {
                PlaceholderContent::Params(inside) | PlaceholderContent::Loop(inside) => {
                    expression::read(inside)
                }
                PlaceholderContent::Literal(_) | PlaceholderContent::Other(_) => {
                    Ok(ExpressionReads::default())
                }
            };
            let template = Template {
                span: span_within(text, span, placeholder.span),
                content: placeholder.content,
                reads,
            };
            self.templates.push((index, template));
        }
    }
}

/// A span in a text, as a span in the file. Where the file spells the text in another way, the
/// whole of it.
pub(super) fn span_within(text: &str, span: Span, inside: Span) -> Span {
    if span.len() == text.len() {
        inside.shift(span.start)
    } else {
        span
    }
}

/// The expressions of a step.
fn expressions(step: &DraftStep) -> impl Iterator<Item = Expression<'_>> {
    let fields = [
        (ExpressionField::When, &step.when),
        (ExpressionField::ForEach, &step.for_each),
    ];
    fields.into_iter().filter_map(|(field, text)| {
        let text = text.as_ref().filter(|text| !text.value.is_empty())?;
        Some(Expression {
            field,
            reads: expression::read(&text.value),
            text,
        })
    })
}

/// The texts in the arguments of a step that hold a dollar or a brace, with their places.
fn each_text<'a>(step: &'a DraftStep, visit: &mut impl FnMut(&'a str, Span)) {
    if let Some(args) = &step.args {
        let mut placeholders = step.args_spans.iter().copied();
        let mut next = || placeholders.next().unwrap_or(args.span);
        walk(&args.value, &mut next, visit);
    }
}

/// Places come in the order of the file: the value, and of an object each key before its value.
fn walk<'a>(
    value: &'a Value,
    next: &mut impl FnMut() -> Span,
    visit: &mut impl FnMut(&'a str, Span),
) {
    let span = next();
    match value {
        Value::String(text) => {
            if text.bytes().any(|byte| matches!(byte, b'$' | b'{')) {
                visit(text, span);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, next, visit)),
        Value::Object(members) => {
            for member in members.values() {
                next();
                walk(member, next, visit);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Positions of the steps whose values a step uses, itself included.
pub(super) fn used_steps(step: &DraftStep, positions: &Positions<'_>) -> Vec<usize> {
    let mut used = Vec::new();
    each_text(step, &mut |text, _| {
        for found in scan(text) {
            if let TokenKind::Whole(reference) | TokenKind::Inside(reference) = found.kind {
                used.extend(positions.of(reference.id));
            }
        }
    });
    for reads in expressions(step).filter_map(|expression| expression.reads.ok()) {
        used.extend(reads.steps.iter().filter_map(|read| positions.of(read.id)));
    }
    used
}

/// Why a reference cannot lead anywhere in the value of such a step; `None` = it may.
pub(super) fn wrong_way(step: &crate::model::Step, path: &[PathPart<'_>]) -> Option<&'static str> {
    use crate::model::Work;
    let (first, path) = match (&step.for_each, path.split_first()) {
        // The value of a loop is a list of what its items give.
        (Some(_), Some((PathPart::Name(_), _))) => {
            return Some("gives a list, one item for each round: write its number, as in `[0]`");
        }
        (Some(_), Some((PathPart::Index(_), rest))) => (rest.first(), rest),
        (_, Some((first, _))) => (Some(first), path),
        (_, None) => (None, path),
    };
    let first = first.or(path.first())?;
    match &step.work {
        Work::Tool { .. } => None,
        Work::Ask { .. } => Some("gives the answer, which is text and has no parts"),
        Work::Check => Some("gives what its contract prints, which is text and has no parts"),
        Work::Agent { .. } => (*first != PathPart::Name("json"))
            .then_some("gives its final text; only `.json` leads into that"),
    }
}

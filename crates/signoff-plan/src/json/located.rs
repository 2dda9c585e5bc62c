//! A JSON value of a plan with the span of each of its parts.
//!
//! Plans keep values as `serde_json` has them and the spans beside them as one flat list, in the
//! order in which both were written: a hundred thousand steps have that many small objects.

use serde_json::Value;

use super::{Comments, parse};
use crate::node::{Node, NodeKind};
use crate::source::{Span, Spanned};

/// The spans of everything in a value, in the order it is written: the value itself; of an object
/// each key and then its value, of a list each value. `source` is the text that spans count from.
pub(crate) fn value_spans(node: &Node, source: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    collect(node, source, &mut spans);
    spans
}

/// The spans of everything in the JSON that stands at `span` of a text; none where it is not all JSON,
/// because marks of the surrounding text stand in between.
pub(crate) fn value_spans_within(source: &str, span: Span) -> Vec<Span> {
    match parse(span.slice(source), span.start, Comments::Refused) {
        (Some(node), problems) if problems.is_empty() => value_spans(&node, source),
        _ => Vec::new(),
    }
}

/// The keys of the object that stands at `span` of a text; none where it is not all JSON.
pub(crate) fn keys_within(source: &str, span: Span) -> Vec<Spanned<String>> {
    let (root, _) = parse(span.slice(source), span.start, Comments::Refused);
    match root.map(|root| root.kind) {
        Some(NodeKind::Mapping(entries)) => entries.into_iter().map(|entry| entry.key).collect(),
        _ => Vec::new(),
    }
}

fn collect(node: &Node, source: &str, spans: &mut Vec<Span>) {
    spans.push(node.inner_span(source));
    match &node.kind {
        NodeKind::Null | NodeKind::Scalar { .. } => {}
        NodeKind::Sequence(items) => items.iter().for_each(|item| collect(item, source, spans)),
        NodeKind::Mapping(entries) => {
            for entry in entries {
                spans.push(entry.key.span);
                collect(&entry.value, source, spans);
            }
        }
    }
}

/// A value with its span.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LocatedValue<'a> {
    /// What it is.
    pub(crate) value: &'a Value,
    /// Where it stands; of text, without its quotes.
    pub(crate) span: Span,
    /// The members of an object, or the items of a list.
    pub(crate) parts: Vec<LocatedPart<'a>>,
}

/// A member of an object, or an item of a list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LocatedPart<'a> {
    /// The key of a member.
    pub(crate) key: Option<Spanned<&'a str>>,
    pub(crate) value: LocatedValue<'a>,
}

impl<'a> LocatedValue<'a> {
    /// Puts a value together with its [`value_spans`]. Where they are not known, everything stands at
    /// `whole`.
    pub(crate) fn new(value: &'a Value, whole: Span, spans: &[Span]) -> Self {
        let mut spans = spans.iter().copied();
        Self::build(value, whole, &mut spans)
    }

    fn build(value: &'a Value, whole: Span, spans: &mut impl Iterator<Item = Span>) -> Self {
        let span = spans.next().unwrap_or(whole);
        let mut parts = Vec::new();
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    let span = spans.next().unwrap_or(whole);
                    let key = Some(Spanned::new(key.as_str(), span));
                    let value = Self::build(value, whole, spans);
                    parts.push(LocatedPart { key, value });
                }
            }
            Value::Array(items) => {
                parts.extend(items.iter().map(|item| LocatedPart {
                    key: None,
                    value: Self::build(item, whole, spans),
                }));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Self { value, span, parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(located: &LocatedValue<'_>, source: &str, found: &mut Vec<String>) {
        found.push(located.span.slice(source).to_owned());
        for part in &located.parts {
            let key = part.key.as_ref();
            found.extend(key.map(|key| format!("{}:", key.span.slice(source))));
            texts(&part.value, source, found);
        }
    }

    #[test]
    fn every_part_has_its_place() {
        let source = r#"{"a": ["x", 12], "b": {"c": ""}, "d": null}"#;
        let (node, _) = parse(source, 0, Comments::Refused);
        let node = node.expect("an object");
        let value = node.to_json();
        let spans = value_spans(&node, source);
        let mut found = Vec::new();
        texts(
            &LocatedValue::new(&value, node.span, &spans),
            source,
            &mut found,
        );
        let expected = [
            source,
            "a:",
            r#"["x", 12]"#,
            "x",
            "12",
            "b:",
            r#"{"c": ""}"#,
            "c:",
            "",
            "d:",
            "null",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn without_places_everything_stands_at_the_whole() {
        let value = serde_json::json!({"a": [1]});
        let located = LocatedValue::new(&value, Span::new(3, 9), &[]);
        assert_eq!(located.parts[0].value.parts[0].value.span, Span::new(3, 9));
    }
}

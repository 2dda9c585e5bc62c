//! Puts values in the place of references.

use std::fmt;

use serde_json::Value;

use super::read::{PathPart, Reference, TokenKind, scan};
use crate::json::kind;
use crate::source::text_from;

/// A reference that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolved {
    /// The step has no value, or there is no such step.
    NoValue {
        /// Id of the step.
        id: String,
    },
    /// The value has no such part.
    NoPart {
        /// The reference, up to and with the part.
        reference: String,
        /// What stands there instead.
        found: &'static str,
    },
    /// Something begins like a reference and is none.
    Bad {
        /// As written.
        text: String,
    },
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoValue { id } => write!(f, "step `{id}` has no value"),
            Self::NoPart { reference, found } => {
                write!(f, "`{reference}` leads nowhere: before it is {found}")
            }
            Self::Bad { text } => write!(f, "`{text}` begins like a reference, but is none"),
        }
    }
}

impl std::error::Error for Unresolved {}

/// Arguments with the values of steps in the place of references to them.
///
/// What is put in is not read again: a value that looks like a reference stays as it is.
pub fn resolve(args: &Value, values: &dyn Fn(&str) -> Option<Value>) -> Result<Value, Unresolved> {
    match args {
        Value::String(text) => resolve_text(text, values),
        Value::Array(items) => items.iter().map(|item| resolve(item, values)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| Ok((key.clone(), resolve(value, values)?)))
            .collect::<Result<_, _>>()
            .map(Value::Object),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(args.clone()),
    }
}

fn resolve_text(text: &str, values: &dyn Fn(&str) -> Option<Value>) -> Result<Value, Unresolved> {
    let mut out = String::new();
    let mut end = 0;
    for found in scan(text) {
        out.push_str(text.get(end..found.span.start).unwrap_or_default());
        end = found.span.end;
        let written = found.span.slice(text);
        match &found.kind {
            TokenKind::Whole(reference) => return value(reference, values),
            TokenKind::Inside(reference) => {
                let value = value(reference, values)?;
                match value.as_str() {
                    Some(text) => out.push_str(text),
                    None => out.push_str(&value.to_string()),
                }
            }
            TokenKind::Dollar => out.push('$'),
            TokenKind::Name(_) => out.push_str(written),
            TokenKind::Bad(_) => {
                let text = written.to_owned();
                return Err(Unresolved::Bad { text });
            }
        }
    }
    out.push_str(text_from(text, end));
    Ok(Value::String(out))
}

fn value(
    reference: &Reference<'_>,
    values: &dyn Fn(&str) -> Option<Value>,
) -> Result<Value, Unresolved> {
    let no_value = || Unresolved::NoValue {
        id: reference.id.to_owned(),
    };
    let mut value = values(reference.id).ok_or_else(no_value)?;
    for (depth, part) in (1..).zip(&reference.path) {
        // What an agent said last is text, and maybe JSON.
        if let (1, PathPart::Name("json"), Value::String(text)) = (depth, part, &value)
            && let Ok(read) = serde_json::from_str(text)
        {
            value = read;
            continue;
        }
        let next = match (part, &mut value) {
            (PathPart::Name(name), Value::Object(members)) => members.get_mut(*name),
            (PathPart::Index(index), Value::Array(items)) => items.get_mut(*index),
            _ => None,
        };
        let Some(next) = next else {
            let path = reference.path.iter().take(depth).copied().collect();
            let id = reference.id;
            return Err(Unresolved::NoPart {
                reference: Reference { id, path }.to_string(),
                found: kind(&value),
            });
        };
        value = next.take();
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(args: Value, expected: Result<Value, &str>) {
        let values = |id: &str| match id {
            "read" => Some(json!({"content": "x $read", "lines": [1, {"n": null}]})),
            "ask" => Some(json!("yes")),
            _ => None,
        };
        let found = resolve(&args, &values).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[test]
    fn values_keep_their_type() {
        check(json!("$ask"), Ok(json!("yes")));
        check(
            json!({"a": ["$read.lines"]}),
            Ok(json!({"a": [[1, {"n": null}]]})),
        );
        check(json!("$read.lines[1].n"), Ok(json!(null)));
        check(json!([1, null, "a"]), Ok(json!([1, null, "a"])));
    }

    #[test]
    fn text_takes_values_in() {
        check(json!("say ${ask}!"), Ok(json!("say yes!")));
        check(json!("${read.lines}"), Ok(json!("[1,{\"n\":null}]")));
        check(json!("$$ask $100 $HOME"), Ok(json!("$ask $100 $HOME")));
    }

    #[test]
    fn what_is_put_in_is_not_read_again() {
        check(json!("$read.content"), Ok(json!("x $read")));
        check(json!("<${read.content}>"), Ok(json!("<x $read>")));
    }

    #[test]
    fn what_leads_nowhere_is_an_error() {
        check(json!("$no"), Err("step `no` has no value"));
        check(
            json!("$read.lines[2]"),
            Err("`read.lines[2]` leads nowhere: before it is a list"),
        );
        check(
            json!("a ${ask.x.y}"),
            Err("`ask.x` leads nowhere: before it is text"),
        );
        check(
            json!("$ask.map(x)"),
            Err("`$ask.map(x)` begins like a reference, but is none"),
        );
    }
}

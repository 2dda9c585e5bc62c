//! `{{ params.x }}`, `{{ item }}` and `{{ index }}` in texts.
//!
//! Other braces are text: plans speak of templates in other languages too. `{{ "{{ item }}" }}`
//! stands for the braces themselves.

use serde_json::Value;

use super::evaluate::{EvaluationFailed, Scope, evaluate};
use super::tokens::{ExprTokenKind, tokens};
use crate::shell::{Quoting, quoting_at};
use crate::source::{Span, text_from, text_up_to};

/// A pair of braces in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placeholder<'a> {
    /// Where, the braces included.
    pub span: Span,
    /// What is between them.
    pub content: PlaceholderContent<'a>,
}

/// What stands between a pair of braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceholderContent<'a> {
    /// An expression that begins with `params`.
    Params(&'a str),
    /// An expression that begins with `item` or `index`.
    Loop(&'a str),
    /// Text that stands for itself.
    Literal(&'a str),
    /// Something of another language, or a slip: the name it begins with.
    Other(Option<&'a str>),
}

/// Every pair of braces in a text, in order.
pub fn placeholders(text: &str) -> Vec<Placeholder<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find("{{")) {
        let start = at + offset;
        let inside = text_from(text, start + 2);
        let Some(length) = end_of(inside) else {
            break;
        };
        let span = Span::new(start, start + length + 4);
        let content = content(text_up_to(inside, length));
        found.push(Placeholder { span, content });
        at = span.end;
    }
    found
}

/// Length up to the closing braces; those in quotes do not count.
fn end_of(inside: &str) -> Option<usize> {
    let quoted = inside.trim_start();
    let blank = inside.len() - quoted.len();
    let after = quoted
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\''))
        .and_then(|quote| Some(quoted.get(1..)?.find(quote)? + 2))
        .map_or(0, |length| blank + length);
    // The first pair of all, if none comes after the quotes.
    let behind = inside.get(after..)?.find("}}").map(|at| after + at);
    behind.or_else(|| inside.find("}}"))
}

fn content(inside: &str) -> PlaceholderContent<'_> {
    let tokens = tokens(inside);
    let first = tokens.first().map(|token| token.kind);
    match first {
        Some(ExprTokenKind::Name("params")) => PlaceholderContent::Params(inside.trim()),
        Some(ExprTokenKind::Name("item" | "index")) => PlaceholderContent::Loop(inside.trim()),
        Some(ExprTokenKind::Text(Some(text))) if tokens.len() == 1 => {
            PlaceholderContent::Literal(text)
        }
        Some(ExprTokenKind::Name(name)) => PlaceholderContent::Other(Some(name)),
        _ => PlaceholderContent::Other(None),
    }
}

/// A text with values in place of templates.
pub fn render(text: &str, scope: &Scope) -> Result<String, EvaluationFailed> {
    render_with(text, scope, |_, value| Ok(value))
}

/// Arguments with values in place of templates. Text that is exactly one template becomes the
/// value with its type.
pub fn render_args(args: &Value, scope: &Scope) -> Result<Value, EvaluationFailed> {
    match args {
        Value::String(text) => match placeholders(text).as_slice() {
            [
                Placeholder {
                    span,
                    content:
                        PlaceholderContent::Params(expression) | PlaceholderContent::Loop(expression),
                },
            ] if span.len() == text.len() => evaluate(expression, scope),
            _ => render(text, scope).map(Value::String),
        },
        Value::Array(items) => items.iter().map(|item| render_args(item, scope)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| Ok((key.clone(), render_args(value, scope)?)))
            .collect::<Result<_, _>>()
            .map(Value::Object),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(args.clone()),
    }
}

/// Shell text with parameters in it, each escaped for the quotes it stands in.
///
/// One that stands in no quotes is refused: its value would be read as shell.
pub fn render_shell(text: &str, scope: &Scope) -> Result<String, EvaluationFailed> {
    render_with(text, scope, |placeholder, value| {
        match (
            placeholder.content,
            quoting_at(text, placeholder.span.start),
        ) {
            (PlaceholderContent::Literal(_), _) => Ok(value),
            (PlaceholderContent::Params(_), Quoting::Single) => Ok(value.replace('\'', "'\\''")),
            (PlaceholderContent::Params(_), Quoting::Double) => {
                Ok(escape_for_double_quotes(&value))
            }
            (PlaceholderContent::Params(_), Quoting::None)
            | (PlaceholderContent::Loop(_) | PlaceholderContent::Other(_), _) => {
                let written = placeholder.span.slice(text);
                let message = format!("`{written}` stands in no quotes of the shell");
                Err(EvaluationFailed { message })
            }
        }
    })
}

/// Text that means itself between double quotes.
fn escape_for_double_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '"' | '$' | '`') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn render_with(
    text: &str,
    scope: &Scope,
    fit: impl Fn(&Placeholder<'_>, String) -> Result<String, EvaluationFailed>,
) -> Result<String, EvaluationFailed> {
    let mut out = String::new();
    let mut end = 0;
    for placeholder in placeholders(text) {
        let value = match placeholder.content {
            PlaceholderContent::Params(expression) | PlaceholderContent::Loop(expression) => {
                let value = evaluate(expression, scope)?;
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            }
            PlaceholderContent::Literal(text) => text.to_owned(),
            PlaceholderContent::Other(_) => continue,
        };
        out.push_str(text.get(end..placeholder.span.start).unwrap_or_default());
        out.push_str(&fit(&placeholder, value)?);
        end = placeholder.span.end;
    }
    out.push_str(text_from(text, end));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scope() -> Scope {
        Scope {
            params: [
                ("x".to_owned(), json!("a'b\"$(c)")),
                ("n".to_owned(), json!(3)),
            ]
            .into(),
            item: Some(json!({"path": "src/a.rs"})),
            index: Some(0),
            ..Scope::default()
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(render(text, &scope()).as_deref(), Ok(expected), "{text}");
    }

    #[test]
    fn templates_are_filled_in() {
        check("n is {{ params.n }}{{index}}", "n is 30");
        check("{{ item.path | upper }}", "SRC/A.RS");
        check("{{ params.n + 1 }}", "4");
        check("{{ \"{{ item }}\" }}", "{{ item }}");
        check("none", "none");
    }

    #[test]
    fn other_braces_are_text() {
        for text in [
            "{{.State}}",
            "${{ secrets.X }}",
            "{{ x",
            "{{}}",
            "{% if %}",
            "{{ 1 }}",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn arguments_keep_their_type() {
        let args = json!({"n": "{{ params.n }}", "s": "{{ params.n }}!", "l": ["{{ item }}"]});
        let expected = json!({"n": 3, "s": "3!", "l": [{"path": "src/a.rs"}]});
        assert_eq!(render_args(&args, &scope()), Ok(expected));
    }

    #[test]
    fn shell_text_takes_values_only_between_quotes() {
        let shell = |text| render_shell(text, &scope()).map_err(|error| error.message);
        assert_eq!(
            shell("a '{{ params.x }}'"),
            Ok("a 'a'\\''b\"$(c)'".to_owned())
        );
        assert_eq!(
            shell("a \"{{ params.x }}\""),
            Ok("a \"a'b\\\"\\$(c)\"".to_owned())
        );
        assert_eq!(
            shell("a {{ params.x }}"),
            Err("`{{ params.x }}` stands in no quotes of the shell".to_owned())
        );
        assert!(
            shell("a '{{ item }}'").is_err(),
            "items come as environment"
        );
        assert_eq!(shell("a {{.X}}"), Ok("a {{.X}}".to_owned()));
    }
}

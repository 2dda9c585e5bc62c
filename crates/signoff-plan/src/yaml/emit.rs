//! Values written as YAML that reads back the same.

use serde_json::Value;

use crate::json::{Separators, inline};
use crate::node::plain_value;
use crate::source::first_line;

/// A whole document in block style.
pub(crate) fn document(value: &Value) -> String {
    let mut out = String::new();
    match nonempty_members(value) {
        Some(members) => mapping(members, 0, false, &mut out),
        None => {
            out.push_str(&inline(value, Separators::WIDE));
            out.push('\n');
        }
    }
    out
}

/// Text as one word or in quotes. In flow style brackets and commas end a word.
pub(crate) fn scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        inline(&Value::from(text), Separators::WIDE)
    }
}

/// Entries of a mapping; the first of them may continue a line that is already begun.
fn mapping(
    members: &serde_json::Map<String, Value>,
    indent: usize,
    continues: bool,
    out: &mut String,
) {
    for (at, (key, value)) in members.iter().enumerate() {
        if at > 0 || !continues {
            spaces(indent, out);
        }
        out.push_str(&scalar(key));
        out.push(':');
        entry(value, indent, out);
    }
}

/// What stands behind a colon.
fn entry(value: &Value, indent: usize, out: &mut String) {
    if let Some(members) = nonempty_members(value) {
        out.push('\n');
        return mapping(members, indent + 2, false, out);
    }
    let items = value
        .as_array()
        .filter(|items| items.iter().any(|item| !item.is_number()));
    let Some(items) = items else {
        return scalar_or_block(value, indent, out);
    };
    out.push('\n');
    for item in items {
        spaces(indent + 2, out);
        out.push('-');
        match nonempty_members(item) {
            Some(members) => {
                out.push(' ');
                mapping(members, indent + 4, true, out);
            }
            None => scalar_or_block(item, indent + 2, out),
        }
    }
}

/// The members of an object that has some.
fn nonempty_members(value: &Value) -> Option<&serde_json::Map<String, Value>> {
    value.as_object().filter(|members| !members.is_empty())
}

/// A value that needs no lines of its own, or is a block of text.
fn scalar_or_block(value: &Value, indent: usize, out: &mut String) {
    out.push(' ');
    match value.as_str() {
        Some(text) if is_block(text) => return block(text, indent + 2, out),
        Some(text) => out.push_str(&scalar(text)),
        None => out.push_str(&inline(value, Separators::WIDE)),
    }
    out.push('\n');
}

fn block(text: &str, indent: usize, out: &mut String) {
    out.push_str(if text.ends_with('\n') { "|\n" } else { "|-\n" });
    for line in text.lines() {
        if !line.is_empty() {
            spaces(indent, out);
            out.push_str(line);
        }
        out.push('\n');
    }
}

fn spaces(count: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// Whether a text of several lines can be written as it is.
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let first = first_line(body);
    let last = body.rsplit('\n').next().unwrap_or_default();
    body.contains('\n')
        && !first.starts_with([' ', '\t'])
        && !first.is_empty()
        && !last.trim().is_empty()
        && body
            .lines()
            .all(|line| line.is_empty() || !line.trim().is_empty())
        && body
            .chars()
            .all(|c| c == '\n' || c == '\t' || is_printable(c))
}

fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

/// Whether a text without quotes is that text, for every reader of YAML.
fn is_plain(text: &str) -> bool {
    // Older readers take these for truth values.
    const WORDS: [&str; 6] = ["yes", "no", "on", "off", "y", "n"];
    let begins =
        text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '/' | '.' | '('));
    begins
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains([',', '[', ']', '{', '}', '"', '\''])
        && !text.starts_with("...")
        && text.chars().all(is_printable)
        && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
        && plain_value(text).is_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::parse;
    use super::*;

    #[track_caller]
    fn check(value: Value, expected: &str) {
        let text = document(&value);
        assert_eq!(text, expected);
        let (node, problems) = parse(&text, 0);
        assert_eq!(problems, [], "{text}");
        assert_eq!(node.expect("a document").to_json(), value, "{text}");
    }

    #[test]
    fn documents_are_in_block_style() {
        check(
            json!({"a": "x y", "b": [{"c": 1, "d": ["p", "q"]}, "r"], "e": {"f": [1, 2]}, "g": [], "h": {}}),
            "a: x y\nb:\n  - c: 1\n    d:\n      - p\n      - q\n  - r\ne:\n  f: [1, 2]\ng: []\nh: {}\n",
        );
        check(json!({}), "{}\n");
    }

    #[test]
    fn text_is_quoted_where_it_must_be() {
        for text in [
            "no",
            "1.5",
            "a: b",
            "a #b",
            "",
            " a",
            "-a",
            "null",
            "*a",
            "a\tb",
            "é: ",
            "x\u{85}",
            "'a'",
            "2026-01-23",
            "{{ x }}",
        ] {
            let quoted = inline(&json!(text), Separators::WIDE);
            check(json!({ "a": text }), &format!("a: {quoted}\n"));
        }
        for text in [
            "a", "a-b", "a:b", "a#b", "/usr/bin", "ünï", "nothing", "src/a.rs",
        ] {
            check(json!({ "a": text }), &format!("a: {text}\n"));
        }
    }

    #[test]
    fn lines_are_blocks() {
        check(json!({"a": "x\n  y\n\nz"}), "a: |-\n  x\n    y\n\n  z\n");
        check(json!({"a": ["x\ny\n"]}), "a:\n  - |\n    x\n    y\n");
        for text in [
            "x\n",
            "x\ny\n\n",
            " x\ny",
            "\nx",
            "x\n ",
            "x\n \ny",
            "x\r\ny",
            "x\u{1}\ny",
        ] {
            let quoted = inline(&json!(text), Separators::WIDE);
            check(json!({ "a": text }), &format!("a: {quoted}\n"));
        }
    }
}

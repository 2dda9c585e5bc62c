//! Values as YAML, for frontmatter.

use serde_json::Value;

use crate::json::{Separators, inline};
use crate::yaml::emit;

/// `key: value`, with its line end. Lists stand below their key, an item on each line.
pub(crate) fn entry(key: &str, value: &Value, line_end: &str) -> String {
    let key = emit::scalar(key);
    let items = value.as_array().filter(|items| !items.is_empty());
    let Some(items) = items.filter(|items| items.iter().all(Value::is_string)) else {
        return format!("{key}: {}{line_end}", scalar(value));
    };
    let lines = items.iter().map(|item| format!("  - {}", scalar(item)));
    let lines: Vec<_> = std::iter::once(format!("{key}:")).chain(lines).collect();
    lines.join(line_end) + line_end
}

/// `key: |-` and the lines of a text below it, if it has several; else as [`entry`] does.
pub(crate) fn block_entry(key: &str, value: &str, line_end: &str) -> String {
    let simple = |line: &str| {
        !line.ends_with([' ', '\t']) && !line.chars().any(|c| c != '\t' && c.is_control())
    };
    let lines: Vec<_> = value.split('\n').collect();
    let starts = lines
        .first()
        .is_some_and(|line| !line.is_empty() && !line.starts_with([' ', '\t']));
    let ends = lines.last().is_some_and(|line| !line.is_empty());
    let tricky = ['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}'];
    if lines.len() < 2
        || !starts
        || !ends
        || !lines.iter().all(|line| simple(line))
        || value.contains(tricky)
    {
        return entry(key, &Value::from(value), line_end);
    }
    let mut out = format!("{key}: |-{line_end}");
    for line in lines {
        if !line.is_empty() {
            out.push_str("  ");
        }
        out.push_str(line);
        out.push_str(line_end);
    }
    out
}

/// A value on one line: text without quotes where it needs none.
pub(crate) fn scalar(value: &Value) -> String {
    match value.as_str() {
        Some(text) if is_date(text) => text.to_owned(),
        Some(text) => emit::scalar(text),
        None => inline(value, Separators::WIDE),
    }
}

/// Text in quotes.
pub(crate) fn text(text: &str) -> String {
    inline(&Value::from(text), Separators::WIDE)
}

/// `2026-02-11T12:00:00.000Z`, which files have without quotes.
fn is_date(text: &str) -> bool {
    let shape = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | 'T' | 'Z' | '.' | '+');
    text.len() > 10 && text.contains('T') && !text.ends_with(':') && text.chars().all(shape)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::yaml::parse;

    #[test]
    fn what_is_written_reads_back() {
        for value in [
            json!("plain text"),
            json!("a: b"),
            json!("# no comment"),
            json!("null"),
            json!("No"),
            json!("1.10"),
            json!("2026-02-11T12:00:00.000Z"),
            json!("é \u{85} \u{2028}\n\ttab"),
            json!(""),
            json!("- x"),
            json!("trailing "),
            json!(["a", "b: c", "[", ""]),
            json!([]),
            json!({"a": [1, {"b": null}], "c d": "e"}),
            json!(7),
            json!(null),
            json!("it's \"q\" \\ {x} %@`"),
        ] {
            let yaml = entry("key", &value, "\n");
            let (node, problems) = parse(&yaml, 0);
            assert_eq!(problems, [], "{yaml}");
            assert_eq!(
                node.expect("a mapping").to_json(),
                json!({ "key": value }),
                "{yaml}"
            );
        }
        assert_eq!(
            entry("a", &json!(["x", "z"]), "\r\n"),
            "a:\r\n  - x\r\n  - z\r\n"
        );
        assert_eq!(
            entry("a", &json!("2026-02-11T12:00:00Z"), "\n"),
            "a: 2026-02-11T12:00:00Z\n"
        );
    }

    #[test]
    fn lines_stand_in_a_block() {
        assert_eq!(block_entry("c", "a\n\n  b", "\n"), "c: |-\n  a\n\n    b\n");
        for text in [
            "a\nb",
            " a\nb",
            "a\n",
            "a \nb",
            "\ta\nb",
            "a",
            "a\n\n\nb # c",
            "a\r\nb",
        ] {
            let yaml = block_entry("c", text, "\n");
            let (node, problems) = parse(&yaml, 0);
            assert_eq!(problems, [], "{yaml}");
            let read = node.expect("a mapping").to_json();
            let read = read["c"]
                .as_str()
                .expect("text")
                .trim_end_matches('\n')
                .to_owned();
            assert_eq!(read, text.trim_end_matches('\n'), "{yaml}");
        }
    }
}

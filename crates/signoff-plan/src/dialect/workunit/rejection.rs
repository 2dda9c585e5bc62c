//! `## Rejection (vN)`: what a person said when the plan was sent back.
//!
//! Feedback is anybody's text. Lines in it that would begin a section, a block or a comment have a
//! backslash before them, as markdown has it, and are read without.

use std::ops::Range;

use serde_json::{Value, json};

use super::values::lines_span;
use crate::draft::{Draft, Spanned};
use crate::markdown::Document;
use crate::source::Span;

/// What a line of feedback may not begin with.
const MARKS: [char; 5] = ['#', '`', '~', '<', '\\'];

/// Adds a rejection to those before it. The first line is its heading.
pub(super) fn read(document: &Document<'_>, lines: Range<usize>, draft: &mut Draft) {
    let Some(heading) = document.lines.get(lines.start) else {
        return;
    };
    let text = lines_span(document, &(lines.start + 1..lines.end));
    let feedback = text.map_or("", |span| document.slice(span));
    let feedback = unescaped(&feedback.replace("\r\n", "\n"));
    let rejection = match version(document.slice(heading.span)) {
        Some(version) => json!({"version": version, "feedback": feedback}),
        None => json!({"feedback": feedback}),
    };
    let span = text.map_or(heading.span, |text| heading.span.to(text));
    add(rejection, span, draft);
}

fn add(rejection: Value, span: Span, draft: &mut Draft) {
    let mut known = draft.record.iter_mut();
    match known.find(|(name, _)| *name == "rejections") {
        Some((_, list)) => {
            list.span = list.span.to(span);
            if let Value::Array(items) = &mut list.value {
                items.push(rejection);
            }
        }
        None => {
            let list = Spanned::new(Value::Array(vec![rejection]), span);
            draft.record.push(("rejections", list));
        }
    }
}

fn version(heading: &str) -> Option<u64> {
    let (_, after) = heading.split_once("(v")?;
    let (number, _) = after.split_once(')')?;
    number.parse().ok()
}

/// A rejection as a section of the file; without one of these shapes there is none.
pub(crate) fn section(rejection: &Value) -> Option<String> {
    let feedback = rejection.get("feedback")?.as_str()?;
    let heading = match rejection.get("version") {
        Some(version) => format!("## Rejection (v{})", version.as_u64()?),
        None => "## Rejection".to_owned(),
    };
    Some(format!("{heading}\n\n{}", escaped(feedback)))
}

/// Text that cannot be taken for anything but text.
pub(crate) fn escaped(text: &str) -> String {
    each_line(text, |indent, rest| {
        let begins = rest.starts_with(MARKS) || is_rule(rest);
        begins.then(|| format!("{indent}\\{rest}"))
    })
}

fn unescaped(text: &str) -> String {
    each_line(text, |indent, rest| {
        let after = rest.strip_prefix('\\')?;
        let escaped = after.starts_with(MARKS) || is_rule(after);
        escaped.then(|| format!("{indent}{after}"))
    })
}

/// Whether a line would only separate.
fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !c.is_whitespace());
    marks
        .next()
        .is_some_and(|first| matches!(first, '-' | '*' | '_') && marks.all(|c| c == first))
}

fn each_line(text: &str, change: impl Fn(&str, &str) -> Option<String>) -> String {
    let line = |line: &str| {
        let rest = line.trim_start_matches(' ');
        let (indent, rest) = line.split_at(line.len() - rest.len());
        let changed = change(indent, rest).filter(|_| indent.len() <= 3);
        changed.unwrap_or_else(|| line.to_owned())
    };
    let lines: Vec<_> = text.split('\n').map(line).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_only_text_once_escaped() {
        for text in [
            "a",
            "## Steps\n1. x",
            "```\nx",
            "  <!-- x",
            "\\# x",
            "    # code",
            "---\n\\---",
            "",
        ] {
            assert_eq!(unescaped(&escaped(text)), text);
        }
        assert_eq!(escaped("# a\nb # c"), "\\# a\nb # c");
    }
}

//! `## Rejection (vN)`: what a person said when the plan was sent back.
//!
//! Feedback is anybody's text. Lines in it that would begin a section, a block or a comment have a
//! backslash before them, as markdown has it, and are read without.

use std::ops::Range;

use serde_json::{Value, json};

use super::context::text_of;
use crate::draft::{Draft, Spanned};
use crate::markdown::{Document, Line};
use crate::source::Span;

/// Adds a rejection to those before it.
pub(super) fn read(
    document: &Document<'_>,
    version: Option<u64>,
    lines: Range<usize>,
    draft: &mut Draft,
) {
    let heading = lines
        .start
        .checked_sub(1)
        .and_then(|at| document.lines.get(at));
    let heading = heading.map_or(Span::default(), |line| line.span);
    let text = text_of(document, &lines);
    let span = text.as_ref().map_or(heading, |text| heading.to(text.span));
    let feedback = text.map_or_else(String::new, |text| unescaped(&text.value));
    let rejection = match version {
        Some(version) => json!({ "version": version, "feedback": feedback }),
        None => json!({ "feedback": feedback }),
    };
    let known = draft
        .record
        .iter_mut()
        .find(|(name, _)| *name == "rejections");
    match known {
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

/// A rejection as it stands in a file, from its heading to its last line.
pub(crate) fn section(version: Option<u64>, feedback: &str) -> String {
    let heading = match version {
        Some(version) => format!("## Rejection (v{version})"),
        None => "## Rejection".to_owned(),
    };
    let document = Document::new(feedback, 0);
    let level = |line: &Line| document.heading(line).map(|heading| heading.level);
    let harmless = document.open_comments.is_empty()
        && document.fences.iter().all(|fence| fence.closed)
        && !document
            .lines
            .iter()
            .any(|line| level(line).is_some_and(|level| level <= 2))
        && unescaped(feedback) == feedback;
    let text = if harmless {
        feedback.to_owned()
    } else {
        escaped(feedback)
    };
    format!("{heading}\n{text}\n")
}

/// Text that cannot be taken for anything but text.
fn escaped(text: &str) -> String {
    each_line(text, |rest| {
        begins_something(rest).then(|| format!("\\{rest}"))
    })
}

fn unescaped(text: &str) -> String {
    each_line(text, |rest| {
        let after = rest.strip_prefix('\\')?;
        begins_something(after).then(|| after.to_owned())
    })
}

/// Changes the lines of a text, of each what stands behind indentation and marks of lists and quotes:
/// a block may begin there.
fn each_line(text: &str, change: impl Fn(&str) -> Option<String>) -> String {
    const BEFORE: [char; 18] = [
        ' ', '\t', '>', '-', '*', '+', '.', ')', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
    ];
    let line = |line: &str| {
        let rest = line.trim_start_matches(BEFORE);
        let before = line.strip_suffix(rest).unwrap_or_default();
        match change(rest) {
            Some(changed) => format!("{before}{changed}"),
            None => line.to_owned(),
        }
    };
    let lines: Vec<_> = text.split('\n').map(line).collect();
    lines.join("\n")
}

fn begins_something(line: &str) -> bool {
    ["#", "```", "~~~", "<!--", "\\"]
        .iter()
        .any(|mark| line.starts_with(mark))
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
            "\\x",
            "- > 1. ```",
            "",
        ] {
            assert_eq!(unescaped(&escaped(text)), text);
        }
        assert_eq!(escaped("# a\nb # c"), "\\# a\nb # c");
    }

    #[test]
    fn harmless_text_stays_as_it_is() {
        let feedback = "### Why\n```\n# x\n```\n`code`";
        assert_eq!(
            section(Some(3), feedback),
            format!("## Rejection (v3)\n{feedback}\n")
        );
        assert_eq!(section(None, "# No"), "## Rejection\n\\# No\n");
        assert_eq!(section(None, "<!-- x"), "## Rejection\n\\<!-- x\n");
    }
}

//! `## Rejection (vN)`: what a person said when a plan was sent back, in both markdown dialects.
//!
//! Feedback is anybody's text. Where it could be taken for anything else, the lines that would begin a
//! section, a block or a comment have a backslash before them, as markdown has it; they are read without.

use serde_json::{Value, json};

use crate::draft::{Draft, Spanned};
use crate::markdown::{Document, Line};
use crate::source::Span;

/// Adds a rejection, as its section spells it, to those before it.
pub(super) fn add(version: Option<u64>, text: &str, span: Span, draft: &mut Draft) {
    let feedback = unescape(text);
    let rejection = match version {
        Some(version) => json!({ "version": version, "feedback": feedback }),
        None => json!({ "feedback": feedback }),
    };
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

/// The heading of a rejection.
pub(crate) fn heading(version: Option<u64>) -> String {
    match version {
        Some(version) => format!("## Rejection (v{version})"),
        None => "## Rejection".to_owned(),
    }
}

/// Feedback as it is written to a file: unchanged if it is plain text.
pub(crate) fn escape_feedback(feedback: &str) -> String {
    let document = Document::new(feedback, 0);
    let level = |line: &Line| document.heading(line).map(|heading| heading.level);
    let parts = |line: &Line| {
        level(line).is_some_and(|level| level <= 2) || is_rule(document.slice(line.span))
    };
    let harmless = document.open_comments.is_empty()
        && document.fences.iter().all(|fence| fence.closed)
        && !document.lines.iter().any(parts)
        && unescape(feedback) == feedback;
    if harmless {
        feedback.to_owned()
    } else {
        escape(feedback)
    }
}

fn escape(text: &str) -> String {
    each_line(text, |rest| {
        begins_something(rest).then(|| format!("\\{rest}"))
    })
}

fn unescape(text: &str) -> String {
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
        // The marks of a rule are the line itself.
        let rest = if is_rule(line) {
            line.trim_start()
        } else {
            line.trim_start_matches(BEFORE)
        };
        let before = line.strip_suffix(rest).unwrap_or_default();
        match change(rest) {
            Some(changed) => format!("{before}{changed}"),
            None => line.to_owned(),
        }
    };
    let lines: Vec<_> = text.split('\n').map(line).collect();
    lines.join("\n")
}

/// Whether a line begins with what may mean something to markdown.
fn begins_something(line: &str) -> bool {
    line.starts_with(['#', '`', '~', '<', '\\']) || is_rule(line)
}

/// Whether a line would only separate.
fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !c.is_whitespace());
    marks
        .next()
        .is_some_and(|first| matches!(first, '-' | '*' | '_') && marks.all(|c| c == first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Dialect, parse_as};
    use crate::edit::{Edit, apply};
    use crate::source::Source;

    const TEXTS: [&str; 14] = [
        "a",
        "## Steps\n1. x",
        "```\nx",
        "  <!-- x",
        "\\# x",
        "    # code",
        "---\n\\---",
        "- - -\nx\n***",
        "\\x",
        "- > 1. ```\nx",
        "1. ```\n   ## Steps\n",
        "* <!--\n\n## Steps",
        "> ~~~\nno\n# T",
        "",
    ];

    #[test]
    fn any_text_is_only_text_once_escaped() {
        for text in TEXTS {
            assert_eq!(unescape(&escape(text)), text);
        }
        assert_eq!(escape("# a\nb # c"), "\\# a\nb # c");
        assert_eq!(escape("- ```"), "- \\```");
    }

    #[test]
    fn harmless_text_stays_as_it_is() {
        let feedback = "### Why\n```\n# x\n```\n`code`";
        assert_eq!(escape_feedback(feedback), feedback);
        assert_eq!(escape_feedback("# No"), "\\# No");
        assert_eq!(escape_feedback("<!-- x"), "\\<!-- x");
    }

    #[test]
    fn nothing_breaks_out_of_feedback() {
        let plans = [
            (
                Dialect::Workunit,
                "---\ntype: plan\nstatus: draft\nowner: me\n---\n# T\n\n## Steps\n\n### 1. A\n**task:** x\n",
            ),
            (
                Dialect::Proposal,
                "---\nid: PLAN-1\nstatus: proposed\ntools_required: []\n---\n\n## Steps\n1. A\n",
            ),
        ];
        for (dialect, plan) in plans {
            for text in TEXTS {
                let source = Source::new("plan.md", plan.into());
                let edit = Edit::Reject {
                    version: 1,
                    feedback: text.to_owned(),
                };
                let rejected = apply(&source, &[edit]).expect("any feedback can be given");
                let draft = parse_as(&Source::new("plan.md", rejected), dialect);
                assert_eq!(draft.problems, [], "{dialect} {text:?}");
                assert_eq!(draft.steps.len(), 1, "{dialect} {text:?}");
                let [(_, list)] = draft.record.as_slice() else {
                    panic!("one rejection: {:?}", draft.record);
                };
                assert_eq!(list.value[0]["feedback"], text.trim(), "{dialect}");
            }
        }
    }
}

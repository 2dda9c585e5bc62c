//! `(tool: operation → target)` at the end of a step.

use crate::draft::{DraftHint, Spanned};
use crate::source::Span;

/// What stands at the end of a description, and where the text before it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundHint {
    pub(super) hint: DraftHint,
    /// Length of the text before it, without the white space between.
    pub(super) text: usize,
}

/// Finds the hint at the end of a text that stands at `start` in the file.
///
/// `(tool)` alone is one where the plan's scope names that tool: elsewhere it is a word in brackets.
pub(super) fn find(text: &str, start: usize, tools: &[Spanned<String>]) -> Option<FoundHint> {
    let text = text.trim_end();
    let open = opening(text)?;
    let before = text.get(..open)?;
    if before.ends_with('\\') {
        return None;
    }
    let inside = text.get(open + 1..text.len() - 1)?;
    let spanned = |part: &str, at: usize| {
        let trimmed = part.trim();
        let at = start + open + 1 + at + (part.len() - part.trim_start().len());
        let span = Span::new(at, at + trimmed.len());
        (!trimmed.is_empty()).then(|| Spanned::new(trimmed.to_owned(), span))
    };
    let listed = |name: &str| tools.iter().any(|tool| tool.value == name);
    let hint = match inside.split_once(':') {
        None if listed(inside.trim()) => DraftHint {
            tool: spanned(inside, 0),
            ..DraftHint::default()
        },
        None => return None,
        Some((tool, rest)) => {
            let plausible = listed(tool) || begins_an_operation(rest);
            if !is_tool(tool) || !plausible {
                return None;
            }
            let (operation, arrow) = match arrow(rest) {
                Some((at, len)) => (rest.get(..at)?, Some(at + len)),
                None => (rest, None),
            };
            let at = tool.len() + 1;
            DraftHint {
                tool: spanned(tool, 0),
                operation: spanned(operation, at),
                target: arrow.and_then(|arrow| spanned(rest.get(arrow..)?, at + arrow)),
            }
        }
    };
    Some(FoundHint {
        hint,
        text: before.trim_end().len(),
    })
}

/// A text whose brackets at the end, if they would be taken for a hint, are only brackets.
pub(crate) fn escape_brackets(text: &str, tools: &[String]) -> String {
    let spanned = |tool: &String| Spanned::new(tool.clone(), Span::default());
    let tools: Vec<_> = tools.iter().map(spanned).collect();
    let found = find(text, 0, &tools).and_then(|_| opening(text.trim_end()));
    let mut escaped = text.to_owned();
    if let Some(at) = found {
        escaped.insert(at, '\\');
    }
    escaped
}

/// Where a backslash says that the brackets at the end are only brackets.
pub(super) fn escape_position(text: &str) -> Option<usize> {
    let open = opening(text.trim_end())?;
    let at = open.checked_sub(1)?;
    text.get(at..open).filter(|mark| *mark == "\\").map(|_| at)
}

/// The bracket that the one at the end closes.
fn opening(text: &str) -> Option<usize> {
    if !text.ends_with(')') {
        return None;
    }
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn is_tool(text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '*');
    text.starts_with(char::is_alphabetic) && text.chars().all(part)
}

/// Tells `(tool: read)` from `(12:30)`, `(host:80)` and `(https://…)`.
fn begins_an_operation(rest: &str) -> bool {
    let letter = |c: char| c.is_whitespace() || c.is_alphabetic() || c == '→';
    rest.is_empty() || rest.starts_with(letter) || rest.starts_with("->")
}

/// Where the arrow is, and its length.
fn arrow(text: &str) -> Option<(usize, usize)> {
    let long = text.find("->").map(|at| (at, 2));
    let short = text.find('→').map(|at| (at, '→'.len_utf8()));
    [long, short].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, &str, &str, &str)>) {
        let tools = [Spanned::new("odoo".to_owned(), Span::default())];
        let found = find(text, 0, &tools);
        let part = |part: &Option<Spanned<String>>| {
            let part = part.clone().unwrap_or_default();
            assert_eq!(part.span.slice(text), part.value);
            part.value
        };
        let found = found.map(|found| {
            let hint = &found.hint;
            let parts = [part(&hint.tool), part(&hint.operation), part(&hint.target)];
            (text.get(..found.text).unwrap_or_default().to_owned(), parts)
        });
        let expected = expected.map(|(before, tool, operation, target)| {
            (
                before.to_owned(),
                [tool, operation, target].map(str::to_owned),
            )
        });
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn tool_operation_and_target_are_found() {
        check("Read (odoo: read)", Some(("Read", "odoo", "read", "")));
        check("R (a: b → c)", Some(("R", "a", "b", "c")));
        check("R (a: b -> c d)  ", Some(("R", "a", "b", "c d")));
        check(
            "S (go-easy: gmail send)",
            Some(("S", "go-easy", "gmail send", "")),
        );
        check("S (a: b→f(x))", Some(("S", "a", "b", "f(x)")));
        check("S (a: → x)", Some(("S", "a", "", "x")));
        check("S (a:)", Some(("S", "a", "", "")));
        check("S (a:b)", Some(("S", "a", "b", "")));
        check("S (odoo)", Some(("S", "odoo", "", "")));
        check("S (odoo:8)", Some(("S", "odoo", "8", "")));
        check("(a: b)", Some(("", "a", "b", "")));
        check("é (ä: ö → ü)", Some(("é", "ä", "ö", "ü")));
    }

    #[test]
    fn other_brackets_are_text() {
        for text in [
            "S",
            "S (urgent)",
            "S (see https://a.b)",
            "S (https://a.b)",
            "S (12:30)",
            "S (host:80)",
            "S (a b: c)",
            "S \\(a: b)",
            "S (a: b).",
            "S a: b)",
            ")",
            "()",
            "(:)",
            "",
        ] {
            check(text, None);
        }
        assert_eq!(escape_brackets("S (a: b)", &[]), "S \\(a: b)");
        assert_eq!(escape_brackets("S (a)", &[]), "S (a)");
        assert_eq!(escape_brackets("S (a)", &["a".to_owned()]), "S \\(a)");
        assert_eq!(escape_position("S \\(a: b)"), Some(2));
        assert_eq!(escape_position("S (a: b)"), None);
    }
}

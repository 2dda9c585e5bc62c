//! Words for what is not valid shell.

use tree_sitter::Node;

use super::tree;
use crate::shell::ShellError;
use crate::source::{Span, first_line};

/// Openings and what is missing when they are never closed.
const OPENINGS: [(&str, &str); 14] = [
    ("$((", "`$((` is never closed with `))`"),
    ("$(", "`$(` is never closed with `)`"),
    ("${", "`${` is never closed with `}`"),
    ("\"", "this quote is never closed"),
    ("'", "this quote is never closed"),
    ("`", "this back-tick is never closed"),
    ("<<", "this here-document is never closed"),
    ("[[", "`[[` is never closed with `]]`"),
    ("if ", "`if` is never closed with `fi`"),
    ("for ", "`for` is never closed with `done`"),
    ("while ", "`while` is never closed with `done`"),
    ("until ", "`until` is never closed with `done`"),
    ("case ", "`case` is never closed with `esac`"),
    ("{ ", "`{` is never closed with `}`"),
];

/// Words that can only stand inside a compound command; the grammar takes them for commands.
const RESERVED: [&str; 7] = ["then", "do", "done", "fi", "else", "elif", "esac"];

/// Every place the grammar stumbled over, the outermost only.
pub(super) fn find(root: Node<'_>, source: &str) -> Vec<ShellError> {
    let mut errors = Vec::new();
    tree::visit(root, |node| {
        if node.kind() == "command_name" && RESERVED.contains(&tree::text(node, source)) {
            errors.push(unexpected_error(node, source));
            return false;
        }
        if node.is_missing() {
            errors.push(missing_error(node, source));
            return false;
        }
        if node.is_error() {
            errors.push(unexpected_error(node, source));
            return false;
        }
        true
    });
    errors
}

fn missing_error(node: Node<'_>, source: &str) -> ShellError {
    let wanted = match node.kind() {
        "heredoc_end" => "the end of the here-document".to_owned(),
        "word" | "variable_name" => "a word".to_owned(),
        kind => format!("`{kind}`"),
    };
    // An empty place cannot be pointed at: take the character before it.
    let at = tree::span(node).start.min(source.len());
    let before = source.get(..at).and_then(|text| text.chars().next_back());
    let after = source.get(at..).and_then(|text| text.chars().next());
    let span = match before {
        Some(before) => Span::new(at - before.len_utf8(), at),
        None => Span::new(at, at + after.map_or(0, char::len_utf8)),
    };
    ShellError {
        span,
        message: format!("{wanted} is missing"),
    }
}

fn unexpected_error(node: Node<'_>, source: &str) -> ShellError {
    let span = tree::span(node);
    let text = span.slice(source).trim_start();
    let start = span.end - text.len();
    let line = first_line(text).trim_end();
    let span = Span::new(start, start + line.len());
    let opening = OPENINGS
        .iter()
        .find(|(opening, _)| text.starts_with(opening));
    let message = match opening {
        Some((_, message)) => (*message).to_owned(),
        None if !line.is_empty() && line.chars().count() <= 20 => {
            format!("`{line}` is not expected here")
        }
        None => "it cannot be read from here on".to_owned(),
    };
    ShellError { span, message }
}

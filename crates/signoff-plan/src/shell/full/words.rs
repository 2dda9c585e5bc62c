//! Words whose value is known from the text.

use tree_sitter::Node;

use super::tree;
use crate::shell::syntax::Word;

/// The word that a node is.
pub(super) fn word(node: Node<'_>, source: &str) -> Word<'static> {
    Word {
        value: literal(node, source).map(Into::into),
        quoted: matches!(node.kind(), "string" | "raw_string" | "concatenation"),
        span: tree::span(node),
        ..Word::default()
    }
}

/// The value of a word without expansions.
fn literal(node: Node<'_>, source: &str) -> Option<String> {
    let text = tree::text(node, source);
    match node.kind() {
        "word" | "number" | "special_character" => Some(unescape(text)),
        "raw_string" => Some(text.trim_matches('\'').to_owned()),
        "string" => {
            let parts = tree::named_children(node);
            let plain = parts.iter().all(|part| part.kind() == "string_content");
            let inside = text.strip_prefix('"')?.strip_suffix('"')?;
            plain.then(|| unescape(inside))
        }
        "command_name" => {
            let parts = tree::named_children(node);
            match parts.as_slice() {
                [only] => literal(*only, source),
                _ => None,
            }
        }
        // Parts are words and strings, so this goes one level down.
        "concatenation" => {
            let parts = tree::named_children(node);
            parts
                .into_iter()
                .map(|part| literal(part, source))
                .collect()
        }
        _ => None,
    }
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}

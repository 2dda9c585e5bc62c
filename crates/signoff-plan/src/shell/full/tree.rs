//! The syntax tree of a shell text.

use tree_sitter::{Node, Parser, Tree};

use crate::source::Span;

/// Parses a text; `None` only if the grammar does not fit the library.
pub(super) fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()?;
    parser.parse(text, None)
}

/// Visits every node, parents first. The visitor says whether to go into a node.
// A cursor and not recursion: the text decides how deep the tree is.
pub(super) fn visit<'t>(root: Node<'t>, mut visitor: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    loop {
        let inside = visitor(cursor.node());
        if inside && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The children that are not punctuation.
pub(super) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// Where a node stands.
pub(super) fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

/// What a node covers.
pub(super) fn text<'a>(node: Node<'_>, source: &'a str) -> &'a str {
    span(node).slice(source)
}

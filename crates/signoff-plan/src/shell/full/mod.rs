//! The full grammar, for what [`super::parser`] declines. It goes on after a mistake, is a hundred
//! times slower, and takes some broken texts for valid ones.

mod errors;
mod tree;
mod words;

use tree_sitter::Node;

use super::bash_only::BashOnly;
use super::calls::{CallCollector, is_file_operator};
use super::syntax::Word;
use super::{Analysis, calls, files};

/// Reads a shell text.
pub(super) fn analyse(text: &str) -> Analysis {
    let Some(tree) = tree::parse(text) else {
        return Analysis::default();
    };
    let root = tree.root_node();
    let mut found = CallCollector::default();
    tree::visit(root, |node| {
        if node.kind() == "function_definition"
            && let Some(name) = node.child_by_field_name("name")
        {
            found.functions.insert(tree::text(name, text).to_owned());
        }
        true
    });
    let mut beyond_sh = Vec::new();
    tree::visit(root, |node| {
        if let Some(beyond) = BashOnly::of_node(node.kind(), tree::text(node, text)) {
            beyond_sh.push(beyond.at(tree::span(node)));
        }
        match node.kind() {
            "command" => command(node, text, &mut found),
            "file_redirect" => redirect(node, text, &mut found),
            "test_command" => test(node, text, &mut found),
            "variable_assignment" => assignment(node, text, &mut found),
            _ => {}
        }
        true
    });
    let mut analysis = found.into_analysis();
    analysis.errors = errors::find(root, text);
    analysis.beyond_sh = beyond_sh;
    analysis
}

/// The words of every command, in the order of the text.
pub(super) fn commands(text: &str) -> Vec<Vec<Word<'static>>> {
    let mut found = Vec::new();
    if let Some(tree) = tree::parse(text) {
        tree::visit(tree.root_node(), |node| {
            if node.kind() == "command" {
                found.push(command_words(node, text));
            }
            true
        });
    }
    found
}

fn command_words(node: Node<'_>, source: &str) -> Vec<Word<'static>> {
    let parts = tree::named_children(node).into_iter();
    let parts = parts.skip_while(|part| part.kind() != "command_name");
    parts.map(|part| words::word(part, source)).collect()
}

fn command(node: Node<'_>, source: &str, found: &mut CallCollector) {
    let words = command_words(node, source);
    calls::note(&words, found);
    files::note_arguments(&words, found);
}

/// Notes the file a redirection reads or writes.
fn redirect(node: Node<'_>, source: &str, found: &mut CallCollector) {
    if let Some(destination) = node.child_by_field_name("destination")
        && destination.kind() != "number"
    {
        files::note(&words::word(destination, source), found);
    }
}

/// Notes the files that `[ -f … ]` and `[[ -e … ]]` ask for.
fn test(node: Node<'_>, source: &str, found: &mut CallCollector) {
    tree::visit(node, |inner| {
        if inner.kind() == "unary_expression"
            && let [operator, operand] = tree::named_children(inner).as_slice()
            && is_file_operator(tree::text(*operator, source))
        {
            files::note(&words::word(*operand, source), found);
        }
        true
    });
}

/// Notes when the search path changes.
fn assignment(node: Node<'_>, source: &str, found: &mut CallCollector) {
    let name = node.child_by_field_name("name");
    found.changes_path |= name.is_some_and(|name| tree::text(name, source) == "PATH");
}

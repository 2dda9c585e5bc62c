//! The full grammar, for what [`super::parser`] declines. It goes on after a mistake, is a hundred
//! times slower, and takes some broken texts for valid ones.

mod errors;
mod tree;
mod words;

use tree_sitter::Node;

use super::bash_only::BashOnly;
use super::calls::{CallCollector, is_file_operator};
use super::syntax::{NestedText, Word, between_back_ticks};
use super::{Analysis, calls, files, note_nested};

/// Reads a shell text.
pub(super) fn analyse(text: &str) -> Analysis {
    let Some(tree) = tree::parse(text) else {
        return Analysis::default();
    };
    let root = tree.root_node();
    let mut found = CallCollector::default();
    collect_from(root, text, &mut found);
    let mut beyond_sh = Vec::new();
    tree::visit(root, |node| {
        if let Some(beyond) = BashOnly::of_node(node.kind(), tree::text(node, text)) {
            beyond_sh.push(beyond.at(tree::span(node)));
        }
        true
    });
    let mut analysis = found.into_analysis();
    analysis.errors = errors::find(root, text);
    analysis.beyond_sh = beyond_sh;
    analysis
}

/// Notes what a text calls.
pub(super) fn collect(text: &str, found: &mut CallCollector) {
    if let Some(tree) = tree::parse(text) {
        collect_from(tree.root_node(), text, found);
    }
}

fn collect_from(root: Node<'_>, text: &str, found: &mut CallCollector) {
    tree::visit(root, |node| {
        if node.kind() == "function_definition"
            && let Some(name) = node.child_by_field_name("name")
        {
            found.functions.insert(tree::text(name, text).to_owned());
        }
        true
    });
    let mut nested_texts = Vec::new();
    tree::visit(root, |node| {
        if let Some(inner) = nested_text(node, text) {
            nested_texts.push(inner);
            return false;
        }
        match node.kind() {
            "command" => command(node, text, found),
            "file_redirect" => redirect(node, text, found),
            "test_command" => test(node, text, found),
            "variable_assignment" => assignment(node, text, found),
            _ => {}
        }
        true
    });
    note_nested(&nested_texts, found);
}

/// Commands that are written with backslashes between back-ticks, as the shell reads them.
pub(super) fn nested_commands(text: &str) -> Vec<NestedText> {
    let mut found = Vec::new();
    if let Some(tree) = tree::parse(text) {
        tree::visit(tree.root_node(), |node| {
            let inner = nested_text(node, text);
            let goes_on = inner.is_none();
            found.extend(inner);
            goes_on
        });
    }
    found
}

fn nested_text(node: Node<'_>, source: &str) -> Option<NestedText> {
    if node.kind() != "command_substitution" {
        return None;
    }
    let text = tree::text(node, source);
    let inside = text.strip_prefix('`')?.strip_suffix('`')?;
    let in_quotes = node
        .parent()
        .is_some_and(|parent| parent.kind() == "string");
    inside.contains('\\').then(|| NestedText {
        text: between_back_ticks(inside, in_quotes),
        span: tree::span(node),
    })
}

/// The words of every command, in the order of the text, without those of [`nested_commands`] texts.
pub(super) fn commands(text: &str) -> Vec<Vec<Word<'static>>> {
    let mut found = Vec::new();
    if let Some(tree) = tree::parse(text) {
        tree::visit(tree.root_node(), |node| {
            if node.kind() == "command" {
                found.push(command_words(node, text));
            }
            nested_text(node, text).is_none()
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
    calls::note_command(&words, found);
    files::note_arguments(&words, found);
}

/// Notes the file a redirection reads or writes.
fn redirect(node: Node<'_>, source: &str, found: &mut CallCollector) {
    if let Some(destination) = node.child_by_field_name("destination")
        && destination.kind() != "number"
    {
        files::note_file(&words::word(destination, source), found);
    }
}

/// Notes the files that `[ -f … ]` and `[[ -e … ]]` ask for.
fn test(node: Node<'_>, source: &str, found: &mut CallCollector) {
    tree::visit(node, |inner| {
        if inner.kind() == "unary_expression"
            && let [operator, operand] = tree::named_children(inner).as_slice()
            && is_file_operator(tree::text(*operator, source))
        {
            files::note_file(&words::word(*operand, source), found);
        }
        true
    });
}

/// Notes when the search path changes.
fn assignment(node: Node<'_>, source: &str, found: &mut CallCollector) {
    let name = node.child_by_field_name("name");
    found.changes_path |= name.is_some_and(|name| tree::text(name, source) == "PATH");
}

//! Reads shell text without running it: is it valid, which commands and files does it name, can
//! it fail at all.
//!
//! Used for contracts, and by the guard in front of agents. What cannot be known from the text
//! (variables, globs, generated commands) is left out, never guessed.

mod commands;
mod errors;
mod tree;
mod vacuous;
mod words;

use std::collections::BTreeSet;

pub use self::vacuous::is_vacuous;
use crate::source::Span;

/// What a shell text holds. Spans are offsets into that text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Analysis {
    /// Where it is not valid shell.
    pub errors: Vec<ShellError>,
    /// External commands it calls by a literal name, wrappers such as `env` seen through.
    pub commands: Vec<(String, Span)>,
    /// Files it names literally.
    pub files: Vec<(String, Span)>,
    /// Functions it defines.
    pub functions: BTreeSet<String>,
    /// Whether it changes where commands are found, so that names cannot be looked up beforehand.
    pub changes_path: bool,
}

/// A place that is not valid shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellError {
    /// Where.
    pub span: Span,
    /// What, in a few words.
    pub message: String,
}

/// Reads a shell text.
pub fn analyse(text: &str) -> Analysis {
    let Some(tree) = tree::parse(text) else {
        return Analysis::default();
    };
    let root = tree.root_node();
    let mut analysis = Analysis {
        errors: errors::find(root, text),
        ..Analysis::default()
    };
    tree::visit(root, |node| {
        if node.kind() == "function_definition"
            && let Some(name) = node.child_by_field_name("name")
        {
            analysis.functions.insert(tree::text(name, text).to_owned());
        }
        true
    });
    tree::visit(root, |node| {
        match node.kind() {
            "command" => commands::command(node, text, &mut analysis),
            "file_redirect" => commands::redirect(node, text, &mut analysis),
            "test_command" => commands::test(node, text, &mut analysis),
            "variable_assignment" => commands::assignment(node, text, &mut analysis),
            _ => {}
        }
        true
    });
    analysis
}

#[cfg(test)]
mod tests;

//! Text that succeeds whatever the state of the world.

use tree_sitter::Node;

use super::tree;
use super::words::Word;

/// Whether a text always exits with 0: `true`, `:`, `exit 0`, `… || true`, a job in the background.
///
/// Only says so when it is certain; anything unclear can fail.
pub fn is_vacuous(text: &str) -> bool {
    let Some(tree) = tree::parse(text) else {
        return false;
    };
    let root = tree.root_node();
    if root.has_error() || changes_the_rules(root, text) {
        return false;
    }
    always_succeeds(root, text, 0)
}

/// Whether the text can end before its last command, or sets options that change what it returns.
fn changes_the_rules(root: Node<'_>, source: &str) -> bool {
    let mut found = false;
    let last = tree::named_children(root).last().copied();
    tree::visit(root, |node| {
        if node.kind() == "command" {
            let name = name(node, source);
            let name = name.as_deref().unwrap_or_default();
            let leaves = matches!(name, "exit" | "return" | "exec") && Some(node) != last;
            found |= leaves && !command_succeeds(node, source);
            found |= matches!(name, "set" | "trap" | "shopt");
        }
        !found
    });
    found
}

/// How deep to look; contracts that nest deeper are no longer obviously empty.
const DEPTH: usize = 32;

fn always_succeeds(node: Node<'_>, source: &str, depth: usize) -> bool {
    if depth > DEPTH {
        return false;
    }
    let parts: Vec<_> = tree::named_children(node)
        .into_iter()
        .filter(|part| part.kind() != "comment")
        .collect();
    let go = |part: &Node<'_>| always_succeeds(*part, source, depth + 1);
    match node.kind() {
        "command" => command_succeeds(node, source),
        "program" | "compound_statement" | "subshell" => {
            in_background(node) || parts.last().is_none_or(go)
        }
        "list" => {
            let or = tree::children(node)
                .iter()
                .any(|child| child.kind() == "||");
            if or {
                parts.iter().any(go)
            } else {
                parts.iter().all(go)
            }
        }
        "pipeline" => parts.last().is_some_and(go),
        "redirected_statement" => node.child_by_field_name("body").as_ref().is_some_and(go),
        "negated_command" => {
            let inner = parts.first().and_then(|part| name(*part, source));
            inner.as_deref() == Some("false")
        }
        _ => false,
    }
}

/// Whether the last statement is sent to the background, which always succeeds.
fn in_background(node: Node<'_>) -> bool {
    let children = tree::children(node);
    let mut code = children
        .iter()
        .rev()
        .filter(|child| child.kind() != "comment");
    code.find(|child| !matches!(child.kind(), "\n" | "}" | ")"))
        .is_some_and(|child| child.kind() == "&")
}

fn command_succeeds(node: Node<'_>, source: &str) -> bool {
    let words: Vec<_> = tree::named_children(node)
        .into_iter()
        .map(|part| Word::new(part, source))
        .collect();
    let values: Option<Vec<&str>> = words.iter().map(Word::text).collect();
    match values.as_deref() {
        Some(["true" | ":" | "echo", ..] | ["exit", "0"]) => true,
        Some(_) => false,
        // `echo "$x"` and `: "$x"` take anything.
        None => {
            matches!(name(node, source).as_deref(), Some("true" | ":" | "echo")) && !runs_code(node)
        }
    }
}

/// Whether something is run to find the arguments; that may matter to whoever wrote it.
fn runs_code(node: Node<'_>) -> bool {
    let mut found = false;
    tree::visit(node, |inner| {
        found |= matches!(
            inner.kind(),
            "command_substitution" | "process_substitution"
        );
        !found
    });
    found
}

fn name(node: Node<'_>, source: &str) -> Option<String> {
    Word::new(node.child_by_field_name("name")?, source).value
}

//! Which commands and files a text names.

use tree_sitter::Node;

use super::words::Word;
use super::{Analysis, tree};
use crate::source::Span;

/// A command that runs the command it is given.
struct Wrapper {
    name: &'static str,
    /// Options that take the next word as their value.
    valued: &'static [&'static str],
    /// Options that make it do something else.
    other: &'static [&'static str],
    /// Words before the command that are not options.
    positional: usize,
    /// Part of the shell, so it need not be installed.
    built_in: bool,
}

const fn wrapper(name: &'static str, valued: &'static [&'static str]) -> Wrapper {
    Wrapper {
        name,
        valued,
        other: &[],
        positional: 0,
        built_in: false,
    }
}

const WRAPPERS: [Wrapper; 12] = [
    Wrapper {
        other: &["-S", "--split-string"],
        ..wrapper("env", &["-u", "--unset", "-C", "--chdir"])
    },
    Wrapper {
        positional: 1,
        ..wrapper("timeout", &["-s", "--signal", "-k", "--kill-after"])
    },
    wrapper("nice", &["-n", "--adjustment"]),
    wrapper(
        "sudo",
        &[
            "-u", "--user", "-g", "--group", "-C", "-D", "-h", "-p", "-T", "-U",
        ],
    ),
    wrapper("xargs", &["-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s"]),
    wrapper("nohup", &[]),
    wrapper("setsid", &[]),
    wrapper("stdbuf", &["-i", "-o", "-e"]),
    Wrapper {
        other: &["-v", "-V"],
        built_in: true,
        ..wrapper("command", &[])
    },
    Wrapper {
        built_in: true,
        ..wrapper("exec", &["-a"])
    },
    Wrapper {
        built_in: true,
        ..wrapper("!", &[])
    },
    Wrapper {
        built_in: true,
        ..wrapper("time", &["-f", "-o"])
    },
];

const BUILT_IN: &[&str] = &[
    ".",
    ":",
    "[",
    "[[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "case",
    "cd",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "do",
    "done",
    "echo",
    "elif",
    "else",
    "enable",
    "esac",
    "eval",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "fi",
    "for",
    "function",
    "getopts",
    "hash",
    "help",
    "history",
    "if",
    "in",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "select",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "then",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "until",
    "wait",
    "while",
];

/// Notes what one command calls and names.
pub(super) fn command(node: Node<'_>, source: &str, analysis: &mut Analysis) {
    let words = words(node, source);
    note_calls(&words, analysis);
    let name = words.first().and_then(Word::text).unwrap_or_default();
    if matches!(name, "." | "source" | "eval") {
        analysis.changes_path = true;
    }
    let file_test = matches!(name, "test" | "[");
    for (index, word) in words.iter().enumerate().skip(1) {
        let before = index
            .checked_sub(1)
            .and_then(|i| words.get(i))
            .and_then(Word::text);
        if is_path(word) || (file_test && before.is_some_and(is_file_operator)) {
            note_file(word, analysis);
        }
    }
}

/// Notes the file a redirection reads or writes.
pub(super) fn redirect(node: Node<'_>, source: &str, analysis: &mut Analysis) {
    if let Some(destination) = node.child_by_field_name("destination") {
        let descriptor = destination.kind() == "number";
        let word = Word::new(destination, source);
        if !descriptor {
            note_file(&word, analysis);
        }
    }
}

/// Notes the files that `[ -f … ]` and `[[ -e … ]]` ask for.
pub(super) fn test(node: Node<'_>, source: &str, analysis: &mut Analysis) {
    tree::visit(node, |inner| {
        if inner.kind() == "unary_expression"
            && let [operator, operand] = tree::named_children(inner).as_slice()
            && is_file_operator(tree::text(*operator, source))
        {
            note_file(&Word::new(*operand, source), analysis);
        }
        true
    });
}

/// Notes when the search path changes.
pub(super) fn assignment(node: Node<'_>, source: &str, analysis: &mut Analysis) {
    let name = node.child_by_field_name("name");
    analysis.changes_path |= name.is_some_and(|name| tree::text(name, source) == "PATH");
}

fn words(node: Node<'_>, source: &str) -> Vec<Word> {
    let parts = tree::named_children(node).into_iter();
    let parts = parts.skip_while(|part| part.kind() != "command_name");
    parts.map(|part| Word::new(part, source)).collect()
}

/// Notes the command itself and, through wrappers, the one it really runs.
fn note_calls(words: &[Word], analysis: &mut Analysis) {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let Some(name) = first.text() else {
            return;
        };
        let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == name);
        let built_in = wrapper.is_some_and(|wrapper| wrapper.built_in);
        if !built_in {
            note_command(name, first.span, analysis);
        }
        match wrapper {
            Some(wrapper) => rest = wrapped(wrapper, after, analysis),
            None => return,
        }
    }
}

fn note_command(name: &str, span: Span, analysis: &mut Analysis) {
    let known = BUILT_IN.contains(&name) || analysis.functions.contains(name);
    if !known && !name.is_empty() {
        analysis.commands.push((name.to_owned(), span));
    }
}

/// The words from the wrapped command on.
fn wrapped<'w>(wrapper: &Wrapper, words: &'w [Word], analysis: &mut Analysis) -> &'w [Word] {
    let mut rest = words;
    let mut positional = wrapper.positional;
    while let Some((first, after)) = rest.split_first() {
        let word = first.text().unwrap_or_default();
        if wrapper.other.contains(&word) {
            return &[];
        } else if wrapper.valued.contains(&word) {
            rest = after.get(1..).unwrap_or_default();
        } else if word.starts_with('-') {
            rest = after;
        } else if is_assignment(word) {
            analysis.changes_path |= word.starts_with("PATH=");
            rest = after;
        } else if positional > 0 {
            positional -= 1;
            rest = after;
        } else {
            return rest;
        }
    }
    &[]
}

/// Whether a word is `NAME=value`, as `env` and `sudo` take them.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn is_file_operator(word: &str) -> bool {
    matches!(
        word,
        "-e" | "-f" | "-d" | "-s" | "-r" | "-w" | "-x" | "-L" | "-h" | "-p" | "-S"
    )
}

/// Whether an argument is so written that it can only be meant as a path.
fn is_path(word: &Word) -> bool {
    let Some(text) = word.text() else {
        return false;
    };
    let clean =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '@' | '~');
    let name = text.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && extension.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let simple = text.chars().all(clean) && !text.starts_with('-');
    simple && (text.contains('/') || (extension && !word.quoted))
}

fn note_file(word: &Word, analysis: &mut Analysis) {
    let Some(text) = word.text() else {
        return;
    };
    let pattern = !word.quoted && text.contains(['*', '?', '[']);
    if !text.is_empty() && !pattern && !text.starts_with("/dev/") {
        let file = (text.to_owned(), word.span);
        if !analysis.files.contains(&file) {
            analysis.files.push(file);
        }
    }
}

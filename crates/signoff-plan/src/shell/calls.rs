//! Which commands a text calls.

use std::collections::BTreeSet;

use super::Analysis;
use super::built_in::is_built_in;
use super::syntax::Word;
use crate::source::{Span, Spanned};

/// What is found on the way through a text.
#[derive(Debug, Default)]
pub(super) struct CallCollector {
    pub(super) commands: Vec<Spanned<String>>,
    pub(super) files: Vec<Spanned<String>>,
    pub(super) functions: BTreeSet<String>,
    pub(super) changes_path: bool,
    /// Commands that the text asks for before it calls them.
    guarded: BTreeSet<String>,
}

impl CallCollector {
    /// Adds what was found in a text that stands here.
    pub(super) fn absorb(&mut self, mut inner: Self, span: Span) {
        inner.commands.sort_by_key(|name| name.span);
        inner.files.sort_by_key(|file| file.span);
        let here = |one: Spanned<String>| Spanned::new(one.value, span);
        self.commands.extend(inner.commands.into_iter().map(here));
        self.files.extend(inner.files.into_iter().map(here));
        // Functions and a changed PATH last as long as the shell that runs the inner text.
        let own = |name: &Spanned<String>| !inner.functions.contains(&name.value);
        self.commands.retain(|name| name.span != span || own(name));
        self.guarded.extend(inner.guarded);
        self.changes_path |= inner.changes_path;
    }

    pub(super) fn into_analysis(mut self) -> Analysis {
        self.commands.retain(|name| {
            !self.guarded.contains(&name.value) && !self.functions.contains(&name.value)
        });
        self.commands.sort_by_key(|name| name.span);
        self.files.sort_by_key(|file| file.span);
        self.files.dedup();
        Analysis {
            commands: self.commands,
            files: self.files,
            functions: self.functions,
            changes_path: self.changes_path,
            ..Analysis::default()
        }
    }
}

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

const WRAPPERS: [Wrapper; 21] = [
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
    wrapper("parallel", &["-a", "-j", "--jobs", "-n", "-I"]),
    wrapper("nohup", &[]),
    wrapper("chronic", &[]),
    wrapper("unbuffer", &[]),
    wrapper("busybox", &[]),
    wrapper("doas", &["-u", "-C"]),
    wrapper("ionice", &["-c", "-n", "--class", "--classdata"]),
    wrapper(
        "xvfb-run",
        &[
            "-n",
            "-s",
            "-e",
            "-f",
            "-p",
            "-w",
            "--server-num",
            "--server-args",
        ],
    ),
    Wrapper {
        positional: 1,
        ..wrapper("flock", &["-w", "--timeout", "-E"])
    },
    wrapper("setsid", &[]),
    wrapper("stdbuf", &["-i", "-o", "-e"]),
    Wrapper {
        other: &["-v", "-V"],
        built_in: true,
        ..wrapper("command", &[])
    },
    Wrapper {
        built_in: true,
        ..wrapper("builtin", &[])
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

/// Notes the command itself and, through wrappers, the one it really runs.
pub(super) fn note_command(words: &[Word<'_>], found: &mut CallCollector) {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let Some(name) = first.text() else {
            return;
        };
        note_guard(name, after, found);
        found.changes_path |= matches!(name, "." | "source" | "eval");
        let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == name);
        let built_in = wrapper.is_some_and(|wrapper| wrapper.built_in);
        if !built_in && !name.is_empty() && !is_built_in(name) {
            found
                .commands
                .push(Spanned::new(name.to_owned(), first.span));
        }
        match wrapper {
            Some(wrapper) => rest = wrapped_words(wrapper, after, found),
            None => return,
        }
    }
}

/// Notes the commands that `command -v`, `type`, `hash` and `which` ask for: a text that asks knows
/// what to do without them.
fn note_guard(name: &str, words: &[Word<'_>], found: &mut CallCollector) {
    let option = words.first().and_then(Word::text);
    let asks = match name {
        "command" => matches!(option, Some("-v" | "-V" | "-pv" | "-pV")),
        "type" | "hash" | "which" => true,
        _ => false,
    };
    if asks {
        let names = words.iter().filter_map(Word::text);
        let names = names.filter(|name| !name.starts_with('-'));
        found.guarded.extend(names.map(str::to_owned));
    }
}

/// The words from the wrapped command on.
fn wrapped_words<'w, 'a>(
    wrapper: &Wrapper,
    words: &'w [Word<'a>],
    found: &mut CallCollector,
) -> &'w [Word<'a>] {
    let texts: Vec<Option<&str>> = words.iter().map(Word::text).collect();
    let from = wrapper.command_at(&texts);
    let before = texts.get(..from).unwrap_or_default();
    found.changes_path |= before
        .iter()
        .flatten()
        .any(|word| word.starts_with("PATH="));
    words.get(from..).unwrap_or_default()
}

/// Position of the command that a wrapper of this name starts; behind the last word if it starts none.
/// `None` for what is not a wrapper.
pub(super) fn wrapped_at(name: &str, words: &[Option<&str>]) -> Option<usize> {
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == name)?;
    Some(wrapper.command_at(words))
}

impl Wrapper {
    /// Position of the command among the words behind the wrapper's name.
    fn command_at(&self, words: &[Option<&str>]) -> usize {
        let mut at = 0;
        let mut positional = self.positional;
        while let Some(word) = words.get(at) {
            let word = word.unwrap_or_default();
            if self.other.contains(&word) {
                return words.len();
            } else if self.valued.contains(&word) {
                at += 1;
            } else if positional > 0 && !word.starts_with('-') && !is_assignment(word) {
                positional -= 1;
            } else if !word.starts_with('-') && !is_assignment(word) {
                return at;
            }
            at += 1;
        }
        words.len()
    }
}

/// Whether a word is `NAME=value`, as `env` and `sudo` take them.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Whether `test` and its like ask for a file by this.
pub(super) fn is_file_operator(word: &str) -> bool {
    matches!(
        word,
        "-e" | "-f" | "-d" | "-s" | "-r" | "-w" | "-x" | "-L" | "-h" | "-p" | "-S"
    )
}

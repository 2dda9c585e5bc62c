//! Goes through a text with the directories that each command may be started from.

use std::collections::{BTreeMap, BTreeSet};

use super::argument::ScriptArgument;
use super::directory::{Directories, join_path};
use super::{Invocation, Programs, Script, read};
use crate::shell::syntax::{
    AndOrList, Command, CommandKind, CommandList, Connector, NestedText, Pipeline, Word,
};
use crate::source::{Span, Spanned};

/// What is found on the way through a text.
pub(super) struct Walker<'t> {
    pub(super) text: &'t str,
    pub(super) found: Programs,
    pub(super) directories: Directories,
    /// Directories that `PATH` and `PYTHONPATH` were given by name.
    pub(super) search: BTreeMap<&'static str, Vec<String>>,
    pub(super) functions: BTreeSet<String>,
    /// Functions that start the program they are given.
    pub(super) forwarding: BTreeSet<String>,
    /// Calls of functions: they may hand their arguments on.
    pub(super) calls: Vec<FunctionCall>,
    pub(super) copies: Vec<CopiedFile>,
    pub(super) inside: Vec<String>,
    pub(super) loops: usize,
    /// The command gets its arguments or its program from another one.
    pub(super) is_fed: bool,
    pub(super) depth: usize,
    /// What our own parser does not read is not read at all.
    pub(super) only_own_parser: bool,
    /// Where a text within this one stands.
    pub(super) stands_at: Option<Span>,
}

/// A call of a function of the text.
pub(super) struct FunctionCall {
    pub(super) words: Vec<ScriptArgument>,
    pub(super) directories: Directories,
}

/// A file that gets another name.
pub(super) struct CopiedFile {
    pub(super) from: ScriptArgument,
    /// The directories that `from` may be in.
    pub(super) directories: Directories,
    pub(super) to: String,
}

impl<'t> Walker<'t> {
    pub(super) fn new(text: &'t str, depth: usize) -> Self {
        Self {
            text,
            found: Programs::default(),
            directories: Directories::root(),
            search: BTreeMap::new(),
            functions: BTreeSet::new(),
            forwarding: BTreeSet::new(),
            calls: Vec::new(),
            copies: Vec::new(),
            inside: Vec::new(),
            loops: 0,
            is_fed: false,
            depth,
            only_own_parser: false,
            stands_at: None,
        }
    }

    pub(super) fn finish(mut self) -> Programs {
        for FunctionCall { words, directories } in std::mem::take(&mut self.calls) {
            let name = words.first().and_then(ScriptArgument::text);
            if name.is_some_and(|name| self.forwarding.contains(name)) {
                self.directories = directories;
                self.loops += 1;
                self.start(words.get(1..).unwrap_or_default());
                self.loops -= 1;
            }
        }
        for copied in std::mem::take(&mut self.copies) {
            let is_run = |script: &Spanned<Script>| matches!(&script.value, Script::File(path) if *path == copied.to);
            if self.found.scripts.iter().any(is_run) {
                self.directories = copied.directories;
                self.argument(&copied.from);
            }
        }
        let functions = self.functions;
        let is_program = |one: &Invocation| !functions.contains(&one.program);
        self.found.invocations.retain(is_program);
        self.found
    }

    pub(super) fn scripts(&mut self, scripts: &[CommandList<'_>]) {
        for script in scripts {
            for item in &script.items {
                self.item(item);
            }
        }
    }

    /// A command whose surroundings are not known: a directory that it enters may be entered or not.
    pub(super) fn loose_command(&mut self, words: &[Word<'_>]) {
        let before = self.directories.clone();
        let words: Vec<ScriptArgument> = words
            .iter()
            .map(|word| ScriptArgument::new(word, self.text))
            .collect();
        self.start(&words);
        self.directories.add_branch(&before);
    }

    fn item(&mut self, item: &AndOrList<'_>) {
        self.pipeline(&item.first);
        for (joint, next) in &item.rest {
            let before = self.directories.clone();
            self.pipeline(next);
            // What stands behind `||` is usually not run.
            if *joint == Connector::Or {
                self.directories.add_branch(&before);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline<'_>) {
        let before = self.directories.clone();
        for (at, part) in pipeline.parts.iter().enumerate() {
            self.is_fed = at > 0;
            self.command(part);
            self.is_fed = false;
            // Each part of several is a shell of its own.
            if pipeline.parts.len() > 1 {
                self.directories = before.clone();
            }
        }
    }

    fn command(&mut self, command: &Command<'_>) {
        let opening = command.span.slice(self.text);
        match &command.kind {
            CommandKind::Simple(simple) => {
                for assignment in &simple.assignments {
                    self.substitutions(&assignment.values);
                    self.assign(assignment.name, &assignment.values);
                }
                self.substitutions(&simple.words);
                let words: Vec<ScriptArgument> = (simple.words.iter())
                    .map(|word| ScriptArgument::new(word, self.text))
                    .collect();
                self.start(&words);
                self.input(command, &words);
            }
            CommandKind::Group(script) => {
                let before = self.directories.clone();
                self.scripts(std::slice::from_ref(script));
                if opening.starts_with('(') {
                    self.directories = before;
                }
            }
            CommandKind::Branch(parts, words) => self.branches(parts, words),
            CommandKind::Loop(parts, words, _) => {
                self.loops += 1;
                self.branches(parts, words);
                self.loops -= 1;
            }
            CommandKind::Test(words) => self.substitutions(words),
            CommandKind::Arithmetic(scripts) => self.scripts(scripts),
            CommandKind::Function(name, body) => self.function(name, body),
        }
        for redirect in &command.redirects {
            self.substitutions(std::slice::from_ref(&redirect.target));
        }
    }

    /// Any of the parts may be run, or none.
    fn branches(&mut self, parts: &[CommandList<'_>], words: &[Word<'_>]) {
        self.substitutions(words);
        let mut ends = self.directories.clone();
        for part in parts {
            self.scripts(std::slice::from_ref(part));
            ends.add_branch(&self.directories);
            self.directories = ends.clone();
        }
    }

    /// The body may be called from any directory.
    fn function(&mut self, name: &str, body: &Command<'_>) {
        let before = self.directories.clone();
        self.functions.insert(name.to_owned());
        self.inside.push(name.to_owned());
        self.may_be_anywhere();
        self.loops += 1;
        self.command(body);
        self.loops -= 1;
        self.inside.pop();
        self.directories = before;
    }

    /// What follows may be run in any directory that the text enters before or after; those so far and the root are what can
    /// be told.
    fn may_be_anywhere(&mut self) {
        self.directories.add_branch(&Directories::root());
        for directory in directories_of(self.text) {
            let known = join_path("", &directory);
            self.directories.add_branch(&Directories {
                known: vec![known],
                or_unknown: false,
            });
        }
    }

    /// Texts within this one, wherever they stand.
    pub(super) fn nested_texts(&mut self, texts: &[NestedText]) {
        let before = self.directories.clone();
        self.may_be_anywhere();
        for NestedText { text, span } in texts {
            self.walk_nested(text, *span);
        }
        self.directories = before;
    }

    /// What stands in `$(…)` is run in a shell of its own.
    fn substitutions(&mut self, words: &[Word<'_>]) {
        for word in words {
            let before = self.directories.clone();
            self.scripts(&word.scripts);
            self.directories = before;
        }
    }

    fn assign(&mut self, name: &str, values: &[Word<'_>]) {
        let values = values
            .iter()
            .map(|word| ScriptArgument::new(word, self.text));
        for value in values.collect::<Vec<_>>() {
            self.search_in(name, &value);
        }
    }

    /// A text that a shell is given: `bash -c '…'`.
    pub(super) fn text_within(&mut self, word: &ScriptArgument) {
        match word.text().map(str::to_owned) {
            Some(text) => self.walk_nested(&text, word.span),
            None => self.unknown(word),
        }
    }

    pub(super) fn walk_nested(&mut self, text: &str, span: Span) {
        let Some(depth) = self.depth.checked_sub(1) else {
            self.push(Script::Unknown(text.to_owned()), span);
            return;
        };
        let mut inner = Walker {
            directories: self.directories.clone(),
            search: self.search.clone(),
            loops: self.loops,
            only_own_parser: self.only_own_parser,
            stands_at: Some(self.stands_at.unwrap_or(span)),
            ..Walker::new(text, depth)
        };
        read(&mut inner, text);
        let Programs {
            invocations,
            scripts,
            unread,
        } = inner.finish();
        self.found.unread |= unread;
        self.found.invocations.extend(invocations);
        self.found.scripts.extend(scripts);
    }
}

/// Directories that a text enters somewhere, by name.
fn directories_of(text: &str) -> Vec<String> {
    let mut words = text.split(|c: char| c.is_whitespace() || ";&|(){}".contains(c));
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        if matches!(word, "cd" | "pushd") {
            found.extend(words.next().map(|word| word.replace(['"', '\''], "")));
        }
    }
    found.retain(|word| !word.is_empty() && !word.contains(['$', '`', '~']) && *word != "-");
    found
}

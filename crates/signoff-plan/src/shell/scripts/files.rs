//! Words that name a file to run, and where files are looked for.

use super::Script;
use super::argument::{ScriptArgument, expand_braces};
use super::directory::join_path;
use super::walk::Walker;
use crate::shell::built_in::is_built_in;
use crate::source::{Span, Spanned};

impl Walker<'_> {
    /// Notes where programs and modules are looked for from now on.
    pub(super) fn search_in(&mut self, name: &str, value: &ScriptArgument) {
        let Some(variable) = ["PATH", "PYTHONPATH", "NODE_PATH"]
            .into_iter()
            .find(|one| *one == name)
        else {
            return;
        };
        let written = value
            .text()
            .unwrap_or(&value.written)
            .replace(['"', '\''], "");
        for part in written.split(':').filter(|part| !part.is_empty()) {
            let part = ["${PWD}", "$PWD", "$(pwd)"]
                .iter()
                .fold(part.to_owned(), |part, here| part.replace(here, "."));
            if part.contains(['$', '`']) {
                // `$PATH` itself, with or without a default, is what the harness sets.
                let known = part.trim_start_matches(['$', '{']).starts_with(variable);
                if !known {
                    self.unknown(value);
                }
            } else {
                self.search.entry(variable).or_default().push(part);
            }
        }
    }

    /// A program that is named by its path, or found in a directory that the text put into `PATH`.
    pub(super) fn add_program(&mut self, program: &str, word: &ScriptArgument) {
        if program.contains('/') {
            self.file(program, word);
            return;
        }
        if is_built_in(program) {
            return;
        }
        for directory in self.search.get("PATH").cloned().unwrap_or_default() {
            self.file(&format!("{directory}/{program}"), word);
        }
    }

    /// A word that names a file to run.
    pub(super) fn argument(&mut self, word: &ScriptArgument) {
        match word.text().map(str::to_owned) {
            // A place that `xargs` and `find` fill in.
            Some(text) if text.contains("{}") && self.is_fed => self.unknown(word),
            Some(text) => self.file(&text, word),
            None => self.unknown(word),
        }
    }

    pub(super) fn file(&mut self, path: &str, word: &ScriptArgument) {
        if path.starts_with('~') {
            return;
        }
        let is_pattern = path.contains(['*', '?', '[']);
        for path in expand_braces(path) {
            for directory in self.directories.known.clone() {
                let path = join_path(&directory, &path);
                let script = if is_pattern {
                    Script::Pattern(without_classes(&path))
                } else {
                    Script::File(path)
                };
                self.push(script, word.span);
            }
        }
        if self.directories.or_unknown && !path.starts_with('/') {
            self.unknown(word);
        }
    }

    pub(super) fn module(&mut self, word: &ScriptArgument) {
        let Some(name) = word.text() else {
            self.unknown(word);
            return;
        };
        let mut directories = self.directories.known.clone();
        for further in self.search.get("PYTHONPATH").into_iter().flatten() {
            directories.extend(
                self.directories
                    .known
                    .iter()
                    .map(|known| join_path(known, further)),
            );
        }
        for directory in directories {
            let name = name.to_owned();
            self.push(Script::Module { directory, name }, word.span);
        }
    }

    pub(super) fn unknown(&mut self, word: &ScriptArgument) {
        self.push(Script::Unknown(word.written.clone()), word.span);
    }

    pub(super) fn push(&mut self, script: Script, span: Span) {
        let span = self.stands_at.unwrap_or(span);
        self.found.scripts.push(Spanned::new(script, span));
    }
}

/// `[ab]` as `?`, which is what patterns of this crate know.
fn without_classes(pattern: &str) -> String {
    let mut found = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((_, after)) = after.split_once(']') else {
            break;
        };
        found.push_str(before);
        found.push('?');
        rest = after;
    }
    found + rest
}

//! A command, through everything that only starts another one.

use super::argument::ScriptArgument;
use super::directory::join_path;
use super::interpreters::{self, Interpreter, InterpreterKind as Reads};
use super::walk::{CopiedFile, FunctionCall, Walker};
use super::{Invocation, Script, inline};
use crate::shell::calls;
use crate::shell::syntax::Command;
use crate::source::Span;

impl Walker<'_> {
    /// A command, through everything that only starts another one.
    pub(super) fn start(&mut self, words: &[ScriptArgument]) {
        let Some((first, arguments)) = words.split_first() else {
            return;
        };
        let Some(program) = first.text().map(str::to_owned) else {
            match self.inside.last() {
                Some(function) if first.forwards_arguments() => {
                    self.forwarding.insert(function.clone());
                }
                Some(_) | None => self.unknown(first),
            }
            return;
        };
        let texts: Vec<Option<&str>> = arguments.iter().map(ScriptArgument::text).collect();
        if let Some(from) = calls::wrapped_at(&program, &texts) {
            let (before, rest) = arguments.split_at(from.min(arguments.len()));
            self.wrapper(&program, before, rest);
            return;
        }
        if self.functions.contains(&program) {
            self.calls.push(FunctionCall {
                words: words.to_vec(),
                directories: self.directories.clone(),
            });
        }
        self.note_copy(&program, arguments);
        self.add_program(&program, first);
        if self.shell_builtin(&program, arguments, &texts) {
            return;
        }
        self.found.invocations.push(Invocation {
            program: program.clone(),
            arguments: arguments.iter().map(|word| word.text.clone()).collect(),
            repeats: self.loops > 0,
        });
        let launched = interpreters::launched_program(&program, &texts);
        if let Some(rest) = launched.and_then(|at| arguments.get(at..)) {
            self.start(rest);
        } else if program == "find" {
            self.find(arguments);
        } else if let Some(interpreter) = interpreters::of(&program) {
            self.interpret(interpreter, first, arguments, &texts);
        }
    }

    /// `env -C DIR A=b program`, `xargs program`, `timeout 5 program`.
    pub(super) fn wrapper(
        &mut self,
        name: &str,
        before: &[ScriptArgument],
        rest: &[ScriptArgument],
    ) {
        let was = (self.directories.clone(), self.is_fed);
        self.is_fed |= matches!(name, "xargs" | "parallel");
        self.loops += usize::from(self.is_fed);
        let looped = usize::from(self.is_fed);
        let mut words = before.iter().peekable();
        while let Some(word) = words.next() {
            match word.text().unwrap_or_default() {
                "-C" | "--chdir" if name == "env" => {
                    let target = words.peek().and_then(|word| word.text());
                    self.directories.enter(target);
                }
                "-S" | "--split-string" if name == "env" => {
                    if let Some(text) = words.peek() {
                        self.text_within(text);
                    }
                }
                _ if name == "env" => self.add_assignment(word),
                _ => {}
            }
        }
        self.start(rest);
        self.loops -= looped;
        (self.directories, self.is_fed) = was;
    }

    /// `NAME=value` as an argument of `env` or `export`.
    fn add_assignment(&mut self, word: &ScriptArgument) {
        let Some((name, value)) = word.written.split_once('=') else {
            return;
        };
        let text = word.text().and_then(|text| text.split_once('='));
        let value = ScriptArgument {
            text: text.map(|(_, value)| value.to_owned()),
            written: value.to_owned(),
            span: word.span,
        };
        self.search_in(name, &value);
    }

    /// Commands of the shell itself that run something or go somewhere.
    pub(super) fn shell_builtin(
        &mut self,
        name: &str,
        arguments: &[ScriptArgument],
        texts: &[Option<&str>],
    ) -> bool {
        let operand = || arguments.iter().find(|word| !word.written.starts_with('-'));
        match name {
            "cd" | "pushd" => {
                let target = operand().and_then(ScriptArgument::text);
                self.directories
                    .enter(target.filter(|target| !target.starts_with('~')));
            }
            "popd" => self.directories.enter(None),
            "." | "source" => {
                if let Some(word) = operand() {
                    self.argument(word);
                }
            }
            "eval" => self.eval(arguments, texts),
            "trap" => {
                if let Some(word) = operand().filter(|word| word.text.is_some()) {
                    self.text_within(word);
                }
            }
            "export" | "declare" | "typeset" | "readonly" | "local" => {
                for word in arguments {
                    self.add_assignment(word);
                }
            }
            _ => return false,
        }
        true
    }

    fn eval(&mut self, arguments: &[ScriptArgument], texts: &[Option<&str>]) {
        match texts.iter().copied().collect::<Option<Vec<_>>>() {
            Some(parts) => {
                let span = arguments.first().map_or(Span::at(0), |word| word.span);
                self.walk_nested(&parts.join(" "), span);
            }
            None => {
                let unknown = arguments.iter().find(|word| word.text.is_none());
                if let Some(word) = unknown {
                    self.unknown(word);
                }
            }
        }
    }

    /// `find … -exec program {} \;`
    pub(super) fn find(&mut self, arguments: &[ScriptArgument]) {
        let starts = |word: &ScriptArgument| {
            matches!(word.text(), Some("-exec" | "-execdir" | "-ok" | "-okdir"))
        };
        for (at, _) in arguments
            .iter()
            .enumerate()
            .filter(|(_, word)| starts(word))
        {
            let rest = arguments.get(at + 1..).unwrap_or_default();
            let end = rest
                .iter()
                .position(|word| matches!(word.text(), Some(";" | "+")));
            let (was, rest) = (self.is_fed, rest.get(..end.unwrap_or(rest.len())));
            self.is_fed = true;
            self.loops += 1;
            self.start(rest.unwrap_or_default());
            self.loops -= 1;
            self.is_fed = was;
        }
    }

    pub(super) fn interpret(
        &mut self,
        interpreter: &Interpreter,
        program: &ScriptArgument,
        arguments: &[ScriptArgument],
        texts: &[Option<&str>],
    ) {
        let read = interpreter.read(texts);
        for word in read.files.iter().filter_map(|at| arguments.get(*at)) {
            self.argument(word);
            if let Some(text) = word
                .text()
                .filter(|_| interpreter.kind == Reads::JavaScript)
            {
                for ending in [".js", ".mjs", ".cjs", ".ts", "/index.js"] {
                    self.file(&format!("{text}{ending}"), word);
                }
            }
        }
        for value in &read.values {
            self.file(value, program);
        }
        match (&read.inline, interpreter.kind) {
            (Some(inline), Reads::Shell | Reads::Commands) => {
                if let Some(text) = arguments.get(inline.at) {
                    self.text_within(text);
                }
            }
            (Some(inline), Reads::Python) if inline.option != "-c" => {
                if let Some(word) = arguments.get(inline.at) {
                    self.module(word);
                }
            }
            (Some(inline), Reads::Python | Reads::JavaScript) if inline.option != "--test" => {
                if let Some(word) = arguments.get(inline.at) {
                    self.code(interpreter.kind, word);
                }
            }
            _ => {}
        }
        // It runs what another command gives it.
        let is_language = matches!(
            interpreter.kind,
            Reads::Shell | Reads::Python | Reads::JavaScript
        );
        if read.reads_input && self.is_fed && is_language {
            self.unknown(program);
        }
    }

    /// `python3 -c 'import scripts.check'`
    fn code(&mut self, kind: Reads, word: &ScriptArgument) {
        let Some(text) = word.text() else {
            return;
        };
        let found = if kind == Reads::Python {
            inline::python(text)
        } else {
            inline::javascript(text)
        };
        for path in &found.files {
            self.file(path, word);
            if found.moves {
                self.push(Script::File(join_path("", path)), word.span);
            }
        }
        for name in found.modules {
            let text = Some(name);
            self.module(&ScriptArgument {
                text,
                ..word.clone()
            });
        }
        if found.or_unknown {
            self.unknown(word);
        }
    }

    /// `cp check.sh /tmp/c.sh`: what is run by the second name is the first.
    pub(super) fn note_copy(&mut self, program: &str, arguments: &[ScriptArgument]) {
        if !["cp", "ln", "mv", "install"].contains(&program) {
            return;
        }
        let words = arguments
            .iter()
            .filter(|word| !word.written.starts_with('-'));
        let words: Vec<&ScriptArgument> = words.collect();
        let Some((to, from)) = words.split_last() else {
            return;
        };
        let Some(to) = to.text() else {
            return;
        };
        let to = join_path("", to);
        for from in from.iter().filter(|word| word.text.is_some()) {
            self.copies.push(CopiedFile {
                from: (*from).clone(),
                directories: self.directories.clone(),
                to: to.clone(),
            });
        }
    }

    /// `bash < check.sh`
    pub(super) fn input(&mut self, command: &Command<'_>, words: &[ScriptArgument]) {
        let files = command.redirects.iter().filter(|redirect| redirect.file);
        let files: Vec<_> = files.collect();
        let reads = || {
            let program = words.first().and_then(ScriptArgument::text);
            program.and_then(interpreters::of).is_some()
        };
        // Most commands have none, and looking for the program costs more.
        if files.is_empty() || !reads() {
            return;
        }
        for redirect in files {
            let before = self
                .text
                .get(..redirect.target.span.start)
                .unwrap_or_default();
            let before = before.trim_end();
            if before.ends_with('<') && !before.ends_with("<<") {
                let target = ScriptArgument::new(&redirect.target, self.text);
                self.argument(&target);
            }
        }
    }
}

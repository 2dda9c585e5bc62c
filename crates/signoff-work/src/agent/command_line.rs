//! Puts a driver's own arguments behind a configured command line.

use std::ffi::OsString;

use super::command::variables;
use super::driver::{Launch, LaunchInput, LaunchOptions};

/// A command line under construction. What the person configured stays as it is and wins.
#[derive(Debug)]
pub(super) struct CommandLine<'a> {
    configured: &'a [String],
    argv: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
}

impl<'a> CommandLine<'a> {
    pub(super) fn new(options: &LaunchOptions<'a>, program: &str) -> Self {
        let argv = match options.command {
            [] => vec![program.into()],
            command => command.iter().map(OsString::from).collect(),
        };
        Self {
            configured: options.command,
            argv,
            env: variables(options),
        }
    }

    /// Adds words as they are.
    pub(super) fn args(mut self, words: &[&str]) -> Self {
        self.argv.extend(words.iter().map(OsString::from));
        self
    }

    /// Adds a subcommand, unless the configured command has it.
    pub(super) fn subcommand(mut self, word: &str) -> Self {
        if !self
            .configured
            .iter()
            .skip(1)
            .any(|argument| argument == word)
        {
            self.argv.push(word.into());
        }
        self
    }

    /// Adds an option without a value, unless one of its spellings is configured. The first spelling is used.
    pub(super) fn switch(mut self, spellings: &[&str]) -> Self {
        if !self.has(spellings) {
            self.argv.extend(spellings.first().map(OsString::from));
        }
        self
    }

    /// Adds an option with a value, unless one of its spellings is configured.
    pub(super) fn option(mut self, spellings: &[&str], value: impl Into<OsString>) -> Self {
        if !self.has(spellings) {
            self.argv.extend(spellings.first().map(OsString::from));
            self.argv.push(value.into());
        }
        self
    }

    /// Adds an option if there is a value for it.
    pub(super) fn optional(self, spellings: &[&str], value: Option<&str>) -> Self {
        match value {
            Some(value) => self.option(spellings, value),
            None => self,
        }
    }

    /// Adds an option with a value behind all others, so that it wins.
    pub(super) fn last_option(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.argv.extend([name.into(), value.into()]);
        self
    }

    /// Sets a variable.
    pub(super) fn variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    fn has(&self, spellings: &[&str]) -> bool {
        self.configured.iter().skip(1).any(|argument| {
            let name = argument
                .split_once('=')
                .map_or(argument.as_str(), |(name, _)| name);
            spellings.contains(&name)
        })
    }

    /// The process: it reads the prompt from its standard input, which has no limit on its length.
    pub(super) fn launch(self) -> Launch {
        Launch {
            argv: self.argv,
            env: self.env,
            input: LaunchInput::Prompt,
            files: Vec::new(),
            keeps_own_sandbox: false,
            holds_scope: false,
        }
    }
}

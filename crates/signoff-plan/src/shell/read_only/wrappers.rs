//! Programs that run the command behind their own arguments.

use super::argument::CheckedArgument;
use super::options::{Options, options};
use super::refusal::{Effect, Refusal};
use super::{judge, variables};

/// A program that runs the command behind its own arguments.
#[derive(Debug)]
pub(super) struct Wrapper {
    options: Options,
    kind: WrapperKind,
}

#[derive(Debug, Clone, Copy)]
enum WrapperKind {
    /// The command follows the options.
    Plain,
    /// A duration stands before the command.
    Duration,
    /// Assignments may stand before the command; without a command it prints.
    Environment,
    /// `command -v` only asks.
    Lookup,
    /// The command gets more arguments, which the text does not show.
    Arguments,
}

const fn wrapper(options: Options, kind: WrapperKind) -> Wrapper {
    Wrapper {
        options: options.leading(),
        kind,
    }
}

pub(super) const ENV: Wrapper = wrapper(options("0", "", "null"), WrapperKind::Environment);
pub(super) const TIMEOUT: Wrapper = wrapper(
    options(
        "v",
        "ks",
        "foreground preserve-status verbose kill-after= signal=",
    ),
    WrapperKind::Duration,
);
pub(super) const NICE: Wrapper = wrapper(
    options("0123456789", "n", "adjustment="),
    WrapperKind::Plain,
);
pub(super) const IONICE: Wrapper =
    wrapper(options("t", "cn", "class= classdata="), WrapperKind::Plain);
pub(super) const STDBUF: Wrapper = wrapper(
    options("", "ioe", "input= output= error="),
    WrapperKind::Plain,
);
pub(super) const COMMAND: Wrapper = wrapper(options("vV", "", ""), WrapperKind::Lookup);

/// Without `-I`, which puts what is read anywhere, and `-a`, `-p` and `-P`.
pub(super) const XARGS: Wrapper = wrapper(
    options(
        "0rtx",
        "nLsd",
        "null no-run-if-empty verbose exit max-args= max-lines= max-chars= delimiter=",
    ),
    WrapperKind::Arguments,
);

/// Wrappers may run wrappers, each of which reads all words behind it: nobody writes that many.
const MOST_WORDS: usize = 1000;

impl Wrapper {
    /// Whether the wrapper and what it runs only read.
    pub(super) fn judge(&self, arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
        if let Some(word) = arguments.get(MOST_WORDS) {
            return Err(Refusal::UnknownArgument(word.raw.to_owned()));
        }
        let given = self.options.read(arguments)?;
        let command = given.operands.as_slice();
        match self.kind {
            WrapperKind::Plain => judge::command_line(command),
            WrapperKind::Lookup if given.has(&["v", "V"]) => Ok(()),
            WrapperKind::Lookup => judge::command_line(command),
            WrapperKind::Duration => match command.split_first() {
                Some((duration, _)) if duration.text.is_none() => {
                    Err(Refusal::Unforeseeable(duration.raw.to_owned()))
                }
                Some((_, command)) => judge::command_line(command),
                None => Ok(()),
            },
            WrapperKind::Environment => in_environment(command),
            WrapperKind::Arguments if command.is_empty() => Err(Refusal::Missing("a command")),
            WrapperKind::Arguments => {
                let more = CheckedArgument::unknown("words of its input");
                judge::command_line(&[command, &[more]].concat())
            }
        }
    }
}

fn in_environment(mut words: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    while let Some((first, rest)) = words.split_first() {
        let Some(text) = first.text else {
            return Err(Refusal::Unforeseeable(first.raw.to_owned()));
        };
        let Some((name, value)) = text.split_once('=') else {
            break;
        };
        if name.is_empty() {
            return Err(Refusal::Effect(text.to_owned(), Effect::ChangesShell));
        }
        variables::assignment(name, Some(value), false)?;
        words = rest;
    }
    judge::command_line(words)
}

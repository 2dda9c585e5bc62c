//! What is known of a program.

use super::argument::CheckedArgument;
use super::options::{Options, ParsedArguments, options};
use super::refusal::Refusal;
use super::wrappers::Wrapper;

/// Programs that have the same rule.
#[derive(Debug)]
pub(super) struct Program {
    /// Their names, separated by spaces.
    pub(super) names: &'static str,
    pub(super) rule: Rule,
}

/// When a program only reads.
#[derive(Debug)]
pub(super) enum Rule {
    /// Whatever its arguments are.
    Any,
    /// With these options.
    Options(Options),
    /// With these options, if what is given passes a check.
    Checked(Options, fn(&ParsedArguments<'_>) -> Result<(), Refusal>),
    /// With exactly one of these arguments, separated by spaces.
    Only(&'static str),
    /// With these options, then one of these sub-commands.
    Commands(Options, &'static [Program]),
    /// With one of these sub-commands, or alone.
    AloneOr(&'static [Program]),
    /// If its arguments pass a check of their own.
    Arguments(fn(&[CheckedArgument<'_>]) -> Result<(), Refusal>),
    /// If the command behind it does.
    Wrapper(Wrapper),
}

/// Programs with a rule.
pub(super) const fn programs(names: &'static str, rule: Rule) -> Program {
    Program { names, rule }
}

/// Programs with these options.
pub(super) const fn with(names: &'static str, options: Options) -> Program {
    programs(names, Rule::Options(options))
}

/// Programs that only read whatever their arguments are.
pub(super) const fn any(names: &'static str) -> Program {
    programs(names, Rule::Any)
}

/// Programs that take sub-commands, and no options before them.
pub(super) const fn commands(names: &'static str, inner: &'static [Program]) -> Program {
    programs(names, Rule::Commands(options("", "", "").leading(), inner))
}

/// The program of a name.
pub(super) fn find<'p>(
    mut all: impl Iterator<Item = &'p Program>,
    name: &str,
) -> Option<&'p Program> {
    all.find(|program| program.names.split(' ').any(|known| known == name))
}

impl Rule {
    /// Whether a program with this rule only reads, given these arguments.
    pub(super) fn judge(
        &self,
        name: &str,
        arguments: &[CheckedArgument<'_>],
    ) -> Result<(), Refusal> {
        match self {
            Self::Any => Ok(()),
            Self::Options(options) => options.read(arguments).map(|_| ()),
            Self::Checked(options, check) => check(&options.read(arguments)?),
            Self::Only(words) => only(words, arguments),
            Self::Commands(options, inner) => {
                let given = options.read(arguments)?;
                if given.are_ended {
                    // No sub-command follows: `git stash -- list` stashes the file `list`.
                    return Err(Refusal::UnknownArgument("--".to_owned()));
                }
                if given.operands.is_empty() && !given.has_options() {
                    return Err(Refusal::Missing("a sub-command"));
                }
                sub_command(name, &given.operands, inner)
            }
            Self::AloneOr(inner) => sub_command(name, arguments, inner),
            Self::Arguments(check) => check(arguments),
            Self::Wrapper(wrapper) => wrapper.judge(arguments),
        }
    }
}

/// Judges by the sub-command that the first argument names. Options alone pass, as they are listed.
fn sub_command(
    name: &str,
    arguments: &[CheckedArgument<'_>],
    inner: &[Program],
) -> Result<(), Refusal> {
    let Some((command, arguments)) = arguments.split_first() else {
        return Ok(());
    };
    let Some(text) = command.text else {
        return Err(Refusal::Unforeseeable(command.raw.to_owned()));
    };
    let name = format!("{name} {text}");
    match find(inner.iter(), text) {
        Some(program) => program.rule.judge(&name, arguments),
        None => Err(Refusal::UnknownProgram(name)),
    }
}

fn only(words: &'static str, arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    match arguments {
        [] => Err(Refusal::Missing(words)),
        [argument] => {
            let known = |text| words.split(' ').any(|word| word == text);
            match argument.text {
                Some(text) if known(text) => Ok(()),
                _ => Err(Refusal::UnknownArgument(argument.raw.to_owned())),
            }
        }
        [_, second, ..] => Err(Refusal::UnknownArgument(second.raw.to_owned())),
    }
}

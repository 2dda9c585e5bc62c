//! What the shell does by itself, and programs that run others.

use crate::shell::read_only::argument::CheckedArgument;
use crate::shell::read_only::options::{ParsedArguments, options};
use crate::shell::read_only::program::{Program, Rule, any, programs};
use crate::shell::read_only::refusal::Refusal;
use crate::shell::read_only::wrappers::{COMMAND, ENV, IONICE, NICE, STDBUF, TIMEOUT, XARGS};
use crate::shell::read_only::{conditions, variables};

pub(super) const PROGRAMS: &[Program] = &[
    any("echo pwd true false : cd pushd popd dirs type which whereis help"),
    programs("test [", Rule::Arguments(conditions::test)),
    programs("printf", Rule::Arguments(printf)),
    programs("exit return break continue shift", Rule::Arguments(number)),
    programs("read", Rule::Checked(options("r", "d", ""), read)),
    programs("set", Rule::Arguments(set)),
    programs(
        "wait jobs umask times",
        Rule::Options(options("lprS", "", "").operands(0)),
    ),
    programs("ulimit", Rule::Options(options("aSH", "", "").operands(0))),
    programs("env", Rule::Wrapper(ENV)),
    programs("xargs gxargs", Rule::Wrapper(XARGS)),
    programs("timeout gtimeout", Rule::Wrapper(TIMEOUT)),
    programs("nice", Rule::Wrapper(NICE)),
    programs("ionice", Rule::Wrapper(IONICE)),
    programs("stdbuf", Rule::Wrapper(STDBUF)),
    programs("command", Rule::Wrapper(COMMAND)),
];

/// `-v` assigns, and zsh calculates what stands for a number.
fn printf(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    let arguments = match arguments.split_first() {
        Some((first, rest)) if first.text == Some("--") => rest,
        _ => arguments,
    };
    let Some((format, values)) = arguments.split_first() else {
        return Ok(());
    };
    if format.may_be_option() || format.many {
        return Err(Refusal::Unforeseeable(format.raw.to_owned()));
    }
    if format.text.is_some_and(has_no_numbers) {
        return Ok(());
    }
    // `%n` sets a variable.
    if format.text.is_none_or(sets_variable) {
        return Err(Refusal::Unforeseeable(format.raw.to_owned()));
    }
    let number = |text: &str| !text.contains(['[', '$', '`']);
    match values.iter().find(|value| !value.text.is_some_and(number)) {
        Some(value) => Err(Refusal::Unforeseeable(value.raw.to_owned())),
        None => Ok(()),
    }
}

/// Whether a format has a conversion `n`, with whatever stands before it.
fn sets_variable(format: &str) -> bool {
    let modifiers = |c: char| c.is_ascii_digit() || "-.+ #'*hlLjzt$".contains(c);
    let parts = format.replace("%%", "");
    let mut conversions = parts.split('%').skip(1);
    conversions.any(|part| part.trim_start_matches(modifiers).starts_with('n'))
}

/// Whether a format only has texts: `%s`, `%b`, `%q`, `%%`.
fn has_no_numbers(format: &str) -> bool {
    let mut parts = format.replace("%%", "");
    parts.push(' ');
    parts.split('%').skip(1).all(|part| {
        let conversion =
            part.trim_start_matches(|c: char| c.is_ascii_digit() || "-.+ #".contains(c));
        conversion.starts_with(['s', 'b', 'q'])
    })
}

/// zsh calculates more than numbers.
fn number(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = |word: &&CheckedArgument<'_>| {
        word.text.is_some_and(number) || matches!(word.raw, "$?" | "\"$?\"")
    };
    match arguments.iter().find(|word| !is_number(word)) {
        Some(word) => Err(Refusal::Unforeseeable(word.raw.to_owned())),
        None => Ok(()),
    }
}

fn read(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    given
        .operands
        .iter()
        .try_for_each(|name| variables::may_be_set(name.text.unwrap_or_default()))
}

/// Only how mistakes are handled may change.
fn set(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    for argument in arguments {
        let text = argument.text.unwrap_or_default();
        let letters = text.strip_prefix(['-', '+']);
        let harmless = letters.is_some_and(|letters| letters.chars().all(|c| "euxo".contains(c)));
        let named = ["pipefail", "errexit", "nounset", "xtrace"].contains(&text);
        if !harmless && !named {
            return Err(Refusal::UnknownArgument(argument.raw.to_owned()));
        }
    }
    Ok(())
}

//! `awk`: its programs may write files and run commands.

use super::argument::CheckedArgument;
use super::options::{Options, options};
use super::refusal::{Effect, Refusal};

const OPTIONS: Options = options(
    "",
    "Fv",
    "field-separator= assign= posix traditional re-interval",
);

/// Whether the arguments of `awk` only print.
pub(super) fn judge(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    let given = OPTIONS.read(arguments)?;
    let Some((program, files)) = given.operands.split_first() else {
        return Ok(());
    };
    let Some(program) = program.text else {
        return Err(Refusal::Unforeseeable(program.raw.to_owned()));
    };
    // The name of a connection.
    if let Some(file) = files.iter().find(|file| file.may_start_with("/inet")) {
        return Err(Refusal::UnknownArgument(file.raw.to_owned()));
    }
    only_prints(program)
}

/// Words that run something or read from where they like.
const REFUSED: [(&str, Effect); 5] = [
    ("system", Effect::Runs),
    ("getline", Effect::Runs),
    ("/inet", Effect::Runs),
    ("@", Effect::Runs),
    ("\\\n", Effect::Runs),
];

/// Whether a program only prints.
///
/// Where strings and patterns end is hard to tell in awk, so that this looks at the whole text: behind
/// the first `print` there may be no `>` and no `|`.
fn only_prints(program: &str) -> Result<(), Refusal> {
    for (word, effect) in REFUSED {
        if program.contains(word) {
            return Err(Refusal::Effect(word.to_owned(), effect));
        }
    }
    // Without patterns, escapes and comments, quotes are strings.
    let plain = !program.contains(['/', '\\', '#']);
    let code = if plain {
        program
            .split('"')
            .step_by(2)
            .collect::<Vec<_>>()
            .join("\"\"")
    } else {
        program.to_owned()
    };
    let printed = code.find("print").and_then(|at| code.get(at..));
    let printed = printed.unwrap_or_default().replace("||", "");
    match printed.find(['>', '|']) {
        Some(_) => Err(Refusal::Effect(program.to_owned(), Effect::Writes)),
        None => Ok(()),
    }
}

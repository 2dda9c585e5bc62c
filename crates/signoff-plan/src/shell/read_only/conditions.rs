//! `test`, `[` and `[[`.

use super::argument::CheckedArgument;
use super::refusal::{Effect, Refusal};

/// Operators whose operands some shells calculate, commands in subscripts included.
const ARITHMETIC: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// Operators between two texts or files.
const COMPARISONS: [&str; 6] = ["=", "==", "!=", "-nt", "-ot", "-ef"];

/// Variables that always hold a number.
const STATUS: [&str; 4] = ["$?", "\"$?\"", "$#", "\"$#\""];

/// `test …` and `[ … ]`: what is filled in must not become an operator.
pub(super) fn test(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    let splits = |word: &&CheckedArgument<'_>| word.many && !STATUS.contains(&word.raw);
    if let Some(many) = arguments.iter().find(splits) {
        return Err(Refusal::Unforeseeable(many.raw.to_owned()));
    }
    let closed = arguments.split_last();
    let words = match closed {
        Some((last, words)) if last.text == Some("]") => words,
        _ => arguments,
    };
    let compares = matches!(words, [_, operator, _] if is_one_of(operator, &COMPARISONS));
    let is_unknown =
        |word: &&CheckedArgument<'_>| word.text.is_none() && !STATUS.contains(&word.raw);
    let mut unknown = words.iter().filter(is_unknown);
    if let (Some(_), Some(second), false) = (unknown.next(), unknown.next(), compares) {
        return Err(Refusal::Unforeseeable(second.raw.to_owned()));
    }
    operands(words)
}

/// `[[ … ]]`, of which `sh` takes some operators for its own: behind `&&` and `||` it runs a command. Only where that
/// would have the name of an operator (`-f`), and so is none, they pass.
pub(super) fn double_brackets(words: &[CheckedArgument<'_>], source: &str) -> Result<(), Refusal> {
    let joints = words.iter().enumerate().filter(|(_, word)| is_joint(word));
    for (at, joint) in joints {
        let behind = words.get(at + 1..).unwrap_or_default();
        let first = behind.iter().find(|word| word.raw != "!");
        if !first.is_some_and(|first| is_unary(first.raw)) {
            return Err(Refusal::Unforeseeable(joint.raw.to_owned()));
        }
    }
    let without_joints = source.replace("&&", "").replace("||", "");
    if without_joints.contains(['<', '>', '|', '&', ';', '(', ')']) {
        return Err(Refusal::Unforeseeable(source.to_owned()));
    }
    operands(words)
}

fn is_joint(word: &CheckedArgument<'_>) -> bool {
    matches!(word.raw, "&&" | "||")
}

/// `-f` and the like, which no shell has a command for.
fn is_unary(word: &str) -> bool {
    let letter = word.strip_prefix('-').unwrap_or_default();
    letter.len() == 1 && letter.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn operands(words: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    for (at, word) in words.iter().enumerate() {
        if is_one_of(word, &["-v", "-R"]) {
            return Err(Refusal::UnknownArgument(word.raw.to_owned()));
        }
        if word.text.is_some_and(|text| text.contains(['$', '`'])) {
            return Err(Refusal::Effect(word.raw.to_owned(), Effect::Runs));
        }
        if is_one_of(word, &ARITHMETIC) {
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            number(before)?;
            number(words.get(at + 1))?;
        }
    }
    Ok(())
}

fn number(word: Option<&CheckedArgument<'_>>) -> Result<(), Refusal> {
    let Some(word) = word else {
        return Ok(());
    };
    let numeric = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    if word.text.is_some_and(numeric) || STATUS.contains(&word.raw) {
        Ok(())
    } else {
        Err(Refusal::Unforeseeable(word.raw.to_owned()))
    }
}

fn is_one_of(word: &CheckedArgument<'_>, texts: &[&str]) -> bool {
    word.text.is_some_and(|text| texts.contains(&text))
}

//! A command, a condition or a path holds a character that cannot be seen.
//!
//! ## Why
//! A character that takes no place, turns the direction of reading around or only looks like a space
//! makes a command read as another one. What you sign must be what you read.
//!
//! ## Example
//! ```text
//! grep -q "ok⟨U+200B⟩" out.txt
//! ```
//!
//! ## Instead
//! Delete the character. Where it is meant, write it so that it can be seen: `$'\u200b'` in a shell,
//! `"\u200b"` in a condition.

use super::context::{Context, StepView};
use super::text_arguments::for_each_text_argument;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Span, Spanned};
use crate::tools::{BuiltIn, built_in};
use crate::visible::hidden_reason;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        for part in executed_texts(step) {
            problems.extend(hidden_character_problem(step, &part));
        }
    }
}

/// The first such character of a text, and how many there are.
fn hidden_character_problem(step: StepView<'_>, part: &ExecutedText<'_>) -> Option<Diagnostic> {
    let letters = part.text.char_indices();
    let mut found = letters.filter_map(|(at, letter)| Some((at, letter, hidden_reason(letter)?)));
    let (at, letter, why) = found.next()?;
    let more = match found.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let message = format!(
        "{} of step `{}` holds {}, U+{:04X}{more}",
        part.what,
        step.id(),
        why.name(),
        u32::from(letter),
    );
    let span = part.span(at, letter);
    let found = step.problem(Code::HiddenCharacters, span, message);
    Some(found.help("delete it, or write it so that it can be seen"))
}

/// A text that decides what is run, and where it stands.
pub(super) struct ExecutedText<'a> {
    pub(super) what: &'static str,
    pub(super) text: &'a str,
    location: TextLocation<'a>,
}

enum TextLocation<'a> {
    /// A command whose every character has its own place.
    Command(&'a crate::draft::CommandText),
    Whole(Span),
}

impl ExecutedText<'_> {
    /// Where a character of the text stands in the source.
    pub(super) fn span(&self, at: usize, letter: char) -> Span {
        match self.location {
            TextLocation::Command(command) => {
                command.source_span(Span::new(at, at + letter.len_utf8()))
            }
            TextLocation::Whole(span) => span,
        }
    }
}

/// The texts of a step that are run, compared or matched, not only read by people and agents.
pub(super) fn executed_texts(step: StepView<'_>) -> Vec<ExecutedText<'_>> {
    let written = step.written;
    let mut found = Vec::new();
    if let Some(contract) = &written.contract {
        found.push(ExecutedText {
            what: "the contract",
            text: &contract.command.text,
            location: TextLocation::Command(&contract.command),
        });
        let shell = contract.shell.iter().map(|text| ("the shell", text));
        let expect = contract.expect.iter().map(|text| ("a condition", text));
        found.extend(
            shell
                .chain(expect)
                .map(|(what, text)| whole_text(what, &text.value, text.span)),
        );
    }
    for (what, texts) in [
        ("`produces`", &written.produces),
        ("`protects`", &written.protects),
    ] {
        found.extend((texts.iter()).map(|text| whole_text(what, &text.value, text.span)));
    }
    if let Some(tool) = &written.tool {
        found.push(whole_text("the tool", &tool.value, tool.span));
    }
    let runs_command = |tool: &Spanned<String>| {
        built_in(&tool.value).is_some_and(|tool| tool.id == BuiltIn::RunCommand)
    };
    if written.tool.as_ref().is_some_and(runs_command) {
        for_each_text_argument(step, &mut |given| {
            found.push(whole_text("the command", given.text, given.span));
        });
    }
    found
}

fn whole_text<'a>(what: &'static str, text: &'a str, span: Span) -> ExecutedText<'a> {
    ExecutedText {
        what,
        text,
        location: TextLocation::Whole(span),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn commands_are_seen_as_they_are() {
        let contract = |text: &str| plan(&format!("### 1. A\n**contract:**\n```sh\n{text}\n```\n"));
        check(
            Code::HiddenCharacters,
            &contract("grep -q 'Привет 漢' x\n\ttrue"),
            &[],
        );
        check(
            Code::HiddenCharacters,
            &contract("test -s a\u{200b}b\u{202e}"),
            &[
                "\u{200b} | the contract of step `step-1` holds an invisible character, U+200B, and 1 more | \
                 delete it, or write it so that it can be seen",
            ],
        );
        check(
            Code::HiddenCharacters,
            &plan("### 1. A\n**contract:** `true`\n**protects:** a\u{a0}b\n"),
            &[
                "a\u{a0}b | `protects` of step `step-1` holds a space that does not separate words, U+00A0 | \
                 delete it, or write it so that it can be seen",
            ],
        );
        // People's texts may hold what they like.
        check(
            Code::HiddenCharacters,
            &plan("### 1. A\n**task:** x\u{200b}\n"),
            &[],
        );
    }
}

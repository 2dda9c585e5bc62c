//! A command, a condition or a path holds a character that passes for another one.
//!
//! ## Why
//! `сargo` with a Cyrillic `с` is another program than `cargo`, and nobody can see that. Quotes and
//! dashes that a word processor made are neither quotes nor options.
//!
//! ## Example
//! ```text
//! сargo test –-quiet
//! ```
//!
//! ## Instead
//! Type the character of ASCII. Words of another script are left alone.

use super::context::Context;
use super::hidden_characters::executed_texts;
use crate::diagnostic::{Code, Diagnostic};
use crate::visible::{LookAlike, look_alikes};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        for part in executed_texts(step)
            .iter()
            .filter(|part| !part.text.is_ascii())
        {
            let found = look_alikes(part.text);
            let Some(LookAlike {
                offset,
                character,
                looks_like: like,
            }) = found.first().copied()
            else {
                continue;
            };
            let more = match found.len() - 1 {
                0 => String::new(),
                more => format!(", and {more} more like it"),
            };
            let message = format!(
                "{} of step `{}` holds U+{:04X}, which looks like `{like}`{more}",
                part.what,
                step.id(),
                u32::from(character),
            );
            let span = part.span(offset, character);
            let found = step.problem(Code::ConfusableCharacters, span, message);
            problems.push(found.help(format!("type `{like}` if that is what is meant")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn look_alikes_are_named() {
        let contract = |text: &str| plan(&format!("### 1. A\n**contract:**\n```sh\n{text}\n```\n"));
        check(
            Code::ConfusableCharacters,
            &contract("grep -q 'Привет' x"),
            &[],
        );
        check(
            Code::ConfusableCharacters,
            &contract("\u{441}argo test –x"),
            &[
                "\u{441} | the contract of step `step-1` holds U+0441, which looks like `c`, and 1 more like it | \
                 type `c` if that is what is meant",
            ],
        );
    }
}

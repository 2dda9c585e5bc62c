//! A contract runs a script, and the text does not tell which file that is.
//!
//! ## Why
//! Files that a contract runs are part of what you sign: if one changes, the signature no longer
//! holds. A file behind a variable or the output of a command is not covered, so an agent could change
//! what judges it.
//!
//! ## Example
//! ```text
//! "$TOOLS/check.sh"
//! ```
//!
//! ## Instead
//! Write the path: `tools/check.sh`. A directory that the contract enters by name (`cd tools &&
//! ./check.sh`), `$PWD` and patterns are understood. Or name the file in `protects`.

use std::collections::BTreeSet;

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::shell::Script;
use crate::source::Spanned;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let Some(contract) = &step.written.contract else {
            continue;
        };
        let command = &contract.command;
        let mut words = BTreeSet::new();
        for Spanned {
            value: script,
            span,
        } in step.scripts()
        {
            let Script::Unknown(word) = script else {
                continue;
            };
            let message = format!(
                "the contract of step `{}` runs `{word}`, and which file that is cannot be told before the run",
                step.id()
            );
            if words.insert(word) {
                let span = command.source_span(*span);
                let found = step.problem(Code::ContractScriptUnknown, span, message);
                problems
                    .push(found.help("write the path of the file, or name the file in `protects`"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn the_word_is_named() {
        let contract = |text: &str| plan(&format!("### 1. A\n**contract:**\n```sh\n{text}\n```\n"));
        for text in ["cargo test", "cd d && ./x", "$PWD/x", "bash -c './x'"] {
            check(Code::ContractScriptUnknown, &contract(text), &[]);
        }
        check(
            Code::ContractScriptUnknown,
            &contract("true &&\n  bash $DIR/x.sh && bash $DIR/x.sh"),
            &[
                "$DIR/x.sh | the contract of step `step-1` runs `$DIR/x.sh`, and which file that is cannot be \
                 told before the run | write the path of the file, or name the file in `protects`",
            ],
        );
    }
}

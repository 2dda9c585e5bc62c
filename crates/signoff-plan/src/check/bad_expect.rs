//! A condition of a contract cannot be read, or contradicts another one.
//!
//! ## Why
//! Conditions decide whether a step is done. One that is misread would decide wrongly, so nothing
//! is guessed.
//!
//! ## Example
//! ```text
//! exit_code = 0
//! ```
//!
//! ## Instead
//! One condition per line: `exit_code == N`, `stdout contains "…"`, `stdout == "…"`,
//! `stderr contains "…"`, `tests_run >= N`. Without one on the exit code, `exit_code == 0` holds.

use crate::condition;
use crate::diagnostic::{Code, Diagnostic};
use crate::draft::Spanned;
use crate::model::Condition;
use crate::spelling::Dialect;
use crate::suggest::misspelt_word;

/// Reads conditions and reports those that cannot be.
pub(super) fn read(
    dialect: Dialect,
    written: &[Spanned<String>],
    problems: &mut Vec<Diagnostic>,
) -> Vec<Condition> {
    let mut conditions: Vec<Condition> = Vec::new();
    for text in written {
        match condition::parse(&text.value) {
            Ok(condition) => {
                problems.extend(contradiction(dialect, text, &condition, &conditions));
                conditions.push(condition);
            }
            Err(why) => problems.push(unreadable(dialect, text, why)),
        }
    }
    conditions
}

fn unreadable(dialect: Dialect, text: &Spanned<String>, why: &str) -> Diagnostic {
    let message = format!("condition `{}` cannot be read: {why}", text.value);
    let found = Diagnostic::new(Code::BadExpect, dialect, text.span, message);
    let reads = |text: &str| condition::parse(text).is_ok();
    if let Some((slip, meant)) = misspelt_word(&text.value, &condition::WORDS, reads) {
        return found.suggest_in(text, slip, meant);
    }
    found.help("write a condition such as `exit_code == 0` or `stdout contains \"ok\"`")
}

fn contradiction(
    dialect: Dialect,
    text: &Spanned<String>,
    condition: &Condition,
    before: &[Condition],
) -> Option<Diagnostic> {
    let other = before.iter().find(|other| match (*other, condition) {
        (Condition::ExitCode(a), Condition::ExitCode(b)) => a != b,
        (Condition::StdoutEquals(a), Condition::StdoutEquals(b)) => a != b,
        _ => false,
    })?;
    let message = format!("conditions `{other}` and `{condition}` cannot both hold");
    Some(Diagnostic::new(
        Code::BadExpect,
        dialect,
        text.span,
        message,
    ))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    fn conditions(lines: &str) -> String {
        plan(&format!(
            "### 1. A\n**task:** x\n**contract:**\n```sh\nmake\n```\n{lines}\n"
        ))
    }

    #[test]
    fn unreadable_conditions_are_reported() {
        check(
            Code::BadExpect,
            &conditions("exit_code == 0\n- `stdout contains \"ok\"`"),
            &[],
        );
        check(
            Code::BadExpect,
            &conditions("exit_code = 0"),
            &[
                "exit_code = 0 | condition `exit_code = 0` cannot be read: `exit_code` is compared with `==` | \
             write a condition such as `exit_code == 0` or `stdout contains \"ok\"`",
            ],
        );
    }

    #[test]
    fn a_command_must_succeed_unless_told_otherwise() {
        let expect = |lines: &str| {
            let plan = super::super::testing::checked(&conditions(lines)).plan;
            let contract = plan.steps[0].contract.clone().expect("a contract");
            let texts: Vec<_> = contract.expect.iter().map(ToString::to_string).collect();
            texts.join("; ")
        };
        assert_eq!(expect(""), "exit_code == 0");
        assert_eq!(expect("stdout == \"a\""), "exit_code == 0; stdout == \"a\"");
        assert_eq!(expect("exit_code == 3"), "exit_code == 3");
    }

    #[test]
    fn contradictions_are_reported() {
        check(
            Code::BadExpect,
            &conditions("exit_code == 0\nexit_code == 1"),
            &[
                "exit_code == 1 | conditions `exit_code == 0` and `exit_code == 1` cannot both hold | -",
            ],
        );
    }
}

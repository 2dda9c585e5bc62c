//! A contract in a fenced block.

use super::Dialect;
use crate::check::bad_value;
use crate::diagnostic::Diagnostic;
use crate::draft::{CommandText, Spanned};
use crate::markdown::Fence;

/// The text of a block, without the line end before its closing fence.
pub(super) fn command(fence: &Fence) -> CommandText {
    let mut command = fence.content.clone();
    if command.text.ends_with('\n') {
        command.text.pop();
    }
    command
}

/// The shell a block names. `shell` and `bash` mean the configured one.
pub(super) fn shell(
    dialect: Dialect,
    fence: &Fence,
    problems: &mut Vec<Diagnostic>,
) -> Option<Spanned<String>> {
    let language = fence.language.as_ref()?;
    match language.value.as_str() {
        "sh" => return Some(language.clone()),
        "shell" | "bash" => {}
        _ => problems.push(bad_value::contract_language(dialect, language)),
    }
    None
}

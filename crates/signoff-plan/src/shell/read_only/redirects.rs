//! Redirections that only read.

use super::argument::CheckedArgument;
use super::refusal::{Effect, Refusal};
use crate::shell::syntax::Redirect;

/// Whether a redirection only reads, or throws away.
pub(super) fn judge(redirect: &Redirect<'_>, source: &str) -> Result<(), Refusal> {
    let target = CheckedArgument::new(&redirect.target, source);
    let Some(text) = target.text else {
        return unknown(redirect.operator, &target);
    };
    match redirect.operator {
        "<" if !is_connection(text) => Ok(()),
        "<<<" => Ok(()),
        ">&" | "<&" if is_descriptor(text) => Ok(()),
        ">" | ">>" | ">|" | "&>" | "&>>" | ">&" if text == "/dev/null" => Ok(()),
        operator => Err(Refusal::Effect(
            format!("{operator} {}", target.raw),
            Effect::Writes,
        )),
    }
}

fn unknown(operator: &str, target: &CheckedArgument<'_>) -> Result<(), Refusal> {
    let reads = match operator {
        "<<<" => true,
        // A process substitution, whose commands are judged.
        "<" if target.raw.starts_with("<(") => true,
        "<" => !target.many && !target.may_start_with("/dev/"),
        _ => false,
    };
    if reads {
        Ok(())
    } else {
        Err(Refusal::Unforeseeable(format!("{operator} {}", target.raw)))
    }
}

/// `1`, or `-` to close. zsh takes `2-` for a file.
fn is_descriptor(text: &str) -> bool {
    text == "-" || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether bash connects to another machine instead of opening a file.
fn is_connection(text: &str) -> bool {
    text.starts_with("/dev/tcp") || text.starts_with("/dev/udp")
}

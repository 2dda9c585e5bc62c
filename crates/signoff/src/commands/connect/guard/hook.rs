//! The hook itself. It stands before every tool call of an agent, so it sets up nothing that it does not need, not even
//! the command line; and whatever goes wrong in it is a refusal.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::panic::{UnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

use signoff_plan::guard::Agent;
use signoff_runtime::guard::{
    HookAnswer, HookFailure, HookStore, LARGEST_PAYLOAD, MemoryTrouble, answer,
};

use crate::failure::Failure;
use crate::process_environment;

/// Agents take a hook that does not come back for leave, some after half a minute.
const LONGEST: Duration = Duration::from_secs(10);

/// Answers a call if the command line is that of the hook and nothing else: `signoff guard [--agent NAME] [--project]`.
pub(crate) fn run_if_called(words: &[OsString]) -> Option<ExitCode> {
    let mut rest = words.get(1..)?.iter().map(|word| word.to_str());
    if rest.next()?? != "guard" {
        return None;
    }
    let (mut agent, mut project) = (None, false);
    while let Some(word) = rest.next() {
        match word? {
            "--agent" => agent = Some(Agent::of_name(rest.next()??)?),
            "--project" => project = true,
            _ => return None,
        }
    }
    Some(answer_stdin(agent, project).into())
}

/// Reads the call, prints the answer and returns the exit code.
pub(super) fn answer_stdin(agent: Option<Agent>, project: bool) -> u8 {
    let late = HookAnswer::deny("signoff guard took too long, so this call is denied");
    if let Err(why) = signoff_sandbox::end_process_after(LONGEST, late.stderr, late.exit) {
        return print(&HookAnswer::deny(&format!(
            "signoff guard cannot start ({why}), so this call is denied"
        )));
    }
    print(&or_deny(|| read_and_answer(agent, project)))
}

/// The answer, which is a refusal if finding it fails.
fn or_deny(find_answer: impl FnOnce() -> HookAnswer + UnwindSafe) -> HookAnswer {
    catch_unwind(find_answer).unwrap_or_else(|_| {
        HookAnswer::deny("signoff guard failed (this is a mistake in it), so this call is denied")
    })
}

fn read_and_answer(agent: Option<Agent>, project: bool) -> HookAnswer {
    let mut bytes = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(LARGEST_PAYLOAD + 1)
        .read_to_end(&mut bytes);
    if let Err(why) = read {
        return HookAnswer::deny(&format!(
            "signoff guard cannot read the call ({why}), so it is denied"
        ));
    }
    let store = if project {
        HookStore::Required
    } else {
        HookStore::Optional
    };
    let process = process_environment::read_without_person();
    answer(&process, agent, store, &bytes).unwrap_or_else(|failure| {
        let why = match failure {
            HookFailure::Unreadable(why) => why,
            HookFailure::Memory(why) => MemoryTrouble(&why).to_string(),
            HookFailure::Error(error) => in_one_line(&Failure::from(error)),
        };
        HookAnswer::deny(&format!("signoff guard denies this call: {why}"))
    })
}

/// What is wrong, and what a person does about it.
fn in_one_line(failure: &Failure) -> String {
    match failure.hints.as_slice() {
        [] => failure.message.clone(),
        hints => format!("{} ({})", failure.message, hints.join("; ")),
    }
}

/// An answer that cannot be printed is a refusal: half of it could be taken for leave.
fn print(answer: &HookAnswer) -> u8 {
    let mut stdout = std::io::stdout().lock();
    let said = (stdout.write_all(answer.stdout.as_bytes())).and_then(|()| stdout.flush());
    let reason = std::io::stderr().lock().write_all(answer.stderr.as_bytes());
    match (said, reason) {
        (Ok(()), Ok(())) => answer.exit,
        _ => HookAnswer::deny("").exit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_in_the_guard_is_a_refusal() {
        let denied = or_deny(|| panic!("a mistake"));
        assert_eq!((denied.exit, denied.stdout.as_str()), (2, ""));
        assert!(denied.stderr.contains("denied"), "{}", denied.stderr);
    }
}

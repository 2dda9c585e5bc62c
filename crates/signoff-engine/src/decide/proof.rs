//! Why a step is not `proved`.

use signoff_plan::model::{Step, Work};

use crate::changes::NamedSettings;
use crate::contract_inputs::{changed_inputs, own_settings};
use crate::state::{Run, StepState};
use crate::verdict::{SHARED, Verdict, reasons_for_doubt};

/// Why the contract of a completed step does not prove it. A proof is red before the work and green after it,
/// with every change recorded and at least one change. Empty = it is proved.
pub(super) fn reasons_against(run: &Run, definition: &Step, state: &StepState) -> Vec<String> {
    let Some(contract) = &definition.contract else {
        return Vec::new();
    };
    let mut reasons: Vec<String> = Vec::new();
    let missing = state.baseline.missing.as_ref();
    let changed = state.changes.files.as_deref().unwrap_or_default();
    let mut say = |reason: &str| reasons.push(reason.to_owned());
    match state.baseline.verdict {
        _ if is_claimed(run, definition) => say("it was marked done before the run"),
        Some(Verdict::Fail) => match missing {
            Some(missing) if !missing.is_among(changed) => say(&format!(
                "before the work its contract failed because `{}` was missing, which the work did not bring",
                missing.name
            )),
            Some(_) | None => {}
        },
        // What was to run is what the work had to make.
        Some(Verdict::Inconclusive)
            if state.baseline.inconclusive_reason.is_none()
                && missing.is_some_and(|one| one.is_among(changed)) => {}
        Some(Verdict::Pass) if state.baseline.after_work => {
            say("its contract holds without its work, by what others did meanwhile");
        }
        Some(Verdict::Pass) => say("its contract held before the work"),
        Some(Verdict::Inconclusive) => match &state.baseline.inconclusive_reason {
            Some(why) => say(&format!(
                "its contract gave no answer before the work: {why}"
            )),
            None => match missing {
                Some(missing) => say(&format!(
                    "its contract could not run before the work: {}",
                    missing.line
                )),
                None => say("its contract gave no answer before the work"),
            },
        },
        None => say("its contract was not run before the work"),
    }
    if let Some(line) = &state.contract.missed {
        say(&format!("its contract did not find a program: {line}"));
    }
    if matches!(definition.work, Work::Agent { .. }) {
        match state.changes.files.as_deref() {
            None => say("what the work changed was not recorded"),
            Some([]) => say("the work changed nothing that is versioned"),
            Some(_) => {}
        }
        if state.contract.overlay_mode.as_deref() == Some(SHARED) {
            say("its contract ran in the tree that the agent could write to");
        }
    }
    if let Some(option) = changed.iter().find(|path| reads_like_an_option(path)) {
        say(&format!(
            "`{option}` reads like an option to a command that finds it by a pattern"
        ));
    }
    let inputs = changed_inputs(&run.plan().steps, definition, &state.changes);
    for one in inputs.doubtful {
        say(&format!(
            "`{}` may be loaded in place of `{}`, or before it",
            one.file, one.hides
        ));
    }
    for NamedSettings { file, program } in inputs.settings {
        say(&format!(
            "`{file}` holds settings of `{program}`, which a contract calls, and `produces` does not name it"
        ));
    }
    for one in inputs.searched {
        let by = match one.by.as_str() {
            "" => "a contract".to_owned(),
            by => format!("`{by}`"),
        };
        say(&format!(
            "`{}` may be found before what was there: {by} says where programs, modules or libraries are searched, and `produces` does not name it",
            one.file
        ));
    }
    for path in inputs.unquoted {
        say(&format!(
            "`{path}` matches a pattern that its contract searches for without quotes, so that the shell puts the name in its place"
        ));
    }
    for path in own_settings(contract, &state.contract.writes) {
        say(&format!(
            "its contract wrote `{path}`, which configures its own runner"
        ));
    }
    for link in &state.changes.details.links_out {
        say(&format!("`{link}` is a link that leads out of the tree"));
    }
    if state.contract.warm {
        say("its contract reused what an earlier run of it had built");
    }
    if state.contract.ignored_work {
        say("its contract found what agents had left in ignored directories");
    }
    let (before, after) = (state.baseline.tests.as_ref(), state.contract.tests.as_ref());
    reasons.extend(reasons_for_doubt(contract, before, after));
    reasons
}

/// Does a part of this path begin like an option? In `grep -L bad *` a file named `-q` is one.
fn reads_like_an_option(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('-'))
}

/// Did the author of the plan mark the step as done?
pub(super) fn is_claimed(run: &Run, definition: &Step) -> bool {
    let at = run.position(&definition.id);
    at.is_some_and(|at| run.is_claimed(at))
}

//! What speaks against an attempt: its contract, and what it did to its contract.

use signoff_plan::model::{Contract, Step, Work};

use crate::judge::judge_changed;
use crate::state::StepState;
use crate::verdict::{Observation, Verdict, judge};

/// The verdict on an attempt.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    /// What speaks against it.
    pub(super) unmet: Vec<String>,
    /// The contract holds, and yet it is a failure: of an attempt that was cut off, too.
    pub(super) bent: bool,
}

/// The contract's answer, and then what the work did to it: a contract that its agent bent proves
/// nothing.
pub(super) fn verdict(definition: &Step, state: &StepState, observed: &Observation) -> Judged {
    let contract = definition.contract.as_ref();
    let expect = contract.map_or(&[][..], |contract| &contract.expect);
    let (verdict, mut unmet) = judge(expect, observed);
    if verdict != Verdict::Pass {
        let bent = false;
        return Judged {
            verdict,
            unmet,
            bent,
        };
    }
    unmet.extend(touched(state));
    unmet.extend(configured(definition, state));
    unmet.extend(contract.and_then(|contract| fewer_tests(contract, state, observed)));
    let bent = !unmet.is_empty();
    Judged {
        verdict: if bent { Verdict::Fail } else { Verdict::Pass },
        unmet,
        bent,
    }
}

/// What the work changed although nobody may.
pub(super) fn touched(state: &StepState) -> Option<String> {
    let protected = &state.changes.protected;
    (!protected.is_empty()).then(|| format!("it changed protected files: {}", protected.join(", ")))
}

/// The runner's configuration is changed only by whom the plan told to.
fn configured(definition: &Step, state: &StepState) -> Option<String> {
    if !matches!(definition.work, Work::Agent { .. }) {
        return None;
    }
    let agents = (state.taken_over.as_ref()).and_then(|changes| changes.files.as_ref());
    let changed = state.changes.files.as_ref().or(agents)?;
    let mut files = judge_changed(definition, changed).runner_config;
    // What a person changed to repair it is theirs to answer for; the evidence names it.
    files.retain(|file| agents.is_none_or(|agents| agents.contains(file)));
    (!files.is_empty()).then(|| {
        format!(
            "it changed what configures the contract's runner, and neither its task nor `produces` names that: {}",
            files.join(", ")
        )
    })
}

fn fewer_tests(contract: &Contract, state: &StepState, observed: &Observation) -> Option<String> {
    let after = (observed.tests.as_ref()).filter(|_| !contract.fewer_tests_allowed)?;
    match &state.tests_before {
        _ if after.run == 0 => Some("no test ran".to_owned()),
        Some(before) if after.runner == before.runner && after.run < before.run => Some(format!(
            "fewer tests ran than before: {} of {}",
            after.run, before.run
        )),
        Some(_) | None => None,
    }
}

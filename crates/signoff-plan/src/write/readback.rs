//! What a dialect could not hold: what comes back otherwise than it went in.

use std::collections::BTreeSet;

use super::{Loss, WrittenPlan};
use crate::check::resolve::resolve;
use crate::dialect::{Dialect, parse_as};
use crate::field;
use crate::model::{Plan, RetriedFailures, Work};
use crate::source::Source;
use crate::spelling::status::is_same_plan_status;

/// Why a dialect does not hold a field, by its name.
pub(super) struct OmissionReasons {
    /// A field of the plan.
    pub(super) plan: fn(&str) -> &'static str,
    /// A field of a step.
    pub(super) step: fn(&str) -> &'static str,
}

/// Reads a written plan again.
pub(super) fn read(source: &Source, dialect: Dialect) -> Plan {
    resolve(&parse_as(source, dialect), &mut Vec::new())
}

/// A plan written as one file, with what that file does not hold.
pub(super) fn write_single_file(
    plan: &Plan,
    text: String,
    dialect: Dialect,
    reasons: &OmissionReasons,
) -> WrittenPlan {
    let source = Source::new("", text.clone().into_bytes());
    let back = read(&source, dialect);
    WrittenPlan {
        files: vec![(String::new(), text)],
        losses: losses(plan, &back, reasons),
    }
}

/// Why the status of a plan is lost, if it is: another word for the same is not a loss.
fn status(plan: &Plan, back: &Plan, no_place: &str) -> Option<String> {
    let wanted = plan.status.as_deref()?;
    match back.status.as_deref() {
        Some(word) if is_same_plan_status(wanted, word) => None,
        Some(word) => Some(other_status(wanted, word)),
        None => Some(no_place.to_owned()),
    }
}

/// Why a plan without a title has one now.
fn title_filled_in(back: &Plan) -> String {
    let title = back.display_title();
    format!("the dialect requires one, and the plan names none: `{title}` is written")
}

/// What becomes of the agents' prompts.
fn briefing(back: &Plan) -> String {
    match &back.briefing {
        Some(told) => format!("agents would be told what a `{told}` tells them"),
        None => "no agent works in it any more".to_owned(),
    }
}

/// A status for which a dialect has only a more general word.
pub(super) fn other_status(wanted: &str, word: &str) -> String {
    format!("the dialect has no word for `{wanted}`; `{word}` stands in its place")
}

/// The fields of `plan` that `back` has otherwise. Steps are compared by position.
pub(super) fn losses(plan: &Plan, back: &Plan, reasons: &OmissionReasons) -> Vec<Loss> {
    let mut losses = Vec::new();
    for name in field::plan_names() {
        let why = match name {
            "status" => status(plan, back, (reasons.plan)(name)),
            "briefing" => (plan.briefing != back.briefing).then(|| briefing(back)),
            _ => (field::plan_value(plan, name) != field::plan_value(back, name))
                .then(|| (reasons.plan)(name).to_owned()),
        };
        let filled_in = name == "title" && plan.title.is_none();
        losses.extend(why.map(|why| Loss {
            step: None,
            field: name.to_owned(),
            why: if filled_in {
                title_filled_in(back)
            } else {
                why
            },
            filled_in,
        }));
    }
    // The id last: who takes lost fields out of a plan finds the step by it.
    let names = || {
        let names = field::step_names().filter(|name| *name != "id");
        names.chain(["id"])
    };
    for (at, step) in plan.steps.iter().enumerate() {
        let other = back.steps.get(at);
        if other == Some(step) {
            continue;
        }
        let differs = |name: &&str| match (*name, other) {
            // Spelled out, they would be as many as there are steps before.
            ("depends_on", Some(other)) => step.depends_on != other.depends_on,
            (_, None) => *name == "id",
            _ => field::step_value(plan, at, name) != field::step_value(back, at, name),
        };
        for name in names().filter(differs) {
            let transient = step.on_fail.failures == RetriedFailures::Transient;
            let why = match name {
                "on_fail" if transient => "only calls have transient failures",
                _ => (reasons.step)(name),
            };
            losses.push(Loss {
                step: Some(step.id.clone()),
                field: name.to_owned(),
                why: why.to_owned(),
                filled_in: false,
            });
        }
    }
    losses
}

/// Says of steps that were only checked, in a dialect that has none such, what becomes of them.
pub(super) fn say_checks(plan: &Plan, losses: &mut [Loss]) {
    let checks: BTreeSet<&str> = plan
        .steps
        .iter()
        .filter(|step| step.work == Work::Check)
        .map(|step| step.id.as_str())
        .collect();
    for loss in losses {
        let of_check = loss.step.as_deref().is_some_and(|id| checks.contains(id));
        if of_check && matches!(loss.field.as_str(), "task" | "role") {
            "the dialect has no steps that are only checked: an agent is asked to do what the title says"
                .clone_into(&mut loss.why);
        }
    }
}

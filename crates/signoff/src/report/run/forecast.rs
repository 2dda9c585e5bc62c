//! What a run does with the steps of a plan that was run before.

use std::collections::BTreeMap;

use serde_json::Value;
use signoff_api::rehearsal;
use signoff_engine::{RedoReason, RunReason, StepForecast};
use signoff_plan::model::Plan;

use crate::report::run::evidence::first_names;
use crate::style::{DIM, paint, sanitize};

/// The steps that are kept, and those that run with the reason; nothing for a plan that was not run before.
pub(crate) fn forecast_lines(plan: &Plan, forecast: &[StepForecast]) -> Vec<String> {
    let mut kept: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut runs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (step, forecast) in plan.steps.iter().zip(forecast) {
        let id = step.id.clone();
        match forecast {
            StepForecast::Kept { run } => kept.entry(run).or_default().push(id),
            StepForecast::Runs(why) => runs.entry(reason_text(why)).or_default().push(id),
            StepForecast::Partly {
                run,
                kept: done,
                runs: open,
            } => {
                let of = |items: &[Value]| format!("{id} (for {})", item_names(items));
                kept.entry(run).or_default().push(of(done));
                if !open.is_empty() {
                    let why = "because no earlier run did it for these items".to_owned();
                    runs.entry(why).or_default().push(of(open));
                }
            }
        }
    }
    let kept = kept.into_iter().map(|(run, steps)| {
        let steps = first_names(&steps);
        format!("kept from run {run}, unless a contract does not hold any more: {steps}")
    });
    let runs = runs.into_iter();
    let runs = runs.map(|(why, steps)| format!("runs, {why}: {}", first_names(&steps)));
    let lines = kept.chain(runs);
    lines
        .map(|line| paint(DIM, sanitize(&line)).to_string())
        .collect()
}

fn item_names(items: &[Value]) -> String {
    let names: Vec<String> = items.iter().map(ToString::to_string).collect();
    first_names(&names)
}

/// Why a step runs, in words.
fn reason_text(why: &RunReason) -> String {
    match why {
        RunReason::New => "because no earlier run did it".to_owned(),
        RunReason::DependsOn(step) => format!("because `{step}` runs, which it depends on"),
        RunReason::Again(reason) => match reason {
            RedoReason::Changed => "because it was changed".to_owned(),
            RedoReason::Everything => "because everything is to be done again".to_owned(),
            RedoReason::Unfinished => "because the last run did not finish it".to_owned(),
            RedoReason::NotInCheckout => {
                "because what it changed is not in the checkout".to_owned()
            }
            RedoReason::Outdated => {
                "because what it depends on was done again in the last run".to_owned()
            }
            RedoReason::ValueUnknown => {
                "because its value is read now and was not recorded".to_owned()
            }
            RedoReason::Superseded => {
                "because a later run did something else in its place".to_owned()
            }
        },
    }
}

/// The same for programs.
pub(crate) fn forecast_shape(
    plan: &Plan,
    forecast: &[StepForecast],
) -> Vec<rehearsal::StepForecast> {
    let steps = plan.steps.iter().zip(forecast);
    let shape = steps.map(|(step, forecast)| {
        let mut shape = rehearsal::StepForecast {
            id: step.id.clone(),
            kept_from: None,
            because: None,
            after: None,
            kept_items: Vec::new(),
        };
        match forecast {
            StepForecast::Kept { run } => shape.kept_from = Some(run.clone()),
            StepForecast::Runs(why) => {
                shape.because = Some(reason_code(why).to_owned());
                if let RunReason::DependsOn(step) = why {
                    shape.after = Some(step.clone());
                }
            }
            StepForecast::Partly { kept, .. } => {
                shape.because = Some("items".to_owned());
                shape.kept_items.clone_from(kept);
            }
        }
        shape
    });
    shape.collect()
}

fn reason_code(why: &RunReason) -> &'static str {
    match why {
        RunReason::New => "new",
        RunReason::DependsOn(_) => "dependency",
        RunReason::Again(reason) => reason_name(*reason),
    }
}

fn reason_name(reason: RedoReason) -> &'static str {
    match reason {
        RedoReason::Changed => "changed",
        RedoReason::Everything => "everything",
        RedoReason::Unfinished => "unfinished",
        RedoReason::NotInCheckout => "not_in_checkout",
        RedoReason::Outdated => "outdated",
        RedoReason::ValueUnknown => "value_unknown",
        RedoReason::Superseded => "superseded",
    }
}

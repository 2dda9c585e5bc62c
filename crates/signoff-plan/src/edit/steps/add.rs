//! A new step: first the least that a step is, then its fields, each by the edit that sets such a field.

use serde_json::Value;

use super::super::splice::Splice;
use super::super::{Edit, EditRefused, apply_to, require_readable};
use super::blocks::StepBlocks;
use super::new_text::{least_text, thread_task};
use super::order::StepOrder;
use super::{NewStep, Restructured, StepPlace, expected_plan, position, splice_source};
use crate::check::resolve::resolve;
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::{Dialect, parse};
use crate::draft::Draft;
use crate::field::step_name;
use crate::model::{Plan, Step};
use crate::source::Source;

/// Adds a step.
pub fn add_step(
    source: &Source,
    new: &NewStep,
    place: &StepPlace,
) -> Result<Restructured, EditRefused> {
    let draft = parse(source);
    require_readable(&draft)?;
    let mut problems = draft.problems.clone();
    let plan = resolve(&draft, &mut problems);
    let at = match place {
        StepPlace::Before(id) => position(&plan, id)?,
        StepPlace::After(id) => position(&plan, id)? + 1,
        StepPlace::Last => plan.steps.len(),
    };
    if draft.dialect == Dialect::Thread && at != plan.steps.len() {
        let what = "an order of tasks: a new one comes last, and waits for what `depends_on` names";
        return Err(EditRefused::NoPlace(what.to_owned()));
    }
    let order = StepOrder::with_new(plan.steps.len(), at);
    order.keeps_references(&draft, &plan)?;
    let bare = with_bare_step(source, &draft, &order, at, new)?;
    let others_kept = |after: &Plan| {
        let mut after = after.clone();
        let mut expected = expected_plan(&draft, &plan, &order);
        for plan in [&mut after, &mut expected] {
            if let Some(slot) = plan.steps.get_mut(at) {
                *slot = Step::default();
            }
        }
        after.briefing.clone_from(&expected.briefing);
        after == expected
    };
    let changed = with_fields(bare, at, &new.fields)?;
    let mut after_problems = Vec::new();
    let after = parse(&changed);
    after_problems.extend(after.problems.clone());
    let after_plan = resolve(&after, &mut after_problems);
    refuse_new_errors(&problems, &after_problems)?;
    if after.dialect != draft.dialect || !others_kept(&after_plan) {
        return Err(EditRefused::NotOnlyField("other steps".to_owned()));
    }
    let step = after_plan.steps.get(at);
    Ok(Restructured {
        source: changed,
        renamed: order.renamed_ids(&draft),
        step: step.map(|step| step.id.clone()).unwrap_or_default(),
    })
}

/// The file with a step that has nothing but its title.
fn with_bare_step(
    source: &Source,
    draft: &Draft,
    order: &StepOrder,
    at: usize,
    new: &NewStep,
) -> Result<Source, EditRefused> {
    if draft.dialect == Dialect::Thread {
        return thread_task(source, draft, new);
    }
    let blocks = StepBlocks::new(source, draft)?;
    let number = blocks.new_numbers(order).get(at).copied().flatten();
    let insert = least_text(source, draft, &blocks, at, number, new)?;
    let mut splices = blocks.splices(order);
    // Where the step before it changes too, both are one splice.
    match splices
        .iter_mut()
        .find(|splice| splice.span.end == insert.span.start)
    {
        Some(splice) => splice.text.push_str(&insert.text),
        None => match splices
            .iter_mut()
            .find(|splice| splice.span.start == insert.span.start)
        {
            Some(splice) => splice.text.insert_str(0, &insert.text),
            None => splices.push(Splice::insert(insert.span.start, insert.text)),
        },
    }
    Ok(splice_source(source, splices))
}

/// Sets the fields of the step at a position.
fn with_fields(
    mut source: Source,
    at: usize,
    fields: &[(String, Value)],
) -> Result<Source, EditRefused> {
    let mut fields: Vec<&(String, Value)> = fields.iter().collect();
    // In the order of the native labels: an id is how all others are set, a command comes before its conditions.
    let rank = |name: &str| {
        let name = step_name(name);
        let mut keys = Dialect::Workunit.step_keys();
        keys.position(|key| key.field == name).unwrap_or(usize::MAX)
    };
    fields.sort_by_key(|(name, _)| rank(name));
    for (field, value) in fields {
        let plan = resolve(&parse(&source), &mut Vec::new());
        let id = plan.steps.get(at).map(|step| step.id.clone());
        let edit = Edit::SetStep {
            step: id.unwrap_or_default(),
            field: field.clone(),
            value: value.clone(),
        };
        source = apply_to(&source, &[edit])?;
    }
    Ok(source)
}

fn refuse_new_errors(before: &[Diagnostic], after: &[Diagnostic]) -> Result<(), EditRefused> {
    let is_new = |problem: &&Diagnostic| {
        let same = |other: &&Diagnostic| other.code == problem.code;
        let count = |all: &[Diagnostic]| all.iter().filter(same).count();
        problem.severity == Severity::Error && count(after) > count(before)
    };
    match after.iter().find(is_new) {
        Some(problem) => Err(EditRefused::BadValue(problem.message.clone())),
        None => Ok(()),
    }
}

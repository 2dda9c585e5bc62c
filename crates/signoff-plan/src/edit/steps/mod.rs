//! Steps that move, are added, or are written anew. Numbers, and what names a step by its number, follow.

mod add;
mod blocks;
mod new_text;
mod order;
mod replace;

use std::fmt;

use serde_json::Value;

pub use self::add::add_step;
use self::blocks::StepBlocks;
use self::order::StepOrder;
pub use self::replace::replace_step;
use super::{EditRefused, require_readable, splice};
use crate::check::resolve::resolve;
use crate::dialect::{Dialect, parse};
use crate::draft::Draft;
use crate::model::{Depends, Plan, Step};
use crate::source::Source;

/// Where a step goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepPlace {
    /// Before the step of this id.
    Before(String),
    /// Behind the step of this id.
    After(String),
    /// Behind all others.
    Last,
}

impl fmt::Display for StepPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Before(id) => write!(f, "before `{id}`"),
            Self::After(id) => write!(f, "after `{id}`"),
            Self::Last => f.write_str("last"),
        }
    }
}

/// A step that is added.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewStep {
    /// Its title.
    pub title: String,
    /// Its other fields, by their names in the model.
    pub fields: Vec<(String, Value)>,
}

/// A plan whose steps stand elsewhere now.
#[derive(Debug)]
pub struct Restructured {
    /// Its text.
    pub source: Source,
    /// Ids before and after, of steps that are known by their number and have another one now.
    pub renamed: Vec<(String, String)>,
    /// Id of the step that moved or was added.
    pub step: String,
}

/// Moves a step. Refused if a step would then stand before one that it names under `depends_on`.
pub fn move_step(
    source: &Source,
    step: &str,
    place: &StepPlace,
) -> Result<Restructured, EditRefused> {
    let draft = parse(source);
    require_readable(&draft)?;
    let plan = resolve(&draft, &mut Vec::new());
    if draft.dialect == Dialect::Thread {
        let what = "an order of tasks: they wait for what `depends_on` names";
        return Err(EditRefused::NoPlace(what.to_owned()));
    }
    let from = position(&plan, step)?;
    let order =
        StepOrder::with_moved_step(plan.steps.len(), from, target_position(&plan, from, place)?);
    order.keeps_dependencies(&draft, &plan)?;
    order.keeps_references(&draft, &plan)?;
    let blocks = StepBlocks::new(source, &draft)?;
    let text = blocks.reordered_text(&order);
    let changed = Source::new(source.name(), text.into_bytes());
    let after = parse(&changed);
    let expected = expected_plan(&draft, &plan, &order);
    if after.dialect != draft.dialect || resolve(&after, &mut Vec::new()) != expected {
        let what = "more than the order of the steps".to_owned();
        return Err(EditRefused::NotOnlyField(what));
    }
    Ok(Restructured {
        source: changed,
        renamed: order.renamed_ids(&draft),
        step: order.new_id(&draft, from),
    })
}

fn position(plan: &Plan, step: &str) -> Result<usize, EditRefused> {
    let at = plan.index_of(step);
    at.ok_or_else(|| EditRefused::UnknownStep(step.to_owned()))
}

/// The position that the step at `from` has once it is there.
fn target_position(plan: &Plan, from: usize, place: &StepPlace) -> Result<usize, EditRefused> {
    let without = |at: usize| if at > from { at - 1 } else { at };
    Ok(match place {
        StepPlace::Before(id) => without(position(plan, id)?),
        StepPlace::After(id) => match position(plan, id)? {
            at if at == from => from,
            at => without(at) + 1,
        },
        StepPlace::Last => plan.steps.len().saturating_sub(1),
    })
}

/// The plan with its steps in another order and nothing else changed. In the place of a step that is new stands an
/// empty one.
fn expected_plan(draft: &Draft, plan: &Plan, order: &StepOrder) -> Plan {
    let mut steps = vec![Step::default(); order.len()];
    for (at, step) in plan.steps.iter().enumerate() {
        let to = order.new_position(at);
        let written = draft.steps.get(at);
        let is_implicit = written.is_some_and(|step| step.depends_on.is_none());
        let depends_on = if is_implicit && draft.dialect.is_sequential() {
            Depends::AllBefore
        } else {
            let on = plan.dependencies(at).map(|on| order.new_position(on));
            Depends::from_positions(to, on.filter_map(|on| u32::try_from(on).ok()).collect())
        };
        if let Some(slot) = steps.get_mut(to) {
            *slot = Step {
                id: order.new_id(draft, at),
                number: to + 1,
                depends_on,
                ..step.clone()
            };
        }
    }
    Plan {
        steps,
        ..plan.clone()
    }
}

/// The bytes of a file of one part with these splices.
fn splice_source(source: &Source, splices: Vec<splice::Splice>) -> Source {
    splice::apply_to(source, splices)
}

#[cfg(test)]
mod tests;

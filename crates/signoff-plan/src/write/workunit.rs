//! The native single file.
//!
//! A text that could be misread is tried out: the field that holds it is read among others, in one
//! spelling after the other, and one that never comes back as it went in is a loss.

mod frontmatter;
mod plan;
mod probe;
mod render;
mod step;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use self::frontmatter::scalar;
pub(crate) use self::probe::Probe;
pub(crate) use self::render::{FieldOwner, fenced_block, one_line, render};
use super::{Loss, WrittenPlan};
use crate::check::resolve::resolve;
use crate::dialect::{Dialect, parse_as};
use crate::field;
use crate::model::{Plan, STEP_RECORD};
use crate::source::Source;

/// The owner of a plan that names none: the dialect requires one.
pub(crate) const OWNER: &str = "orchestrator";

/// What was left out, by position of the step and name of the field.
type Omitted = BTreeSet<(Option<usize>, &'static str)>;

/// Names that steps wait for and that no step has, by position of the waiting step.
pub(crate) type UnknownDependencies = BTreeMap<usize, Vec<String>>;

pub(super) fn write(plan: &Plan) -> WrittenPlan {
    write_with_unknown(plan, &UnknownDependencies::new())
}

/// Writes a plan in which steps also wait for what does not exist: the checks name it.
pub(crate) fn write_with_unknown(plan: &Plan, unknown: &UnknownDependencies) -> WrittenPlan {
    let mut omitted = Omitted::new();
    let mut text = String::new();
    let mut losses = Vec::new();
    // Each field alone reads back. Should some not do so together, they are left out.
    for _ in 0..3 {
        let mut writer = Writer::new(plan, &omitted, unknown);
        writer.plan();
        (text, losses) = (writer.text, writer.losses);
        let misread = fields_read_differently(plan, &text, &losses);
        if misread.is_empty() {
            break;
        }
        omitted.extend(misread);
    }
    losses.sort();
    losses.dedup();
    WrittenPlan {
        files: vec![(String::new(), text)],
        losses,
    }
}

struct Writer<'p> {
    plan: &'p Plan,
    omitted: &'p Omitted,
    unknown: &'p UnknownDependencies,
    probe: Probe,
    text: String,
    losses: Vec<Loss>,
}

impl<'p> Writer<'p> {
    fn new(plan: &'p Plan, omitted: &'p Omitted, unknown: &'p UnknownDependencies) -> Self {
        Self {
            plan,
            omitted,
            unknown,
            probe: Probe::new(),
            text: String::new(),
            losses: Vec::new(),
        }
    }

    /// Adds a block, with a blank line before it.
    fn block(&mut self, block: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.line(block);
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Says that a field is left out, and why.
    fn note_loss(&mut self, step: Option<usize>, field: &str, why: &str) {
        let step = step.and_then(|at| self.plan.steps.get(at));
        self.losses.push(Loss {
            step: step.map(|step| step.id.clone()),
            field: field.to_owned(),
            why: why.to_owned(),
            filled_in: false,
        });
    }

    /// Says that the dialect requires a field of the plan that it does not have, and what is written.
    fn fill_in(&mut self, field: &str, written: &str) {
        let why =
            format!("the dialect requires one, and the plan names none: `{written}` is written");
        self.losses.push(Loss {
            step: None,
            field: field.to_owned(),
            why,
            filled_in: true,
        });
    }

    /// Whether a field has turned out to be misread.
    fn is_omitted(&mut self, step: Option<usize>, field: &'static str) -> bool {
        let omitted = self.omitted.contains(&(step, field));
        if omitted {
            self.note_loss(step, field, "it would be read differently");
        }
        omitted
    }
}

/// Fields that come back otherwise than they went in.
fn fields_read_differently(plan: &Plan, text: &str, losses: &[Loss]) -> Omitted {
    let source = Source::new("", text.as_bytes().to_vec());
    let back = resolve(&parse_as(&source, Dialect::Workunit), &mut Vec::new());
    let lost: BTreeSet<(Option<&str>, &str)> = losses
        .iter()
        .map(|loss| (loss.step.as_deref(), loss.field.as_str()))
        .collect();
    let mut found = Omitted::new();
    for name in field::plan_names() {
        // What the dialect requires is filled in, and statuses have words of their own.
        let filled = matches!(name, "status" | "owner");
        let same = field::plan_value(plan, name) == field::plan_value(&back, name);
        if !filled && !same && !lost.contains(&(None, name)) {
            found.insert((None, name));
        }
    }
    for (at, (step, other)) in plan.steps.iter().zip(&back.steps).enumerate() {
        if step == other {
            continue;
        }
        for name in field::step_names().filter(|name| !STEP_RECORD.contains(name)) {
            let same = match name {
                // Spelled out, they would be as many as there are steps before.
                "depends_on" => step.depends_on == other.depends_on,
                _ => field::step_value(plan, at, name) == field::step_value(&back, at, name),
            };
            if !same && !lost.contains(&(Some(step.id.as_str()), name)) {
                found.insert((Some(at), name));
            }
        }
    }
    found
}

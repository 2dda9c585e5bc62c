//! Whether a field would be read as it is meant: it is read, among others.

use serde_json::Value;

use crate::check::resolve::resolve;
use crate::diagnostic::Code;
use crate::dialect::{Dialect, parse_as};
use crate::field::{clear_plan, clear_step, plan_value, step_value};
use crate::model::Plan;
use crate::source::Source;

/// Small plans in which one field at a time is tried.
#[derive(Debug)]
pub(crate) struct Probe {
    base: Plan,
}

/// Where a field of a plan stands.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct TrialPlan<'t> {
    pub(super) frontmatter: &'t str,
    pub(super) title: Option<&'t str>,
    /// Before the other fields.
    pub(super) field: &'t str,
    /// After the other fields, just before the steps.
    pub(super) narrative: &'t str,
    pub(super) step_heading: Option<&'t str>,
    pub(super) step_field: &'t str,
    /// After the steps.
    pub(super) end: &'t str,
}

impl Probe {
    pub(crate) fn new() -> Self {
        Self {
            base: Self::read(TrialPlan::default()).unwrap_or_default(),
        }
    }

    /// Whether the plan reads back with this value in this field, and no other one changed.
    pub(super) fn plan(&self, trial: TrialPlan<'_>, field: &str, wanted: &Value) -> bool {
        let Some(mut found) = Self::read(trial) else {
            return false;
        };
        let mut base = self.base.clone();
        let there = plan_value(&found, field).as_ref() == Some(wanted);
        clear_plan(&mut found, field);
        clear_plan(&mut base, field);
        there && found == base
    }

    /// Whether the first step reads back with these values, and nothing else changed.
    pub(super) fn step(&self, trial: TrialPlan<'_>, fields: &[(&str, &Value)]) -> bool {
        let Some(mut found) = Self::read(trial) else {
            return false;
        };
        let mut base = self.base.clone();
        for (name, wanted) in fields {
            if step_value(&found, 0, name).as_ref() != Some(*wanted) {
                return false;
            }
        }
        for plan in [&mut found, &mut base] {
            let Some(step) = plan.steps.first_mut() else {
                return false;
            };
            for (name, _) in fields {
                clear_step(step, name);
            }
        }
        found == base
    }

    /// The plan, unless a block in it is not closed, or the narrative has what belongs elsewhere, such as a
    /// numbered heading: then it may read back, and is a fault all the same.
    fn read(trial: TrialPlan<'_>) -> Option<Plan> {
        let title = format!("# {}\n\n", trial.title.unwrap_or("T"));
        let TrialPlan {
            frontmatter,
            field,
            narrative,
            step_field,
            end,
            ..
        } = trial;
        let heading = trial.step_heading.unwrap_or("A");
        let text = format!(
            "---\ntype: plan\nstatus: draft\nowner: o\n{frontmatter}---\n\n{title}{field}\n\n\
             **Priority:** p\n\n{narrative}\n\n## Steps\n\n### 1. {heading}\n\n{step_field}\n\n\
             **critical:** no\n\n### 2. B\n\n**task:** b\n\n{end}\n"
        );
        let source = Source::new("", text.into_bytes());
        let draft = parse_as(&source, Dialect::Workunit);
        let mut codes = draft.problems.iter().map(|problem| problem.code);
        let is_fault = |code| {
            code == Code::UnterminatedFence || (code == Code::BadValue && !narrative.is_empty())
        };
        let sound = !codes.any(is_fault);
        sound.then(|| resolve(&draft, &mut Vec::new()))
    }
}

//! One change of a plan, and the text that it makes of a file.

use std::collections::BTreeMap;

use serde_json::Value;
use signoff_plan::edit::{
    Edit, EditRefused, NewStep, Restructured, StepPlace, add_step, apply_to, move_step,
};
use signoff_plan::field::{plan_name, step_name};
use signoff_plan::source::Source;

use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::comments::step_id;

/// One change of a plan. Steps are named by id or number.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanChange {
    /// A field of the plan gets a value; `null` takes it away.
    SetPlan {
        /// Name of the field.
        field: String,
        /// Its value.
        value: Value,
    },
    /// A field of a step gets a value; `null` takes it away.
    SetStep {
        /// The step.
        step: String,
        /// Name of the field.
        field: String,
        /// Its value.
        value: Value,
    },
    /// A step is added.
    AddStep {
        /// The step.
        step: NewStep,
        /// Where it goes.
        place: StepPlace,
    },
    /// A step moves.
    MoveStep {
        /// The step.
        step: String,
        /// Where it goes.
        place: StepPlace,
    },
    /// A step is left out of runs: `when: false`.
    SkipStep {
        /// The step.
        step: String,
    },
}

/// A file with changes in it.
#[derive(Debug)]
pub struct EditedSource {
    /// Its text.
    pub source: Source,
    /// What was done, one sentence each.
    pub sentences: Vec<String>,
    /// Ids before and after of steps that are known by their number.
    pub renamed: BTreeMap<String, String>,
    /// Id of the step that was changed last.
    pub step: Option<String>,
}

/// The text of a plan with these changes. Nothing is written.
pub fn edited_source(plan: &PlanFile, changes: &[PlanChange]) -> Result<EditedSource, Error> {
    let mut edited = EditedSource::unchanged_source(plan);
    for change in changes {
        edited.make(plan, change)?;
    }
    Ok(edited)
}

impl EditedSource {
    /// The text as it is.
    pub(super) fn unchanged_source(plan: &PlanFile) -> Self {
        Self {
            source: plan.source.clone(),
            sentences: Vec::new(),
            renamed: BTreeMap::new(),
            step: None,
        }
    }

    pub(super) fn make(&mut self, plan: &PlanFile, change: &PlanChange) -> Result<(), Error> {
        match change {
            PlanChange::SetPlan { field, value } => {
                refuse_kept_field("plan", plan_name(field))?;
                self.apply(Edit::SetPlan {
                    field: field.clone(),
                    value: value.clone(),
                })?;
                self.sentences
                    .push(format!("`{field}` of the plan {}", outcome(value)));
            }
            PlanChange::SetStep { step, field, value } => {
                refuse_kept_field("step", step_name(field))?;
                let step = self.set_step(plan, step, field, value)?;
                self.sentences
                    .push(format!("`{field}` of step `{step}` {}", outcome(value)));
            }
            PlanChange::SkipStep { step } => {
                let step = self.set_step(plan, step, "when", &Value::from("false"))?;
                self.sentences
                    .push(format!("step `{step}` is left out (`when: false`)"));
            }
            PlanChange::AddStep { step, place } => {
                let place = self.resolve_place(plan, place)?;
                let added = add_step(&self.source, step, &place).map_err(Error::Uneditable)?;
                self.sentences
                    .push(format!("step `{}` was added {place}", added.step));
                self.restructure(added);
            }
            PlanChange::MoveStep { step, place } => {
                let step = self.current_id(&step_id(plan, step)?);
                let place = self.resolve_place(plan, place)?;
                let moved = move_step(&self.source, &step, &place).map_err(Error::Uneditable)?;
                self.sentences
                    .push(format!("step `{step}` stands {place} now"));
                self.restructure(moved);
            }
        }
        Ok(())
    }

    fn set_step(
        &mut self,
        plan: &PlanFile,
        step: &str,
        field: &str,
        value: &Value,
    ) -> Result<String, Error> {
        let step = self.current_id(&step_id(plan, step)?);
        self.apply(Edit::SetStep {
            step: step.clone(),
            field: field.to_owned(),
            value: value.clone(),
        })?;
        // It may have a new id now.
        let is_id = step_name(field) == Some("id");
        let id = value.as_str().filter(|_| is_id).map_or(step, str::to_owned);
        self.step = Some(id.clone());
        Ok(id)
    }

    fn apply(&mut self, edit: Edit) -> Result<(), Error> {
        let edited = apply_to(&self.source, &[edit]);
        self.source = edited.map_err(Error::Uneditable)?;
        Ok(())
    }

    /// The id that a step has after the changes so far.
    fn current_id(&self, id: &str) -> String {
        self.renamed
            .get(id)
            .cloned()
            .unwrap_or_else(|| id.to_owned())
    }

    fn resolve_place(&self, plan: &PlanFile, place: &StepPlace) -> Result<StepPlace, Error> {
        let id = |step: &String| Ok::<_, Error>(self.current_id(&step_id(plan, step)?));
        Ok(match place {
            StepPlace::Before(step) => StepPlace::Before(id(step)?),
            StepPlace::After(step) => StepPlace::After(id(step)?),
            StepPlace::Last => StepPlace::Last,
        })
    }

    fn restructure(&mut self, done: Restructured) {
        let now: BTreeMap<String, String> = done.renamed.into_iter().collect();
        for id in self.renamed.values_mut() {
            if let Some(new) = now.get(id) {
                id.clone_from(new);
            }
        }
        let known: Vec<String> = self.renamed.keys().cloned().collect();
        let first = now.into_iter().filter(|(old, _)| !known.contains(old));
        self.renamed.extend(first.collect::<Vec<_>>());
        self.source = done.source;
        self.step = Some(done.step);
    }
}

/// What a value does to its field, in words.
fn outcome(value: &Value) -> &'static str {
    if value.is_null() {
        "was taken away"
    } else {
        "was set"
    }
}

/// Marks and identity are not edited: the first are the harness's, the second is what logs and signatures name.
fn refuse_kept_field(of: &str, name: Option<&str>) -> Result<(), Error> {
    let why = match (of, name) {
        (_, Some("status")) => {
            "`status` is a mark: commands such as `approve` and `cancel` change it, runs mark steps"
        }
        ("plan", Some("id")) => {
            "`id` is what the plan's log and signatures name: `signoff clone` makes a plan with another"
        }
        ("plan", Some("version")) => "`version` counts the changes by itself",
        _ => return Ok(()),
    };
    Err(Error::Uneditable(EditRefused::BadValue(why.to_owned())))
}

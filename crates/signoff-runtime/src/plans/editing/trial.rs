//! What the checks would say of changes, while somebody still makes them in a form. Nothing is written.

use signoff_plan::diagnostic::{Diagnostic, Severity};
use signoff_plan::dialect::parse_as;

use super::change::{EditedSource, PlanChange};
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::project::Project;

/// A plan with changes that nobody has made yet.
#[derive(Debug)]
pub struct EditTrial {
    /// The plan as it would be.
    pub plan: PlanFile,
    /// What would be wrong with the step that the changes are about.
    pub problems: Vec<FieldProblem>,
    /// Fields that cannot have what was given, with the reason.
    pub refused: Vec<(Option<String>, Error)>,
}

/// A problem, with the field that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldProblem {
    /// Name of the field; none of what is about the whole step, or about another one.
    pub field: Option<&'static str>,
    /// The problem.
    pub diagnostic: Diagnostic,
}

/// Makes the changes that can be made, and checks what comes of them.
pub fn try_edit(project: &Project, plan: &PlanFile, changes: &[PlanChange]) -> EditTrial {
    let mut edited = EditedSource::unchanged_source(plan);
    let mut refused = Vec::new();
    for change in changes {
        if let Err(why) = edited.make(plan, change) {
            refused.push((field_of(change), why));
        }
    }
    let about = edited.step.or_else(|| changes.iter().find_map(step_of));
    let dialect = Some(plan.checked.dialect);
    let workspace = project.workspace();
    let new = PlanFile::from_source(&plan.path, edited.source, dialect, &workspace);
    EditTrial {
        problems: problems(plan, &new, about.as_deref()),
        plan: new,
        refused,
    }
}

/// The problems of the step, and the errors that the changes would make elsewhere.
fn problems(old: &PlanFile, new: &PlanFile, step: Option<&str>) -> Vec<FieldProblem> {
    let draft = parse_as(&new.source, new.checked.dialect);
    let at = new.checked.plan.steps.iter();
    let at = step.and_then(|step| at.into_iter().position(|one| one.id == step));
    let written = at.and_then(|at| draft.steps.get(at));
    let is_new = |one: &Diagnostic| {
        let mut known = old.checked.diagnostics.iter();
        one.severity == Severity::Error && !known.any(|old| old.message == one.message)
    };
    let found = new.checked.diagnostics.iter();
    let about = found.filter_map(|one| {
        let inside = written.is_some_and(|step| {
            step.span.start <= one.span.start && one.span.start <= step.span.end
        });
        let is_own = step.is_some() && one.step.as_deref() == step;
        (is_own || inside || is_new(one)).then(|| FieldProblem {
            field: written.and_then(|step| step.field_at(one.span)),
            diagnostic: one.clone(),
        })
    });
    about.collect()
}

fn field_of(change: &PlanChange) -> Option<String> {
    match change {
        PlanChange::SetPlan { field, .. } | PlanChange::SetStep { field, .. } => {
            Some(field.clone())
        }
        PlanChange::AddStep { .. } | PlanChange::MoveStep { .. } | PlanChange::SkipStep { .. } => {
            None
        }
    }
}

fn step_of(change: &PlanChange) -> Option<String> {
    match change {
        PlanChange::SetStep { step, .. } => Some(step.clone()),
        _ => None,
    }
}

//! A copy of a plan's definition, as a new plan.

use std::collections::BTreeSet;
use std::path::Path;

use signoff_engine::may_clone;
use signoff_plan::diagnostic::Code;
use signoff_plan::dialect::Dialect;
use signoff_plan::model::Plan;
use signoff_plan::source::Source;
use signoff_plan::write::write;

use super::identity::{NewPlanContent, keep_proposal};
use super::propose::{display_path, hand_in};
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::status::plan_status;
use crate::plans::{ActorContext, PlanReport};

/// Copies what a plan defines, without its marks, its history and its signature.
pub fn clone(context: ActorContext<'_>, path: &Path, name: &str) -> Result<PlanReport, Error> {
    let original = PlanFile::read(path, name, &context.project.workspace())?;
    if original.checked.errors() > 0 {
        return Err(Error::Invalid {
            source: Box::new(original.source),
            diagnostics: original.checked.diagnostics,
        });
    }
    let state = plan_status(context.project, &original)?.state;
    if !may_clone(state, context.actor) {
        return Err(Error::NotClonable {
            plan: name.to_owned(),
            state,
        });
    }
    let from = original.key(context.project)?;
    let dialect = original.checked.dialect;
    let kept = keep_proposal(context, |id| {
        let mut plan = Plan::clone(&original.checked.plan);
        let version = plan.version.map(|_| 1);
        plan.id = Some(id.to_owned());
        plan.status = None;
        plan.version = version;
        plan.record
            .retain(|field, _| KEPT.contains(&field.as_str()));
        for step in &mut plan.steps {
            step.clear_marks();
            step.record.clear();
        }
        let written = write(&plan, dialect).files;
        let files = written
            .into_iter()
            .map(|(name, text)| (name, text.into_bytes()));
        Ok(match dialect {
            Dialect::Thread => NewPlanContent::Thread(files.collect()),
            Dialect::Workunit | Dialect::Proposal | Dialect::Record | Dialect::Toolplan => {
                let (_, text) = files.into_iter().next().expect("such a plan is one file");
                NewPlanContent::File(Source::new(id, text))
            }
        })
    })?;
    let mut report = hand_in(context, &kept, &display_path(context, &kept), Some(from))?;
    let left = original.stray_files();
    if !left.is_empty() {
        report.notes.push(format!(
            "not copied, because it is not part of the plan: `{}`",
            left.join("`, `")
        ));
    }
    let lost: Vec<&str> = unread_fields(&original).into_iter().collect();
    if !lost.is_empty() {
        report.notes.push(format!(
            "not copied, because `{dialect}` has no such field: `{}`",
            lost.join("`, `")
        ));
    }
    Ok(report)
}

/// Fields that the plan's dialect does not have, where files are keys and values: elsewhere they are read as text, and copied.
fn unread_fields(plan: &PlanFile) -> BTreeSet<&str> {
    let is_keyed = matches!(plan.checked.dialect, Dialect::Record | Dialect::Toolplan);
    let problems = plan.checked.diagnostics.iter();
    let unknown = problems.filter(|one| is_keyed && one.code == Code::UnknownField);
    let text = plan.source.text();
    unknown.map(|one| one.span.slice(text)).collect()
}

/// What belongs to the definition although it decides nothing.
const KEPT: [&str; 8] = [
    "artifacts",
    "complexity",
    "estimated_duration",
    "informed_by",
    "planner_model",
    "tags",
    "task_id",
    "tool_outputs",
];

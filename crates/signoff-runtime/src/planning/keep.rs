//! Keeps a draft as a plan of the project.

use std::path::Path;

use serde_json::Value;
use signoff_llm::{DraftedPlan, PlanningContext};
use signoff_plan::edit::{Edit, apply_to};
use signoff_plan::source::Source;

use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::{ActorContext, keep_new_plan, mark_verified};

/// Who drafts.
const PLANNER: &str = "planner";

/// A draft that is kept.
#[derive(Debug)]
pub struct KeptDraft {
    /// The plan as it is on disk.
    pub plan: PlanFile,
    /// What to type for it.
    pub name: String,
    /// Something that a person should know.
    pub notes: Vec<String>,
}

/// Where a draft comes from.
#[derive(Debug, Clone, Copy)]
pub struct DraftOrigin<'a> {
    /// Who asked for it.
    pub person: &'a str,
    /// What the planner was told.
    pub context: &'a PlanningContext,
    /// The planner's model, if it is known.
    pub model: Option<&'a str>,
}

/// The draft with what only the harness knows: who made it, with which model, from which memories. Whatever it says of
/// its owner, its state and its id is the model's word, and replaced.
pub fn finished(draft: &DraftedPlan, origin: &DraftOrigin<'_>, id: Option<&str>) -> Source {
    let DraftOrigin {
        person,
        context,
        model,
    } = origin;
    let memories = context.memories.iter();
    let memories: Vec<&str> = memories.map(|memory| memory.name.as_str()).collect();
    let reasoning = draft.reasoning.as_deref();
    let reasoning = reasoning.filter(|_| draft.checked.plan.context.is_none());
    let task = Some(context.task.as_str()).filter(|_| draft.checked.plan.task.is_none());
    let fields = [
        ("id", id.map(Value::from)),
        ("owner", Some(Value::from(*person))),
        ("status", Some(Value::from("draft"))),
        ("created_by", Some(Value::from(PLANNER))),
        ("planner_model", model.map(Value::from)),
        (
            "informed_by",
            (!memories.is_empty()).then(|| Value::from(memories)),
        ),
        ("task", task.map(Value::from)),
        ("context", reasoning.map(Value::from)),
    ];
    let mut source = draft.source.clone();
    for (field, value) in fields {
        let Some(value) = value else {
            continue;
        };
        let field = field.to_owned();
        // A dialect without a place for it says nothing about it.
        if let Ok(changed) = apply_to(&source, &[Edit::SetPlan { field, value }]) {
            source = changed;
        }
    }
    source
}

/// Keeps the draft in the store, under a new name.
pub fn keep_draft(
    actor: ActorContext<'_>,
    draft: &DraftedPlan,
    origin: &DraftOrigin<'_>,
) -> Result<KeptDraft, Error> {
    let path = keep_new_plan(actor, |id| finished(draft, origin, Some(id)))?;
    read_back(actor, &path)
}

fn read_back(actor: ActorContext<'_>, path: &Path) -> Result<KeptDraft, Error> {
    let project = actor.project;
    let name = display_name(actor, path);
    let mut plan = PlanFile::read(path, &name, &project.workspace())?;
    let mut notes = Vec::new();
    if plan.checked.errors() == 0 {
        notes.extend(mark_verified(project, &plan)?);
        plan = PlanFile::read(path, &name, &project.workspace())?;
    }
    let id = plan.checked.plan.id.clone();
    Ok(KeptDraft {
        name: id.unwrap_or(name),
        plan,
        notes,
    })
}

fn display_name(actor: ActorContext<'_>, path: &Path) -> String {
    let here = &actor.project.process.directory;
    let here = here.canonicalize().unwrap_or_else(|_| here.clone());
    let below = path.strip_prefix(&here).unwrap_or(path);
    below.display().to_string()
}

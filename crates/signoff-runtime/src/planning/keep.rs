//! Keeps a draft as a plan of the project.

use std::path::Path;

use serde_json::Value;
use signoff_llm::{DraftedPlan, PlanningContext};
use signoff_plan::dialect::Dialect;
use signoff_plan::edit::{Edit, apply_to};
use signoff_plan::model::Plan;
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
    /// When it was asked.
    pub at: &'a str,
}

/// Adds what only the harness knows to the draft: who made it, with which model, from which memories. The owner, the
/// state and the id that the model wrote are replaced.
pub fn finished(draft: &DraftedPlan, origin: &DraftOrigin<'_>, id: Option<&str>) -> Source {
    let DraftOrigin {
        person,
        context,
        model,
        at,
    } = origin;
    let memories = context.memories.iter();
    let memories: Vec<&str> = memories.map(|memory| memory.name.as_str()).collect();
    let reasoning = draft.reasoning.as_deref();
    let reasoning = reasoning.filter(|_| draft.checked.plan.context.is_none());
    let dialect = draft.checked.dialect;
    let is_record = dialect == Dialect::Record;
    let has_version = is_record || dialect == Dialect::Toolplan;
    let fields = [
        // Plans of these dialects always have one; the others' are the harness's to count.
        ("version", Some(Value::from(has_version.then_some(1)))),
        ("current_step_index", is_record.then(|| Value::from(0))),
        // Without an id the file's path is its name, not one that the model chose.
        ("id", Some(Value::from(id))),
        ("owner", Some(Value::from(*person))),
        ("status", Some(Value::from("draft"))),
        ("created_by", Some(Value::from(PLANNER))),
        ("created_at", Some(Value::from(*at))),
        ("updated_at", Some(Value::from(*at))),
        ("planner_model", Some(Value::from(*model))),
        (
            "informed_by",
            Some(Value::from((!memories.is_empty()).then_some(memories))),
        ),
        // The request keeps the person's words, not the model's.
        ("task", Some(Value::from(context.task.as_str()))),
        ("context", reasoning.map(Value::from)),
    ];
    with_fields(&draft.source, fields)
}

/// A new text of a plan that exists, by a planner: what the harness and people decide about the plan stays as it was.
/// The request is a person's, too: a planner that writes the plan anew neither changes nor adds it.
pub(super) fn finished_revision(
    draft: &DraftedPlan,
    old: &Plan,
    origin: &DraftOrigin<'_>,
) -> Source {
    let reasoning = draft.reasoning.as_deref();
    let reasoning = reasoning.filter(|_| draft.checked.plan.context.is_none());
    let owner = old.owner.as_deref().unwrap_or(origin.person);
    let kept = |field: &str| Some(old.record.get(field).cloned().unwrap_or(Value::Null));
    let model = origin.model.map(Value::from);
    with_fields(
        &draft.source,
        [
            ("id", old.id.as_deref().map(Value::from)),
            ("owner", Some(Value::from(owner))),
            ("status", Some(Value::from("draft"))),
            ("previous", Some(Value::from(old.previous.as_deref()))),
            ("priority", Some(Value::from(old.priority.as_deref()))),
            ("task", Some(Value::from(old.task.as_deref()))),
            ("created_by", kept("created_by")),
            ("created_at", kept("created_at")),
            ("informed_by", kept("informed_by")),
            ("planner_model", model.or_else(|| kept("planner_model"))),
            ("context", reasoning.map(Value::from)),
        ],
    )
}

/// A text with these fields of the plan; `null` takes one away, `None` leaves it.
pub(crate) fn with_fields<const N: usize>(
    text: &Source,
    fields: [(&str, Option<Value>); N],
) -> Source {
    let mut source = text.clone();
    for (field, value) in fields {
        let Some(value) = value else {
            continue;
        };
        let field = field.to_owned();
        // Some dialects have no place for it.
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

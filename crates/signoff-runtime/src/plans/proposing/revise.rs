//! A new text answers a rejection, or simply takes the place of the old one.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use signoff_api::plan_log::PlanEvent;
use signoff_engine::{PlanState, Transition};
use signoff_plan::dialect::Dialect;
use signoff_plan::edit::{Edit, EditRefused, apply_to};
use signoff_plan::source::Source;
use signoff_store::atomic;

use super::identity::with_id;
use super::propose::request_text;
use super::request::Request;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::approval::policy::sign_after_proposal;
use crate::plans::editing::EditOptions;
use crate::plans::locked::LockedPlan;
use crate::plans::locked::version::counts_changes;
use crate::plans::{ActorContext, PlanReport};

/// Where the new text is.
#[derive(Debug, Clone)]
pub enum Revision {
    /// The file was edited in place.
    InPlace,
    /// These bytes take its place; `version` is the one they were made from, if that matters.
    Text(Vec<u8>),
}

/// Hands in a new text of a plan that nobody carries out. What was said about the old one stays in the file and the log.
pub(crate) fn revise(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
    revision: &Revision,
    expected: &EditOptions,
) -> Result<PlanReport, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    expected.require(&locked.plan)?;
    let done = match revision {
        Revision::InPlace => in_place(locked),
        Revision::Text(bytes) => replace_text(locked, bytes),
    }?;
    Ok(sign_after_proposal(context, done))
}

fn in_place(locked: LockedPlan<'_>) -> Result<PlanReport, Error> {
    locked.require_no_plan_errors()?;
    let digest = locked.digest();
    // If another tool finished with it, the same text is handed in anew.
    if locked.history().newest_digest() == Some(&digest) && !locked.status.is_claimed {
        return Err(Error::NothingRevised {
            plan: locked.plan.source.name().to_owned(),
        });
    }
    locked.allow_edit()?;
    let version = locked.version();
    if is_raised(&locked) || !counts_changes(locked.plan.checked.dialect) {
        locked.record(&[revised_event(&locked, &locked.plan, version)])?;
        return locked.conclude(PlanState::Verified, Vec::new());
    }
    // The log names the version that the file gets now.
    let next = version.map(|version| version.saturating_add(1));
    locked.record(&[revised_event(&locked, &locked.plan, next)])?;
    locked.conclude_counting(PlanState::Verified)
}

/// Did whoever edited the plan give it a new version? That of a proposal counts writes, of which this is one.
fn is_raised(locked: &LockedPlan<'_>) -> bool {
    let known = locked.history().newest_version();
    let raised = known.is_some_and(|known| locked.version() > Some(known));
    raised && locked.plan.checked.dialect != Dialect::Proposal
}

pub(in crate::plans) fn replace_text(
    locked: LockedPlan<'_>,
    bytes: &[u8],
) -> Result<PlanReport, Error> {
    locked.allow_edit()?;
    locked.require_plan()?;
    let new = successor(&locked, bytes)?;
    if new.checked.errors() > 0 {
        return Err(Error::Invalid {
            source: Box::new(new.source),
            diagnostics: new.checked.diagnostics,
        });
    }
    if new.digest() == locked.plan.digest() {
        return Err(Error::NothingRevised {
            plan: locked.plan.source.name().to_owned(),
        });
    }
    if locked.plan.path.is_dir() {
        return Err(Error::ThreadRevision {
            plan: locked.plan.source.name().to_owned(),
        });
    }
    let version = new.checked.plan.version;
    locked.record(&[revised_event(&locked, &new, version)])?;
    let old = locked.plan.source.bytes();
    atomic::replace(&locked.plan.path, Some(old), new.source.bytes(), true)?;
    locked.with_text(new).conclude_quietly(PlanState::Verified)
}

fn revised_event(locked: &LockedPlan<'_>, plan: &PlanFile, version: Option<u64>) -> PlanEvent {
    PlanEvent::PlanRevised {
        path: locked.path(),
        digest: plan.digest().to_string(),
        version,
        by: locked.actor_name(),
        actor: locked.context.actor.name().to_owned(),
        change: None,
        renamed: BTreeMap::new(),
    }
}

/// The new text as it goes into the file: the plan's id, the next version, and the feedback so far.
fn successor(locked: &LockedPlan<'_>, bytes: &[u8]) -> Result<PlanFile, Error> {
    let old = &locked.plan.checked.plan;
    let mut source = text_of(locked, bytes)?;
    if let Some(id) = &old.id {
        source = with_id(&source, id);
    }
    let workspace = locked.context.project.workspace();
    let read = |source: Source| PlanFile::from_source(&locked.plan.path, source, None, &workspace);
    let plan = read(source);
    if plan.checked.plan.id != old.id {
        return Err(Error::OtherId {
            expected: old.id.clone(),
            found: plan.checked.plan.id.clone(),
        });
    }
    if plan.checked.errors() > 0 {
        return Ok(plan);
    }
    let edits = match plan.checked.dialect {
        Dialect::Proposal => carried_over(locked, &plan.checked.plan),
        dialect if counts_changes(dialect) => {
            let new = plan.checked.plan.version;
            let next = old.version.filter(|old| new <= Some(*old));
            next.map(next_version).into_iter().collect()
        }
        _ => Vec::new(),
    };
    let mut source = plan.source;
    for edit in edits {
        match apply_to(&source, &[edit]) {
            Ok(edited) => source = edited,
            Err(EditRefused::NoPlace(_)) => {}
            Err(refused) => return Err(Error::Uneditable(refused)),
        }
    }
    Ok(read(source))
}

/// The new text: what was given, or the plan that a JSON proposal asks for.
pub(crate) fn text_of(locked: &LockedPlan<'_>, bytes: &[u8]) -> Result<Source, Error> {
    let name = locked.plan.source.name();
    let Some(request) = Request::read(bytes) else {
        return Ok(Source::new(name, bytes.to_vec()));
    };
    let bad = |why: String| Error::BadRequest { why };
    let request = request.map_err(bad)?;
    let dialect = locked.plan.checked.dialect;
    let id = locked.plan.checked.plan.id.as_deref();
    let Some(id) = id.filter(|_| dialect == Dialect::Proposal) else {
        return Err(bad(format!(
            "it would make a `proposal` with the id of {name}, which is not a proposal"
        )));
    };
    let version = locked.version().unwrap_or(0).saturating_add(1);
    let context = format!("context-v{version}.md");
    let text = request_text(locked.context, &request, id, &context)?;
    Ok(Source::new(name, text.bytes().to_vec()))
}

fn next_version(version: u64) -> Edit {
    set_field("version", Value::from(version.saturating_add(1)))
}

fn set_field(field: &str, value: Value) -> Edit {
    Edit::SetPlan {
        field: field.to_owned(),
        value,
    }
}

fn carried_over(locked: &LockedPlan<'_>, new: &signoff_plan::model::Plan) -> Vec<Edit> {
    let old = &locked.plan.checked.plan;
    let mut edits: Vec<Edit> = old.version.map(next_version).into_iter().collect();
    let created = old.record.get("created_at");
    if let Some(created) = created.filter(|was| new.record.get("created_at") != Some(was)) {
        edits.push(set_field("created_at", created.clone()));
    }
    // A text that was written from scratch lost what people said about the one before.
    if !new.record.contains_key("rejections") {
        for (at, (version, feedback)) in locked.rejections().into_iter().enumerate() {
            edits.extend(feedback.map(|feedback| Edit::Reject {
                version: version.unwrap_or(at as u64 + 1),
                feedback: feedback.to_owned(),
            }));
        }
    }
    edits
}

impl LockedPlan<'_> {
    /// May its text be changed? After a rejection that is its revision, otherwise an edit.
    pub(in crate::plans) fn allow_edit(&self) -> Result<(), Error> {
        match self.status.state {
            PlanState::Rejected | PlanState::NeedsReview => self.allow(Transition::Revise)?,
            _ => self.allow(Transition::Edit)?,
        };
        Ok(())
    }
}

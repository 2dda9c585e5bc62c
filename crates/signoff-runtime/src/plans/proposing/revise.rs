//! A new text answers a rejection, or simply takes the place of the old one.

use std::path::Path;

use serde_json::Value;
use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Act, PlanState};
use signoff_plan::dialect::Dialect;
use signoff_plan::edit::{Edit, EditRefused, apply_to};
use signoff_plan::source::Source;
use signoff_store::atomic;

use super::identity::with_id;
use super::propose::request_text;
use super::request::Request;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::approval::policy::after_handing_in;
use crate::plans::locked::LockedPlan;
use crate::plans::locked::version::require_version;
use crate::plans::{ActorContext, PlanReport};

/// Where the new text is.
#[derive(Debug, Clone)]
pub enum Revision {
    /// The file was edited in place.
    InPlace,
    /// These bytes take its place; `version` is the one they were made from, if that matters.
    Text(Vec<u8>),
}

/// Hands in a new text of a plan. What was said about the old one stays in the file and the log.
pub fn revise(
    doing: ActorContext<'_>,
    path: &Path,
    name: &str,
    revision: &Revision,
    expect_version: Option<u64>,
) -> Result<PlanReport, Error> {
    let held = LockedPlan::open(doing, path, name)?;
    require_version(&held.plan, expect_version)?;
    let done = match revision {
        Revision::InPlace => in_place(held),
        Revision::Text(bytes) => replaced(held, bytes),
    }?;
    Ok(after_handing_in(doing, done))
}

fn in_place(held: LockedPlan<'_>) -> Result<PlanReport, Error> {
    held.no_plain_errors()?;
    let digest = held.digest();
    if held.history().newest_digest() == Some(&digest) {
        return Err(Error::NothingRevised {
            plan: held.plan.source.name().to_owned(),
        });
    }
    held.allow_edit()?;
    held.record(&[revised(&held, &held.plan)])?;
    held.conclude_counting(PlanState::Verified)
}

fn replaced(held: LockedPlan<'_>, bytes: &[u8]) -> Result<PlanReport, Error> {
    held.allow_edit()?;
    let new = successor(&held, bytes)?;
    if new.checked.errors() > 0 {
        return Err(Error::Invalid {
            source: Box::new(new.source),
            diagnostics: new.checked.diagnostics,
        });
    }
    if new.digest() == held.plan.digest() {
        return Err(Error::NothingRevised {
            plan: held.plan.source.name().to_owned(),
        });
    }
    if held.plan.path.is_dir() {
        return Err(Error::ThreadRevision {
            plan: held.plan.source.name().to_owned(),
        });
    }
    held.record(&[revised(&held, &new)])?;
    let old = held.plan.source.bytes();
    atomic::replace(&held.plan.path, Some(old), new.source.bytes(), true)?;
    held.with_text(new).conclude_quietly(PlanState::Verified)
}

fn revised(held: &LockedPlan<'_>, plan: &PlanFile) -> PlanEvent {
    PlanEvent::PlanRevised {
        path: held.path(),
        digest: plan.digest().to_string(),
        version: plan.checked.plan.version,
        by: held.by(),
        actor: held.doing.actor.name().to_owned(),
    }
}

/// The new text as it goes into the file: the plan's id, the next version, and the feedback so far.
fn successor(held: &LockedPlan<'_>, bytes: &[u8]) -> Result<PlanFile, Error> {
    let old = &held.plan.checked.plan;
    let mut source = text_of(held, bytes)?;
    if let Some(id) = &old.id {
        source = with_id(&source, id);
    }
    let workspace = held.doing.project.workspace();
    let read = |source: Source| PlanFile::from_source(&held.plan.path, source, None, &workspace);
    let plan = read(source);
    if plan.checked.plan.id != old.id {
        return Err(Error::OtherId {
            expected: old.id.clone(),
            found: plan.checked.plan.id,
        });
    }
    if plan.checked.dialect != Dialect::Proposal || plan.checked.errors() > 0 {
        return Ok(plan);
    }
    let mut source = plan.source;
    for edit in carried_over(held, &plan.checked.plan) {
        match apply_to(&source, &[edit]) {
            Ok(edited) => source = edited,
            Err(EditRefused::NoPlace(_)) => {}
            Err(refused) => return Err(Error::Uneditable(refused)),
        }
    }
    Ok(read(source))
}

/// The new text: what was given, or the plan that a JSON proposal asks for.
fn text_of(held: &LockedPlan<'_>, bytes: &[u8]) -> Result<Source, Error> {
    let name = held.plan.source.name();
    let Some(request) = Request::read(bytes) else {
        return Ok(Source::new(name, bytes.to_vec()));
    };
    let bad = |why: String| Error::BadRequest { why };
    let request = request.map_err(bad)?;
    let dialect = held.plan.checked.dialect;
    let id = held.plan.checked.plan.id.as_deref();
    let Some(id) = id.filter(|_| dialect == Dialect::Proposal) else {
        return Err(bad(format!(
            "it would make a `proposal` with an id of {name}, which is none"
        )));
    };
    let version = held.version().unwrap_or(0).saturating_add(1);
    let context = format!("context-v{version}.md");
    let text = request_text(held.doing, &request, id, &context)?;
    Ok(Source::new(name, text.bytes().to_vec()))
}

fn carried_over(held: &LockedPlan<'_>, new: &signoff_plan::model::Plan) -> Vec<Edit> {
    let old = &held.plan.checked.plan;
    let set = |field: &str, value: Value| Edit::SetPlan {
        field: field.to_owned(),
        value,
    };
    let mut edits = Vec::new();
    if let Some(version) = old.version {
        edits.push(set("version", Value::from(version.saturating_add(1))));
    }
    let created = old.record.get("created_at");
    if let Some(created) = created.filter(|was| new.record.get("created_at") != Some(was)) {
        edits.push(set("created_at", created.clone()));
    }
    // A text that was written from scratch lost what people said about the one before.
    if !new.record.contains_key("rejections") {
        for (at, (version, feedback)) in held.history().feedback().enumerate() {
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
    fn allow_edit(&self) -> Result<(), Error> {
        match self.standing.state {
            PlanState::Rejected | PlanState::NeedsReview => self.allow(Act::Revise)?,
            _ => self.allow(Act::Edit)?,
        };
        Ok(())
    }
}

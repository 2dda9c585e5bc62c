//! Hands a plan in: from here on it waits for a person.

use std::path::{Path, PathBuf};

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Actor, PlanFact, PlanState, Transition, may_resubmit_expired};
use signoff_plan::dialect::{Dialect, recognise};
use signoff_plan::source::Source;
use signoff_store::atomic;

use super::identity::{NewPlanContent, keep_proposal, with_id};
use super::request::{INLINE, Request};
use crate::clock::timestamp;
use crate::error::Error;
use crate::plan_file::{PlanFile, read_source};
use crate::plans::approval::policy::sign_after_proposal;
use crate::plans::listing::find::{find, of_project};
use crate::plans::locked::LockedPlan;
use crate::plans::{ActorContext, PlanReport};
use crate::project::relative;

/// Hands in a file of the project; it stays where it is.
pub fn propose_file(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
) -> Result<PlanReport, Error> {
    hand_in(context, &of_project(context.project, path)?, name, None)
}

/// Hands in what this path, from the working directory, leads to: a file of the project or the directory of a thread, which
/// stay where they are, or a JSON proposal, which is kept as a new plan.
pub fn propose_path(context: ActorContext<'_>, path: &Path) -> Result<PlanReport, Error> {
    let full = match path.to_str() {
        Some(name) => find(context.project, name)?,
        None => context.project.process.directory.join(path),
    };
    let request = if full.is_dir() {
        None
    } else {
        read_request(&full)?
    };
    match request {
        Some(bytes) => propose_text(context, &bytes),
        None => propose_file(context, &full, &path.display().to_string()),
    }
}

/// Hands in a text: a plan of any dialect, or the JSON of plan mode's `plan_propose`. It is kept under
/// a new name.
pub fn propose_text(context: ActorContext<'_>, bytes: &[u8]) -> Result<PlanReport, Error> {
    match Request::read(bytes) {
        Some(request) => hand_in_kept(context, keep_request(context, request)?),
        None => propose_text_as(context, bytes, None),
    }
}

/// Hands in a plan of this dialect, or of the one that it shows. It is kept under a new name.
pub fn propose_text_as(
    context: ActorContext<'_>,
    bytes: &[u8],
    dialect: Option<Dialect>,
) -> Result<PlanReport, Error> {
    hand_in_kept(context, keep_text(context, bytes, dialect)?)
}

fn hand_in_kept(context: ActorContext<'_>, path: PathBuf) -> Result<PlanReport, Error> {
    let name = display_path(context, &path);
    let done = hand_in(context, &path, &name, None);
    if done.is_err() {
        // Nothing was handed in, so nothing stays.
        atomic::remove(&path)?;
    }
    done
}

/// The bytes of a file that is a JSON proposal and no plan of any dialect.
fn read_request(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let source = read_source(path, "")?;
    let bytes = source.bytes();
    // Only JSON can be one, and most plans are not.
    let json = bytes.trim_ascii_start().starts_with(b"{");
    Ok((json && Request::read(bytes).is_some()).then(|| bytes.to_vec()))
}

/// How messages call a file that we made: from the working directory, if it is below.
pub(crate) fn display_path(context: ActorContext<'_>, path: &Path) -> String {
    let from = &context.project.process.directory;
    let from = from.canonicalize().unwrap_or_else(|_| from.clone());
    let inside = path.strip_prefix(&from).ok().map(Path::to_path_buf);
    inside
        .unwrap_or_else(|| path.to_path_buf())
        .display()
        .to_string()
}

pub(crate) fn hand_in(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
    cloned_from: Option<String>,
) -> Result<PlanReport, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    locked.require_no_plan_errors()?;
    let digest = locked.digest();
    let state = locked.status.state;
    let taken_back =
        may_resubmit_expired(state, context.actor, locked.history().has_expired(&digest));
    if state != PlanState::Verified && !taken_back {
        // Says what is possible instead.
        locked.allow_to(Transition::Verify, Actor::Harness)?;
    }
    // What was approved when it expired is approved again, while its signature holds.
    let was_approved = matches!(
        locked.history().fact_before_expiry(&digest),
        Some(PlanFact::Approved | PlanFact::Retried)
    );
    let next = if taken_back && was_approved && locked.status.signed {
        PlanState::Approved
    } else {
        PlanState::Verified
    };
    let newest = locked.history().entries.last().map(|entry| &entry.event);
    let already =
        matches!(newest, Some(PlanEvent::PlanProposed { digest: known, .. }) if *known == digest);
    if !already {
        locked.record(&[PlanEvent::PlanProposed {
            path: locked.path(),
            digest,
            version: locked.version(),
            by: locked.actor_name(),
            actor: context.actor.name().to_owned(),
            cloned_from,
            replaces: None,
        }])?;
    }
    let done = locked.conclude_quietly(next)?;
    if next == PlanState::Approved {
        return Ok(done);
    }
    Ok(sign_after_proposal(context, done))
}

fn keep_text(
    context: ActorContext<'_>,
    bytes: &[u8],
    dialect: Option<Dialect>,
) -> Result<PathBuf, Error> {
    let source = Source::new("-", bytes.to_vec());
    let workspace = context.project.workspace();
    let plan = PlanFile::from_source(Path::new("-"), source.clone(), dialect, &workspace);
    // Before anything is written: a refusal must leave nothing behind.
    if plan.checked.errors() > 0 {
        return Err(Error::Invalid {
            source: Box::new(plan.source),
            diagnostics: plan.checked.diagnostics,
        });
    }
    // The file says by its text alone what it is.
    if let Some(asked) = dialect {
        let found = recognise(&source);
        if found != Some(asked) {
            return Err(Error::OtherDialect { asked, found });
        }
    }
    if let Some(id) = &plan.checked.plan.id
        && context.project.store.log_path(id).exists()
    {
        return Err(Error::IdTaken { id: id.clone() });
    }
    keep_proposal(context, |id| Ok(NewPlanContent::File(with_id(&source, id))))
}

fn keep_request(
    context: ActorContext<'_>,
    request: Result<Request, String>,
) -> Result<PathBuf, Error> {
    let request = request.map_err(|why| Error::BadRequest { why })?;
    keep_proposal(context, |id| {
        request_text(context, &request, id, "context.md").map(NewPlanContent::File)
    })
}

/// A request as the text of the plan with this id. Large context is kept in a file of this name.
pub(crate) fn request_text(
    context: ActorContext<'_>,
    request: &Request,
    id: &str,
    name: &str,
) -> Result<Source, Error> {
    let now = timestamp(context.clock.now());
    let bad = |why: String| Error::UnwritableRequest { why };
    let mut small = request.clone();
    let large = small.context.take_if(|context| context.len() > INLINE);
    let Some(large) = large else {
        return small.to_file(id, &now).map_err(bad);
    };
    let directory = context.project.store.artifacts_dir(id);
    let path = directory.join(name);
    let there = relative(context.project, &path);
    small.context = Some(format!("### Artifacts\n- {name} → {there}"));
    let file = small.to_file(id, &now).map_err(bad)?;
    atomic::create_directories(&directory)?;
    // One of this name is what a revision left that was refused afterwards.
    let before = std::fs::read(&path).ok();
    atomic::replace(&path, before.as_deref(), large.as_bytes(), true)?;
    Ok(file)
}

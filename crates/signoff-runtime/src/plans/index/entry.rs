//! Reads one location: its plan, the plan's state, and totals of its log.

use std::path::Path;

use signoff_api::approval::ApprovalStatus;
use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Millis, PlanState};
use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::check;
use signoff_plan::dialect::{parse, recognise};
use signoff_store::index::{IndexEntry, PlanCounts, PlanRow, Stamp};
use signoff_store::{plan_log, signatures};

use super::ReadContext;
use super::locations::{PlanLocation, PlanLocationKind, path_inside_project};
use super::missing_tools::missing_tools;
use super::stamps::{file_stamps, is_racy};
use crate::clock::millis;
use crate::error::Error;
use crate::plan_file::{PlanFile, is_thread, read_source};
use crate::plan_history::{PlanHistory, is_expiry};
use crate::plans::status::{PlanStatus, plan_status};
use crate::project::relative;
use crate::runs::view::RunView;

pub(super) fn read(
    context: &ReadContext<'_>,
    location: &PlanLocation,
) -> Result<IndexEntry, Error> {
    match location.kind {
        PlanLocationKind::Plans | PlanLocationKind::Archive => stored_entry(context, location),
        PlanLocationKind::Log => logged_entry(context, location),
    }
}

/// A plan among the proposals or in the archive.
fn stored_entry(context: &ReadContext<'_>, location: &PlanLocation) -> Result<IndexEntry, Error> {
    let Some(plan) = plan_at(context, &location.path)? else {
        let entry = IndexEntry::default();
        return Ok(context.with_stamps(location, None, entry));
    };
    let status = plan_status(context.project, &plan)?;
    let entry = IndexEntry {
        tally: summarize_history(&status.history),
        again: is_unsettled(&plan, &status),
        row: Some(context.plan_row(location, &plan, &status)?),
        ..IndexEntry::default()
    };
    Ok(context.with_stamps(location, None, entry))
}

/// A plan elsewhere in the project, which its log names.
fn logged_entry(context: &ReadContext<'_>, location: &PlanLocation) -> Result<IndexEntry, Error> {
    let project = context.project;
    let history = PlanHistory::of(&plan_log::load(&location.path)?)?;
    let mut entry = IndexEntry {
        tally: summarize_history(&history),
        path: history.path().map(str::to_owned),
        ..IndexEntry::default()
    };
    let path = entry
        .path
        .as_deref()
        .and_then(|path| path_inside_project(project, path));
    if let Some(path) = path.as_deref().filter(|_| !history.is_deleted())
        && leads_inside(context, path)
        && let Some(plan) = plan_at(context, path)?
        // The file may be another plan's by now.
        && project.store.log_path(&plan.key(project)?) == location.path
    {
        let status = plan_status(project, &plan)?;
        entry.again = is_unsettled(&plan, &status);
        entry.row = Some(context.plan_row(location, &plan, &status)?);
    }
    Ok(context.with_stamps(location, path.as_deref(), entry))
}

/// It exists and is, all links followed, in the workspace.
fn leads_inside(context: &ReadContext<'_>, path: &Path) -> bool {
    path.canonicalize()
        .is_ok_and(|real| real.starts_with(context.project.store.workspace()))
}

/// The plan at a path; `None` for a file that is not a plan and has no history.
fn plan_at(context: &ReadContext<'_>, path: &Path) -> Result<Option<PlanFile>, Error> {
    if path.is_dir() && !is_thread(path) {
        return Ok(None);
    }
    let source = read_source(path, &relative(context.project, path))?;
    let dialect = recognise(&source);
    if source.parts().is_empty() && dialect.is_none() {
        let store = &context.project.store;
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let has_log = |key: &str| store.log_path(key).exists();
        let known = stem.is_some_and(has_log) || has_log(&store.key_of(None, path));
        if !known {
            return Ok(None);
        }
    }
    let plan = PlanFile::from_source(path, source, dialect, context.workspace());
    Ok(Some(plan))
}

/// Does its state depend on more than the files that are compared? A run that goes on does, and so
/// does a draft that would be none if only its surroundings were different.
fn is_unsettled(plan: &PlanFile, status: &PlanStatus) -> bool {
    match status.state {
        PlanState::Executing | PlanState::Stalled | PlanState::Replanning => true,
        _ if plan.checked.errors() > 0 => {
            check(&parse(&plan.source), &PermissiveWorkspace).errors() < plan.checked.errors()
        }
        _ => false,
    }
}

fn summarize_history(history: &PlanHistory) -> PlanCounts {
    let mut tally = PlanCounts::default();
    let mut since = None;
    for entry in &history.entries {
        match &entry.event {
            PlanEvent::PlanProposed { .. } | PlanEvent::PlanRevised { .. } => {
                tally.proposals += 1;
                tally.expired = 0;
                since = Some(entry.at);
            }
            PlanEvent::PlanApproved { .. } => {
                tally.approvals += 1;
                let wait = since.take().map(|since| entry.at.saturating_sub(since));
                tally.waits.extend(wait);
            }
            PlanEvent::PlanRejected { .. } => tally.rejections += 1,
            PlanEvent::PlanCompleted { .. } => tally.completed += 1,
            PlanEvent::PlanFailed { .. } | PlanEvent::PlanReplaced { .. } => tally.failed += 1,
            event if is_expiry(event) => tally.expired = entry.at,
            PlanEvent::PlanArchived { .. } => tally.archived = entry.at,
            PlanEvent::PlanRestored { .. } => tally.archived = 0,
            PlanEvent::PlanNeedsReview { .. }
            | PlanEvent::PlanModelAsked { .. }
            | PlanEvent::PlanCommented { .. }
            | PlanEvent::PlanCommentResolved { .. }
            | PlanEvent::PlanCancelled { .. }
            | PlanEvent::PlanRetried { .. }
            | PlanEvent::PlanExecuting { .. }
            | PlanEvent::PlanDeleted { .. } => {}
        }
    }
    tally
}

impl ReadContext<'_> {
    fn plan_row(
        &self,
        location: &PlanLocation,
        plan: &PlanFile,
        status: &PlanStatus,
    ) -> Result<PlanRow, Error> {
        let store = &self.project.store;
        let key = plan.key(self.project)?;
        let signed = if status.signed {
            signatures::matching(store, &key, &plan.digest(), &status.terms)?
        } else {
            None
        };
        let model = &plan.checked.plan;
        let history = &status.history;
        let other = self.other_file(plan, history);
        Ok(PlanRow {
            title: model.display_title().to_owned(),
            state: status.state.name().to_owned(),
            version: model.version,
            active: history.last_change(),
            written: updated_at_or_mtime(plan),
            proof: signed.map(|signed| signed.signature.proof),
            approval: status.approval.as_ref().map(ApprovalStatus::from),
            run: status.run_id().map(str::to_owned),
            tools: missing_tools(model, self.workspace()),
            file_says: status.file_says.clone(),
            questions: (status.view.as_ref()).map_or(0, RunView::question_count),
            double: other == Some(true),
            unlogged_move: location.kind == PlanLocationKind::Archive && other == Some(false),
            key,
        })
    }

    /// Does the log name another file, and does that exist?
    fn other_file(&self, plan: &PlanFile, history: &PlanHistory) -> Option<bool> {
        let named = history.path()?;
        if named == relative(self.project, &plan.path) {
            return None;
        }
        let there = path_inside_project(self.project, named)?;
        let real = |path: &Path| path.canonicalize().ok();
        match real(&there) {
            None => Some(false),
            found => (found != real(&plan.path)).then_some(true),
        }
    }

    /// The entry, with how everything looks that it was made from.
    fn with_stamps(
        &self,
        location: &PlanLocation,
        elsewhere: Option<&Path>,
        mut entry: IndexEntry,
    ) -> IndexEntry {
        let stamps = file_stamps(self, location, elsewhere, entry.row.as_ref());
        entry.again |= is_racy(&stamps, self.now);
        entry.seen = self.stamp_hash(&stamps, entry.row.as_ref());
        entry
    }
}

/// What the file says itself about when it was written, else what the file system says.
fn updated_at_or_mtime(plan: &PlanFile) -> Millis {
    let record = &plan.checked.plan.record;
    let said = ["updated_at", "created_at"]
        .into_iter()
        .find_map(|field| record.get(field)?.as_str())
        .map_or(0, millis);
    if said > 0 {
        return said;
    }
    Stamp::of(&plan.path).map_or(0, |stamp| stamp.modified_at())
}

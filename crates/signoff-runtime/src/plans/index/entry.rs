//! Reads one place: which plan is there, where it stands, and what its log adds up to.

use std::path::Path;

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Millis, PlanState};
use signoff_plan::Everything;
use signoff_plan::check::check;
use signoff_plan::dialect::{parse, recognise};
use signoff_store::index::{self, IndexEntry, PlanCounts, PlanRow, Stamp};
use signoff_store::{plan_log, signatures};

use super::Look;
use super::places::{Kind, Place, inside};
use super::seen::{is_racy, stamps};
use crate::clock::millis;
use crate::error::Error;
use crate::plan_file::{PlanFile, is_thread, read_source};
use crate::plans::History;
use crate::plans::stats::missing_tools;
use crate::project::relative;
use crate::state::{Standing, standing};

pub(super) fn read(look: &Look<'_>, place: &Place) -> Result<IndexEntry, Error> {
    match place.kind {
        Kind::Plans | Kind::Archive => kept(look, place),
        Kind::Log => logged(look, place),
    }
}

/// A plan among the proposals or in the archive.
fn kept(look: &Look<'_>, place: &Place) -> Result<IndexEntry, Error> {
    let Some(plan) = plan_at(look, &place.path)? else {
        let entry = IndexEntry::default();
        return Ok(look.finished(place, None, entry));
    };
    let standing = standing(look.project, &plan)?;
    let entry = IndexEntry {
        tally: tally(&standing.history),
        again: is_unsettled(&plan, &standing),
        row: Some(look.row(place, &plan, &standing)?),
        ..IndexEntry::default()
    };
    Ok(look.finished(place, None, entry))
}

/// A plan elsewhere in the project, which its log names.
fn logged(look: &Look<'_>, place: &Place) -> Result<IndexEntry, Error> {
    let project = look.project;
    let history = History::of(&plan_log::load(&place.path)?)?;
    let mut entry = IndexEntry {
        tally: tally(&history),
        path: history.path().map(str::to_owned),
        ..IndexEntry::default()
    };
    let path = entry.path.as_deref().and_then(|path| inside(project, path));
    if let Some(path) = path.as_deref().filter(|_| !history.is_deleted())
        && leads_inside(look, path)
        && let Some(plan) = plan_at(look, path)?
        // The file may be another plan's by now.
        && project.store.log_path(&plan.key(project)) == place.path
    {
        let standing = standing(project, &plan)?;
        entry.again = is_unsettled(&plan, &standing);
        entry.row = Some(look.row(place, &plan, &standing)?);
    }
    Ok(look.finished(place, path.as_deref(), entry))
}

/// It exists and is, all links followed, in the workspace.
fn leads_inside(look: &Look<'_>, path: &Path) -> bool {
    path.canonicalize()
        .is_ok_and(|real| real.starts_with(look.project.store.workspace()))
}

/// The plan at a path; `None` for a file that is none and that nothing ever happened to.
fn plan_at(look: &Look<'_>, path: &Path) -> Result<Option<PlanFile>, Error> {
    if path.is_dir() && !is_thread(path) {
        return Ok(None);
    }
    let source = read_source(path, &relative(look.project, path))?;
    let dialect = recognise(&source);
    if source.parts().is_empty() && dialect.is_none() {
        let store = &look.project.store;
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let has_log = |key: &str| store.log_path(key).exists();
        let known = stem.is_some_and(has_log) || has_log(&store.key_of(None, path));
        if !known {
            return Ok(None);
        }
    }
    let plan = PlanFile::from_source(path, source, dialect, &look.workspace);
    Ok(Some(plan))
}

/// Does its state depend on more than the files that are compared? A run that goes on does, and so
/// does a draft that would be none if only its surroundings were different.
fn is_unsettled(plan: &PlanFile, standing: &Standing) -> bool {
    match standing.state {
        PlanState::Executing | PlanState::Stalled | PlanState::Replanning => true,
        _ if plan.checked.errors() > 0 => {
            check(&parse(&plan.source), &Everything).errors() < plan.checked.errors()
        }
        _ => false,
    }
}

fn tally(history: &History) -> PlanCounts {
    let mut tally = PlanCounts::default();
    let mut since = None;
    for entry in &history.entries {
        match &entry.event {
            PlanEvent::PlanProposed { .. } | PlanEvent::PlanRevised { .. } => {
                tally.proposals += 1;
                since = Some(entry.at);
            }
            PlanEvent::PlanApproved { .. } => {
                tally.approvals += 1;
                let wait = since.take().map(|since| entry.at.saturating_sub(since));
                tally.waits.extend(wait);
            }
            PlanEvent::PlanRejected { .. } => tally.rejections += 1,
            PlanEvent::PlanCompleted { .. } => tally.completed += 1,
            PlanEvent::PlanFailed { .. } => tally.failed += 1,
            PlanEvent::PlanNeedsReview { .. }
            | PlanEvent::PlanCancelled { .. }
            | PlanEvent::PlanRetried { .. }
            | PlanEvent::PlanExecuting { .. }
            | PlanEvent::PlanArchived { .. }
            | PlanEvent::PlanDeleted { .. } => {}
        }
    }
    tally
}

impl Look<'_> {
    fn row(&self, place: &Place, plan: &PlanFile, standing: &Standing) -> Result<PlanRow, Error> {
        let store = &self.project.store;
        let key = plan.key(self.project);
        let signed = if standing.signed {
            signatures::matching(store, &key, &plan.digest(), &standing.terms)?
        } else {
            None
        };
        let model = &plan.checked.plan;
        let history = &standing.history;
        let other = self.other_file(plan, history);
        Ok(PlanRow {
            title: model.display_title().to_owned(),
            state: standing.state.name().to_owned(),
            version: model.version,
            active: history.last_lived(),
            written: written(plan),
            proof: signed.map(|signed| signed.signature.proof),
            run: standing.view.as_ref().map(|view| view.run.id().to_owned()),
            tools: missing_tools(model, &self.workspace),
            double: other == Some(true),
            unlogged_move: place.kind == Kind::Archive && other == Some(false),
            key,
        })
    }

    /// Does the log name another file, and does that exist?
    fn other_file(&self, plan: &PlanFile, history: &History) -> Option<bool> {
        let named = history.path()?;
        if named == relative(self.project, &plan.path) {
            return None;
        }
        let there = inside(self.project, named)?;
        let real = |path: &Path| path.canonicalize().ok();
        match real(&there) {
            None => Some(false),
            found => (found != real(&plan.path)).then_some(true),
        }
    }

    /// The entry, with how everything looks that it was made from.
    fn finished(
        &self,
        place: &Place,
        elsewhere: Option<&Path>,
        mut entry: IndexEntry,
    ) -> IndexEntry {
        let stamps = stamps(self, place, elsewhere, entry.row.as_ref());
        entry.again |= is_racy(&stamps, self.now);
        entry.seen = index::StampHash::of(&stamps);
        entry
    }
}

/// What the file says itself about when it was written, else what the file system says.
fn written(plan: &PlanFile) -> Millis {
    let record = &plan.checked.plan.record;
    let said = ["updated_at", "created_at"]
        .into_iter()
        .find_map(|field| record.get(field)?.as_str())
        .map_or(0, millis);
    if said > 0 {
        return said;
    }
    Stamp::of(&plan.path).map_or(0, |stamp| stamp.written())
}

//! What is done here for runs that other machines drive, because those do not have the plan's files: a new version becomes a
//! plan to be signed, `resume` takes it along, and marks show how far the run is.

pub mod next_version;

use std::fs;

use signoff_api::plan_log::PlanEvent;
use signoff_engine::Outcome;
use signoff_store::runs::list;

use crate::advice::{Advisor, offer_to_people};
use crate::clock::{Clock, SystemClock};
use crate::drive::journal::read_events;
use crate::error::Error;
use crate::plan_history::{PlanHistory, append_event};
use crate::project::{Project, relative};
use crate::runs::log_end;
use crate::runs::marks::{Execution, Projection, Times};
use crate::runs::remote::{check_reply, remote_access, share_files};
use crate::runs::replay::Replay;
use crate::runs::view::RunView;

/// Lets a run go on where it is driven; `None` if that is here.
pub fn resume(project: &Project, run: &str) -> Result<Option<()>, Error> {
    let Some(elsewhere) = remote_access(project, run)? else {
        return Ok(None);
    };
    let view = RunView::load(project, run)?;
    if view.run.is_undone() {
        let run = run.to_owned();
        return Err(Error::Undone { run });
    }
    if let Some(outcome @ (Outcome::Completed | Outcome::Partial)) = view.run.outcome() {
        return Err(Error::already_finished(&view.run, outcome));
    }
    PlanHistory::read(project, &view.key)?.refuse_if_over(run)?;
    bring_version(project, &view)?;
    let files = next_version::keep(project, &view)?;
    share_files(project, run, &files)?;
    check_reply(elsewhere.resume(run)).map(Some)
}

/// Does here what machines that drive a run cannot do where the plan's files are: a new version that was drafted becomes a
/// plan of its own, for a person to sign, and the logs of plans say which of them the run carries out.
pub fn bring_version(project: &Project, view: &RunView) -> Result<(), Error> {
    let run = view.run.id();
    if remote_access(project, run)?.is_none() || view.is_closed {
        return Ok(());
    }
    let dir = project.store.run_dir(run);
    // Two processes that look at the run take turns.
    let lock = fs::File::create(dir.path().join("version.lock"))
        .and_then(|file| file.lock().map(|()| file));
    let _lock = lock.map_err(|why| Error::Unwritable {
        why: why.to_string(),
    })?;
    let clock = SystemClock::new();
    if let Some(draft) = view.run.draft().filter(|_| view.run.has_offered_draft()) {
        let history = PlanHistory::read(project, &draft.plan)?;
        if history.replaces().is_some() {
            return Ok(());
        }
        let advisor = Advisor {
            project: project.clone(),
            key: view.key.clone(),
            plan: view.plan_path.clone(),
        };
        return offer_to_people(&advisor, &view.run, draft);
    }
    let digest = view.run.signed_plan().digest().to_string();
    let history = PlanHistory::read(project, &view.key)?;
    let is_told = history.executes(run, &digest) && history.replaced_by(run).is_none();
    let is_of_other = history.newest_run().is_some_and(|newest| newest != run);
    if is_told || is_of_other || history.entries.is_empty() || history.records_end_of(run) {
        return Ok(());
    }
    let executing = PlanEvent::PlanExecuting {
        path: relative(project, &view.plan_path),
        digest,
        run: run.to_owned(),
    };
    append_event(project, &view.key, &executing, &clock)
}

/// The same for every run that other machines drive.
pub fn bring_versions(project: &Project) -> Result<(), Error> {
    for entry in list(&project.store)? {
        if !entry.dir.is_shared() {
            continue;
        }
        // Whoever asks for a run that cannot be read is told.
        if let Ok(view) = RunView::load(project, &entry.id) {
            bring_version(project, &view)?;
        }
    }
    Ok(())
}

/// Updates the plan's file and its log here from a run that other machines drive, because those do not have them.
/// Returns why the file could not be written.
pub fn bring_marks(
    project: &Project,
    run: &str,
    clock: &dyn Clock,
) -> Result<Option<String>, Error> {
    bring_version(project, &RunView::load(project, run)?)?;
    let dir = project.store.run_dir(run);
    let (mut replay, mut times) = (Replay::begin(project, run)?, Times::default());
    read_events(&dir.journal(), |recorded| {
        times.note(&recorded);
        replay.apply(project, &recorded)
    })?;
    let execution = Execution::new(project, &replay.key, &dir, times);
    let (plan, text) = (replay.path.clone(), replay.text.clone());
    let mut marks = Projection::new(plan, execution, text, project.secrets());
    marks.write(&replay.run, clock.now());
    let history = PlanHistory::read(project, &replay.key)?;
    if let Some(outcome) = replay.run.outcome()
        && !history.records_end_of(run)
    {
        log_end(project, &replay.key, &replay.run, outcome, clock)?;
    }
    Ok(marks.trouble)
}

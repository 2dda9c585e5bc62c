//! Runs that other machines drive: their files here are a copy.

use std::fs;
use std::sync::Arc;

use signoff_api::plan_log::PlanEvent;
use signoff_api::request::RequestKind;
use signoff_engine::Outcome;
use signoff_store::runs::{RunDir, list};

use super::marks::{Execution, Projection, Times};
use super::replay::Replay;
use super::view::RunView;
use super::{log_end, next_version};
use crate::advice::{Advisor, offer_to_people};
use crate::clock::{Clock, SystemClock};
use crate::cluster::RemoteRunAccess;
use crate::drive::journal::read_events;
use crate::error::Error;
use crate::plan_history::{PlanHistory, append_event};
use crate::project::{Project, relative};

/// Brings the copy of a run up to date, if it is one. Returns whether a process drives it elsewhere.
pub(crate) fn sync(project: &Project, dir: &RunDir, run: &str) -> Result<bool, Error> {
    match &project.elsewhere {
        Some(elsewhere) if dir.is_shared() => {
            elsewhere.sync(run).map_err(|why| Error::Unshared { why })
        }
        _ => Ok(false),
    }
}

/// Asks something of a run where it is driven; `None` if that is here.
pub(crate) fn ask(project: &Project, run: &str, what: &RequestKind) -> Result<Option<()>, Error> {
    let Some(elsewhere) = remote_access(project, run)? else {
        return Ok(None);
    };
    check_reply(elsewhere.ask(run, what.clone())).map(Some)
}

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

/// Puts files of a run's directory where the machines that drive it find them.
pub(crate) fn share_files(project: &Project, run: &str, names: &[String]) -> Result<(), Error> {
    match remote_access(project, run)? {
        Some(elsewhere) if !names.is_empty() => {
            let shared = elsewhere.share_files(run, names);
            shared.map_err(|why| Error::Unshared { why })
        }
        _ => Ok(()),
    }
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

/// Do other machines drive this run?
pub fn is_remote(project: &Project, run: &str) -> bool {
    project.store.run_dir(run).is_shared()
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

fn check_reply(reply: Result<Option<String>, String>) -> Result<(), Error> {
    match reply.map_err(|why| Error::Unshared { why })? {
        None => Ok(()),
        Some(why) => Err(Error::RefusedThere { why }),
    }
}

/// Refuses to drive a copy.
pub(crate) fn refuse_if_remote(project: &Project, run: &str) -> Result<(), Error> {
    if project.cluster.is_none() && project.store.run_dir(run).is_shared() {
        let run = run.to_owned();
        return Err(Error::Elsewhere { run });
    }
    Ok(())
}

/// The access to the machines that drive a run; `None` if it is driven here.
pub(crate) fn remote_access(
    project: &Project,
    run: &str,
) -> Result<Option<Arc<dyn RemoteRunAccess>>, Error> {
    if project.cluster.is_some() || !project.store.run_dir(run).is_shared() {
        return Ok(None);
    }
    let elsewhere = project.elsewhere.clone();
    elsewhere.map(Some).ok_or_else(|| Error::Elsewhere {
        run: run.to_owned(),
    })
}

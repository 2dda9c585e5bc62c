//! Runs that other machines drive: their files here are a copy.

use std::sync::Arc;

use signoff_api::request::RequestKind;
use signoff_engine::Outcome;
use signoff_store::runs::RunDir;

use super::log_end;
use super::marks::{Execution, Projection, Times};
use super::replay::Replay;
use super::view::RunView;
use crate::clock::Clock;
use crate::cluster::RemoteRunAccess;
use crate::drive::journal::read_events;
use crate::error::Error;
use crate::plan_history::PlanHistory;
use crate::project::Project;

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
    check_reply(elsewhere.resume(run)).map(Some)
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

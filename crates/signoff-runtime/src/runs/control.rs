//! Asks something of a run: by a request to the process
//! that drives it, or here if none does.

use std::time::{Duration, Instant};

use signoff_api::request::{self, Reply, Request, SCHEMA};
use signoff_engine::{Event, Input, Outcome, PauseReason};
use signoff_store::runs::requests::Requests;

use super::leftovers::end_leftovers_of;
use super::opened_run::OpenedRun;
use super::progress::cut_off_reports;
use super::remote;
use super::view::RunView;
use crate::clock::Clock;
use crate::drive::request::{RunRequest, TICK, to_request};
use crate::error::Error;
use crate::plan_history::PlanHistory;
use crate::project::agents::require_planner;
use crate::project::locks::is_driven;
use crate::project::{Project, random};

/// How long the process that drives the run may take to answer: it ends agents first.
const PATIENCE: Duration = Duration::from_mins(1);

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestOutcome {
    /// The process that drives the run did it.
    There,
    /// No process drove the run; it was recorded here.
    Here,
    /// No process drives the run, so it stands still anyway.
    Idle,
}

/// Asks something of a run.
pub fn ask(
    project: &Project,
    run: &str,
    what: request::RequestKind,
    clock: &dyn Clock,
) -> Result<RequestOutcome, Error> {
    let view = RunView::load(project, run)?;
    let dir = project.store.run_dir(view.run.id());
    if let Some(done) = ask_remote(project, &view, &what)? {
        return Ok(done);
    }
    if matches!(what, request::RequestKind::Replan { .. }) {
        require_planner(project)?;
    }
    if view.run.outcome().is_none() && is_driven(&dir.lock())? {
        let requests = Requests::of(&dir);
        if send(&requests, &dir.lock(), project, &what, clock)? {
            if matches!(
                what,
                request::RequestKind::Stop | request::RequestKind::Abort
            ) {
                wait_until_free(&dir.lock())?;
            }
            return Ok(RequestOutcome::There);
        }
    }
    refuse_if_ended(project, run, &what)?;
    let by = project.process.person.clone();
    let input = match to_request(what, by) {
        RunRequest::Stop => {
            // Processes that a dead harness left running are stopped too.
            end_leftovers_of(project, run, clock)?;
            return Ok(RequestOutcome::Idle);
        }
        RunRequest::Input(Input::Pause { .. }) => return Ok(RequestOutcome::Idle),
        RunRequest::Abort { by } => Input::Abort {
            by,
            reports: cut_off_reports(&view.run, &dir),
        },
        RunRequest::Input(input) => input,
    };
    OpenedRun::record(project, run, input, clock)?;
    Ok(RequestOutcome::Here)
}

/// Passes the request to the machines that drive the run, if others do and can act on it.
fn ask_remote(
    project: &Project,
    view: &RunView,
    what: &request::RequestKind,
) -> Result<Option<RequestOutcome>, Error> {
    let run = view.run.id();
    if remote::remote_access(project, run)?.is_none() {
        return Ok(None);
    }
    if let request::RequestKind::HandIn { draft, .. } = what {
        remote::share_files(project, run, std::slice::from_ref(&draft.snapshot))?;
    }
    let rests = match what {
        request::RequestKind::Pause | request::RequestKind::Stop => !view.driven,
        request::RequestKind::Abort => false,
        request::RequestKind::SkipStep { .. }
        | request::RequestKind::RetryStep { .. }
        | request::RequestKind::Replan { .. }
        | request::RequestKind::HandIn { .. }
        | request::RequestKind::Answer { .. } => view.run.outcome() == Some(Outcome::Failed),
    };
    match view.run.outcome() {
        None if rests => Ok(Some(RequestOutcome::Idle)),
        // Requests that an ended run refuses are refused here, too.
        Some(_) if !rests => Ok(None),
        _ => {
            remote::ask(project, run, what)?;
            let reason = view.run.pause_reason().filter(|_| !view.driven);
            let stays = reason.is_some_and(|reason| reason != PauseReason::Waiting);
            Ok(Some(if stays {
                RequestOutcome::Here
            } else {
                RequestOutcome::There
            }))
        }
    }
}

/// Records what a person, whose machine lands or undoes a run, did about it.
pub fn record_ending(
    project: &Project,
    run: &str,
    event: &Event,
    by: String,
    clock: &dyn Clock,
) -> Result<(), Error> {
    let impossible = |why: &str| {
        let (run, why) = (run.to_owned(), why.to_owned());
        Err(Error::BrokenRun { run, why })
    };
    let input = match event {
        Event::LandingStarted { commit, .. } => Input::LandingBegins {
            commit: commit.clone(),
            by,
        },
        Event::RunLanded { commit, .. } => Input::Landed {
            commit: commit.clone(),
            by,
        },
        Event::RunUndone { .. } => Input::Undo { by },
        _ => return impossible("something to record that only happens while it is driven"),
    };
    let mut opened = OpenedRun::open(project, run, clock)?;
    if opened.state().outcome().is_none() {
        return impossible("not ended");
    }
    opened.refuse_if_undone()?;
    opened.run.record(input)?;
    opened.run.close()
}

/// Records what a person asked of a run that no process drives.
pub fn record_request(
    project: &Project,
    run: &str,
    request: Request,
    clock: &dyn Clock,
) -> Result<(), Error> {
    let view = RunView::load(project, run)?;
    refuse_if_ended(project, run, &request.ask)?;
    let input = match to_request(request.ask, request.by) {
        RunRequest::Stop | RunRequest::Input(Input::Pause { .. }) => return Ok(()),
        RunRequest::Abort { by } => Input::Abort {
            by,
            reports: cut_off_reports(&view.run, &project.store.run_dir(run)),
        },
        RunRequest::Input(input) => input,
    };
    OpenedRun::record(project, run, input, clock)
}

/// A run that has ended or was abandoned cannot be paused or stopped.
fn refuse_if_ended(project: &Project, run: &str, what: &request::RequestKind) -> Result<(), Error> {
    if !matches!(
        what,
        request::RequestKind::Pause | request::RequestKind::Stop
    ) {
        return Ok(());
    }
    // It may have ended while we asked.
    let view = RunView::load(project, run)?;
    if let Some(outcome) = view.run.outcome() {
        return Err(Error::already_finished(&view.run, outcome));
    }
    PlanHistory::read(project, &view.key)?.refuse_if_over(run)
}

/// Waits until the process that drove the run has released its lock, so that the next command finds it free.
fn wait_until_free(lock: &std::path::Path) -> Result<(), Error> {
    let asked = Instant::now();
    while is_driven(lock)? && asked.elapsed() < PATIENCE {
        std::thread::sleep(TICK / 10);
    }
    Ok(())
}

/// Leaves a request and waits for the answer; false if no process drives the run any more.
fn send(
    requests: &Requests,
    lock: &std::path::Path,
    project: &Project,
    what: &request::RequestKind,
    clock: &dyn Clock,
) -> Result<bool, Error> {
    let request = Request {
        schema: SCHEMA.to_owned(),
        by: project.process.person.clone(),
        ask: what.clone(),
    };
    let name = format!("{:013}-{:08x}", clock.now(), random());
    let bytes = serde_json::to_vec(&request).map_err(|why| Error::Unwritable {
        why: why.to_string(),
    })?;
    requests.send(&name, &bytes)?;
    let asked = Instant::now();
    loop {
        if let Some(reply) = requests.take_reply(&name) {
            return reply_result(&reply).map(|()| true);
        }
        let alone = !is_driven(lock)?;
        if alone || asked.elapsed() > PATIENCE {
            // It may have answered just before it ended.
            let late = requests.take_reply(&name);
            requests.withdraw(&name);
            return match late {
                Some(reply) => reply_result(&reply).map(|()| true),
                None if alone => Ok(false),
                None => Err(Error::NoReply),
            };
        }
        std::thread::sleep(TICK);
    }
}

/// The reply of the process that drives the run.
fn reply_result(reply: &[u8]) -> Result<(), Error> {
    // Its content cannot be read, so it may be a refusal.
    let reply: Reply = serde_json::from_slice(reply).map_err(|_| Error::NoReply)?;
    match reply.refused {
        Some(why) => Err(Error::RefusedThere { why }),
        None => Ok(()),
    }
}

//! What a person asks of a run that this process may not drive: through a request to the process
//! that does, or by doing it here.

use std::time::{Duration, Instant};

use signoff_api::request::{self, Reply, Request, SCHEMA};
use signoff_engine::{Input, PauseReason};
use signoff_store::lock::is_held;
use signoff_store::runs::requests::Requests;

use crate::clock::Clock;
use crate::error::Error;
use crate::live::{OpenedRun, end_leftovers_of};
use crate::plans::History;
use crate::project::{Project, random};
use crate::view::View;

/// How often files are looked at that other processes write.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// How long the process that drives the run may take to answer: it ends agents first.
const PATIENCE: Duration = Duration::from_mins(1);

/// What is asked of a run.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "there are few of them at a time, and each is moved once"
)]
pub enum Ask {
    /// Agents are ended; the run can be resumed.
    Stop,
    /// Agents are ended; the run has failed.
    Abort {
        /// Who gives it up.
        by: String,
    },
    /// Anything that the engine decides about.
    Input(Input),
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// The process that drives the run did it.
    There,
    /// Nobody drove the run; it was recorded here.
    Here,
    /// Nobody drives the run, so it stands still anyway.
    Idle,
}

/// Asks something of a run.
pub fn ask(
    project: &Project,
    run: &str,
    what: request::Ask,
    clock: &dyn Clock,
) -> Result<Done, Error> {
    let view = View::load(project, run)?;
    let dir = project.store.run_dir(view.run.id());
    if view.run.outcome().is_none() && is_held(&dir.lock()).unwrap_or(false) {
        let requests = Requests::of(&dir);
        if send(&requests, &dir.lock(), project, &what, clock)? {
            if matches!(what, request::Ask::Stop | request::Ask::Abort) {
                until_free(&dir.lock());
            }
            return Ok(Done::There);
        }
    }
    refuse_if_ended(project, run, &what)?;
    let by = project.around.person.clone();
    let input = match meant(what, by) {
        Ask::Stop => {
            // What a process that died left running is stopped too.
            end_leftovers_of(project, run, clock)?;
            return Ok(Done::Idle);
        }
        Ask::Input(Input::Pause { .. }) => return Ok(Done::Idle),
        Ask::Abort { by } => Input::Abort { by },
        Ask::Input(input) => input,
    };
    OpenedRun::record(project, run, input, clock)?;
    Ok(Done::Here)
}

/// A run that has ended, or that nobody goes on with, cannot be paused or stopped.
fn refuse_if_ended(project: &Project, run: &str, what: &request::Ask) -> Result<(), Error> {
    if !matches!(what, request::Ask::Pause | request::Ask::Stop) {
        return Ok(());
    }
    // It may have ended while we asked.
    let view = View::load(project, run)?;
    if let Some(outcome) = view.run.outcome() {
        return Err(Error::already_finished(&view.run, outcome));
    }
    History::read(project, &view.key)?.refuse_if_over(run)
}

/// Waits until whoever drove the run has let go of it, so that whatever is typed next finds it free.
fn until_free(lock: &std::path::Path) {
    let asked = Instant::now();
    while is_held(lock).unwrap_or(false) && asked.elapsed() < PATIENCE {
        std::thread::sleep(TICK / 10);
    }
}

/// Leaves a request and waits for the answer; false if nobody drives the run any more.
fn send(
    requests: &Requests,
    lock: &std::path::Path,
    project: &Project,
    what: &request::Ask,
    clock: &dyn Clock,
) -> Result<bool, Error> {
    let request = Request {
        schema: SCHEMA.to_owned(),
        by: project.around.person.clone(),
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
            return answered(&reply).map(|()| true);
        }
        let alone = !is_held(lock).unwrap_or(false);
        if alone || asked.elapsed() > PATIENCE {
            // It may have answered with its last breath.
            let late = requests.take_reply(&name);
            requests.withdraw(&name);
            return match late {
                Some(reply) => answered(&reply).map(|()| true),
                None if alone => Ok(false),
                None => Err(Error::NoReply),
            };
        }
        std::thread::sleep(TICK);
    }
}

/// What the process that drives the run said.
fn answered(reply: &[u8]) -> Result<(), Error> {
    let reply: Option<Reply> = serde_json::from_slice(reply).ok();
    match reply.and_then(|reply| reply.refused) {
        Some(why) => Err(Error::RefusedThere { why }),
        None => Ok(()),
    }
}

/// A request as the loop takes it.
pub(crate) fn meant(what: request::Ask, by: String) -> Ask {
    Ask::Input(match what {
        request::Ask::Stop => return Ask::Stop,
        request::Ask::Abort => return Ask::Abort { by },
        request::Ask::Pause => Input::Pause {
            reason: PauseReason::Requested,
            by,
        },
        request::Ask::SkipStep { step } => Input::SkipStep { step, by },
        request::Ask::RetryStep { step, hint } => Input::RetryStep { step, hint, by },
        request::Ask::Answer {
            item,
            steps,
            choice,
            note,
        } => Input::Answer {
            item,
            steps,
            choice,
            note,
            by,
        },
    })
}

/// A request from its bytes; what is none is answered with a refusal.
pub(crate) fn read(bytes: &[u8]) -> Result<Ask, String> {
    let request: Request = serde_json::from_slice(bytes).map_err(|why| why.to_string())?;
    Ok(meant(request.ask, request.by))
}

/// The bytes of a reply.
pub(crate) fn reply(refused: Option<String>) -> Vec<u8> {
    // A struct of one optional text always has a form.
    serde_json::to_vec(&Reply { refused }).unwrap_or_default()
}

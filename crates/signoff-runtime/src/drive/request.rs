//! What another process asks of a run, and how the two talk: by files in the run's directory.

use std::time::Duration;

use signoff_api::request::{self, Reply, Request};
use signoff_engine::{Actor, Input, PauseReason, PlanDraft};

/// How often this process looks for files that other processes write.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// A request to a run.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "there are few of them at a time, and each is moved once"
)]
pub enum RunRequest {
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

/// A request as the loop takes it.
pub(crate) fn to_request(what: request::RequestKind, by: String) -> RunRequest {
    RunRequest::Input(match what {
        request::RequestKind::Stop => return RunRequest::Stop,
        request::RequestKind::Abort => return RunRequest::Abort { by },
        request::RequestKind::Pause => Input::Pause {
            reason: PauseReason::Requested,
            by,
        },
        request::RequestKind::SkipStep { step } => Input::SkipStep { step, by },
        request::RequestKind::RetryStep { step, hint } => Input::RetryStep { step, hint, by },
        request::RequestKind::HandIn { draft, because } => Input::HandInVersion {
            by: writer(&draft, by),
            draft,
            because,
        },
        request::RequestKind::Replan {
            because,
            discoveries,
            expands,
        } => Input::RequestReplan {
            because,
            discoveries,
            by,
            expands,
        },
        request::RequestKind::Answer {
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

/// Who wrote a version: a person by name, anything else by its kind.
fn writer(draft: &PlanDraft, by: String) -> String {
    match draft.actor.as_deref() {
        Some(actor) if actor != Actor::Person.name() => actor.to_owned(),
        Some(_) | None => by,
    }
}

/// A request from its bytes; anything else is refused.
pub(crate) fn parse_request(bytes: &[u8]) -> Result<RunRequest, String> {
    let request: Request = serde_json::from_slice(bytes).map_err(|why| why.to_string())?;
    Ok(to_request(request.ask, request.by))
}

/// The bytes of a reply.
pub(crate) fn encode_reply(refused: Option<String>) -> Vec<u8> {
    serde_json::to_vec(&Reply { refused }).expect("one optional text has a form in JSON")
}

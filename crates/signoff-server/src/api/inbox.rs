//! What waits on a person.

use axum::http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use signoff_api::inbox::Inbox;
use signoff_api::request::RequestKind;
use signoff_engine::Choice;
use signoff_runtime::inbox::waiting_items;
use signoff_runtime::questions;
use signoff_runtime::runs::control::ask;
use signoff_runtime::runs::names::question_named;

use super::endpoint::{Endpoint, EndpointRequest, Nothing, endpoint};
use crate::calls::Call;
use crate::error::HttpError;

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(
            &Method::GET,
            "/api/inbox",
            "Lists what waits on a person.",
            list,
        ),
        endpoint(
            &Method::POST,
            "/api/inbox/{item}/answer",
            "Answers something in the inbox.",
            answer,
        ),
    ]
}

/// A person's answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerBody {
    /// One of the item's choices; `reply` answers a question with the note.
    pub(crate) choice: String,
    pub(crate) note: Option<String>,
    /// The steps that are meant, where the item is about several.
    #[serde(default)]
    pub(crate) steps: Vec<String>,
}

fn list(call: &Call, _asked: &EndpointRequest) -> Result<Inbox, HttpError> {
    let waiting = waiting_items(&call.project).map_err(|error| call.fail(error))?;
    Ok(Inbox::new(waiting.items, waiting.held))
}

/// Answers, and shows what still waits.
fn answer(call: &Call, asked: &EndpointRequest<Nothing, AnswerBody>) -> Result<Inbox, HttpError> {
    send_answer(call, asked.path_value("item"), &asked.body)?;
    list(call, &EndpointRequest::default())
}

/// Gives a person's answer to whoever asked.
pub(crate) fn send_answer(call: &Call, item: &str, body: &AnswerBody) -> Result<(), HttpError> {
    let question =
        questions::find_question(&call.project, item).map_err(|error| call.fail(error))?;
    if let Some(question) = question {
        let is_reply = body.choice == "reply" && !question.choices.contains(&body.choice);
        let text = body.note.as_deref().filter(|_| is_reply);
        let text = text.unwrap_or(&body.choice);
        let answered = questions::answer(call.by_person(), &question.id, text);
        return answered.map(drop).map_err(|error| call.fail(error));
    }
    let named = question_named(&call.project, item).map_err(|error| call.fail(error))?;
    let choice = Choice::from_name(&body.choice);
    let choice = choice.ok_or_else(|| {
        let message = format!("`{}` is not an answer", body.choice);
        HttpError::bad_request(&message)
    })?;
    let steps = if body.steps.is_empty() {
        named.step.iter().cloned().collect()
    } else {
        body.steps.clone()
    };
    let answer = RequestKind::Answer {
        item: named.item,
        steps,
        choice,
        note: body.note.clone(),
    };
    let asked = ask(&call.project, &named.run, answer, &call.clock);
    asked.map(drop).map_err(|error| call.fail(error))
}

//! What people say about a plan: comments, and a planner that is asked to write it anew.

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Redirect;
use axum::routing::post;
use serde::Deserialize;
use signoff_page::address::part;
use signoff_runtime::planning::{RegenerationOptions, start_regeneration};
use signoff_runtime::plans::{NewComment, comment, resolve_comment};

use super::frame::Nothing;
use crate::calls::{Call, call};
use crate::error::HttpError;
use crate::forms::PersonForm;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/plans/{plan}/comment", post(comment_on_plan))
        .route("/plans/{plan}/steps/{step}/comment", post(comment_on_step))
        .route("/plans/{plan}/comments/{comment}/resolve", post(resolve))
        .route("/plans/{plan}/regenerate", post(regenerate))
}

#[derive(Debug, Deserialize)]
struct CommentForm {
    text: String,
}

async fn comment_on_plan(
    State(state): State<AppState>,
    Path(plan): Path<String>,
    form: PersonForm<CommentForm>,
) -> Result<Redirect, HttpError> {
    let text = form.fields.text;
    call(&state, &form.session, move |call| {
        say(call, &plan, None, text)
    })
    .await
}

async fn comment_on_step(
    State(state): State<AppState>,
    Path((plan, step)): Path<(String, String)>,
    form: PersonForm<CommentForm>,
) -> Result<Redirect, HttpError> {
    let text = form.fields.text;
    call(&state, &form.session, move |call| {
        say(call, &plan, Some(step), text)
    })
    .await
}

fn say(call: &Call, plan: &str, step: Option<String>, text: String) -> Result<Redirect, HttpError> {
    let (path, name) = call.locate(plan)?;
    let place = match &step {
        Some(step) => format!("#step-{}", part(step)),
        None => "#comments".to_owned(),
    };
    let new = NewComment {
        step,
        text,
        ..NewComment::default()
    };
    comment(call.by_person(), &path, &name, &[new]).map_err(call.about(plan))?;
    let plan = part(plan);
    Ok(Redirect::to(&format!(
        "/plans/{plan}?done=commented{place}"
    )))
}

async fn resolve(
    State(state): State<AppState>,
    Path((plan, id)): Path<(String, String)>,
    form: PersonForm<Nothing>,
) -> Result<Redirect, HttpError> {
    call(&state, &form.session, move |call| {
        let (path, name) = call.locate(&plan)?;
        let done = resolve_comment(call.by_person(), &path, &name, &id);
        done.map_err(call.about(&plan))?;
        Ok(Redirect::to(&format!(
            "/plans/{}?done=resolved",
            part(&plan)
        )))
    })
    .await
}

/// What the planner is told; without a step it writes the whole plan.
#[derive(Debug, Deserialize)]
struct RegenerateForm {
    digest: Option<String>,
    step: Option<String>,
    comment: Option<String>,
}

async fn regenerate(
    State(state): State<AppState>,
    Path(plan): Path<String>,
    form: PersonForm<RegenerateForm>,
) -> Result<Redirect, HttpError> {
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let options = RegenerationOptions {
        step: given(form.fields.step),
        comment: given(form.fields.comment),
        expect_digest: given(form.fields.digest),
    };
    call(&state, &form.session, move |call| {
        let file = call.read_plan(&plan)?;
        let begun = start_regeneration(call.by_person(), &call.program, &file, &options);
        begun.map_err(call.about(&plan))?;
        Ok(Redirect::to(&format!("/plans/{}#planner", part(&plan))))
    })
    .await
}

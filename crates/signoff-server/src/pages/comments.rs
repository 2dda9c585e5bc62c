//! What people say about a plan: comments, and a planner that is asked to write it anew.

use axum::Router;
use axum::response::Redirect;
use serde::Deserialize;
use signoff_page::address::path_segment;
use signoff_runtime::planning::{RegenerationOptions, start_regeneration};
use signoff_runtime::plans::{NewComment, comment, resolve_comment};

use super::edit::redirect_to_plan;
use super::frame::EmptyForm;
use super::request::{PageRequest, form_route};
use crate::calls::Call;
use crate::error::HttpError;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/plans/{plan}/comment", form_route(comment_on_plan))
        .route(
            "/plans/{plan}/steps/{step}/comment",
            form_route(comment_on_step),
        )
        .route(
            "/plans/{plan}/comments/{comment}/resolve",
            form_route(resolve),
        )
        .route("/plans/{plan}/regenerate", form_route(regenerate))
}

#[derive(Debug, Deserialize)]
struct CommentForm {
    text: String,
}

fn comment_on_plan(call: &Call, asked: &PageRequest<CommentForm>) -> Result<Redirect, HttpError> {
    add_comment(call, asked, None)
}

fn comment_on_step(call: &Call, asked: &PageRequest<CommentForm>) -> Result<Redirect, HttpError> {
    let step = asked.path_segment("step").to_owned();
    add_comment(call, asked, Some(step))
}

fn add_comment(
    call: &Call,
    asked: &PageRequest<CommentForm>,
    step: Option<String>,
) -> Result<Redirect, HttpError> {
    let plan = asked.path_segment("plan");
    let (path, name) = call.locate_plan(plan)?;
    let place = match &step {
        Some(step) => format!("#step-{}", path_segment(step)),
        None => "#comments".to_owned(),
    };
    let new = NewComment {
        step,
        text: asked.sent.text.clone(),
        ..NewComment::default()
    };
    comment(call.by_person(), &path, &name, &[new]).map_err(call.fail_about(plan))?;
    let plan = path_segment(plan);
    Ok(Redirect::to(&format!(
        "/plans/{plan}?done=commented{place}"
    )))
}

fn resolve(call: &Call, asked: &PageRequest<EmptyForm>) -> Result<Redirect, HttpError> {
    let plan = asked.path_segment("plan");
    let (path, name) = call.locate_plan(plan)?;
    let done = resolve_comment(
        call.by_person(),
        &path,
        &name,
        asked.path_segment("comment"),
    );
    done.map_err(call.fail_about(plan))?;
    Ok(redirect_to_plan(plan, "resolved"))
}

/// What the planner is told; without a step it writes the whole plan.
#[derive(Debug, Deserialize)]
struct RegenerateForm {
    digest: Option<String>,
    step: Option<String>,
    comment: Option<String>,
}

fn regenerate(call: &Call, asked: &PageRequest<RegenerateForm>) -> Result<Redirect, HttpError> {
    let (plan, form) = (asked.path_segment("plan"), &asked.sent);
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let options = RegenerationOptions {
        step: given(&form.step),
        comment: given(&form.comment),
        expect_digest: given(&form.digest),
    };
    let file = call.read_plan(plan)?;
    let begun = start_regeneration(call.by_person(), &call.program, &file, &options);
    begun.map_err(call.fail_about(plan))?;
    Ok(Redirect::to(&format!(
        "/plans/{}#planner",
        path_segment(plan)
    )))
}

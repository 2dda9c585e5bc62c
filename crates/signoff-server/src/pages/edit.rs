//! Changing a plan: the order of its steps, steps that are left out, and the text itself.

use std::fmt::Write as _;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{Html, Redirect};
use axum::routing::{get, post};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use signoff_api::diagnostics::Diagnostic;
use signoff_page::address::part;
use signoff_page::frame::Place;
use signoff_page::review::text::TextView;
use signoff_plan::edit::StepPlace;
use signoff_runtime::Error;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{EditOptions, PlanChange, edit, edit_text};

use super::frame::{Screen, page};
use crate::calls::{Call, call};
use crate::error::HttpError;
use crate::forms::PersonForm;
use crate::sessions::Session;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/plans/{plan}/text", get(show_text).post(save_text))
        .route("/plans/{plan}/steps/{step}/move", post(move_step))
        .route("/plans/{plan}/steps/{step}/skip", post(skip))
}

/// Where a step goes.
#[derive(Debug, Deserialize)]
struct MoveForm {
    digest: String,
    before: Option<String>,
    after: Option<String>,
    /// `up` or `down`, from a page without scripts.
    to: Option<String>,
}

async fn move_step(
    State(state): State<AppState>,
    Path((plan, step)): Path<(String, String)>,
    form: PersonForm<MoveForm>,
) -> Result<Redirect, HttpError> {
    let fields = form.fields;
    call(&state, &form.session, move |call| {
        let place = match (fields.before, fields.after) {
            (Some(before), _) => StepPlace::Before(before),
            (None, Some(after)) => StepPlace::After(after),
            (None, None) => neighbour(&call.read_plan(&plan)?, &step, fields.to.as_deref())?,
        };
        make(
            call,
            &plan,
            &[PlanChange::MoveStep { step, place }],
            &fields.digest,
            "moved",
        )
    })
    .await
}

/// One place up or down.
fn neighbour(plan: &PlanFile, step: &str, to: Option<&str>) -> Result<StepPlace, HttpError> {
    let ids: Vec<&str> = plan
        .checked
        .plan
        .steps
        .iter()
        .map(|one| one.id.as_str())
        .collect();
    let at = ids.iter().position(|id| *id == step);
    let place = at.and_then(|at| match to {
        Some("up") => ids
            .get(at.checked_sub(1)?)
            .map(|id| StepPlace::Before((*id).to_owned())),
        _ => ids.get(at + 1).map(|id| StepPlace::After((*id).to_owned())),
    });
    place.ok_or_else(|| HttpError::bad_request("there is no such place"))
}

#[derive(Debug, Deserialize)]
struct SkipForm {
    digest: String,
}

async fn skip(
    State(state): State<AppState>,
    Path((plan, step)): Path<(String, String)>,
    form: PersonForm<SkipForm>,
) -> Result<Redirect, HttpError> {
    let fields = form.fields;
    call(&state, &form.session, move |call| {
        make(
            call,
            &plan,
            &[PlanChange::SkipStep { step }],
            &fields.digest,
            "edited",
        )
    })
    .await
}

/// Changes the plan that the person saw.
pub(super) fn make(
    call: &Call,
    plan: &str,
    changes: &[PlanChange],
    digest: &str,
    done: &str,
) -> Result<Redirect, HttpError> {
    if !changes.is_empty() {
        let (path, name) = call.locate(plan)?;
        let options = EditOptions {
            expect_version: None,
            expect_digest: Some(digest.to_owned()),
        };
        edit(call.by_person(), &path, &name, changes, &options).map_err(call.about(plan))?;
    }
    Ok(Redirect::to(&format!("/plans/{}?done={done}", part(plan))))
}

async fn show_text(
    State(state): State<AppState>,
    session: Session,
    Path(plan): Path<String>,
) -> Result<Html<String>, HttpError> {
    let person = session.clone();
    call(&state, &session, move |call| {
        let file = call.read_plan(&plan)?;
        let problems: Vec<Diagnostic> = (file.checked.diagnostics.iter())
            .map(|one| Diagnostic::new(one, &file.source))
            .collect();
        let view = TextView {
            key: &file.key(&call.project).map_err(call.about(&plan))?,
            title: file.checked.plan.display_title(),
            text: file.source.text(),
            opened: &text_hash(&file),
            problems: &problems,
            csrf: &person.csrf,
        };
        let screen = Screen {
            title: view.title.to_owned(),
            place: Place::Plans,
            events: None,
            html: view.render(),
            done: None,
        };
        page(call, &person, &screen)
    })
    .await
}

#[derive(Debug, Deserialize)]
struct TextForm {
    text: String,
    opened: String,
}

async fn save_text(
    State(state): State<AppState>,
    Path(plan): Path<String>,
    form: PersonForm<TextForm>,
) -> Result<Redirect, HttpError> {
    let TextForm { text, opened } = form.fields;
    call(&state, &form.session, move |call| {
        let file = call.read_plan(&plan)?;
        if text_hash(&file) != opened {
            return Err(call.fail(Error::EditedMeanwhile {
                plan: file.source.name().to_owned(),
            }));
        }
        // Browsers send the line ends of mail; a file keeps its own.
        let text = if file.source.text().contains("\r\n") {
            text
        } else {
            text.replace("\r\n", "\n")
        };
        let (path, name) = call.locate(&plan)?;
        edit_text(
            call.by_person(),
            &path,
            &name,
            text.as_bytes(),
            &file.source,
        )
        .map_err(call.about(&plan))?;
        Ok(Redirect::to(&format!("/plans/{}?done=edited", part(&plan))))
    })
    .await
}

/// Which text the editor was opened with.
fn text_hash(plan: &PlanFile) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(plan.source.bytes()) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

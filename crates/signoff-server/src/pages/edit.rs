//! Changing a plan: the order of its steps, steps that are left out, and the text itself.

use std::fmt::Write as _;

use axum::Router;
use axum::response::{Html, Redirect};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use signoff_api::diagnostics::Diagnostic;
use signoff_page::address::path_segment;
use signoff_page::frame::Place;
use signoff_page::review::text::TextView;
use signoff_plan::edit::StepPlace;
use signoff_runtime::Error;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{EditOptions, PlanChange, PlanView, edit, edit_text};

use super::frame::{EmptyForm, Screen, page};
use super::request::{PageRequest, form_route, shows};
use crate::calls::Call;
use crate::error::HttpError;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route(
            "/plans/{plan}/text",
            shows(show_text).merge(form_route(save_text)),
        )
        .route("/plans/{plan}/steps/{step}/move", form_route(move_step))
        .route("/plans/{plan}/steps/{step}/skip", form_route(skip))
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

fn move_step(call: &Call, asked: &PageRequest<MoveForm>) -> Result<Redirect, HttpError> {
    let (plan, step) = (
        asked.path_segment("plan"),
        asked.path_segment("step").to_owned(),
    );
    let to = &asked.sent;
    let place = match (&to.before, &to.after) {
        (Some(before), _) => StepPlace::Before(before.clone()),
        (None, Some(after)) => StepPlace::After(after.clone()),
        (None, None) => neighbour(&call.read_plan(plan)?, &step, to.to.as_deref())?,
    };
    let moved = [PlanChange::MoveStep { step, place }];
    apply_change(call, plan, &moved, &to.digest, "moved")
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

fn skip(call: &Call, asked: &PageRequest<SkipForm>) -> Result<Redirect, HttpError> {
    let step = asked.path_segment("step").to_owned();
    let skipped = [PlanChange::SkipStep { step }];
    apply_change(
        call,
        asked.path_segment("plan"),
        &skipped,
        &asked.sent.digest,
        "edited",
    )
}

/// Changes the plan that the person saw.
pub(super) fn apply_change(
    call: &Call,
    plan: &str,
    changes: &[PlanChange],
    digest: &str,
    done: &str,
) -> Result<Redirect, HttpError> {
    if !changes.is_empty() {
        let (path, name) = call.locate_plan(plan)?;
        let options = EditOptions {
            expect_version: None,
            expect_digest: Some(digest.to_owned()),
        };
        let edited = edit(call.by_person(), &path, &name, changes, &options);
        let edited = edited.map_err(call.fail_about(plan))?;
        return Ok(redirect_to_edited(
            plan,
            done,
            edited.voids_signature,
            edited.step.as_deref(),
        ));
    }
    Ok(redirect_to_plan(plan, done))
}

/// To where the plan was changed, with a word about it.
fn redirect_to_edited(plan: &str, done: &str, is_unsigned: bool, step: Option<&str>) -> Redirect {
    let unsigned = if is_unsigned { "-unsigned" } else { "" };
    let place = step.map_or_else(String::new, |step| format!("#step-{}", path_segment(step)));
    let plan = path_segment(plan);
    Redirect::to(&format!("/plans/{plan}?done={done}{unsigned}{place}"))
}

/// To the plan, with a word about what was done.
pub(super) fn redirect_to_plan(plan: &str, done: &str) -> Redirect {
    Redirect::to(&format!("/plans/{}?done={done}", path_segment(plan)))
}

fn show_text(call: &Call, asked: &PageRequest<EmptyForm>) -> Result<Html<String>, HttpError> {
    let plan = asked.path_segment("plan");
    let file = call.read_plan(plan)?;
    let problems: Vec<Diagnostic> = (file.checked.diagnostics.iter())
        .map(|one| Diagnostic::new(one, &file.source))
        .collect();
    let view = TextView {
        key: &file.key(&call.project).map_err(call.fail_about(plan))?,
        title: file.checked.plan.display_title(),
        text: file.source.text(),
        opened: &text_hash(&file),
        problems: &problems,
        csrf: &asked.person.csrf,
    };
    let screen = Screen {
        title: view.title.to_owned(),
        place: Place::Plans,
        events: None,
        html: view.render(),
        done: None,
    };
    page(call, &asked.person, &screen)
}

#[derive(Debug, Deserialize)]
struct TextForm {
    text: String,
    opened: String,
}

fn save_text(call: &Call, asked: &PageRequest<TextForm>) -> Result<Redirect, HttpError> {
    let plan = asked.path_segment("plan");
    let TextForm { text, opened } = &asked.sent;
    let file = call.read_plan(plan)?;
    if text_hash(&file) != *opened {
        return Err(call.fail(Error::EditedMeanwhile {
            plan: file.source.name().to_owned(),
        }));
    }
    // Browsers send the line ends of mail; a file keeps its own.
    let text = if file.source.text().contains("\r\n") {
        text.clone()
    } else {
        text.replace("\r\n", "\n")
    };
    let view = PlanView::of(&call.project, &file).map_err(call.fail_about(plan))?;
    let was_signed = view.status.as_ref().is_some_and(|status| status.signed);
    let (path, name) = call.locate_plan(plan)?;
    let saved = edit_text(
        call.by_person(),
        &path,
        &name,
        text.as_bytes(),
        &file.source,
    );
    let saved = saved.map_err(call.fail_about(plan))?;
    let is_unsigned = was_signed && saved.plan.digest() != file.digest();
    Ok(redirect_to_edited(plan, "edited", is_unsigned, None))
}

/// Which text the editor was opened with.
fn text_hash(plan: &PlanFile) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(plan.source.bytes()) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

//! Changing a plan: one step in a form, the order of the steps, the text itself; and comments.

use std::fmt::Write as _;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{Html, Redirect};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use signoff_api::diagnostics::Diagnostic;
use signoff_api::plan::{Step, Work};
use signoff_page::address::part;
use signoff_page::frame::Place;
use signoff_page::review::text::TextView;
use signoff_plan::edit::{NewStep, StepPlace};
use signoff_runtime::Error;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{
    EditOptions, NewComment, PlanChange, PlanView, comment, edit, edit_text,
};

use super::frame::{Screen, page};
use crate::calls::{Call, call};
use crate::error::HttpError;
use crate::forms::PersonForm;
use crate::sessions::Session;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/plans/{plan}/text", get(show_text).post(save_text))
        .route("/plans/{plan}/steps", post(add))
        .route("/plans/{plan}/steps/{step}/edit", post(edit_step))
        .route("/plans/{plan}/steps/{step}/move", post(move_step))
        .route("/plans/{plan}/steps/{step}/skip", post(skip))
        .route("/plans/{plan}/steps/{step}/comment", post(comment_on))
}

/// A step as the form has it. What is missing stays.
#[derive(Debug, Deserialize)]
struct StepForm {
    digest: String,
    title: Option<String>,
    task: Option<String>,
    contract: Option<String>,
    depends_on: Option<String>,
    on_fail: Option<String>,
}

async fn edit_step(
    State(state): State<AppState>,
    Path((plan, step)): Path<(String, String)>,
    form: PersonForm<StepForm>,
) -> Result<Redirect, HttpError> {
    let fields = form.fields;
    call(&state, &form.session, move |call| {
        let file = call.read_plan(&plan)?;
        let view = PlanView::of(&call.project, &file).map_err(call.about(&plan))?;
        let shown = view.to_api(&file);
        let now = shown.steps.iter().find(|one| one.id == step);
        let changes = now.map_or_else(Vec::new, |now| changed_fields(now, &fields));
        make(call, &plan, &changes, &fields.digest, "edited")
    })
    .await
}

/// What the form says otherwise than the plan does.
fn changed_fields(now: &Step, form: &StepForm) -> Vec<PlanChange> {
    let task = match &now.work {
        Work::Agent { task, .. } => task.as_str(),
        Work::Tool { .. } | Work::Ask { .. } | Work::Check => "",
    };
    let contract = now
        .contract
        .as_ref()
        .map_or("", |contract| contract.command.as_str());
    let on_fail = format!("retry {} then {}", now.on_fail.retries, now.on_fail.then);
    let dependencies = now.depends_on.join(", ");
    let fields = [
        ("title", &form.title, now.title.as_str()),
        ("task", &form.task, task),
        ("contract", &form.contract, contract),
        ("depends_on", &form.depends_on, dependencies.as_str()),
        ("on_fail", &form.on_fail, on_fail.as_str()),
    ];
    let changed = fields.into_iter().filter_map(|(name, new, old)| {
        let new = new.as_deref()?.replace("\r\n", "\n");
        (new.trim() != old.trim()).then(|| PlanChange::SetStep {
            step: now.id.clone(),
            field: name.to_owned(),
            value: field_value(name, new.trim()),
        })
    });
    changed.collect()
}

fn field_value(name: &str, text: &str) -> Value {
    match name {
        "depends_on" => text
            .split(',')
            .map(str::trim)
            .filter(|id| !id.is_empty())
            .map(Value::from)
            .collect(),
        _ if text.is_empty() => Value::Null,
        _ => Value::from(text),
    }
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

#[derive(Debug, Deserialize)]
struct NewStepForm {
    digest: String,
    title: String,
    #[serde(default)]
    task: String,
    #[serde(default)]
    contract: String,
}

async fn add(
    State(state): State<AppState>,
    Path(plan): Path<String>,
    form: PersonForm<NewStepForm>,
) -> Result<Redirect, HttpError> {
    let fields = form.fields;
    call(&state, &form.session, move |call| {
        let given = [("task", &fields.task), ("contract", &fields.contract)];
        let given = given
            .into_iter()
            .filter(|(_, text)| !text.trim().is_empty());
        let step = NewStep {
            title: fields.title.clone(),
            fields: given
                .map(|(name, text)| (name.to_owned(), Value::from(text.trim())))
                .collect(),
        };
        let change = PlanChange::AddStep {
            step,
            place: StepPlace::Last,
        };
        make(call, &plan, &[change], &fields.digest, "edited")
    })
    .await
}

/// Changes the plan that the person saw.
fn make(
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

#[derive(Debug, Deserialize)]
struct CommentForm {
    text: String,
}

async fn comment_on(
    State(state): State<AppState>,
    Path((plan, step)): Path<(String, String)>,
    form: PersonForm<CommentForm>,
) -> Result<Redirect, HttpError> {
    let text = form.fields.text;
    call(&state, &form.session, move |call| {
        let (path, name) = call.locate(&plan)?;
        let new = NewComment {
            step: Some(step.clone()),
            text,
            ..NewComment::default()
        };
        comment(call.by_person(), &path, &name, &[new]).map_err(call.about(&plan))?;
        Ok(Redirect::to(&format!(
            "/plans/{}?done=commented#step-{}",
            part(&plan),
            part(&step)
        )))
    })
    .await
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
            key: &file.key(&call.project),
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

//! A step in a form: what is wrong with it while it is typed, and what it changes once it is sent.

use axum::response::Redirect;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signoff_api::diagnostics::Diagnostic;
use signoff_api::plan::{Step, Work};
use signoff_page::review::step::{on_fail_text, tools_text};
use signoff_plan::edit::{NewStep, StepPlace};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{PlanChange, PlanView, try_edit};

use super::edit::apply_change;
use super::request::{PageRequest, form_route};
use crate::calls::Call;
use crate::error::HttpError;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/plans/{plan}/steps", form_route(add))
        .route("/plans/{plan}/steps/check", form_route(check_new))
        .route("/plans/{plan}/steps/{step}/edit", form_route(edit_step))
        .route("/plans/{plan}/steps/{step}/check", form_route(check_step))
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
    tools: Option<String>,
    target: Option<String>,
}

/// A step that is added at the end.
#[derive(Debug, Deserialize)]
struct NewStepForm {
    digest: String,
    title: String,
    #[serde(default)]
    task: String,
    #[serde(default)]
    contract: String,
    #[serde(default)]
    depends_on: String,
    #[serde(default)]
    target: String,
}

/// What is wrong with what is typed.
#[derive(Debug, Serialize)]
struct FormProblems {
    problems: Vec<FormProblem>,
}

#[derive(Debug, Serialize)]
struct FormProblem {
    /// The field that it is about; `null` = the step.
    field: Option<String>,
    severity: String,
    message: String,
    help: Option<String>,
    code: String,
}

fn edit_step(call: &Call, asked: &PageRequest<StepForm>) -> Result<Redirect, HttpError> {
    let plan = asked.path_segment("plan");
    let file = call.read_plan(plan)?;
    let changes = changes(call, &file, asked)?;
    apply_change(call, plan, &changes, &asked.sent.digest, "edited")
}

fn check_step(call: &Call, asked: &PageRequest<StepForm>) -> Result<Json<FormProblems>, HttpError> {
    let file = call.read_plan(asked.path_segment("plan"))?;
    let mut changes = changes(call, &file, asked)?;
    if changes.is_empty() {
        // What is wrong with it as it is stands under its fields too.
        let title = asked.sent.title.clone().unwrap_or_default();
        changes.push(set_field(
            asked.path_segment("step"),
            "title",
            Value::from(title),
        ));
    }
    Ok(Json(problems(call, &file, &changes)))
}

fn add(call: &Call, asked: &PageRequest<NewStepForm>) -> Result<Redirect, HttpError> {
    let added = [addition(&asked.sent)];
    apply_change(
        call,
        asked.path_segment("plan"),
        &added,
        &asked.sent.digest,
        "edited",
    )
}

fn check_new(
    call: &Call,
    asked: &PageRequest<NewStepForm>,
) -> Result<Json<FormProblems>, HttpError> {
    // Nobody has begun it.
    if asked.sent.title.trim().is_empty() {
        let problems = Vec::new();
        return Ok(Json(FormProblems { problems }));
    }
    let file = call.read_plan(asked.path_segment("plan"))?;
    Ok(Json(problems(call, &file, &[addition(&asked.sent)])))
}

/// What the checks say of changes, each with its field.
fn problems(call: &Call, file: &PlanFile, changes: &[PlanChange]) -> FormProblems {
    let trial = try_edit(&call.project, file, changes);
    let refused = trial.refused.into_iter().map(|(field, error)| {
        let error = call.fail(error).error;
        FormProblem {
            field,
            severity: "error".to_owned(),
            message: error.message.clone(),
            help: error.hints.first().cloned(),
            code: error.code.clone(),
        }
    });
    let refused: Vec<FormProblem> = refused.collect();
    let found = trial.problems.iter().map(|found| {
        let told = Diagnostic::new(&found.diagnostic, &trial.plan.source);
        FormProblem {
            field: found.field.map(str::to_owned),
            severity: told.severity,
            message: told.message,
            help: told.help,
            code: told.code,
        }
    });
    FormProblems {
        problems: refused.into_iter().chain(found).collect(),
    }
}

/// What the form says otherwise than the plan does.
fn changes(
    call: &Call,
    file: &PlanFile,
    asked: &PageRequest<StepForm>,
) -> Result<Vec<PlanChange>, HttpError> {
    let view =
        PlanView::of(&call.project, file).map_err(call.fail_about(asked.path_segment("plan")))?;
    let (shown, step) = (view.to_api(file), asked.path_segment("step"));
    let now = shown.steps.iter().find(|one| one.id == step);
    Ok(now.map_or_else(Vec::new, |now| changed_fields(now, &asked.sent)))
}

fn changed_fields(now: &Step, form: &StepForm) -> Vec<PlanChange> {
    let (task, role) = match &now.work {
        Work::Agent { task, role } => (task.as_str(), role.as_deref().unwrap_or_default()),
        Work::Tool { .. } | Work::Ask { .. } | Work::Check => ("", ""),
    };
    let contract = now
        .contract
        .as_ref()
        .map_or("", |contract| contract.command.as_str());
    let (on_fail, tools) = (on_fail_text(&now.on_fail), tools_text(now.tools.as_deref()));
    let dependencies = now.depends_on.join(", ");
    let fields = [
        ("title", &form.title, now.title.as_str()),
        ("task", &form.task, task),
        ("contract", &form.contract, contract),
        ("depends_on", &form.depends_on, dependencies.as_str()),
        ("on_fail", &form.on_fail, on_fail.as_str()),
        ("tools", &form.tools, tools.as_str()),
        ("target", &form.target, role),
    ];
    let changed = fields.into_iter().filter_map(|(name, new, old)| {
        let new = new.as_deref()?.replace("\r\n", "\n");
        (new.trim() != old.trim()).then(|| set_field(&now.id, name, field_value(name, new.trim())))
    });
    changed.collect()
}

fn set_field(step: &str, field: &str, value: Value) -> PlanChange {
    PlanChange::SetStep {
        step: step.to_owned(),
        field: field.to_owned(),
        value,
    }
}

fn field_value(name: &str, text: &str) -> Value {
    let names = || {
        let names = text.split(',').map(str::trim);
        names.filter(|name| !name.is_empty() && *name != "none")
    };
    match name {
        "depends_on" => names().map(Value::from).collect(),
        "tools" if !text.is_empty() => names().map(Value::from).collect(),
        _ if text.is_empty() => Value::Null,
        _ => Value::from(text),
    }
}

fn addition(fields: &NewStepForm) -> PlanChange {
    let given = [
        ("task", &fields.task),
        ("contract", &fields.contract),
        ("depends_on", &fields.depends_on),
        ("target", &fields.target),
    ];
    let given = given
        .into_iter()
        .filter(|(_, text)| !text.trim().is_empty());
    let value = |name, text: &str| field_value(name, text.replace("\r\n", "\n").trim());
    PlanChange::AddStep {
        step: NewStep {
            title: fields.title.trim().to_owned(),
            fields: given
                .map(|(name, text)| (name.to_owned(), value(name, text)))
                .collect(),
        },
        place: StepPlace::Last,
    }
}

//! Plans: what there is, and new texts.

use axum::http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_api::diagnostics::{Diagnostic, Diagnostics};
use signoff_api::plan::Plan;
use signoff_api::plan_ref::PlanRef;
use signoff_api::plans::{Plans, SCHEMA};
use signoff_engine::PlanState;
use signoff_runtime::advice::revise;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{EditOptions, ListOptions, PlanView, Revision, propose_text};

use super::endpoint::{Endpoint, EndpointRequest, Nothing, endpoint};
use crate::calls::Call;
use crate::error::HttpError;

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let (get, post) = (Method::GET, Method::POST);
    vec![
        endpoint(&get, "/api/plans", "Lists the plans, newest first.", list),
        endpoint(&post, "/api/plans", "Hands in a new plan.", propose),
        endpoint(
            &post,
            "/api/check",
            "Checks a text, and keeps nothing of it.",
            check,
        ),
        endpoint(
            &get,
            "/api/plans/{plan}",
            "Shows a plan as it is understood.",
            show,
        ),
        endpoint(&get, "/api/plans/{plan}/text", "Shows a plan's text.", text),
        endpoint(
            &get,
            "/api/plans/{plan}/diagnostics",
            "Shows the problems of a plan.",
            problems,
        ),
        endpoint(
            &post,
            "/api/plans/{plan}/revise",
            "Hands in a new version of a plan.",
            revise_plan,
        ),
    ]
}

/// Which plans are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Only those in this state.
    status: Option<String>,
    /// Also those in the archive.
    #[serde(default)]
    archived: bool,
}

/// The text of a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PlanText {
    text: String,
}

/// A new text for a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewText {
    /// Without one, the file as it was edited in its place.
    text: Option<String>,
    /// The version that it was made from: another one is a conflict.
    expect_version: Option<u64>,
    /// The digest of the plan that it was made from: another one is a conflict.
    expect_digest: Option<String>,
}

/// A plan's text, and what it is the text of.
#[derive(Debug, Serialize, JsonSchema)]
struct ShownText {
    id: String,
    version: Option<u64>,
    digest: String,
    dialect: String,
    text: String,
}

fn list(call: &Call, asked: &EndpointRequest<ListQuery>) -> Result<Plans, HttpError> {
    let state = |name: &String| {
        let found = PlanState::from_name(name);
        found.ok_or_else(|| HttpError::bad_request(&format!("`{name}` is not a state of plans")))
    };
    let states = asked.query.status.iter().map(state);
    let options = ListOptions {
        states: states.collect::<Result<_, _>>()?,
        archived: asked.query.archived,
        expire: false,
    };
    let listing = signoff_runtime::plans::list(call.by_person(), &options);
    let listing = listing.map_err(|error| call.fail(error))?;
    let here = &call.project.process.directory;
    let plans = listing.plans.iter().map(|plan| plan.to_api(here));
    Ok(Plans {
        schema: SCHEMA.to_owned(),
        plans: plans.collect(),
    })
}

fn show(call: &Call, asked: &EndpointRequest) -> Result<Plan, HttpError> {
    let name = asked.path_value("plan");
    let plan = call.read_plan(name)?;
    let view = PlanView::of(&call.project, &plan).map_err(call.fail_about(name))?;
    Ok(view.to_api(&plan))
}

fn text(call: &Call, asked: &EndpointRequest) -> Result<ShownText, HttpError> {
    let name = asked.path_value("plan");
    let plan = call.read_plan(name)?;
    Ok(ShownText {
        id: plan.key(&call.project).map_err(call.fail_about(name))?,
        version: plan.checked.plan.version,
        digest: plan.digest().to_string(),
        dialect: plan.checked.dialect.as_str().to_owned(),
        text: String::from_utf8_lossy(plan.source.bytes()).into_owned(),
    })
}

fn problems(call: &Call, asked: &EndpointRequest) -> Result<Diagnostics, HttpError> {
    Ok(diagnostics(&call.read_plan(asked.path_value("plan"))?))
}

fn check(
    call: &Call,
    asked: &EndpointRequest<Nothing, PlanText>,
) -> Result<Diagnostics, HttpError> {
    let workspace = call.project.workspace();
    let plan = PlanFile::of_text(&asked.body.text, None, &workspace);
    Ok(diagnostics(&plan.map_err(|error| call.fail(error))?))
}

fn diagnostics(plan: &PlanFile) -> Diagnostics {
    let found = plan.checked.diagnostics.iter();
    let found = found.map(|one| Diagnostic::new(one, &plan.source));
    Diagnostics::new(found.collect())
}

fn propose(call: &Call, asked: &EndpointRequest<Nothing, PlanText>) -> Result<PlanRef, HttpError> {
    let done = propose_text(call.by_person(), asked.body.text.as_bytes());
    Ok(done.map_err(|error| call.fail(error))?.to_api())
}

fn revise_plan(
    call: &Call,
    asked: &EndpointRequest<Nothing, NewText>,
) -> Result<PlanRef, HttpError> {
    let name = asked.path_value("plan");
    let (path, shown) = call.locate_plan(name)?;
    let revision = match &asked.body.text {
        Some(text) => Revision::Text(text.clone().into_bytes()),
        None => Revision::InPlace,
    };
    let expected = EditOptions {
        expect_version: asked.body.expect_version,
        expect_digest: asked.body.expect_digest.clone(),
    };
    let done = revise(call.by_person(), &path, &shown, &revision, &expected);
    Ok(done.map_err(call.fail_about(name))?.to_api())
}

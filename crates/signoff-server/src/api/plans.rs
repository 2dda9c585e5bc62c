//! Plans: what there is, and what a person makes of it.

use axum::http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use signoff_api::plan::Plan;
use signoff_api::plans::{Plans, SCHEMA};
use signoff_runtime::plans::{ListOptions, PlanView};

use super::endpoint::{Asked, Endpoint, endpoint};
use crate::calls::Call;
use crate::error::HttpError;

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(
            Method::GET,
            "/api/plans",
            "Lists the plans, newest first.",
            list,
        ),
        endpoint(
            Method::GET,
            "/api/plans/{plan}",
            "Shows a plan as it is understood.",
            show,
        ),
    ]
}

/// Which plans are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListQuery {
    /// Also those in the archive.
    #[serde(default)]
    archived: bool,
}

fn list(call: &Call, asked: &Asked<ListQuery>) -> Result<Plans, HttpError> {
    let options = ListOptions {
        states: Vec::new(),
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

fn show(call: &Call, asked: &Asked) -> Result<Plan, HttpError> {
    let name = asked.named("plan");
    let plan = call.read_plan(name)?;
    let view = PlanView::of(&call.project, &plan).map_err(call.about(name))?;
    Ok(view.to_api(&plan))
}

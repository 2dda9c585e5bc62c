//! What a person says about a plan, and changes in it.

use std::collections::BTreeMap;

use axum::http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use signoff_api::comments::Comments;
use signoff_api::plan_ref::PlanRef;
use signoff_api::regeneration::Regeneration;
use signoff_plan::edit::{NewStep, StepPlace};
use signoff_runtime::planning::{RegenerationOptions, regeneration, start_regeneration};
use signoff_runtime::plans::{
    EditOptions, NewComment, PlanChange, comment, comments, edit, resolve_comment,
};

use super::endpoint::{Endpoint, EndpointRequest, Nothing, endpoint};
use crate::calls::Call;
use crate::error::HttpError;

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let (get, post) = (Method::GET, Method::POST);
    vec![
        endpoint(
            &get,
            "/api/plans/{plan}/comments",
            "Lists what was said about a plan.",
            list,
        ),
        endpoint(
            &post,
            "/api/plans/{plan}/comments",
            "Says something about a plan or a step.",
            add_comment,
        ),
        endpoint(
            &post,
            "/api/plans/{plan}/comments/{comment}/resolve",
            "Settles a comment.",
            resolve,
        ),
        endpoint(
            &post,
            "/api/plans/{plan}/edit",
            "Changes something in a plan, and nothing else.",
            change,
        ),
        endpoint(
            &post,
            "/api/plans/{plan}/regenerate",
            "Has the planner write a plan or a step anew, in a process of its own.",
            regenerate,
        ),
        endpoint(
            &get,
            "/api/plans/{plan}/regenerate",
            "Shows how far the planner is with a plan, or how it ended.",
            show_regeneration,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CommentBody {
    /// The step that it is about; without one, the plan.
    step: Option<String>,
    text: String,
}

/// Changes of the plan that was shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditBody {
    changes: Vec<ChangeBody>,
    /// The version that was shown: another one is a conflict.
    expect_version: Option<u64>,
    /// The digest that was shown: another one is a conflict.
    expect_digest: Option<String>,
}

/// What the planner is told.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RegenerateBody {
    /// The only step that may change, by its id or number; without one, the whole plan.
    step: Option<String>,
    /// What is to be different. It becomes a comment on the step or the plan. Without one, every rejection and the comments
    /// that are open are all the planner is told.
    comment: Option<String>,
    /// The digest that was shown: another one is a conflict.
    expect_digest: Option<String>,
}

/// One change; steps are named by id or number.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum ChangeBody {
    /// A field of the plan gets a value; `null` takes it away.
    SetPlan { field: String, value: Value },
    /// A field of a step gets a value; `null` takes it away.
    SetStep {
        step: String,
        field: String,
        value: Value,
    },
    /// A step is added before another one; without one, at the end.
    AddStep {
        title: String,
        /// Its other fields, by name.
        #[serde(default)]
        fields: BTreeMap<String, Value>,
        before: Option<String>,
    },
    /// A step moves before another one; without one, to the end.
    MoveStep {
        step: String,
        before: Option<String>,
    },
    /// A step is left out of runs.
    SkipStep { step: String },
}

fn list(call: &Call, asked: &EndpointRequest) -> Result<Comments, HttpError> {
    let name = asked.path_value("plan");
    let plan = call.read_plan(name)?;
    comments(&call.project, &plan).map_err(call.fail_about(name))
}

fn add_comment(
    call: &Call,
    asked: &EndpointRequest<Nothing, CommentBody>,
) -> Result<Comments, HttpError> {
    let name = asked.path_value("plan");
    let (path, shown) = call.locate_plan(name)?;
    let new = NewComment {
        step: asked.body.step.clone(),
        text: asked.body.text.clone(),
        ..NewComment::default()
    };
    let done = comment(call.by_person(), &path, &shown, &[new]);
    Ok(done.map_err(call.fail_about(name))?.comments)
}

fn resolve(call: &Call, asked: &EndpointRequest) -> Result<Comments, HttpError> {
    let (name, id) = (asked.path_value("plan"), asked.path_value("comment"));
    let (path, shown) = call.locate_plan(name)?;
    let done = resolve_comment(call.by_person(), &path, &shown, id);
    Ok(done.map_err(call.fail_about(name))?.comments)
}

fn change(call: &Call, asked: &EndpointRequest<Nothing, EditBody>) -> Result<PlanRef, HttpError> {
    let (name, body) = (asked.path_value("plan"), &asked.body);
    let (path, shown) = call.locate_plan(name)?;
    let changes: Vec<PlanChange> = body.changes.iter().cloned().map(Into::into).collect();
    let options = EditOptions {
        expect_version: body.expect_version,
        expect_digest: body.expect_digest.clone(),
    };
    let done = edit(call.by_person(), &path, &shown, &changes, &options);
    Ok(done.map_err(call.fail_about(name))?.done.to_api())
}

fn regenerate(
    call: &Call,
    asked: &EndpointRequest<Nothing, RegenerateBody>,
) -> Result<Regeneration, HttpError> {
    let (name, body) = (asked.path_value("plan"), &asked.body);
    let plan = call.read_plan(name)?;
    let options = RegenerationOptions {
        step: body.step.clone(),
        comment: body.comment.clone(),
        expect_digest: body.expect_digest.clone(),
    };
    let begun = start_regeneration(call.by_person(), &call.program, &plan, &options);
    begun.map_err(call.fail_about(name))
}

fn show_regeneration(call: &Call, asked: &EndpointRequest) -> Result<Regeneration, HttpError> {
    let name = asked.path_value("plan");
    let plan = call.read_plan(name)?;
    regeneration(&call.project, &plan).map_err(call.fail_about(name))
}

fn step_place(before: Option<String>) -> StepPlace {
    before.map_or(StepPlace::Last, StepPlace::Before)
}

impl From<ChangeBody> for PlanChange {
    fn from(change: ChangeBody) -> Self {
        match change {
            ChangeBody::SetPlan { field, value } => Self::SetPlan { field, value },
            ChangeBody::SetStep { step, field, value } => Self::SetStep { step, field, value },
            ChangeBody::AddStep {
                title,
                fields,
                before,
            } => Self::AddStep {
                step: NewStep {
                    title,
                    fields: fields.into_iter().collect(),
                },
                place: step_place(before),
            },
            ChangeBody::MoveStep { step, before } => Self::MoveStep {
                step,
                place: step_place(before),
            },
            ChangeBody::SkipStep { step } => Self::SkipStep { step },
        }
    }
}

//! What a person decides about a plan.

use std::path::Path;

use axum::http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_api::deleted::{self, Deleted};
use signoff_api::plan_ref::PlanRef;
use signoff_runtime::Error;
use signoff_runtime::plans::{
    self, ActorContext, ApproveOptions, EditOptions, GivenKey, PlanReport, approve_on_page,
    approve_with_key, key_statement,
};

use super::endpoint::{Endpoint, EndpointRequest, Nothing, endpoint};
use crate::calls::Call;
use crate::error::HttpError;

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let post = Method::POST;
    vec![
        endpoint(
            &post,
            "/api/plans/{plan}/approve",
            "Signs a plan as it was shown.",
            approve,
        ),
        endpoint(
            &Method::GET,
            "/api/plans/{plan}/statement",
            "Shows what a person's SSH key signs, where a key is asked for.",
            show_statement,
        ),
        endpoint(
            &post,
            "/api/plans/{plan}/reject",
            "Rejects a plan, and says why.",
            reject,
        ),
        endpoint(&post, "/api/plans/{plan}/cancel", "Cancels a plan.", cancel),
        endpoint(
            &post,
            "/api/plans/{plan}/retry",
            "Lets a failed plan run again from scratch.",
            retry,
        ),
        endpoint(
            &post,
            "/api/plans/{plan}/clone",
            "Copies a plan as a new one.",
            clone,
        ),
        endpoint(
            &Method::DELETE,
            "/api/plans/{plan}",
            "Removes a plan; its log stays.",
            delete,
        ),
    ]
}

/// What is signed: the plan as the person saw it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Approval {
    /// The digest that was shown: another one is a conflict.
    expect_digest: String,
    /// The version that was shown, where the plan counts versions.
    expect_version: Option<u64>,
    /// The digest of the terms that was shown: others are a conflict.
    expect_terms: Option<String>,
    note: Option<String>,
    /// What the person's SSH key said, where a key is asked for.
    key: Option<KeyBody>,
}

/// The signature of a person's SSH key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeyBody {
    /// Whose key, as the list of allowed signers calls them.
    principal: String,
    /// `at` of the statement.
    at: String,
    /// What `ssh-keygen -Y sign` made.
    signature: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StatementQuery {
    /// Whose key, as the list of allowed signers calls them.
    principal: Option<String>,
    /// The same note as with the signature.
    note: Option<String>,
}

/// What a key signs.
#[derive(Debug, Serialize, JsonSchema)]
struct Statement {
    principal: String,
    at: String,
    /// The exact bytes, without a newline at their end.
    text: String,
    /// What the person types, with the text in `statement.json`.
    command: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rejection {
    feedback: Option<String>,
    /// The version that was shown: another one is a conflict.
    expect_version: Option<u64>,
    /// The digest that was shown: another one is a conflict.
    expect_digest: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Cancellation {
    reason: Option<String>,
}

fn approve(call: &Call, asked: &EndpointRequest<Nothing, Approval>) -> Result<PlanRef, HttpError> {
    let name = asked.path_value("plan");
    let plan = call.read_plan(name)?;
    let options = ApproveOptions {
        proof: None,
        note: asked.body.note.clone(),
        expect_digest: Some(asked.body.expect_digest.clone()),
        expect_version: asked.body.expect_version,
        expect_terms: asked.body.expect_terms.clone(),
    };
    let approved = match &asked.body.key {
        None => approve_on_page(call.by_person(), &plan, &options),
        Some(key) => {
            let given = GivenKey {
                principal: key.principal.clone(),
                at: key.at.clone(),
                signature: key.signature.clone(),
            };
            approve_with_key(call.by_person(), &plan, &options, &given)
        }
    };
    Ok(approved.map_err(call.fail_about(name))?.done.to_api())
}

fn show_statement(
    call: &Call,
    asked: &EndpointRequest<StatementQuery>,
) -> Result<Statement, HttpError> {
    let (name, query) = (asked.path_value("plan"), &asked.query);
    let principal = query.principal.clone().ok_or_else(|| {
        let message = "name the `principal` whose key signs";
        HttpError::bad_request(message)
    })?;
    let plan = call.read_plan(name)?;
    let options = ApproveOptions {
        note: query.note.clone(),
        ..ApproveOptions::default()
    };
    let made = key_statement(call.by_person(), &plan, &options, &principal);
    let made = made.map_err(call.fail_about(name))?;
    Ok(Statement {
        principal,
        at: made.at,
        text: made.text,
        command: "ssh-keygen -Y sign -n signoff -f ~/.ssh/id_ed25519 statement.json".to_owned(),
    })
}

fn reject(call: &Call, asked: &EndpointRequest<Nothing, Rejection>) -> Result<PlanRef, HttpError> {
    let feedback = asked.body.feedback.as_deref();
    let expected = EditOptions {
        expect_version: asked.body.expect_version,
        expect_digest: asked.body.expect_digest.clone(),
    };
    change(call, asked.path_value("plan"), |context, path, name| {
        plans::reject(context, path, name, feedback, &expected)
    })
}

fn cancel(
    call: &Call,
    asked: &EndpointRequest<Nothing, Cancellation>,
) -> Result<PlanRef, HttpError> {
    let reason = asked.body.reason.as_deref();
    change(call, asked.path_value("plan"), |context, path, name| {
        plans::cancel(context, path, name, reason)
    })
}

fn retry(call: &Call, asked: &EndpointRequest) -> Result<PlanRef, HttpError> {
    change(call, asked.path_value("plan"), plans::retry)
}

fn clone(call: &Call, asked: &EndpointRequest) -> Result<PlanRef, HttpError> {
    change(call, asked.path_value("plan"), plans::clone)
}

fn delete(call: &Call, asked: &EndpointRequest) -> Result<Deleted, HttpError> {
    let plan = asked.path_value("plan");
    let (path, name) = call.locate_plan(plan)?;
    let deleted = plans::delete(call.by_person(), &path, &name).map_err(call.fail_about(plan))?;
    Ok(Deleted {
        schema: deleted::SCHEMA.to_owned(),
        id: deleted.key,
        path: name,
        removed: deleted.removed,
    })
}

/// Does something to a plan for the person.
fn change(
    call: &Call,
    plan: &str,
    act: impl FnOnce(ActorContext<'_>, &Path, &str) -> Result<PlanReport, Error>,
) -> Result<PlanRef, HttpError> {
    let (path, name) = call.locate_plan(plan)?;
    let done = act(call.by_person(), &path, &name).map_err(call.fail_about(plan))?;
    Ok(done.to_api())
}

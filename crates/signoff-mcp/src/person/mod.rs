//! Asks the person behind the client. Nothing else here approves or rejects.
//!
//! A client of the older protocol is sent a request while the call waits. One of the newer gets the form as the call's
//! result, and calls again with the answer and what we sealed.

mod form;

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    InputRequest, InputRequiredResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::RequestContext;
use serde_json::Value;
use signoff_engine::Actor;
use signoff_runtime::SystemClock;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{
    ActorContext, ApproveOptions, EditOptions, PlanView, ShownDigests, approve_through_client,
    reject, require_approvable, require_rejectable, unsigned_changes,
};
use signoff_runtime::project::Project;

pub(crate) use self::form::Decision;
use self::form::{PersonReply, ShownPlan};
use crate::answers::Answer;
use crate::arguments;
use crate::background::in_background;
use crate::context::Context;
use crate::errors::ToolError;
use crate::schema::read_arguments;
use crate::seal::SealedVersion;
use crate::tools::run::launch_signed_plan;

/// The name of the form among what the client is asked for.
const FORM: &str = "decision";

/// What a call leads to.
pub(crate) enum DecisionOutcome {
    Answer(Answer),
    /// The client asks the person and calls again.
    Input(Box<InputRequiredResult>),
}

/// The call: which plan, and what the model says about it.
#[derive(Debug, Clone)]
struct Request {
    decision: Decision,
    plan: String,
    expect_digest: Option<String>,
    words: Option<String>,
    /// The call, as it has to come again.
    call: String,
}

impl Request {
    /// What a person can type instead.
    fn command(&self) -> String {
        let verb = match self.decision {
            Decision::Approve => "approve",
            Decision::Reject => "reject",
        };
        format!("signoff {verb} {}", self.plan)
    }
}

/// Has the person decide about a plan.
pub(crate) async fn decide(
    context: Arc<Context>,
    decision: Decision,
    params: CallToolRequestParams,
    client: &RequestContext<RoleServer>,
) -> Result<DecisionOutcome, ToolError> {
    let arguments = params.arguments.clone().unwrap_or_default();
    let call = format!("{} {}", params.name, Value::Object(arguments.clone()));
    let request = match decision {
        Decision::Approve => {
            let read: arguments::Approve = read_arguments(arguments)?;
            Request {
                decision,
                plan: read.plan,
                expect_digest: read.expect_digest,
                words: None,
                call,
            }
        }
        Decision::Reject => {
            let read: arguments::Reject = read_arguments(arguments)?;
            Request {
                decision,
                plan: read.plan,
                expect_digest: None,
                words: read.feedback,
                call,
            }
        }
    };
    refuse_without_person(&context, &request, client)?;
    if let Some(sealed) = &params.request_state {
        let shown = context.seal.open(sealed, &request.call)?;
        let answer = params.input_responses.as_ref();
        let answer = answer.and_then(|answers| answers.get(FORM)).cloned();
        let answer = answer.and_then(|answer| serde_json::from_value(answer).ok());
        return carry_out_decision(context, request, shown, answer).await;
    }
    let (shown, form) = prepare(&context, &request).await?;
    if speaks_newer(client) {
        let sealed = context.seal.close(&shown, &request.call)?;
        let form = InputRequest::Elicitation(ElicitRequest::new(form));
        let forms = BTreeMap::from([(FORM.to_owned(), form)]);
        let result = InputRequiredResult::new(Some(forms), Some(sealed));
        return Ok(DecisionOutcome::Input(Box::new(result)));
    }
    let answer = elicit(form, client).await?;
    carry_out_decision(context, request, shown, Some(answer)).await
}

/// Refuses where no person can be asked, with what one can type.
fn refuse_without_person(
    context: &Context,
    request: &Request,
    client: &RequestContext<RoleServer>,
) -> Result<(), ToolError> {
    let act = match request.decision {
        Decision::Approve => "sign a plan",
        Decision::Reject => "reject a plan",
    };
    let typed = format!("a person can type `{}`", request.command());
    if context.options.is_inside_run {
        let message = format!("only a person can {act}, and this server is part of a run");
        return Err(ToolError::new("person-only", &message, &[&typed]));
    }
    let asks = client.client_capabilities().and_then(|can| can.elicitation);
    // A client that names no mode means forms.
    if asks.is_some_and(|modes| modes.form.is_some() || modes.url.is_none()) {
        return Ok(());
    }
    let message = format!("only a person can {act}, and this client cannot ask one (elicitation)");
    Err(ToolError::new("person-only", &message, &[&typed]))
}

fn speaks_newer(client: &RequestContext<RoleServer>) -> bool {
    let newer = ProtocolVersion::V_2026_07_28;
    let version = client.protocol_version();
    version.is_some_and(|version| version.as_str() >= newer.as_str())
}

/// What the person is shown, if they may decide at all.
async fn prepare(
    context: &Arc<Context>,
    request: &Request,
) -> Result<(SealedVersion, ElicitRequestParams), ToolError> {
    let (context, request) = (Arc::clone(context), request.clone());
    in_background(move || {
        let project = context.project()?;
        let plan = context.read_plan(&project, &request.plan)?;
        let fail = || context.fail_about(&request.plan);
        match request.decision {
            Decision::Approve => {
                let options = approve_options(&request, None);
                require_approvable(&project, &plan, &options).map_err(fail())?;
            }
            Decision::Reject => require_rejectable(&project, &plan).map_err(fail())?,
        }
        let digests = ShownDigests::of(&project, &plan);
        let view = PlanView::of(&project, &plan).map_err(fail())?;
        let words = request.words.as_deref();
        let changes = unsigned_changes(&project, &plan).map_err(fail())?;
        let shown = ShownPlan {
            plan: &view.to_api(&plan),
            path: plan.source.name(),
            changes: changes.as_ref(),
        };
        let form = request.decision.form(&shown, words);
        let shown = SealedVersion {
            digest: digests.plan,
            terms: digests.terms,
            number: context.seal.next_number(),
        };
        Ok((shown, form))
    })
    .await
}

/// Asks the person through a client of the older protocol.
async fn elicit(
    form: ElicitRequestParams,
    client: &RequestContext<RoleServer>,
) -> Result<ElicitResult, ToolError> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
    let answer = tokio::select! {
        answer = client.peer.send_request(request) => answer,
        () = client.ct.cancelled() => {
            return Err(ToolError::new("cancelled", "the call was cancelled; nothing was decided", &[]));
        }
    };
    match answer {
        Ok(rmcp::model::ClientResult::ElicitResult(answer)) => Ok(answer),
        Ok(_) => Err(cannot_ask("it answered something else")),
        Err(why) => Err(cannot_ask(&why.to_string())),
    }
}

fn cannot_ask(why: &str) -> ToolError {
    let message = format!("the client could not ask the person: {why}");
    let hint = "a person can decide in a terminal: `signoff approve`, `signoff reject`";
    ToolError::new("person-only", &message, &[hint])
}

/// Does what the person decided.
async fn carry_out_decision(
    context: Arc<Context>,
    request: Request,
    shown: SealedVersion,
    answer: Option<ElicitResult>,
) -> Result<DecisionOutcome, ToolError> {
    let action = answer.as_ref().map(|answer| answer.action.clone());
    let decided = answer.filter(|answer| answer.action == ElicitationAction::Accept);
    let decided = decided.and_then(|answer| Decision::read(answer.content.as_ref()));
    let Some(decided) = decided else {
        return Err(not_decided(&request, action.as_ref()));
    };
    let answer = in_background(move || {
        let project = context.project()?;
        let plan = context.read_plan(&project, &request.plan)?;
        carry_out(&context, &project, &plan, &request, &shown, decided)
    });
    Ok(DecisionOutcome::Answer(answer.await?))
}

/// Nothing is done: the person said no, or said nothing. A client without a person at it closes every dialog.
fn not_decided(request: &Request, action: Option<&ElicitationAction>) -> ToolError {
    let (code, message) = match action {
        Some(ElicitationAction::Accept | ElicitationAction::Decline) => (
            "declined",
            "the person did not agree; the plan stays as it is",
        ),
        _ => (
            "unanswered",
            "nobody answered the client's dialog; the plan stays as it is",
        ),
    };
    let typed = format!("a person can type `{}`", request.command());
    let better = "if they want something else: ask what (`plan_ask`), then `plan_revise`";
    ToolError::new(code, message, &[&typed, better])
}

fn carry_out(
    context: &Context,
    project: &Project,
    plan: &PlanFile,
    request: &Request,
    shown: &SealedVersion,
    decided: PersonReply,
) -> Result<Answer, ToolError> {
    let by_person = ActorContext {
        project,
        actor: Actor::Person,
        clock: &SystemClock::new(),
    };
    let fail = || context.fail_about(&request.plan);
    let digests = ShownDigests {
        plan: shown.digest.clone(),
        terms: shown.terms.clone(),
    };
    digests.require_same(project, plan).map_err(fail())?;
    let done = match request.decision {
        Decision::Approve => {
            let options = approve_options(request, decided.words.clone());
            let signed = approve_through_client(by_person, plan, &options).map_err(fail())?;
            signed.done
        }
        Decision::Reject => {
            let (path, name) = (&plan.path, plan.source.name());
            let expected = EditOptions {
                expect_version: None,
                expect_digest: Some(shown.digest.clone()),
            };
            let words = decided.words.as_deref();
            reject(by_person, path, name, words, &expected).map_err(fail())?
        }
    };
    let (id, state) = (&done.key, done.state);
    let waits = done.approval.as_ref().filter(|one| !one.is_complete());
    let next = match request.decision {
        Decision::Approve if waits.is_some() => {
            let progress = waits.map(ToString::to_string).unwrap_or_default();
            format!("the person signed {id}; it is {state} until enough people have ({progress})")
        }
        Decision::Approve if project.config.approval.then_run.value => {
            let run = launch_signed_plan(context, project, &request.plan)?.run.run;
            format!("the person signed {id}, and its run {run} has begun, as the settings say")
        }
        Decision::Approve => format!("the person signed {id}: {state}. `plan_run` starts it"),
        Decision::Reject => match decided.words {
            Some(words) => format!("the person rejected {id}: {state}. They said: {words}"),
            None => format!("the person rejected {id}: {state}. Revise it with `plan_revise`"),
        },
    };
    Ok(Answer::new(next, &done.to_api()).with_notes(&done.notes))
}

fn approve_options(request: &Request, note: Option<String>) -> ApproveOptions {
    ApproveOptions {
        note,
        expect_digest: request.expect_digest.clone(),
        ..ApproveOptions::default()
    }
}

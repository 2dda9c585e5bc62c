//! Where a plan or a run stands, now or when the run stands still.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use serde_json::{Map, Value};
use signoff_api::plan_ref::{PlanRef, SCHEMA};
use signoff_api::run::Run;
use signoff_engine::{Grade, PlanState};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::status::{PlanStatus, plan_status};
use signoff_runtime::project::Project;
use signoff_runtime::questions;
use signoff_runtime::runs::follow::{Follow, FollowState, TICK};
use signoff_runtime::runs::names::run_or_newest;
use signoff_runtime::runs::view::RunView;
use tokio::sync::mpsc;

use crate::answers::Answer;
use crate::arguments;
use crate::background::in_background;
use crate::context::Context;
use crate::errors::ToolError;
use crate::schema::read_arguments;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Progress {
    share: u8,
    done: usize,
    steps: usize,
}

pub(crate) async fn status(
    context: Arc<Context>,
    arguments: Map<String, Value>,
    client: &RequestContext<RoleServer>,
) -> Result<Answer, ToolError> {
    let wanted: arguments::Status = read_arguments(arguments)?;
    if wanted.plan.is_some() && wanted.run.is_some() {
        let message = "give either `plan` or `run`";
        return Err(ToolError::new("bad-arguments", message, &[]));
    }
    if wanted.wait {
        wait(&context, &wanted, client).await?;
    }
    in_background(move || answer(&context, &wanted)).await
}

fn answer(context: &Context, wanted: &arguments::Status) -> Result<Answer, ToolError> {
    let project = context.project()?;
    let Some(name) = &wanted.plan else {
        let run = wanted.run.as_deref();
        let view = RunView::find(&project, run).map_err(|error| context.fail(error))?;
        let run = view.to_api();
        return Ok(Answer::new(run_text(&run), &run));
    };
    let plan = context.read_plan(&project, name)?;
    let status = plan_status(&project, &plan).map_err(context.fail_about(name))?;
    let key = plan.key(&project).map_err(|error| context.fail(error))?;
    let answer = match &status.view {
        Some(view) => {
            let run = view.to_api();
            Answer::new(run_text(&run), &run)
        }
        None => plan_answer(&key, &plan, &status),
    };
    let asked = questions::all_questions(&project).map_err(|error| context.fail(error))?;
    let about = asked.iter().filter(|one| {
        one.plan
            .as_ref()
            .is_some_and(|plan| plan == name || *plan == key)
    });
    let notes: Vec<String> = about
        .map(|one| format!("question {} is {}: {}", one.id, one.status, one.question))
        .collect();
    Ok(answer.with_notes(&notes))
}

/// A plan that has no run: its state, and what can be done.
fn plan_answer(key: &str, plan: &PlanFile, status: &PlanStatus) -> Answer {
    let next = match status.state {
        PlanState::Draft => {
            "it has errors: `plan_verify` shows them, `plan_revise` hands in a new version"
        }
        PlanState::Verified | PlanState::NeedsReview => {
            "it waits for a signature: `plan_approve` asks the person"
        }
        PlanState::Approved => "it is signed: `plan_run` starts it",
        PlanState::Rejected => {
            "`plan_get` shows what the person said; `plan_revise` hands in a new version"
        }
        PlanState::Cancelled => "a person cancelled it",
        PlanState::Executing
        | PlanState::Replanning
        | PlanState::Stalled
        | PlanState::Completed
        | PlanState::Failed => "its run is not known here",
    };
    let shape = PlanRef {
        schema: SCHEMA.to_owned(),
        id: key.to_owned(),
        status: status.state.name().to_owned(),
        version: plan.checked.plan.version,
        digest: plan.digest().to_string(),
        path: plan.source.name().to_owned(),
        approval: status.approval.as_ref().map(Into::into),
    };
    let progress = status.approval.as_ref().filter(|one| !one.is_complete());
    let waits = progress.map_or_else(String::new, |one| format!(" ({one})"));
    let text = format!("{} is {}{waits}: {next}", shape.id, shape.status);
    Answer::new(text, &shape)
}

/// A run in words: each step, and what waits on a person.
pub(crate) fn run_text(run: &Run) -> String {
    let mut text = format!(
        "run {} of {} ({}): {}, {}% done",
        run.run, run.plan, run.title, run.status, run.progress
    );
    for step in &run.steps {
        let evidence = step
            .evidence
            .map(|grade| format!(", evidence: {}", grade_word(grade)));
        let reason = step.reason.as_ref().map(|why| format!(": {why}"));
        let _ = write!(
            text,
            "\n{} {}{}{}",
            step.id,
            step.status,
            evidence.unwrap_or_default(),
            reason.unwrap_or_default()
        );
    }
    for item in &run.inbox {
        let _ = write!(
            text,
            "\nwaits on a person: {} (`signoff answer {} …`)",
            item.question, item.id
        );
    }
    text
}

/// The grade as shapes have it.
pub(crate) fn grade_word(grade: Grade) -> &'static str {
    match grade {
        Grade::Proved => "proved",
        Grade::Held => "held",
        Grade::Observed => "observed",
        Grade::Accepted => "accepted",
    }
}

/// Waits until no process drives the run, the time is up, or the client gives up; tells how far it is meanwhile.
async fn wait(
    context: &Arc<Context>,
    wanted: &arguments::Status,
    client: &RequestContext<RoleServer>,
) -> Result<(), ToolError> {
    let given_up = Arc::new(AtomicBool::new(false));
    let (send, mut progress) = mpsc::unbounded_channel();
    let follow = {
        let (context, wanted) = (Arc::clone(context), wanted.clone());
        let given_up = Arc::clone(&given_up);
        in_background(move || follow(&context, &wanted, &send, &given_up))
    };
    let token = client.meta.get_progress_token();
    let tell = async {
        while let Some(Progress { share, done, steps }) = progress.recv().await {
            let Some(token) = token.clone() else { continue };
            let told = ProgressNotificationParam::new(token, f64::from(share))
                .with_total(100.0)
                .with_message(format!("{done} of {steps} steps are done"));
            // A client that is gone is noticed elsewhere.
            client.peer.notify_progress(told).await.ok();
        }
    };
    let both = async {
        let (followed, ()) = tokio::join!(follow, tell);
        followed
    };
    tokio::select! {
        followed = both => followed,
        () = client.ct.cancelled() => {
            given_up.store(true, Ordering::Relaxed);
            Err(ToolError::new("cancelled", "the call was cancelled; the run goes on", &[]))
        }
    }
}

/// The run that is waited for; none, if the plan has none.
fn run_to_follow(
    context: &Context,
    project: &Project,
    wanted: &arguments::Status,
) -> Result<Option<String>, ToolError> {
    let Some(name) = &wanted.plan else {
        let run = run_or_newest(project, wanted.run.as_deref());
        return run.map(Some).map_err(|error| context.fail(error));
    };
    let plan = context.read_plan(project, name)?;
    let status = plan_status(project, &plan).map_err(context.fail_about(name))?;
    Ok(status.view.map(|view| view.run.id().to_owned()))
}

fn follow(
    context: &Context,
    wanted: &arguments::Status,
    tell: &mpsc::UnboundedSender<Progress>,
    given_up: &AtomicBool,
) -> Result<(), ToolError> {
    let project = context.project()?;
    let Some(run) = run_to_follow(context, &project, wanted)? else {
        return Ok(());
    };
    let mut run = Follow::of(&project, &run).map_err(|error| context.fail(error))?;
    let begun = Instant::now();
    let patience = Duration::from_secs(wanted.timeout_seconds.clamp(1, 600));
    let mut last = None;
    loop {
        let mut now = last;
        let read = run.read_new(|run, _| {
            now = Some(Progress {
                share: run.progress(),
                done: run.done_steps(),
                steps: run.plan().steps.len(),
            });
        });
        let state = read.map_err(|error| context.fail(error))?;
        // The protocol wants it to grow each time.
        if let Some(now) = now.filter(|now| last.is_none_or(|last| now.share > last.share)) {
            last = Some(now);
            tell.send(now).ok();
        }
        let is_over = state == FollowState::Over || begun.elapsed() >= patience;
        if is_over || given_up.load(Ordering::Relaxed) {
            return Ok(());
        }
        std::thread::sleep(TICK);
    }
}

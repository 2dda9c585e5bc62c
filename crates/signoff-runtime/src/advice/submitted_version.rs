//! A new text of a plan that is being carried out. It does not edit the running plan: it becomes a new version, and a
//! person signs or refuses the difference. Whoever wrote it, it has no effect before that.

use std::path::Path;

use serde_json::Value;
use signoff_api::request::RequestKind;
use signoff_engine::{Actor, Input, PlanDraft, PlanState, Refusal, Run};
use signoff_plan::diff::compare;
use signoff_plan::digest::canonical;
use signoff_plan::source::Source;
use signoff_store::failpoint;

use super::Advisor;
use super::offer::offer_draft;
use super::replan::{NextIdentity, changed_finished_steps};
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::planning::with_fields;
use crate::plans::locked::LockedPlan;
use crate::plans::{ActorContext, EditOptions, PlanReport, Revision, revise_idle, revised_text};
use crate::project::relative;
use crate::runs::OpenedRun;
use crate::runs::control::{RequestOutcome, ask};
use crate::runs::remote::is_remote;
use crate::runs::view::RunView;

/// Hands in a new text of a plan. While the plan is carried out that makes a new version of it, which waits for a signature.
pub fn revise(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
    revision: &Revision,
    expected: &EditOptions,
) -> Result<PlanReport, Error> {
    if let Revision::Text(bytes) = revision {
        let locked = LockedPlan::open(context, path, name)?;
        if let Some(run) = unfinished_run(&locked) {
            expected.require(&locked.plan)?;
            let text = revised_text(&locked, bytes)?;
            drop(locked);
            return hand_in(context, &run, text);
        }
    }
    revise_idle(context, path, name, revision, expected)
}

/// The run that carries a plan out, if one does.
pub fn run_of_plan(context: ActorContext<'_>, plan: &PlanFile) -> Result<Option<String>, Error> {
    let status = crate::plans::status::plan_status(context.project, plan)?;
    let is_under_way = matches!(status.state, PlanState::Executing | PlanState::Stalled);
    let view = status.view.filter(|_| is_under_way);
    Ok(view.map(|view| view.run.id().to_owned()))
}

fn unfinished_run(locked: &LockedPlan<'_>) -> Option<String> {
    let state = locked.status.state;
    if matches!(state, PlanState::Executing | PlanState::Stalled) {
        let view = locked.status.view.as_ref()?;
        return Some(view.run.id().to_owned());
    }
    // Its run may go on under a version that waits for a signature.
    let history = locked.history();
    let replaced = (history.runs()).filter(|run| history.replaced_by(run).is_some());
    let last = replaced.last()?;
    let view = RunView::load(locked.context.project, last).ok()?;
    view.run.outcome().is_none().then(|| last.to_owned())
}

fn hand_in(context: ActorContext<'_>, run: &str, text: Source) -> Result<PlanReport, Error> {
    let project = context.project;
    let view = RunView::load(project, run)?;
    let advisor = Advisor {
        project: project.clone(),
        key: view.key.clone(),
        plan: view.plan_path.clone(),
    };
    let next = advisor.next_identity(view.run.plan());
    let plan = next_version(context, &advisor, &view.run, &next, &text)?;
    let draft = kept_draft(context, &advisor, &view.run, &next, &plan)?;
    failpoint::reach("hand_in.kept");
    let because = format!("{} handed in another version", writer(context));
    let request = RequestKind::HandIn {
        draft: Box::new(draft),
        because,
    };
    let done = ask(project, run, request, context.clock)?;
    failpoint::reach("hand_in.recorded");
    let is_ours = done == RequestOutcome::Here && !is_remote(project, run);
    let is_offered = is_ours && offer_idle(context, run)?;
    report(context, run, next, plan, is_offered)
}

/// The text as the next version of the plan that runs, if it can be that.
fn next_version(
    context: ActorContext<'_>,
    advisor: &Advisor,
    run: &Run,
    next: &NextIdentity,
    text: &Source,
) -> Result<PlanFile, Error> {
    let project = context.project;
    let before = run.plan();
    let fixed = [
        ("id", Some(Value::from(next.id.as_str()))),
        ("version", Some(Value::from(next.version))),
        ("previous", Some(Value::from(next.previous.as_str()))),
        ("status", Some(Value::from("draft"))),
    ];
    let mut source = with_fields(text, fixed);
    if context.actor != Actor::Person {
        // These are a person's.
        let kept = [
            ("owner", Some(Value::from(before.owner.as_deref()))),
            ("priority", Some(Value::from(before.priority.as_deref()))),
            ("task", Some(Value::from(before.task.as_deref()))),
        ];
        source = with_fields(&source, kept);
    }
    let plan = PlanFile::from_source(&next.path, source, None, &project.workspace());
    let (found, wanted) = (plan.checked.dialect, run.signed_plan().dialect());
    if found != wanted {
        return Err(refuse(format!(
            "the text is in the dialect `{found}`, and the plan that runs in `{wanted}`"
        )));
    }
    if plan.checked.errors() > 0 {
        return Err(Error::Invalid {
            source: Box::new(plan.source),
            diagnostics: plan.checked.diagnostics,
        });
    }
    if plan.path.extension().is_none() || advisor.plan.is_dir() {
        let plan = plan.source.name().to_owned();
        return Err(Error::ThreadRevision { plan });
    }
    let finished = changed_finished_steps(run, &plan.checked.plan);
    if let Some(first) = finished.first().filter(|_| context.actor != Actor::Person) {
        return Err(refuse(first.message.clone()));
    }
    Ok(plan)
}

/// Keeps the text in the run's directory, before the journal names it.
fn kept_draft(
    context: ActorContext<'_>,
    advisor: &Advisor,
    run: &Run,
    next: &NextIdentity,
    plan: &PlanFile,
) -> Result<PlanDraft, Error> {
    let after = &plan.checked.plan;
    let changes = compare(&canonical(run.plan()), &canonical(after));
    if changes.is_empty() {
        let plan = relative(context.project, &advisor.plan);
        return Err(Error::NothingRevised { plan });
    }
    let extension = next.path.extension().and_then(|found| found.to_str());
    let dir = context.project.store.run_dir(run.id());
    let digest = plan.digest();
    let name = format!("handed-in-{}", digest.short());
    let snapshot = dir.save_text(&name, extension.unwrap_or("md"), plan.source.bytes())?;
    Ok(PlanDraft {
        plan: next.id.clone(),
        path: relative(context.project, &next.path),
        snapshot,
        digest: digest.to_string(),
        changes: changes.iter().map(ToString::to_string).collect(),
        reasoning: after.context.clone(),
        // However small the change is: a policy signs only what our own planner was asked for.
        narrows: false,
        actor: Some(context.actor.name().to_owned()),
    })
}

/// Makes it a plan of its own at once if no process drives the run and nothing of it is under way.
fn offer_idle(context: ActorContext<'_>, run: &str) -> Result<bool, Error> {
    let project = context.project;
    let mut opened = OpenedRun::open(project, run, context.clock)?;
    if opened.state().in_flight() || opened.state().draft().is_none() {
        return Ok(false);
    }
    let advisor = Advisor {
        project: project.clone(),
        key: opened.key.clone(),
        plan: opened.plan.clone(),
    };
    offer_draft(&advisor, opened.state())?;
    let offered = Input::DraftOffered { is_signed: false };
    opened.run.write(offered, |_, _| Ok(()))?;
    opened.run.sync()?;
    opened.run.close()?;
    opened
        .mark_projection()
        .write(opened.state(), context.clock.now());
    Ok(true)
}

fn report(
    context: ActorContext<'_>,
    run: &str,
    next: NextIdentity,
    plan: PlanFile,
    is_offered: bool,
) -> Result<PlanReport, Error> {
    let id = &next.id;
    let when = if is_offered {
        format!("`signoff approve {id}` shows and signs the difference")
    } else {
        format!(
            "once what is under way has ended, `signoff approve {id}` shows and signs the difference"
        )
    };
    let note = format!(
        "run {run} carries the plan out, so this is a new version of it: {when}, then `signoff resume {run}`; nothing of it takes effect before"
    );
    let (plan, state) = if is_offered {
        let plan = plan.read_again(&context.project.workspace())?;
        (plan, PlanState::Verified)
    } else {
        (plan, PlanState::Draft)
    };
    Ok(PlanReport {
        key: next.id,
        state,
        plan,
        notes: vec![note],
        approval: None,
    })
}

fn writer(context: ActorContext<'_>) -> String {
    match context.actor {
        Actor::Person => context.project.process.person.clone(),
        actor => format!("an {}", actor.name()),
    }
}

fn refuse(why: String) -> Error {
    Error::Refused(Refusal::NoReplan { why })
}

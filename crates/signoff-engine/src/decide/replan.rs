//! A new version of the plan: who wants it, what a planner said, and going on under it once it is signed.

use signoff_plan::model::Step;

use super::Refusal;
use super::person::{Question, escalate, open_item_about};
use super::policy::fail_step;
use crate::apply::replan_run;
use crate::budget::{draft_budget_question, is_used_up};
use crate::event::{Choice, Event, InboxKind, Outcome, PauseReason, PlanDraft, Settings};
use crate::input::NextPlan;
use crate::state::{Replan, ReplanStage, Run, StepState, StepStatus};

/// What a person does about a missing planner.
pub(super) const NO_PLANNER: &str =
    "no planner is configured: a role `planner`, `[llm] agent` or `[llm] provider`";

/// What stays finished and what starts over, if the run stands still and a plan was offered.
pub(super) fn replan(
    run: &Run,
    snapshot: String,
    settings: Settings,
    plan: Option<NextPlan>,
) -> Result<Vec<Event>, Refusal> {
    let stands_still = run.started && run.outcome.is_none() && !run.in_flight();
    let Some(next) = run.next.as_ref().filter(|_| stands_still) else {
        return Err(Refusal::OutOfPlace {
            what: "another version of the plan",
        });
    };
    let (digest, terms) = (next.digest().to_string(), next.terms().to_string());
    let after = replan_run(run, next.clone(), &settings);
    let (plan, path) = plan.map(|plan| (plan.key, plan.path)).unzip();
    Ok(vec![Event::PlanReplanned {
        digest,
        terms,
        snapshot,
        settings,
        kept: after.kept,
        reset: after.reset,
        plan,
        path,
    }])
}

/// A person wants another version of the plan.
pub(super) fn request_replan(
    run: &Run,
    because: String,
    discoveries: Vec<String>,
    by: String,
    expands: bool,
) -> Result<Vec<Event>, Refusal> {
    if because.trim().is_empty() {
        let why = "it does not say why the plan has to change".to_owned();
        return Err(Refusal::NoReplan { why });
    }
    let step = if expands {
        if let Some(why) = reason_against_version(run) {
            return Err(Refusal::NoReplan { why });
        }
        let open = run.open_steps().find_map(|at| run.definition(at));
        open.ok_or_else(|| Refusal::NoReplan {
            why: "no step that it came to stands for others".to_owned(),
        })?
    } else {
        replanned_step(run)?
    };
    Ok(vec![Event::ReplanRequested {
        step: step.id.clone(),
        because,
        discoveries,
        by,
        holds: false,
        expands,
    }])
}

/// Somebody wrote a new version: a person signs the difference, or refuses it.
pub(super) fn hand_in_version(
    run: &Run,
    draft: Box<PlanDraft>,
    because: String,
    by: String,
) -> Result<Vec<Event>, Refusal> {
    let step = replanned_step(run)?;
    Ok(vec![Event::VersionHandedIn {
        step: step.id.clone(),
        draft,
        because,
        by,
    }])
}

/// The step that a new version is about, if there may be one.
fn replanned_step(run: &Run) -> Result<&Step, Refusal> {
    if let Some(why) = reason_against_version(run) {
        return Err(Refusal::NoReplan { why });
    }
    concerned_step(run).ok_or_else(|| Refusal::NoReplan {
        why: "every step of the plan is done".to_owned(),
    })
}

/// Why no other version of the plan can be drafted now, if so.
pub(super) fn reason_against_version(run: &Run) -> Option<String> {
    if matches!(run.outcome, Some(Outcome::Completed | Outcome::Partial)) {
        return Some("the run is completed".to_owned());
    }
    if let Some(draft) = run.draft() {
        return Some(format!("`{}` waits for a signature already", draft.plan));
    }
    if run.replan.is_some() {
        return Some("another version is being drafted already".to_owned());
    }
    limit_reached(run)
}

/// Why a person is not offered a planner, if so.
pub(super) fn no_replan_offered(run: &Run) -> Option<String> {
    let unconfigured = (!run.settings.has_planner).then(|| NO_PLANNER.to_owned());
    unconfigured.or_else(|| limit_reached(run))
}

fn limit_reached(run: &Run) -> Option<String> {
    let most = run.settings.max_replans;
    (run.replans >= most).then(|| format!("it was replanned {} of {most} times", run.replans))
}

pub(super) fn no_budget(run: &Run) -> Option<String> {
    is_used_up(run).then(|| "the plan's budget is used up, so no model is asked".to_owned())
}

/// The step that a replan is about: the first that failed, else the first that waits, is under way, or is not done.
fn concerned_step(run: &Run) -> Option<&Step> {
    let first = |wanted: &dyn Fn(&StepState) -> bool| {
        let mut steps = run.steps();
        let found = steps.find(|(_, state)| !state.satisfies && wanted(state));
        found.map(|(step, _)| step)
    };
    first(&|state| state.status == StepStatus::Failed)
        .or_else(|| first(&|state| state.status == StepStatus::Waiting))
        .or_else(|| first(&|state| state.status == StepStatus::Running))
        .or_else(|| first(&|_| true))
}

/// The policy wants another version after a failure. After too many the step has failed.
pub(super) fn replan_after_failure(
    run: &Run,
    definition: &Step,
    state: &StepState,
    reason: &str,
    by: &str,
) -> Vec<Event> {
    let is_first = run.replan.is_none();
    if !run.settings.has_planner {
        return escalate(run, definition, state, &format!("{reason}; {NO_PLANNER}"));
    }
    if is_first && let Some(why) = limit_reached(run) {
        return fail_step(run, definition, state, &format!("{reason}; {why}"));
    }
    vec![Event::ReplanRequested {
        step: definition.id.clone(),
        because: reason.to_owned(),
        discoveries: Vec::new(),
        by: by.to_owned(),
        holds: true,
        expands: false,
    }]
}

/// The budget has no room for a planner: a person is asked first.
pub(super) fn ask_for_draft_budget(run: &Run) -> Option<Vec<Event>> {
    let replan = run.replan.as_ref()?;
    let (definition, text) = (run.definition(replan.step)?, draft_budget_question(run)?);
    let choices = vec![Choice::Allow, Choice::Refuse];
    let question = Question::new(InboxKind::Budget, text, choices);
    Some(vec![open_item_about(run, definition, question)])
}

/// The new version is a plan of its own: a person signs the difference, unless the policy has.
pub(super) fn draft_offered(run: &Run, is_signed: bool) -> Result<Vec<Event>, Refusal> {
    let step = run.replan.as_ref().map(|replan| replan.step);
    let definition = step.and_then(|at| run.definition(at));
    let (Some(draft), Some(definition)) = (run.draft(), definition) else {
        return Err(Refusal::OutOfPlace {
            what: "a new version of the plan",
        });
    };
    if is_signed {
        return Ok(vec![Event::RunPaused {
            reason: PauseReason::Replanned,
            trouble: None,
        }]);
    }
    let question = Question::new(
        InboxKind::NewVersion,
        signature_question(run, draft),
        vec![Choice::Refuse],
    );
    Ok(vec![open_item_about(run, definition, question)])
}

fn signature_question(run: &Run, draft: &PlanDraft) -> String {
    let count = draft.changes.len();
    let plural = if count == 1 { "" } else { "s" };
    let plan = &draft.plan;
    format!(
        "sign the new version `{plan}` ({count} change{plural}): `signoff approve {plan}`, then `signoff resume {}`; `refuse` goes on with the plan as it is",
        run.id
    )
}

/// There is no new version: a person decides about the steps that waited for it.
pub(super) fn drop_replan(run: &Run, replan: &Replan, why: &str) -> Vec<Event> {
    let held = run.order().filter(|&at| {
        let state = run.steps.get(at);
        state.is_some_and(StepState::is_held)
    });
    let mut events = Vec::new();
    for (number, at) in (0u32..).zip(held) {
        if let Some((definition, state)) = run.step(at) {
            let reason = format!("{}; no new version of the plan: {why}", replan.because);
            let asked = escalate(run, definition, state, &reason);
            events.extend(with_own_item_names(run, definition, asked, number));
        }
    }
    if let Some(definition) = run.definition(replan.step) {
        events.push(Event::ReplanDropped {
            step: definition.id.clone(),
            reason: why.to_owned(),
        });
    }
    events
}

/// Several items that are opened at once have names of their own.
fn with_own_item_names(run: &Run, step: &Step, mut events: Vec<Event>, after: u32) -> Vec<Event> {
    let name = run.inbox.id_after(&step.id, after);
    for event in &mut events {
        if let Event::InboxOpened { item, .. } | Event::StepWaiting { item, .. } = event {
            item.clone_from(&name);
        }
    }
    events
}

/// Events that the end of the journal lost after a replan that gave no version.
pub(super) fn lost_replan(run: &Run) -> Vec<Event> {
    match &run.replan {
        Some(replan) if let ReplanStage::Lost(why) = &replan.stage => drop_replan(run, replan, why),
        Some(_) | None => Vec::new(),
    }
}

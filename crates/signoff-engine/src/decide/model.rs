//! What a model said, checked against the plan's policy before anything follows from it.

use serde_json::Value;
use signoff_plan::model::{Step, Work};
use signoff_plan::tools::{built_in, schema_problems};

use super::policy::{fail_step, skip_and_block, without_a_model};
use super::replan::{NO_PLANNER, drop_replan, no_budget, replan_after_failure};
use super::{Refusal, begin, with_step};
use crate::event::{Event, ModelAnswer, ModelTask, ModelUsage, RecoveryDecision, RoleDecision};
use crate::state::{Run, Stage, StepState};

/// How often a model may decide about a step that failed, before a person does.
const MAX_RECOVERIES: u32 = 2;

pub(super) fn model_begins(run: &Run, at: usize, task: ModelTask) -> Result<Vec<Event>, Refusal> {
    if task == ModelTask::Role {
        return begin(run, at, |step| vec![Event::ModelAsked { step, task }]);
    }
    with_step(run, at, |definition, _| {
        let step = definition.id.clone();
        vec![Event::ModelAsked { step, task }]
    })
}

/// A model's answer, and what is known of how it was made.
pub(super) struct TaskAnswer {
    pub(super) task: ModelTask,
    pub(super) answer: ModelAnswer,
    pub(super) by: String,
    pub(super) usage: Vec<ModelUsage>,
}

pub(super) fn model_ended(run: &Run, at: usize, said: TaskAnswer) -> Result<Vec<Event>, Refusal> {
    let Some((definition, state)) = run.step(at).filter(|_| is_asked(run, at, said.task)) else {
        return Err(Refusal::OutOfPlace {
            what: "a model's answer",
        });
    };
    let refused = refusal(run, definition, state, said.task, &said.answer);
    let after = match said.task {
        ModelTask::Replan => after_draft(run, &said.answer, refused.as_deref()),
        ModelTask::Recovery => after_advice(run, definition, state, &said, refused.as_deref()),
        ModelTask::Role | ModelTask::Review => Vec::new(),
    };
    let mut events = vec![Event::ModelAnswered {
        step: definition.id.clone(),
        task: said.task,
        answer: Box::new(said.answer),
        refused,
        by: said.by,
        usage: said.usage,
    }];
    events.extend(after);
    Ok(events)
}

fn is_asked(run: &Run, at: usize, task: ModelTask) -> bool {
    match task {
        ModelTask::Replan => run.asks_planner(),
        ModelTask::Recovery | ModelTask::Role => {
            (run.steps.get(at)).is_some_and(|step| step.stage == Stage::AskingModel { task })
        }
        ModelTask::Review => run.reviews.is_asked(at),
    }
}

/// Why an answer is not followed.
fn refusal(
    run: &Run,
    definition: &Step,
    state: &StepState,
    task: ModelTask,
    answer: &ModelAnswer,
) -> Option<String> {
    match (task, answer) {
        (_, ModelAnswer::Nothing(_)) => None,
        (ModelTask::Replan, ModelAnswer::Draft(_)) => None,
        (ModelTask::Recovery, ModelAnswer::Recovery(decision)) => {
            unsafe_recovery(definition, state, decision)
        }
        (ModelTask::Role, ModelAnswer::Role(RoleDecision::Select { role, .. })) => {
            let is_known = run.settings.roles.contains(role);
            (!is_known).then(|| format!("`{role}` is not a role that it could choose"))
        }
        (ModelTask::Role, ModelAnswer::Role(_)) => None,
        (ModelTask::Review, ModelAnswer::Review(_)) => None,
        (ModelTask::Replan | ModelTask::Recovery | ModelTask::Role | ModelTask::Review, _) => {
            Some("it answers another question".to_owned())
        }
    }
}

/// Why the harness does not follow the decision: a model decides only what the plan's policy leaves open.
fn unsafe_recovery(
    definition: &Step,
    state: &StepState,
    decision: &RecoveryDecision,
) -> Option<String> {
    match decision {
        RecoveryDecision::Skip { .. } if definition.critical => {
            Some("the step is critical and cannot be skipped".to_owned())
        }
        RecoveryDecision::Retry { .. } if state.made_call.get().is_some() => {
            Some("its call took place, and only a person lets it be made again".to_owned())
        }
        RecoveryDecision::Retry { .. } if matches!(definition.work, Work::Check) => {
            Some("a check has no work to try again".to_owned())
        }
        RecoveryDecision::Retry {
            args: Some(args), ..
        } => unfit_arguments(definition, args),
        RecoveryDecision::Retry { args: None, .. }
        | RecoveryDecision::Skip { .. }
        | RecoveryDecision::InsertSteps { .. }
        | RecoveryDecision::Abort { .. } => None,
    }
}

fn unfit_arguments(definition: &Step, args: &Value) -> Option<String> {
    let Work::Tool { tool, .. } = &definition.work else {
        return Some("the step calls no tool, so it has no arguments".to_owned());
    };
    if !args.is_object() {
        return Some("the arguments are not a JSON object".to_owned());
    }
    // What a server's tool takes is known when it is called.
    let problems =
        built_in(tool).map_or_else(Vec::new, |tool| schema_problems(args, &tool.input_schema()));
    let text = problems.join("; ");
    (!problems.is_empty()).then(|| format!("the arguments do not fit `{tool}`: {text}"))
}

fn after_draft(run: &Run, answer: &ModelAnswer, refused: Option<&str>) -> Vec<Event> {
    let why = match (answer, refused) {
        (_, Some(why)) => why,
        (ModelAnswer::Nothing(why), None) => why.as_str(),
        (
            ModelAnswer::Draft(_)
            | ModelAnswer::Recovery(_)
            | ModelAnswer::Role(_)
            | ModelAnswer::Review(_),
            None,
        ) => return Vec::new(),
    };
    (run.replan.as_ref()).map_or_else(Vec::new, |replan| drop_replan(run, replan, why))
}

/// What follows from a decision about a step that failed. Whatever cannot be followed is a person's.
fn after_advice(
    run: &Run,
    definition: &Step,
    state: &StepState,
    said: &TaskAnswer,
    refused: Option<&str>,
) -> Vec<Event> {
    let because = state.activation.recovery_because.as_deref();
    let because = because.unwrap_or("it failed");
    let ask = |why: &str| without_a_model(run, definition, state, &format!("{because}; {why}"));
    let decision = match (&said.answer, refused) {
        (ModelAnswer::Recovery(decision), None) => decision,
        (ModelAnswer::Recovery(decision), Some(why)) => {
            let name = decision.name();
            return ask(&format!("{} advises to {name}, but {why}", said.by));
        }
        (ModelAnswer::Nothing(why), _) => return ask(&format!("no advice: {why}")),
        (ModelAnswer::Draft(_) | ModelAnswer::Role(_) | ModelAnswer::Review(_), _) => {
            return ask("no advice");
        }
    };
    let reason = |word: &str| format!("{word} by {}: {}", said.by, decision.reason());
    match decision {
        // `apply` lets it be tried again.
        RecoveryDecision::Retry { .. } => Vec::new(),
        RecoveryDecision::Skip { .. } => skip_and_block(run, definition, &reason("skipped")),
        RecoveryDecision::InsertSteps { reason } => {
            let because = format!("{because}; {reason}");
            replan_after_failure(run, definition, state, &because, &said.by)
        }
        RecoveryDecision::Abort { .. } => fail_step(
            run,
            definition,
            state,
            &reason(&format!("{because}; aborted")),
        ),
    }
}

/// Asks a model how the step goes on, as the policy says; asks a person if a model did not help or costs too much.
pub(super) fn request_recovery(
    run: &Run,
    definition: &Step,
    state: &StepState,
    reason: &str,
) -> Vec<Event> {
    if state.activation.recoveries >= MAX_RECOVERIES {
        return without_a_model(run, definition, state, reason);
    }
    let unconfigured = (!run.settings.has_planner).then(|| NO_PLANNER.to_owned());
    if let Some(why) = unconfigured.or_else(|| no_budget(run)) {
        return without_a_model(run, definition, state, &format!("{reason}; {why}"));
    }
    vec![Event::RecoveryRequested {
        step: definition.id.clone(),
        because: reason.to_owned(),
    }]
}

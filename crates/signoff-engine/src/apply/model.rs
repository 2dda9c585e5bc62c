//! Answers of models, and requests for a new version of the plan.

use std::sync::Arc;

use super::merge::carry_work_over;
use crate::event::{
    Event, ModelAnswer, ModelTask, ModelUsage, PlanningUsage, RecoveryDecision, RoleDecision,
};
use crate::evidence::ReviewAdvice;
use crate::state::{
    ChosenRole, Replan, ReplanStage, Run, Stage, StepState, StepStatus, TokenUsage,
};

pub(super) fn request_replan(run: &mut Run, at: usize, event: &Event) {
    let Event::ReplanRequested {
        because,
        discoveries,
        by,
        holds,
        expands,
        ..
    } = event
    else {
        return;
    };
    if *holds && let Some(step) = run.steps.get_mut(at) {
        step.hold_step();
        run.schedule.active.remove(&at);
    }
    // Several steps may want it at once.
    if run.replan.is_none() {
        run.replans += 1;
        run.replan = Some(Replan {
            step: at,
            because: because.clone(),
            discoveries: discoveries.clone(),
            by: by.clone(),
            may_exceed_budget: false,
            expands: *expands,
            stage: ReplanStage::Requested,
        });
    }
}

/// Somebody wrote the new version already.
pub(super) fn take_handed_in(run: &mut Run, at: usize, event: &Event) {
    let Event::VersionHandedIn {
        draft, because, by, ..
    } = event
    else {
        return;
    };
    run.replans += 1;
    run.replan = Some(Replan {
        step: at,
        because: because.clone(),
        discoveries: Vec::new(),
        by: by.clone(),
        may_exceed_budget: false,
        expands: false,
        stage: ReplanStage::Drafted(draft.clone()),
    });
}

/// What models used for the plan earlier counts like what they use now.
pub(super) fn count_planning(run: &mut Run, planning: &[PlanningUsage]) {
    for PlanningUsage { by, usage } in planning {
        run.usage.sums.count_models(Some(by), usage);
        run.usage.note_draft(&TokenUsage::of_models(usage), false);
    }
}

pub(super) fn request_recovery(step: &mut StepState, because: &str) {
    step.activation.recovery_because = Some(because.to_owned());
    step.status = StepStatus::Running;
    step.await_model(ModelTask::Recovery);
}

pub(super) fn ask_model(run: &mut Run, at: usize, task: ModelTask) {
    if task == ModelTask::Replan {
        if let Some(replan) = &mut run.replan {
            replan.stage = ReplanStage::Asked;
        }
    } else if task == ModelTask::Review {
        run.reviews.ask(at);
    } else if let Some(step) = run.steps.get_mut(at) {
        step.stage = Stage::AskingModel { task };
    }
}

pub(super) fn take_answer(run: &mut Run, at: usize, event: &Event) {
    let Event::ModelAnswered {
        task,
        answer,
        refused,
        usage,
        by,
        ..
    } = event
    else {
        return;
    };
    count_usage(run, at, by, usage);
    match task {
        ModelTask::Replan => {
            run.usage.note_draft(&TokenUsage::of_models(usage), true);
            if let Some(replan) = &mut run.replan {
                replan.stage = stage_after(answer, refused.as_deref());
            }
        }
        ModelTask::Recovery => {
            let retries = run.definition(at).map_or(0, |step| step.on_fail.retries);
            if let Some(step) = run.steps.get_mut(at) {
                let followed = refused.is_none();
                recover(step, answer, followed, retries, by);
            }
        }
        ModelTask::Role => {
            let before = run.steps.get(at).and_then(|step| step.usage.agent.clone());
            if let Some(step) = run.steps.get_mut(at) {
                let role = chosen_role(answer, before).filter(|_| refused.is_none());
                step.activation.role = Some(ChosenRole { role });
                step.stage = Stage::NeedsWork;
            }
        }
        ModelTask::Review => {
            run.reviews.end();
            let evidence = run
                .steps
                .get_mut(at)
                .and_then(|step| step.outcome.evidence.as_mut());
            if let Some(evidence) = evidence {
                // Other steps may share the evidence; the review is not about their work.
                Arc::make_mut(evidence).facts.advice =
                    Some(review_advice(answer, refused.as_deref(), by));
            }
        }
    }
}

/// What a person is told of a reviewer's answer.
fn review_advice(answer: &ModelAnswer, refused: Option<&str>, by: &str) -> ReviewAdvice {
    let (remarks, none) = match (answer, refused) {
        (ModelAnswer::Review(remarks), None) => (remarks.clone(), None),
        (ModelAnswer::Nothing(why), None) => (Vec::new(), Some(why.clone())),
        (_, Some(why)) => (Vec::new(), Some(why.to_owned())),
        (ModelAnswer::Draft(_) | ModelAnswer::Recovery(_) | ModelAnswer::Role(_), None) => {
            (Vec::new(), Some("it answers another question".to_owned()))
        }
    };
    ReviewAdvice {
        by: by.to_owned(),
        remarks,
        none,
    }
}

/// Questions count as the work of the step that they are about.
fn count_usage(run: &mut Run, at: usize, by: &str, usage: &[ModelUsage]) {
    let used = TokenUsage::of_models(usage);
    if let Some(step) = run.steps.get_mut(at) {
        step.activation.spent.add(used);
        step.usage.total.add(used);
        step.usage.open.add(used);
    }
    run.usage.sums.count_models(Some(by), usage);
}

fn stage_after(answer: &ModelAnswer, refused: Option<&str>) -> ReplanStage {
    match (answer, refused) {
        (_, Some(why)) => ReplanStage::Lost(why.to_owned()),
        (ModelAnswer::Draft(draft), None) => ReplanStage::Drafted(Box::new(draft.clone())),
        (ModelAnswer::Nothing(why), None) => ReplanStage::Lost(why.clone()),
        (ModelAnswer::Recovery(_) | ModelAnswer::Role(_) | ModelAnswer::Review(_), None) => {
            ReplanStage::Lost("the answer is not a plan".to_owned())
        }
    }
}

fn recover(step: &mut StepState, answer: &ModelAnswer, followed: bool, retries: u32, by: &str) {
    // If what follows is lost in a crash, the model is asked again.
    step.await_model(ModelTask::Recovery);
    step.activation.recoveries += 1;
    if let ModelAnswer::Recovery(RecoveryDecision::Retry { args, reason }) = answer
        && followed
    {
        if args.is_some() {
            step.activation.args.clone_from(args);
            step.activation.args_by = Some(by.to_owned());
            step.activation.args_by_model = true;
            step.activation.approved = false;
        }
        step.advice.hint = Some(reason.clone());
        step.activation.failures = retries;
        step.activation.not_before = 0;
        step.stage = Stage::NeedsWork;
        carry_work_over(step);
    }
}

/// The role that the answer selects. Any answer but a choice leaves the role that the rules give.
fn chosen_role(answer: &ModelAnswer, before: Option<String>) -> Option<String> {
    match answer {
        ModelAnswer::Role(RoleDecision::Select { role, .. }) => Some(role.clone()),
        ModelAnswer::Role(RoleDecision::Retry { .. }) => before,
        ModelAnswer::Role(RoleDecision::Continue { .. } | RoleDecision::Complete { .. })
        | ModelAnswer::Draft(_)
        | ModelAnswer::Recovery(_)
        | ModelAnswer::Review(_)
        | ModelAnswer::Nothing(_) => None,
    }
}

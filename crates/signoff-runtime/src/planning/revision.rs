//! The planner rewrites a plan that people object to: all of it, or one step.

use signoff_api::plan_log::PlanningTask;
use signoff_engine::{Actor, PlanState, Transition, state_after};
use signoff_llm::{DraftReport, DraftedPlan, Objection, PlanningContext, PromptName, RevisedPlan};
use signoff_plan::check::check;
use signoff_plan::diagnostic::Severity;
use signoff_plan::dialect::parse_as;
use signoff_plan::edit::replace_step;
use signoff_plan::source::Source;

use super::expansion::expansion_objections;
use super::keep::{DraftOrigin, finished_revision};
use super::spending::{ModelRequest, record_planning};
use super::{DraftObserver, DraftOptions, Model, draft, planning_context, request_of};
use crate::clock::timestamp;
use crate::error::{Error, PlanningError};
use crate::plan_file::PlanFile;
use crate::plan_history::PlanHistory;
use crate::plans::status::plan_status;
use crate::plans::{
    ActorContext, EditOptions, PlanReport, Revision, comments_in, revise_idle, step_id,
};
use crate::project::Project;

/// What is asked of the planner.
#[derive(Debug, Clone, Default)]
pub struct RevisionOptions {
    /// Id or number of the only step that may change.
    pub step: Option<String>,
    /// What the person says now, besides what was said before.
    pub feedback: Option<String>,
}

/// What became of it.
#[derive(Debug)]
pub struct RevisionReport {
    /// The rounds.
    pub draft: DraftReport,
    /// The plan as it is now, if the planner wrote one that has nothing to mend.
    pub done: Option<PlanReport>,
}

/// The planner's context: the plan, and all comments on it.
pub fn revision_context(
    context: ActorContext<'_>,
    plan: &PlanFile,
    options: &RevisionOptions,
) -> Result<PlanningContext, Error> {
    let project = context.project;
    let dialect = plan.checked.dialect;
    if PromptName::of_dialect(dialect).is_none() {
        return Err(PlanningError::NoPlannerFor { dialect }.into());
    }
    require_revisable(project, plan)?;
    let step = options.step.as_deref();
    let step = step.map(|step| step_id(plan, step)).transpose()?;
    let history = PlanHistory::read(project, &plan.key(project)?)?;
    let said = history.feedback().filter_map(|(_, text)| text);
    let now = options.feedback.as_deref().map(str::trim);
    let feedback = said.chain(now.filter(|said| !said.is_empty()));
    let feedback: Vec<String> = feedback.map(str::to_owned).collect();
    let comments = open_comments(&history, plan);
    if feedback.is_empty() && comments.is_empty() {
        return Err(PlanningError::NothingSaid.into());
    }
    let known = &plan.checked.plan;
    let asked = DraftOptions {
        task: request_of(known),
        dialect,
        memories: Vec::new(),
        existing_code: Vec::new(),
        constraints: known.constraints.clone(),
    };
    let mut gathered = planning_context(project, &asked, context.clock)?;
    gathered.revision = Some(RevisedPlan {
        text: plan.source.text().to_owned(),
        feedback,
        comments,
        step,
    });
    Ok(gathered)
}

/// Why a plan that is carried out has to change: what the person says now, and the comments that are open.
pub fn reasons_to_replan(
    context: ActorContext<'_>,
    plan: &PlanFile,
    feedback: Option<&str>,
) -> Result<Vec<String>, Error> {
    let history = PlanHistory::read(context.project, &plan.key(context.project)?)?;
    let said = feedback.map(str::trim).filter(|said| !said.is_empty());
    let mut reasons: Vec<String> = said.map(str::to_owned).into_iter().collect();
    reasons.extend(open_comments(&history, plan));
    if reasons.is_empty() {
        return Err(PlanningError::NothingSaid.into());
    }
    Ok(reasons)
}

/// What was said and is not resolved, with who said it.
fn open_comments(history: &PlanHistory, plan: &PlanFile) -> Vec<String> {
    let open = comments_in(history, plan).into_iter();
    let open = open.filter(|comment| comment.resolved_by.is_none());
    open.map(|comment| match &comment.step {
        Some(step) => format!("{} on step `{step}`: {}", comment.by, comment.text),
        None => format!("{}: {}", comment.by, comment.text),
    })
    .collect()
}

/// A plan that was rejected too often is a person's, not a planner's.
pub(super) fn require_revisable(project: &Project, plan: &PlanFile) -> Result<(), Error> {
    let status = plan_status(project, plan)?;
    let transition = match status.state {
        PlanState::Rejected | PlanState::NeedsReview => Transition::Revise,
        _ => Transition::Edit,
    };
    let allowed = state_after(status.state, transition, Actor::Planner);
    let allowed = allowed.map_err(|forbidden| status.explain(plan, forbidden));
    allowed.map(|_| ())
}

/// Asks for a new text of the plan and submits it. Nothing is written unless the new text passes.
pub fn revise_by_planner(
    context: ActorContext<'_>,
    model: &mut Model<'_>,
    plan: &PlanFile,
    told: &PlanningContext,
    observer: DraftObserver<'_>,
) -> Result<RevisionReport, Error> {
    let project = context.project;
    let step = told.revision.as_ref().and_then(|plan| plan.step.as_deref());
    let expansion = told.expansion.as_ref();
    let mut review = |drafted: &DraftedPlan| match (expansion, step) {
        (Some(expansion), _) => {
            let (before, after) = (&plan.checked.plan, &drafted.checked.plan);
            expansion_objections(before, &expansion.templates, after)
        }
        (None, Some(step)) => step_objections(project, plan, step, drafted),
        (None, None) => (observer.review)(drafted),
    };
    let observer = DraftObserver {
        round: observer.round,
        review: &mut review,
    };
    let report = draft(project, model, told, observer)?;
    let asked = ModelRequest {
        task: PlanningTask::Revision,
        by: model.name(),
        rounds: u32::try_from(report.rounds.len()).unwrap_or(u32::MAX),
        usage: &report.usage,
    };
    // Also without a result: the tokens were used.
    record_planning(context, plan, asked)?;
    let clean = report.plan.as_ref().filter(|plan| plan.is_clean());
    let done = clean.map(|drafted| {
        let text = match step {
            Some(step) => with_step(plan, step, drafted)?,
            None => {
                let at = timestamp(context.clock.now());
                let origin = DraftOrigin {
                    at: &at,
                    person: &project.process.person,
                    context: told,
                    model: report.usage.model.as_deref(),
                };
                finished_revision(drafted, &plan.checked.plan, &origin)
            }
        };
        hand_in(context, plan, &text)
    });
    let done = done.transpose()?;
    Ok(RevisionReport {
        draft: report,
        done,
    })
}

/// Refused if somebody changed the plan meanwhile.
fn hand_in(context: ActorContext<'_>, plan: &PlanFile, text: &Source) -> Result<PlanReport, Error> {
    let name = plan.source.name();
    let now = PlanFile::read(&plan.path, name, &context.project.workspace())?;
    if now.source.bytes() != plan.source.bytes() {
        return Err(PlanningError::ChangedMeanwhile.into());
    }
    let planner = ActorContext {
        actor: Actor::Planner,
        ..context
    };
    let revision = Revision::Text(text.bytes().to_vec());
    let version = plan.checked.plan.version;
    let expected = EditOptions {
        expect_version: version,
        expect_digest: None,
    };
    revise_idle(planner, &plan.path, name, &revision, &expected)
}

/// The plan with this step of the draft, and every other byte as it was.
fn with_step(plan: &PlanFile, step: &str, draft: &DraftedPlan) -> Result<Source, Error> {
    replace_step(&plan.source, step, &draft.source).map_err(Error::Uneditable)
}

/// What is wrong with the plan once it has this step of the draft.
fn step_objections(
    project: &Project,
    plan: &PlanFile,
    step: &str,
    draft: &DraftedPlan,
) -> Vec<Objection> {
    let source = match replace_step(&plan.source, step, &draft.source) {
        Ok(source) => source,
        Err(why) => {
            let message = format!("step `{step}` of the answer cannot be taken: {why}");
            return vec![Objection::new(message)];
        }
    };
    let checked = check(
        &parse_as(&source, plan.checked.dialect),
        &project.workspace(),
    );
    let problems = checked.strict().diagnostics.into_iter();
    let errors = problems.filter(|problem| problem.severity == Severity::Error);
    errors
        .map(|problem| Objection::new(problem.message))
        .collect()
}

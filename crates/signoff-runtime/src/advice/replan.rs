//! Asks for a new version of the plan, checks it like every draft, and keeps it in the run's directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use signoff_engine::{ModelAnswer, PlanDraft, Run, StepState, StepStatus};
use signoff_llm::{
    DraftEnd, DraftedPlan, FinishedStep, Objection, PlanningContext, ReplanContext, Usage,
};
use signoff_plan::dialect::{Dialect, base_id};
use signoff_plan::diff::{compare, definition_hash, only_narrows, pairs};
use signoff_plan::digest::canonical;
use signoff_plan::model::Plan;
use signoff_plan::source::Source;
use signoff_plan::write::write;
use signoff_store::failpoint;

use super::expansion::open_steps;
use super::{Advice, Advisor, ERROR_BYTES, no_advice, tail};
use crate::clock::{Clock, SystemClock, timestamp};
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::planning::{
    DraftObserver, DraftOptions, Model, draft, expansion_objections, planning_context, request_of,
    with_fields,
};
use crate::project::relative;

impl Advisor {
    pub(super) fn replan(
        &self,
        run: &Run,
        step: usize,
        model: &mut Model<'_>,
    ) -> Result<Advice, Error> {
        let name = relative(&self.project, &self.plan);
        let old = PlanFile::read(&self.plan, &name, &self.project.workspace())?;
        let dialect = old.checked.dialect;
        if matches!(dialect, Dialect::Thread | Dialect::Proposal) {
            let why = format!("planners do not write the dialect `{dialect}`");
            return Ok(no_advice(why, Usage::default()));
        }
        let context = self.context(run, step, dialect)?;
        failpoint::reach("replan.asked");
        let observer = DraftObserver {
            round: &mut |_| {},
            review: &mut |draft| {
                let after = &draft.checked.plan;
                let mut objections = changed_finished_steps(run, after);
                if let Some(expansion) = &context.expansion {
                    let more = expansion_objections(run.plan(), &expansion.templates, after);
                    objections.extend(more);
                }
                objections
            },
        };
        let report = draft(&self.project, model, &context, observer)?;
        let usage = report.usage;
        let drafted = match (report.plan, report.end) {
            (Some(plan), DraftEnd::Clean) => plan,
            (_, DraftEnd::ModelFailed(error)) => return Ok(no_advice(error.message, usage)),
            (Some(plan), _) => {
                let problems: Vec<String> = (plan.objections.iter())
                    .filter(|one| one.is_blocking)
                    .map(|one| one.message.clone())
                    .collect();
                let why = format!("every draft has errors: {}", problems.join("; "));
                return Ok(no_advice(why, usage));
            }
            (None, _) => return Ok(no_advice("no answer held a plan", usage)),
        };
        let answer = self.keep_draft(run, &drafted, usage.model.as_deref())?;
        Ok(Advice { answer, usage })
    }

    fn context(&self, run: &Run, step: usize, dialect: Dialect) -> Result<PlanningContext, Error> {
        if run.replan().is_some_and(|replan| replan.expands) {
            return self.expansion_context(run, dialect);
        }
        Ok(PlanningContext {
            replan: Some(replan_context(run, step, dialect)),
            ..self.plan_context(run, dialect)?
        })
    }

    pub(super) fn expansion_context(
        &self,
        run: &Run,
        dialect: Dialect,
    ) -> Result<PlanningContext, Error> {
        Ok(PlanningContext {
            expansion: Some(open_steps(&self.project, run, dialect)),
            ..self.plan_context(run, dialect)?
        })
    }

    fn plan_context(&self, run: &Run, dialect: Dialect) -> Result<PlanningContext, Error> {
        let plan = run.plan();
        let options = DraftOptions {
            task: request_of(plan),
            dialect,
            memories: Vec::new(),
            existing_code: Vec::new(),
            constraints: plan.constraints.clone(),
        };
        planning_context(&self.project, &options, &SystemClock::new())
    }

    /// Keeps the text under a name that no plan has, before the journal names it.
    fn keep_draft(
        &self,
        run: &Run,
        drafted: &DraftedPlan,
        model: Option<&str>,
    ) -> Result<ModelAnswer, Error> {
        let next = self.next_identity(run.plan());
        let source = with_identity(drafted, run.plan(), &next, model);
        let name = relative(&self.project, &next.path);
        let workspace = self.project.workspace();
        let dialect = drafted.checked.dialect;
        let plan = PlanFile::from_source(&next.path, source, Some(dialect), &workspace);
        if plan.checked.errors() > 0 {
            let why = "the draft has errors once it has its id and version".to_owned();
            return Ok(ModelAnswer::Nothing(why));
        }
        let after = &plan.checked.plan;
        let changes = compare(&canonical(run.plan()), &canonical(after));
        if changes.is_empty() {
            return Ok(ModelAnswer::Nothing("the draft changes nothing".to_owned()));
        }
        let extension = next.path.extension().and_then(|found| found.to_str());
        let dir = self.project.store.run_dir(run.id());
        let bytes = plan.source.bytes();
        let kept = format!("draft-{}", run.replans());
        let snapshot = dir.save_text(&kept, extension.unwrap_or("md"), bytes)?;
        failpoint::reach("replan.drafted");
        Ok(ModelAnswer::Draft(PlanDraft {
            plan: next.id,
            path: name,
            snapshot,
            digest: plan.digest().to_string(),
            changes: changes.iter().map(ToString::to_string).collect(),
            reasoning: drafted.reasoning.clone().or_else(|| after.context.clone()),
            narrows: only_narrows(run.plan(), after, &begun_steps(run)),
            actor: None,
        }))
    }

    /// The next version's id and file, which nothing has: an earlier one may have been refused.
    pub(super) fn next_identity(&self, plan: &Plan) -> NextIdentity {
        let stem = self.plan.file_stem().and_then(|stem| stem.to_str());
        let base = base_id(plan).or(stem).unwrap_or("plan").to_owned();
        let extension = self.plan.extension().and_then(|found| found.to_str());
        let first = plan.version.unwrap_or(1).saturating_add(1);
        let directory = self.plan.parent().unwrap_or(Path::new("."));
        let mut version = first;
        loop {
            let id = format!("{base}-v{version}");
            let path = directory.join(format!("{}.{}", file_name(&id), extension.unwrap_or("md")));
            let is_taken = path.exists() || self.project.store.log_path(&id).exists();
            if !is_taken {
                let previous = plan.id.clone().unwrap_or_else(|| self.key.clone());
                return NextIdentity {
                    id,
                    version,
                    previous,
                    path,
                };
            }
            version += 1;
        }
    }
}

/// The id of the next version of a plan.
pub(super) struct NextIdentity {
    pub(super) id: String,
    pub(super) version: u64,
    pub(super) previous: String,
    pub(super) path: PathBuf,
}

/// An id as the name of a file.
fn file_name(id: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    id.chars().map(|c| if plain(c) { c } else { '-' }).collect()
}

/// The draft with what only the harness knows. Whatever the model says of it is replaced.
fn with_identity(
    drafted: &DraftedPlan,
    before: &Plan,
    next: &NextIdentity,
    model: Option<&str>,
) -> Source {
    let now = timestamp(SystemClock::new().now());
    let informed_by = before.record.get("informed_by").or(Some(&Value::Null));
    with_fields(
        &drafted.source,
        [
            ("id", Some(Value::from(next.id.as_str()))),
            ("version", Some(Value::from(next.version))),
            ("previous", Some(Value::from(next.previous.as_str()))),
            ("owner", Some(Value::from(before.owner.as_deref()))),
            ("priority", Some(Value::from(before.priority.as_deref()))),
            // The request is a person's: a planner neither changes nor adds it.
            ("task", Some(Value::from(before.task.as_deref()))),
            ("status", Some(Value::from("draft"))),
            ("created_by", Some(Value::from("planner"))),
            ("created_at", Some(Value::from(now.as_str()))),
            ("updated_at", Some(Value::from(now.as_str()))),
            ("planner_model", Some(Value::from(model))),
            ("informed_by", informed_by.cloned()),
        ],
    )
}

/// Steps that have begun: leaving one of them out is more than narrowing.
fn begun_steps(run: &Run) -> BTreeSet<String> {
    let begun = run.steps().filter(|(_, state)| {
        let is_untouched = matches!(state.status, StepStatus::Pending | StepStatus::Blocked);
        state.attempts > 0 || !is_untouched
    });
    begun.map(|(step, _)| step.id.clone()).collect()
}

fn is_finished(state: &StepState) -> bool {
    state.status == StepStatus::Completed
}

/// The plan that the run carries out, without marks.
pub(super) fn plan_text(run: &Run, dialect: Dialect) -> String {
    let written = write(run.plan(), dialect).files.into_iter().next();
    written.expect("a plan is at least one file").1
}

fn replan_context(run: &Run, step: usize, dialect: Dialect) -> ReplanContext {
    let plan = plan_text(run, dialect);
    let replan = run.replan();
    let failure = run
        .step(step)
        .and_then(|(_, state)| state.advice.failure.as_ref());
    let output = failure.map(|failure| format!("{}\n{}", failure.stdout, failure.stderr));
    let because = replan.map(|replan| replan.because.clone());
    let error = [because, output.map(|output| output.trim().to_owned())];
    let error: Vec<String> = error.into_iter().flatten().collect();
    let finished = run.steps().filter(|(_, state)| is_finished(state));
    let finished = finished.map(|(step, state)| FinishedStep {
        id: step.id.clone(),
        title: step.title.clone(),
        evidence: evidence_text(state),
    });
    ReplanContext {
        plan,
        step: (run.definition(step))
            .map_or_else(String::new, |step| format!("{}: {}", step.id, step.title)),
        error: tail(error.join("\n\n").trim(), ERROR_BYTES),
        discoveries: replan.map_or_else(Vec::new, |replan| replan.discoveries.clone()),
        finished: finished.collect(),
    }
}

fn evidence_text(state: &StepState) -> String {
    let grade = state.outcome.grade();
    let grade = grade.map_or_else(String::new, |grade| format!("{grade:?}").to_lowercase());
    match state.changes.files.as_deref().unwrap_or_default() {
        [] => grade,
        files => format!("{grade}; changed {}", files.join(", ")),
    }
}

/// What a draft does to steps that are finished: their evidence would be lost.
pub(super) fn changed_finished_steps(run: &Run, after: &Plan) -> Vec<Objection> {
    let before = run.plan();
    let pairs = pairs(before, after);
    let mut objections = Vec::new();
    for (at, was) in before.steps.iter().enumerate() {
        let is_done = run.step(at).is_some_and(|(_, state)| is_finished(state));
        if !is_done {
            continue;
        }
        let now = pairs.iter().position(|from| *from == Some(at));
        let now = now.and_then(|at| after.steps.get(at));
        match now {
            None => objections.push(Objection::new(format!(
                "step `{}` is finished and missing; repeat it as it was",
                was.id
            ))),
            Some(now) if definition_hash(now) != definition_hash(was) => {
                objections.push(Objection::new(format!(
                    "step `{}` is finished and was changed; repeat it word for word",
                    was.id
                )));
            }
            Some(_) => {}
        }
    }
    objections
}

//! The report of a run: its journal step by step, with the evidence.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use signoff_api::plan;
use signoff_api::report::{
    ContractRun, Report, ReportedAnswer, ReportedAttempt, ReportedModel, ReportedSignature,
    ReportedStep, SCHEMA, TimeSpan,
};
use signoff_api::usage::AgentUsage;
use signoff_engine::{
    AgentReport, Event, Millis, Observation, ProcessEnd, RecordedEvent, TokenUsage, Verdict,
};
use signoff_plan::signed::Digest;
use signoff_store::signatures::{SignatureRecord, all_matching, copies_of_run};

use super::run_cache::RunCache;
use super::view::RunView;
use crate::clock::timestamp;
use crate::drive::journal::read_events;
use crate::error::Error;
use crate::project::Project;

/// Characters of one output that a report keeps: its end says what failed.
const OUTPUT: usize = 20_000;

impl RunView {
    /// Everything that the run's verdicts rest on. `now`: when it is written.
    pub fn report(&self, project: &Project, now: Millis) -> Result<Report, Error> {
        let journal = match RunCache::of(project) {
            Some(kept) => kept.report(project, self, JournalReport::clone)?,
            None => JournalReport::read(project, self)?,
        };
        let run = self.to_api();
        Ok(Report {
            schema: SCHEMA.to_owned(),
            at: timestamp(now),
            signatures: self.signatures_given(project, &journal.versions)?,
            steps: journal.steps,
            answers: journal.answers,
            models: journal.models,
            verify: vec![
                format!("signoff log {}", run.run),
                format!("signoff diff --signed {}", run.plan),
            ],
            run,
        })
    }

    /// The signatures over each version that was carried out, oldest version first: the newest of each person.
    fn signatures_given(
        &self,
        project: &Project,
        versions: &[ExecutedVersion],
    ) -> Result<Vec<ReportedSignature>, Error> {
        let dir = project.store.run_dir(self.run.id());
        let mut given = Vec::new();
        for ExecutedVersion { key, digest, terms } in versions {
            let (Ok(plan), Ok(under)) = (digest.parse::<Digest>(), terms.parse::<Digest>()) else {
                continue;
            };
            let mut found = all_matching(&project.store, key, &plan, &under)?;
            if found.is_empty() {
                found = copies_of_run(&dir, key, &plan, &under)?;
            }
            let mut by = BTreeSet::new();
            // Of several by one person the newest.
            found.retain(|record| by.insert(record.signature.by.clone()));
            given.extend(found.iter().rev().map(reported_signature));
        }
        Ok(given)
    }
}

fn reported_signature(record: &SignatureRecord) -> ReportedSignature {
    let signature = &record.signature;
    ReportedSignature {
        by: signature.by.clone(),
        at: signature.at.clone(),
        proof: signature.proof.clone(),
        digest: signature.digest.to_string(),
        terms: signature.terms.to_string(),
        note: signature.note.clone(),
        principal: record.key.as_ref().map(|key| key.principal.clone()),
    }
}

/// A version of the plan that was carried out: under which name it was signed, and what.
#[derive(Debug, Clone)]
struct ExecutedVersion {
    key: String,
    digest: String,
    terms: String,
}

/// The journal so far.
#[derive(Debug, Clone)]
pub(super) struct JournalReport {
    /// The version of the plan that its steps are of.
    digest: String,
    /// Its steps in the order in which they are shown.
    steps: Vec<ReportedStep>,
    /// Where each of them is.
    places: HashMap<String, usize>,
    /// Those that were tried, or waited on a person.
    begun: BTreeSet<usize>,
    /// In the order in which they were carried out.
    versions: Vec<ExecutedVersion>,
    models: Vec<ReportedModel>,
    questions: BTreeMap<String, String>,
    answers: Vec<ReportedAnswer>,
}

impl JournalReport {
    /// The journal of this run, all of it.
    pub(super) fn read(project: &Project, view: &RunView) -> Result<Self, Error> {
        let mut journal = Self::new(view, project);
        read_events(&project.store.run_dir(view.run.id()).journal(), |event| {
            journal.add(&event);
            Ok(())
        })?;
        Ok(journal)
    }

    /// These steps and the newest that began, in order; and how many others began.
    pub(super) fn select_steps(&self, named: &[&str], newest: usize) -> (Vec<ReportedStep>, usize) {
        let named = named.iter().filter_map(|id| self.places.get(*id));
        let newest = self.begun.iter().rev().take(newest);
        let chosen: BTreeSet<usize> = named.chain(newest).copied().collect();
        let begun = chosen.iter().filter(|at| self.begun.contains(at)).count();
        let steps = chosen.iter().filter_map(|&at| self.steps.get(at).cloned());
        (steps.collect(), self.begun.len() - begun)
    }

    /// Is it about the steps that the run has now?
    pub(super) fn is_of(&self, view: &RunView) -> bool {
        let order = view.run.order().filter_map(|at| view.run.step(at));
        let known = self.steps.iter().map(|step| &step.id);
        let is_same = order.map(|(step, _)| &step.id).eq(known);
        is_same && view.run.signed_plan().digest().to_string() == self.digest
    }

    /// Before its first event.
    pub(super) fn new(view: &RunView, project: &Project) -> Self {
        let context = plan::PlanContext {
            shell: &project.config.contract.shell.value,
            ..plan::PlanContext::default()
        };
        let shown = plan::Plan::new(view.run.plan(), &context);
        let defined: BTreeMap<String, plan::Step> = (shown.steps.into_iter())
            .map(|step| (step.id.clone(), step))
            .collect();
        let order = view.run.order().filter_map(|at| view.run.step(at));
        let steps = order.map(|(step, _)| {
            // The item of a loop is defined by its loop.
            let base = step.id.split('[').next().unwrap_or(&step.id);
            let definition = defined.get(&step.id).or_else(|| defined.get(base));
            ReportedStep {
                id: step.id.clone(),
                number: step.number,
                depends_on: definition.map_or_else(Vec::new, |one| one.depends_on.clone()),
                work: definition.map_or(plan::Work::Check, |one| one.work.clone()),
                contract: definition.and_then(|one| one.contract.clone()),
                baseline: None,
                attempts: Vec::new(),
                waits: Vec::new(),
            }
        });
        let steps: Vec<ReportedStep> = steps.collect();
        let places = steps.iter().map(|step| step.id.clone()).zip(0..);
        Self {
            digest: view.run.signed_plan().digest().to_string(),
            places: places.collect(),
            steps,
            begun: BTreeSet::new(),
            versions: Vec::new(),
            models: Vec::new(),
            questions: BTreeMap::new(),
            answers: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, recorded: &RecordedEvent) {
        let at = recorded.at;
        match &recorded.event {
            Event::RunStarted {
                plan,
                digest,
                terms,
                ..
            } => self.note_version(plan.clone(), digest, terms),
            Event::PlanReplanned {
                plan,
                digest,
                terms,
                ..
            } => {
                // Without a name of its own it is the same plan in another version.
                let before = self.versions.last().map(|version| version.key.clone());
                let key = plan.clone().or(before).unwrap_or_default();
                self.note_version(key, digest, terms);
            }
            Event::PlanningSpent { planning } => {
                let asked = planning.iter().map(|one| ReportedModel {
                    task: "planning".to_owned(),
                    step: None,
                    by: one.by.clone(),
                    answer: None,
                    refused: None,
                    usage: AgentUsage::of(&TokenUsage::of_models(&one.usage)),
                    at: timestamp(at),
                });
                self.models.extend(asked);
            }
            Event::ModelAnswered {
                step,
                task,
                answer,
                refused,
                by,
                usage,
            } => self.models.push(ReportedModel {
                task: task.name().to_owned(),
                step: Some(step.clone()),
                by: by.clone(),
                answer: Some(answer.summary()),
                refused: refused.clone(),
                usage: AgentUsage::of(&TokenUsage::of_models(usage)),
                at: timestamp(at),
            }),
            Event::InboxOpened { item, question, .. } => {
                self.questions.insert(item.clone(), question.clone());
            }
            Event::InboxAnswered {
                item,
                step,
                choice,
                note,
                by,
                ..
            } => {
                self.answers.push(ReportedAnswer {
                    step: step.clone(),
                    question: self.questions.get(item).cloned().unwrap_or_default(),
                    choice: choice.name().to_owned(),
                    note: note.clone(),
                    by: by.clone(),
                    at: timestamp(at),
                });
                self.end_wait(step, at);
            }
            event => self.add_to_step(event, at),
        }
    }

    fn note_version(&mut self, key: String, digest: &str, terms: &str) {
        self.versions.push(ExecutedVersion {
            key,
            digest: digest.to_owned(),
            terms: terms.to_owned(),
        });
    }

    fn add_to_step(&mut self, event: &Event, at: Millis) {
        match event {
            Event::StepWaiting { step, .. } => {
                if let Some(step) = self.begin(step) {
                    step.waits.push(TimeSpan {
                        from: timestamp(at),
                        to: None,
                    });
                }
            }
            Event::BaselineFinished {
                step,
                verdict,
                observed,
            } => {
                if let Some(step) = self.step(step) {
                    step.baseline = Some(contract_run(*verdict, &[], observed, at));
                }
            }
            Event::AttemptStarted { step, attempt, .. } => {
                self.end_wait(step, at);
                if let Some(step) = self.begin(step) {
                    step.attempts.push(begun_attempt(*attempt, at));
                }
            }
            event => self.add_to_attempt(event, at),
        }
    }

    fn add_to_attempt(&mut self, event: &Event, at: Millis) {
        match event {
            Event::WorkItem { step, item, .. } => {
                if let Some(attempt) = self.attempt(step) {
                    attempt.agent = Some(item.agent_id.clone());
                }
            }
            Event::WorkFinished {
                step,
                ended,
                output,
                changes,
                report,
                ..
            } => {
                let Some(attempt) = self.attempt(step) else {
                    return;
                };
                attempt.worked_until = Some(timestamp(at));
                attempt.ended = Some(ended.to_string());
                attempt.said = Some(output.text.trim().to_owned()).filter(|text| !text.is_empty());
                attempt.changed = changes.files.clone().unwrap_or_default();
                if let Some(report) = report {
                    add_usage(attempt, report);
                }
                if !matches!(ended, ProcessEnd::Exited(0)) {
                    attempt.ended_at = Some(timestamp(at));
                }
            }
            Event::CallFinished { step, .. } => {
                if let Some(attempt) = self.attempt(step) {
                    attempt.worked_until = Some(timestamp(at));
                    attempt.ended_at = Some(timestamp(at));
                }
            }
            Event::ContractFinished {
                step,
                verdict,
                unmet,
                observed,
                ..
            } => {
                if let Some(attempt) = self.attempt(step) {
                    attempt.contract = Some(contract_run(*verdict, unmet, observed, at));
                    // It may run once more at the end, on the last tree.
                    attempt.ended_at.get_or_insert_with(|| timestamp(at));
                }
            }
            Event::AttemptInterrupted { step, .. } => {
                self.fail(step, "it was cut off", at);
            }
            Event::MergeConflicted { step, files, .. } => {
                let what = format!("conflicts with another step in {}", files.join(", "));
                self.fail(step, &what, at);
            }
            Event::RetryScheduled { step, reason, .. } | Event::StepFailed { step, reason, .. } => {
                self.fail(step, reason, at);
            }
            Event::StepCompleted { step, .. } | Event::StepSkipped { step, .. } => {
                self.end_wait(step, at);
                if let Some(attempt) = self.attempt(step) {
                    attempt.ended_at.get_or_insert_with(|| timestamp(at));
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, id: &str) -> Option<&mut ReportedStep> {
        self.steps.get_mut(*self.places.get(id)?)
    }

    /// The step, which from now on is among those that begun.
    fn begin(&mut self, id: &str) -> Option<&mut ReportedStep> {
        let at = *self.places.get(id)?;
        self.begun.insert(at);
        self.steps.get_mut(at)
    }

    fn attempt(&mut self, step: &str) -> Option<&mut ReportedAttempt> {
        self.step(step)?.attempts.last_mut()
    }

    fn fail(&mut self, step: &str, reason: &str, at: Millis) {
        if let Some(attempt) = self.attempt(step) {
            attempt.failed = Some(reason.to_owned());
            attempt.ended_at.get_or_insert_with(|| timestamp(at));
        }
    }

    fn end_wait(&mut self, step: &str, at: Millis) {
        let waits = self.step(step).map(|step| &mut step.waits);
        if let Some(open) = waits.and_then(|waits| waits.last_mut()) {
            open.to.get_or_insert_with(|| timestamp(at));
        }
    }
}

fn begun_attempt(number: u32, at: Millis) -> ReportedAttempt {
    ReportedAttempt {
        number,
        started_at: timestamp(at),
        worked_until: None,
        ended_at: None,
        agent: None,
        model: None,
        ended: None,
        said: None,
        changed: Vec::new(),
        contract: None,
        failed: None,
        usage: None,
    }
}

fn add_usage(attempt: &mut ReportedAttempt, report: &AgentReport) {
    attempt.usage = AgentUsage::of(&TokenUsage::of(report));
    let named = report.usage.iter().find_map(|used| used.model.clone());
    attempt.model = report.model.clone().or(named);
}

fn contract_run(
    verdict: Verdict,
    unmet: &[String],
    observed: &Observation,
    at: Millis,
) -> ContractRun {
    let verdict = match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Inconclusive => "inconclusive",
    };
    ContractRun {
        verdict: verdict.to_owned(),
        at: timestamp(at),
        duration_ms: observed.duration_ms,
        ended: observed.ended.to_string(),
        unmet: unmet.to_vec(),
        stdout: end_of(&observed.stdout),
        stderr: end_of(&observed.stderr),
        cut: observed.cut || observed.stdout.len().max(observed.stderr.len()) > OUTPUT,
    }
}

/// The end of an output, from a whole line on.
fn end_of(text: &str) -> String {
    if text.len() <= OUTPUT {
        return text.to_owned();
    }
    let from = text.ceil_char_boundary(text.len() - OUTPUT);
    let tail = &text[from..];
    let line = tail.find('\n').map_or(0, |at| at + 1);
    tail[line..].to_owned()
}

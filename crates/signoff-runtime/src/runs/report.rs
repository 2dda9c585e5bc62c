//! What a run did and how we know: its journal, told step by step.

use std::collections::BTreeMap;

use signoff_api::plan;
use signoff_api::report::{
    ContractRun, Report, ReportedAnswer, ReportedAttempt, ReportedSignature, ReportedStep, SCHEMA,
    TimeSpan,
};
use signoff_api::usage::AgentUsage;
use signoff_engine::{
    AgentReport, Event, Millis, Observation, ProcessEnd, RecordedEvent, TokenUsage, Verdict,
};
use signoff_plan::signed::Digest;
use signoff_store::signatures::{SignatureRecord, all_matching, copies_of_run};

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
        let mut journal = JournalReport::new(self, &project.config.contract.shell.value);
        read_events(&project.store.run_dir(self.run.id()).journal(), |event| {
            journal.add(&event);
            Ok(())
        })?;
        let run = self.to_api();
        let order = self.run.order().filter_map(|at| self.run.step(at));
        let steps = order.map(|(step, _)| journal.steps.remove(&step.id));
        Ok(Report {
            schema: SCHEMA.to_owned(),
            at: timestamp(now),
            signatures: self.signatures_given(project, &journal.versions)?,
            steps: steps.flatten().collect(),
            answers: journal.answers,
            verify: vec![
                format!("signoff log {}", run.run),
                format!("signoff diff --signed {}", run.plan),
            ],
            run,
        })
    }

    /// The newest signature over each version that was carried out, oldest version first.
    fn signatures_given(
        &self,
        project: &Project,
        versions: &[(String, String)],
    ) -> Result<Vec<ReportedSignature>, Error> {
        let dir = project.store.run_dir(self.run.id());
        let mut given = Vec::new();
        for (digest, terms) in versions {
            let (Ok(plan), Ok(under)) = (digest.parse::<Digest>(), terms.parse::<Digest>()) else {
                continue;
            };
            let mut found = all_matching(&project.store, &self.key, &plan, &under)?;
            if found.is_empty() {
                found = copies_of_run(&dir, &self.key, &plan, &under)?;
            }
            given.extend(found.first().map(reported));
        }
        Ok(given)
    }
}

fn reported(record: &SignatureRecord) -> ReportedSignature {
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

/// The journal so far.
struct JournalReport {
    steps: BTreeMap<String, ReportedStep>,
    /// Digests of the plan and its terms, in the order in which they were carried out.
    versions: Vec<(String, String)>,
    questions: BTreeMap<String, String>,
    answers: Vec<ReportedAnswer>,
}

impl JournalReport {
    /// `shell`: of contracts that name none.
    fn new(view: &RunView, shell: &str) -> Self {
        let context = plan::PlanContext {
            shell,
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
            let reported = ReportedStep {
                id: step.id.clone(),
                number: step.number,
                depends_on: definition.map_or_else(Vec::new, |one| one.depends_on.clone()),
                work: definition.map_or(plan::Work::Check, |one| one.work.clone()),
                contract: definition.and_then(|one| one.contract.clone()),
                baseline: None,
                attempts: Vec::new(),
                waits: Vec::new(),
            };
            (step.id.clone(), reported)
        });
        Self {
            steps: steps.collect(),
            versions: Vec::new(),
            questions: BTreeMap::new(),
            answers: Vec::new(),
        }
    }

    fn add(&mut self, recorded: &RecordedEvent) {
        let at = recorded.at;
        match &recorded.event {
            Event::RunStarted { digest, terms, .. }
            | Event::PlanReplanned { digest, terms, .. } => {
                self.versions.push((digest.clone(), terms.clone()));
            }
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

    fn add_to_step(&mut self, event: &Event, at: Millis) {
        match event {
            Event::StepWaiting { step, .. } => {
                if let Some(step) = self.steps.get_mut(step) {
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
                if let Some(step) = self.steps.get_mut(step) {
                    step.baseline = Some(contract_run(*verdict, &[], observed, at));
                }
            }
            Event::AttemptStarted { step, attempt, .. } => {
                self.end_wait(step, at);
                if let Some(step) = self.steps.get_mut(step) {
                    step.attempts.push(begun(*attempt, at));
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
                    attempt.ended_at = Some(timestamp(at));
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

    fn attempt(&mut self, step: &str) -> Option<&mut ReportedAttempt> {
        self.steps.get_mut(step)?.attempts.last_mut()
    }

    fn fail(&mut self, step: &str, reason: &str, at: Millis) {
        if let Some(attempt) = self.attempt(step) {
            attempt.failed = Some(reason.to_owned());
            attempt.ended_at.get_or_insert_with(|| timestamp(at));
        }
    }

    fn end_wait(&mut self, step: &str, at: Millis) {
        let waits = self.steps.get_mut(step).map(|step| &mut step.waits);
        if let Some(open) = waits.and_then(|waits| waits.last_mut()) {
            open.to.get_or_insert_with(|| timestamp(at));
        }
    }
}

fn begun(number: u32, at: Millis) -> ReportedAttempt {
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

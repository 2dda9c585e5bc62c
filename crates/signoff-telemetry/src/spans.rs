//! The spans of a run, from its events: the run, its steps, and below each step its attempts and contracts.
//!
//! Their ids follow from the names of what they are about. So a process that takes a run over continues its trace, and one
//! that tells something twice tells the same.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use signoff_engine::{Event, Millis, RecordedEvent};

/// Something that has a beginning and an end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Span {
    pub(crate) trace: [u8; 16],
    pub(crate) id: [u8; 8],
    pub(crate) parent: Option<[u8; 8]>,
    pub(crate) kind: SpanKind,
    pub(crate) start: Millis,
    pub(crate) end: Millis,
    pub(crate) attributes: Vec<(&'static str, Value)>,
    /// Why it is not as it should be, if so.
    pub(crate) trouble: Option<String>,
}

impl Span {
    pub(crate) fn seconds(&self) -> f64 {
        let millis = self.end.saturating_sub(self.start);
        std::time::Duration::from_millis(millis).as_secs_f64()
    }

    /// A word that says how it ended.
    pub(crate) fn outcome(&self) -> &str {
        let outcome = self.attributes.iter().find(|(name, _)| *name == OUTCOME);
        outcome
            .and_then(|(_, word)| word.as_str())
            .unwrap_or_default()
    }
}

/// What a span is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SpanKind {
    Run,
    Step,
    Attempt,
    Contract,
}

impl SpanKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Step => "step",
            Self::Attempt => "attempt",
            Self::Contract => "contract",
        }
    }
}

pub(crate) const OUTCOME: &str = "signoff.outcome";

/// What has begun in a run and not ended.
#[derive(Debug)]
pub(crate) struct OpenSpans {
    run: String,
    plan: String,
    open: BTreeMap<(SpanKind, String), Millis>,
}

/// How something ended.
struct End {
    kind: SpanKind,
    /// Its name within the run: nothing for the run, else the step, with the number of the attempt or the name of the contract.
    name: String,
    outcome: String,
    is_trouble: bool,
    attributes: Vec<(&'static str, Value)>,
}

impl OpenSpans {
    pub(crate) fn of(run: &str) -> Self {
        Self {
            run: run.to_owned(),
            plan: String::new(),
            open: BTreeMap::new(),
        }
    }

    /// The span that ends with this event, if one does.
    pub(crate) fn note(&mut self, recorded: &RecordedEvent) -> Option<Span> {
        if let Event::RunStarted { plan, .. } = &recorded.event {
            self.plan.clone_from(plan);
        }
        if let Some((kind, name)) = span_start(&recorded.event) {
            // What is begun again began with its first time.
            self.open.entry((kind, name)).or_insert(recorded.at);
            return None;
        }
        let end = span_end(&recorded.event)?;
        let start = self.open.remove(&(end.kind, end.name.clone()))?;
        Some(self.span(end, start, recorded.at))
    }

    fn span(&self, end: End, start: Millis, at: Millis) -> Span {
        let step = end.name.split('/').next().unwrap_or_default();
        let parent = match end.kind {
            SpanKind::Run => None,
            SpanKind::Step => Some(self.id(SpanKind::Run, "", None)),
            SpanKind::Attempt | SpanKind::Contract => Some(self.id(SpanKind::Step, step, None)),
        };
        // Contracts of one name follow one another.
        let since = (end.kind == SpanKind::Contract).then_some(start);
        let id = self.id(end.kind, &end.name, since);
        let mut attributes = vec![
            ("signoff.run", json!(self.run)),
            ("signoff.plan", json!(self.plan)),
            (OUTCOME, json!(end.outcome)),
        ];
        if end.kind != SpanKind::Run {
            attributes.push(("signoff.step", json!(step)));
        }
        attributes.extend(end.attributes);
        let mut trace = [0; 16];
        trace.copy_from_slice(&hash(&self.run)[..16]);
        Span {
            trace,
            id,
            parent,
            kind: end.kind,
            start,
            end: at,
            attributes,
            trouble: end.is_trouble.then_some(end.outcome),
        }
    }

    fn id(&self, kind: SpanKind, name: &str, since: Option<Millis>) -> [u8; 8] {
        let since = since.map(|at| at.to_string()).unwrap_or_default();
        let whole = hash(&format!("{}\n{}\n{name}\n{since}", self.run, kind.name()));
        let mut id = [0; 8];
        id.copy_from_slice(&whole[..8]);
        id
    }
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

fn span_start(event: &Event) -> Option<(SpanKind, String)> {
    Some(match event {
        Event::RunStarted { .. } => (SpanKind::Run, String::new()),
        Event::StepStarted { step } => (SpanKind::Step, step.clone()),
        Event::AttemptStarted { step, attempt, .. } => {
            (SpanKind::Attempt, format!("{step}/{attempt}"))
        }
        Event::BaselineStarted { step, .. } => (SpanKind::Contract, format!("{step}/baseline")),
        Event::ContractStarted { step, .. } => (SpanKind::Contract, format!("{step}/contract")),
        _ => return None,
    })
}

fn span_end(event: &Event) -> Option<End> {
    let end = |kind, name: String, outcome: &str, is_trouble| End {
        kind,
        name,
        outcome: outcome.to_owned(),
        is_trouble,
        attributes: Vec::new(),
    };
    let of_step =
        |step: &str, word, is_trouble| end(SpanKind::Step, step.to_owned(), word, is_trouble);
    Some(match event {
        Event::RunFinished { outcome } => {
            let word = journal_name(outcome);
            let failed = word == "failed";
            end(SpanKind::Run, String::new(), &word, failed)
        }
        Event::StepCompleted {
            step,
            attempts,
            evidence,
            ..
        } => End {
            attributes: vec![
                ("signoff.attempts", json!(attempts)),
                ("signoff.evidence", json!(journal_name(evidence))),
            ],
            ..of_step(step, "completed", false)
        },
        Event::StepProvisional { step, .. } => of_step(step, "provisional", false),
        Event::StepFailed { step, .. } => of_step(step, "failed", true),
        Event::StepSkipped { step, .. } => of_step(step, "skipped", false),
        Event::WorkFinished {
            step,
            attempt,
            ended,
            ..
        } => {
            let name = format!("{step}/{attempt}");
            let failed = !ended.succeeded();
            End {
                attributes: vec![("signoff.attempt", json!(attempt))],
                ..end(SpanKind::Attempt, name, end_name(ended), failed)
            }
        }
        Event::CallFinished { step, attempt, .. } => end(
            SpanKind::Attempt,
            format!("{step}/{attempt}"),
            "called",
            false,
        ),
        Event::AttemptInterrupted {
            step,
            attempt,
            stopped,
            ..
        } => {
            let how = if *stopped { "stopped" } else { "lost" };
            End {
                attributes: vec![("signoff.attempt", json!(attempt))],
                ..end(SpanKind::Attempt, format!("{step}/{attempt}"), how, true)
            }
        }
        Event::BaselineFinished { step, verdict, .. } => end(
            SpanKind::Contract,
            format!("{step}/baseline"),
            &journal_name(verdict),
            false,
        ),
        Event::ContractFinished { step, verdict, .. } => {
            let word = journal_name(verdict);
            let failed = word != "pass";
            end(
                SpanKind::Contract,
                format!("{step}/contract"),
                &word,
                failed,
            )
        }
        _ => return None,
    })
}

/// The name that a value has in the journal.
fn journal_name(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

fn end_name(ended: &signoff_engine::ProcessEnd) -> &'static str {
    use signoff_engine::ProcessEnd;
    match ended {
        ProcessEnd::Exited(0) => "ended",
        ProcessEnd::Exited(_) => "failed",
        ProcessEnd::Signaled(_) => "killed",
        ProcessEnd::TimedOut => "time_limit",
        ProcessEnd::OverBudget => "over_budget",
        ProcessEnd::NotStarted(_) => "not_started",
    }
}

#[cfg(test)]
mod tests;

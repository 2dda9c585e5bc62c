//! The section of a proposal's file about its execution: when, where its log is, how it ended.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use signoff_engine::{Event, Grade, Millis, RecordedEvent, Run, StepStatus};
use signoff_plan::edit::{Edit, EditRefused, apply, apply_to};
use signoff_plan::source::Source;
use signoff_store::config::Durability;
use signoff_store::runs::RunDir;

use super::session;
use crate::clock::timestamp;
use crate::plan_file::PlanFile;
use crate::project::{Project, relative};

/// When a run started, and ended if it has.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Times {
    started: Option<Millis>,
    ended: Option<Millis>,
}

impl Times {
    pub(crate) fn note(&mut self, recorded: &RecordedEvent) {
        match recorded.event {
            Event::RunStarted { .. } => self.started = Some(recorded.at),
            Event::RunFinished { .. } => self.ended = Some(recorded.at),
            Event::RunResumed { .. } => self.ended = None,
            _ => {}
        }
    }
}

/// The execution of one plan.
#[derive(Debug)]
pub(crate) struct Execution {
    pub(crate) times: Times,
    /// Where plan mode's users look for its steps.
    log: Option<PathBuf>,
    /// What the file calls the log of its execution.
    named: String,
    /// What is written survives a power failure.
    pub(super) survives_power: bool,
}

impl Execution {
    pub(crate) fn new(project: &Project, key: &str, run: &RunDir, times: Times) -> Self {
        let log = project.store.session_log(key);
        let named = log.clone().unwrap_or_else(|| run.journal());
        Self {
            times,
            named: relative(project, &named),
            log,
            survives_power: project.config.run.durability.value == Durability::Power,
        }
    }

    /// Writes the log of the steps; says why it could not.
    pub(super) fn log(&self, run: &Run) -> Option<String> {
        let log = self.log.as_ref()?;
        session::write(log, run, self.survives_power).err()
    }

    /// The file's text with the execution in it. Values that it has already keep their spelling.
    pub(super) fn with_execution(
        &self,
        present: &PlanFile,
        run: &Run,
    ) -> Result<Source, EditRefused> {
        let at = |time: Option<Millis>| time.map_or(Value::Null, |at| timestamp(at).into());
        let ended = self.times.ended.filter(|_| run.outcome().is_some());
        let summary = ended.map_or(Value::Null, |_| summary(run).into());
        let wanted = [
            ("execution_session", Value::from(self.named.as_str())),
            ("execution_started_at", at(self.times.started)),
            ("execution_ended_at", at(ended)),
            ("result_summary", summary),
        ];
        // A run that was given up ended then.
        let is_known = |field: &str| !run.is_given_up() || field.ends_with("session");
        let known = &present.checked.plan.record;
        let news = wanted
            .into_iter()
            .filter(|(field, _)| is_known(field))
            .filter(|(field, value)| known.get(*field).unwrap_or(&Value::Null) != value);
        let edits: Vec<Edit> = news.map(|(field, value)| set(field, value)).collect();
        apply_to(&present.source, &edits)
    }
}

/// The text with its version counted up, as plan mode does with every write.
pub(super) fn with_next_version(
    text: &Source,
    present: &PlanFile,
    now: Millis,
) -> Result<Vec<u8>, EditRefused> {
    let mut edits = vec![set("updated_at", timestamp(now).into())];
    if let Some(version) = present.checked.plan.version {
        edits.push(set("version", version.saturating_add(1).into()));
    }
    apply(text, &edits)
}

fn set(field: &str, value: Value) -> Edit {
    Edit::SetPlan {
        field: field.to_owned(),
        value,
    }
}

/// How it ended, in a line.
fn summary(run: &Run) -> String {
    let total = run.steps().count();
    let mut grades: BTreeMap<Grade, usize> = BTreeMap::new();
    for grade in run.steps().filter_map(|(_, state)| state.outcome.grade()) {
        *grades.entry(grade).or_default() += 1;
    }
    let done: usize = grades.values().sum();
    let counts = grades
        .iter()
        .map(|(grade, count)| format!("{count} {}", status_word(*grade)));
    let counts: Vec<String> = counts.collect();
    let mut text = format!("{done} of {total} steps done");
    if !counts.is_empty() {
        text = format!("{text}: {}", counts.join(", "));
    }
    let failed = run
        .steps()
        .find(|(_, state)| state.status == StepStatus::Failed);
    match failed {
        Some((step, state)) => {
            let reason = state.outcome.reason.as_deref().unwrap_or_default();
            let reason = reason.lines().next().unwrap_or_default();
            format!("{text}; `{}` failed: {reason}", step.id)
        }
        None => text,
    }
}

fn status_word(grade: Grade) -> &'static str {
    match grade {
        Grade::Proved => "proved",
        Grade::Held => "held",
        Grade::Observed => "observed",
        Grade::Accepted => "accepted",
    }
}

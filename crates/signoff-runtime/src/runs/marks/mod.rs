//! Marks written back into the plan's file, in its dialect's words: a projection of the state, for
//! people. Never read.

mod execution;
mod record;
mod session;

use std::path::{Path, PathBuf};
use std::time::Instant;

use signoff_engine::{
    Event, Millis, Outcome, PauseReason, PlanState, RecordedEvent, Run, StepState, StepStatus,
};
use signoff_plan::PermissiveWorkspace;
use signoff_plan::dialect::Dialect;
use signoff_plan::edit::{
    EditRefused, Marks, ParsedFile, Records, StepMark, apply_marks, apply_progress,
};
use signoff_plan::model::Step;
use signoff_plan::source::Source;
use signoff_store::atomic::{ReplaceError, replace};
use signoff_store::failpoint;
use signoff_work::secrets::Secrets;

pub(crate) use self::execution::{Execution, Times};
use crate::drive::Observe;
use crate::error::Error;
use crate::plan_file::{PlanFile, SignedText, status_word};

/// At most one write in this time, and one at pause and end.
const EVERY: Millis = 1000;

/// Writing takes at most one part in this many of the time: a plan of ten thousand steps is not read and written every
/// second.
const SHARE: Millis = 50;

/// A plan of more steps is not written when a run begins or goes on: that takes longer than a short
/// run.
const LARGE: usize = 2000;

/// Writes marks, coalesced.
#[derive(Debug)]
pub(crate) struct Projection {
    plan: PathBuf,
    execution: Execution,
    text: SignedText,
    /// What no file says.
    secrets: Secrets,
    written: Millis,
    /// Something has happened that the file does not say.
    behind: bool,
    /// No write before this has passed since the last one.
    pause: Millis,
    /// Why marks could not be written, to be told once.
    pub(crate) trouble: Option<String>,
}

impl Projection {
    pub(crate) fn new(
        plan: PathBuf,
        execution: Execution,
        text: SignedText,
        secrets: Secrets,
    ) -> Self {
        Self {
            plan,
            execution,
            text,
            secrets,
            written: 0,
            behind: false,
            pause: EVERY,
            trouble: None,
        }
    }

    /// Brings the file up to date. An edit by somebody else is kept; if it changed the definition,
    /// nothing is written at all.
    pub(crate) fn write(&mut self, run: &Run, now: Millis) {
        let dialect = run.signed_plan().dialect();
        if dialect == Dialect::Proposal {
            self.trouble = self.execution.log(run).or(self.trouble.take());
        }
        if dialect == Dialect::Thread {
            // Its files carry no marks.
            return;
        }
        let name = self.plan.to_string_lossy().into_owned();
        let present = match writable(&self.plan) {
            Ok(bytes) => self.text.reuse(Source::new(&name, bytes)),
            Err(why) => {
                self.trouble = Some(format!("{name}: {why}"));
                return;
            }
        };
        let Some(dialect) = self.text.dialect_of(&present, run.signed_plan().digest()) else {
            return;
        };
        let marked = match self.projected_text(present.clone(), dialect, run, now) {
            Ok(marked) => marked,
            Err(refused) => {
                self.trouble = Some(refused.to_string());
                return;
            }
        };
        if marked.bytes() == present.bytes() {
            return;
        }
        failpoint::reach("mark.before");
        // A text that takes the file's place before its content is on disk leaves an empty file after a power failure.
        match replace(
            &self.plan,
            Some(present.bytes()),
            marked.bytes(),
            self.execution.survives_power,
        ) {
            // The file was changed meanwhile; the next write sees that.
            Err(ReplaceError::Changed { .. }) => self.behind = true,
            // Nothing but marks was changed.
            Ok(_) => self.text.set(marked, dialect, run.signed_plan().digest()),
            Err(error) => self.trouble = Some(error.to_string()),
        }
        failpoint::reach("mark.after");
    }

    /// The text of the file with everything it should say about the run.
    fn projected_text(
        &mut self,
        present: Source,
        dialect: Dialect,
        run: &Run,
        now: Millis,
    ) -> Result<Source, EditRefused> {
        if dialect != Dialect::Proposal {
            let marks = all_marks(run, dialect);
            let records = record::records(run, &self.secrets, now);
            let parsed = self.text.take_parsed(present.clone());
            return apply_progress(parsed, &marks, records).or_else(|refused| {
                self.trouble = Some(refused.to_string());
                apply_progress(ParsedFile::new(present), &marks, Records::default())
            });
        }
        let present = PlanFile::from_source(&self.plan, present, None, &PermissiveWorkspace);
        let written = self.execution.with_execution(&present, run)?;
        let marked = apply_marks(&written, &all_marks(run, dialect))?;
        if marked == present.source.bytes() {
            return Ok(present.source);
        }
        let marked = Source::new(present.source.name(), marked);
        let bytes = execution::with_next_version(&marked, &present, now)?;
        Ok(Source::new(marked.name(), bytes))
    }
}

impl Observe for Projection {
    fn event(&mut self, run: &Run, recorded: &RecordedEvent) -> Result<(), Error> {
        let last = matches!(
            recorded.event,
            Event::RunPaused { .. } | Event::RunFinished { .. }
        );
        let changes_marks = matches!(
            recorded.event,
            Event::RunStarted { .. }
                | Event::RunResumed { .. }
                | Event::PlanReplanned { .. }
                | Event::StepStarted { .. }
                | Event::AttemptStarted { .. }
                | Event::AttemptInterrupted { .. }
                | Event::StepCompleted { .. }
                | Event::StepConfirmed { .. }
                | Event::StepFailed { .. }
                | Event::StepSkipped { .. }
                | Event::StepBlocked { .. }
                | Event::StepWaiting { .. }
                | Event::StepProvisional { .. }
                | Event::StepRetried { .. }
        );
        self.execution.times.note(recorded);
        if self.written == 0 && run.plan().steps.len() > LARGE {
            self.written = recorded.at;
        }
        self.behind |= last || changes_marks;
        if last || self.due_in(recorded.at) == Some(0) {
            self.catch_up(run, recorded.at);
        }
        Ok(())
    }

    fn due_in(&self, now: Millis) -> Option<Millis> {
        // A clock that was set back does not put a write off.
        let passed = now.abs_diff(self.written);
        self.behind.then(|| self.pause.saturating_sub(passed))
    }

    fn catch_up(&mut self, run: &Run, now: Millis) {
        if !std::mem::take(&mut self.behind) {
            return;
        }
        let begun = Instant::now();
        self.written = now;
        self.write(run, now);
        let took = Millis::try_from(begun.elapsed().as_millis()).unwrap_or(EVERY);
        self.pause = EVERY.max(took.saturating_mul(SHARE));
    }
}

/// The file's content, if we may change it: a file that was made read-only stays as it is.
fn writable(path: &Path) -> std::io::Result<Vec<u8>> {
    std::fs::OpenOptions::new().write(true).open(path)?;
    if std::fs::metadata(path)?.permissions().readonly() {
        return Err(std::io::Error::other("it is read-only"));
    }
    std::fs::read(path)
}

fn state(run: &Run) -> PlanState {
    match run.outcome() {
        None if run.is_given_up() => PlanState::Cancelled,
        Some(Outcome::Completed | Outcome::Partial) => PlanState::Completed,
        Some(Outcome::Failed) => PlanState::Failed,
        // Nobody drives it once this is written, and it does not only wait for a person.
        None if run
            .pause_reason()
            .is_some_and(|why| why != PauseReason::Waiting) =>
        {
            PlanState::Stalled
        }
        None => PlanState::Executing,
    }
}

fn all_marks(run: &Run, dialect: Dialect) -> Marks {
    let steps = steps_in_file(run).filter_map(|(written, definition, step)| {
        let mark = step_mark(run, written, definition, step)?;
        Some((definition.id.clone(), mark))
    });
    Marks {
        status: status_word(dialect, state(run)).map(str::to_owned),
        steps: steps.collect(),
    }
}

/// The steps that stand in the file, which the items of a loop do not: as the file has them, as they
/// are run, and how far they are.
fn steps_in_file(run: &Run) -> impl Iterator<Item = (&Step, &Step, &StepState)> {
    (0..).zip(&run.plan().steps).filter_map(|(at, written)| {
        let (definition, step) = run.step(at)?;
        Some((written, definition, step))
    })
}

/// What a file says of a step that cannot run because of another: where it has no word for that, that it was skipped.
fn blocked_mark(dialect: Dialect) -> StepMark {
    match dialect {
        Dialect::Record => StepMark::Skipped,
        _ => StepMark::Blocked,
    }
}

/// What the file should say about a step; `None` = what it says stays.
fn step_mark(run: &Run, written: &Step, definition: &Step, step: &StepState) -> Option<StepMark> {
    let at = run.position(&definition.id);
    let status = at.map_or(step.status, |at| run.displayed_status(at, true));
    let mark = match status {
        StepStatus::Completed => StepMark::Done,
        StepStatus::Failed => StepMark::Failed,
        StepStatus::Skipped => StepMark::Skipped,
        StepStatus::Running | StepStatus::Verifying | StepStatus::Waiting => StepMark::Running,
        StepStatus::Blocked if !definition.claimed => blocked_mark(run.signed_plan().dialect()),
        StepStatus::Blocked | StepStatus::Pending | StepStatus::Ready => StepMark::NotBegun,
    };
    // Our own mark, from before it was taken up again, the plan changed or it was run again.
    let is_outdated = step.history.ended_before
        || run.was_reopened()
        || at.is_some_and(|at| run.earlier_step(at).is_some())
        || (written.claimed, &written.mark) != (definition.claimed, &definition.mark);
    match mark {
        StepMark::NotBegun if is_outdated => Some(StepMark::None),
        mark if mark.has_place_in(run.signed_plan().dialect()) => Some(mark),
        // A claim of the file about a step that has not ended stays.
        _ => is_outdated.then_some(StepMark::None),
    }
}

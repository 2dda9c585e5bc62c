//! The live lines, one for each step under way: what it does, for how long, and its limit. Pure: time and size are
//! arguments.

use std::time::Duration;

use signoff_engine::{Stage, StepState, WorkLocation};
use signoff_plan::model::{Step, Work};

use crate::report::columns::{spaces, truncate, width};
use crate::report::run::agent_text::AgentText;
use crate::report::run::event_text::asking_text;
use crate::report::step_name::{name, role};
use crate::report::time::short_duration;
use crate::style::{CARE, DIM, GOOD, HINT, TITLE, paint, sanitize};

/// The frames of the spinner.
const SPINNER: [&str; 8] = ["⣾", "⣽", "⣻", "⢿", "⡿", "⣟", "⣯", "⣷"];
/// Cells of the bar of one step, and of the whole run.
const BAR: (usize, usize) = (6, 24);

/// Below this width only names fit.
const NARROW: usize = 24;

/// Time limits of a step that sets none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeLimits {
    pub(crate) work: Duration,
    pub(crate) contract: Duration,
    /// The time that the budget leaves the agent.
    pub(crate) budget: Option<Duration>,
}

/// One step under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LiveRow {
    pub(crate) name: String,
    pub(crate) activity: String,
    /// What its agent says that it does, once it says so.
    pub(crate) agent: Option<AgentText>,
    /// When it began this, relative to the start of the run.
    pub(crate) since: Duration,
    /// How long that may take.
    pub(crate) limit: Option<Duration>,
}

impl LiveRow {
    /// The row of a step, if it is under way.
    pub(crate) fn for_step(
        step: &Step,
        state: &StepState,
        seat: Option<WorkLocation>,
        since: Duration,
        limits: TimeLimits,
    ) -> Option<Self> {
        let left = limits
            .budget
            .filter(|_| matches!(step.work, Work::Agent { .. }));
        let work = step.timeout.unwrap_or(limits.work);
        let work = left.map_or(work, |left| work.min(whole_seconds(left)));
        let contract = step.contract.as_ref().and_then(|contract| contract.timeout);
        // The second run of a contract has twice the time.
        let patience = 1 + state.attempt.inconclusive.min(1);
        let contract = contract.unwrap_or(limits.contract) * patience;
        let (activity, limit) = match &state.stage {
            Stage::NeedsBaseline | Stage::Baselining => {
                ("contract before the work".to_owned(), Some(contract))
            }
            Stage::NeedsWork if state.activation.failures > 0 => {
                ("waiting to try again".to_owned(), None)
            }
            Stage::NeedsWork => ("next in line".to_owned(), None),
            Stage::Working { attempt } if state.attempt.asked_at.is_some() => {
                (with_attempt("waiting for an answer", *attempt), None)
            }
            Stage::Working { attempt } => {
                let activity = with_attempt(&activity_text(step, state), *attempt);
                (activity, Some(work))
            }
            Stage::NeedsEvaluation { .. }
                if seat == Some(WorkLocation::MergeQueue) && state.attempt.candidate.is_none() =>
            {
                ("waiting for its turn to merge".to_owned(), None)
            }
            Stage::NeedsEvaluation { attempt } | Stage::Evaluating { attempt }
                if seat == Some(WorkLocation::MergeQueue) =>
            {
                (with_attempt("merging: contract", *attempt), Some(contract))
            }
            Stage::NeedsEvaluation { attempt } | Stage::Evaluating { attempt } => {
                (with_attempt("contract", *attempt), Some(contract))
            }
            Stage::Assembling { .. } => ("merging".to_owned(), None),
            Stage::NeedsMerge { .. } | Stage::Merging { .. } => ("merging".to_owned(), None),
            Stage::NeedsModel { task } | Stage::AskingModel { task } => {
                (asking_text(*task).to_owned(), None)
            }
            Stage::Rechecking => ("contract once more".to_owned(), Some(contract)),
            Stage::Idle
            | Stage::Expanded
            | Stage::Waiting { .. }
            | Stage::Held
            | Stage::Provisional
            | Stage::Ended => return None,
        };
        Some(Self {
            name: name(step, state),
            activity,
            agent: None,
            since,
            limit,
        })
    }

    fn line(&self, now: Duration, columns: usize) -> String {
        let spinner = paint(HINT, spinner(now));
        if columns < NARROW {
            let name = truncate(&self.name, columns.saturating_sub(2));
            return format!("{spinner} {}", paint(TITLE, name));
        }
        let taken = now.saturating_sub(self.since);
        let time = time(taken, self.limit, columns);
        let available = columns.saturating_sub(2 + 2 + width(&time));
        // The name is cut first: what the step does explains why it takes long.
        let share = available.saturating_sub(2);
        let activity = match &self.agent {
            Some(agent) => agent.fitting_text(share * 3 / 4),
            None => truncate(&self.activity, share / 2),
        };
        let name = truncate(&self.name, available.saturating_sub(width(&activity) + 2));
        let gap = available.saturating_sub(width(&name) + 2 + width(&activity));
        let mut line = format!("{spinner} {}  {}", paint(TITLE, name), paint(DIM, activity));
        spaces(&mut line, gap + 2);
        line.push_str(&paint(DIM, time).to_string());
        line
    }
}

/// Rounds a limit up to whole seconds.
fn whole_seconds(limit: Duration) -> Duration {
    let part = u64::from(limit.subsec_nanos() > 0);
    Duration::from_secs(limit.as_secs().saturating_add(part))
}

fn activity_text(step: &Step, state: &StepState) -> String {
    match &step.work {
        Work::Agent { .. } => {
            let agent = state.usage.agent.as_deref().unwrap_or(role(step));
            format!("{} at work", sanitize(agent))
        }
        Work::Tool { tool, .. } => format!("calling {}", sanitize(tool)),
        Work::Ask { .. } => "asking".to_owned(),
        Work::Check => "contract".to_owned(),
    }
}

fn with_attempt(activity: &str, attempt: u32) -> String {
    if attempt > 1 {
        format!("{activity}, attempt {attempt}")
    } else {
        activity.to_owned()
    }
}

fn spinner(now: Duration) -> &'static str {
    let turn = usize::try_from(now.as_millis() / 125).unwrap_or(0);
    SPINNER.get(turn % SPINNER.len()).copied().unwrap_or("·")
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// `▰▰▱▱▱▱ 12s of 30m`, or less where it does not fit.
fn time(taken: Duration, limit: Option<Duration>, columns: usize) -> String {
    // Changing tenths of a second would be distracting.
    let seconds = short_duration(taken.as_secs() * 1000);
    let seconds = seconds.replace(".0s", "s");
    match limit {
        Some(limit) if columns >= 60 => {
            let bar = bar(millis(taken), millis(limit), BAR.0);
            let of = signoff_plan::duration::format(limit);
            format!("{bar} {seconds:>4} of {of}")
        }
        Some(_) | None => seconds,
    }
}

/// A progress bar, which is full only at the end.
fn bar(done: u64, total: u64, cells: usize) -> String {
    let all = u64::try_from(cells).unwrap_or(0);
    let full = done.saturating_mul(all) / total.max(1);
    let full = usize::try_from(full).unwrap_or(cells).min(cells);
    format!("{}{}", "▰".repeat(full), "▱".repeat(cells - full))
}

/// The progress of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) done: usize,
    pub(crate) total: usize,
    /// Questions that wait on a person.
    pub(crate) asked: usize,
}

impl Totals {
    fn line(self, under_way: usize, now: Duration, columns: usize) -> String {
        let cells = BAR.1.min(columns / 4);
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let bar = bar(count(self.done), count(self.total), cells);
        let mut text = format!("{}/{} steps", self.done, self.total);
        if under_way > 1 {
            text = format!("{text} · {under_way} under way");
        }
        let asked = match self.asked {
            0 => String::new(),
            1 => " · 1 question".to_owned(),
            many => format!(" · {many} questions"),
        };
        let elapsed = short_duration(now.as_secs() * 1000).replace(".0s", "s");
        let available = columns.saturating_sub(cells + 1);
        let line = truncate(&format!("{text}{asked} · {elapsed}"), available);
        match line.split_once(&asked).filter(|_| !asked.is_empty()) {
            Some((before, after)) => {
                format!("{} {before}{}{after}", paint(GOOD, bar), paint(CARE, asked))
            }
            None => format!("{} {line}", paint(GOOD, bar)),
        }
    }
}

/// The lines for everything under way: never more than fit, the bar of the whole run last.
pub(crate) fn live_lines<'a>(
    rows: impl ExactSizeIterator<Item = &'a LiveRow>,
    totals: Totals,
    now: Duration,
    columns: usize,
    height: usize,
) -> Vec<String> {
    // A line that fills its row would wrap on some terminals.
    let columns = columns.saturating_sub(1);
    let count = rows.len();
    let allowed = (height / 2).max(1).min(height.saturating_sub(1));
    let available = allowed.saturating_sub(1);
    let shown = if count <= available {
        count
    } else {
        available.saturating_sub(1)
    };
    let mut lines: Vec<String> = rows.take(shown).map(|row| row.line(now, columns)).collect();
    if count > shown && available > 0 {
        let more = truncate(&format!("… and {} more under way", count - shown), columns);
        lines.push(paint(DIM, more).to_string());
    }
    if allowed > 0 {
        lines.push(totals.line(count, now, columns));
    }
    lines
}

#[cfg(test)]
mod tests;

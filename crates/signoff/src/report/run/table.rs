//! The table of a run: the evidence for every step. It may have ten thousand rows, so it avoids work for each row.

use std::collections::{BTreeMap, BTreeSet};

use anstyle::Style;
use signoff_engine::{Grade, Millis, Run, Stage, StepState, StepStatus, TokenUsage, tokens_text};
use signoff_runtime::timestamp;

use crate::report::columns::{push, spaces, truncate, width, wrap};
use crate::report::graph::progress::work_location_name;
use crate::report::run::evidence::{grade, qualified_meaning};
use crate::report::run::short_text::one_line;
use crate::report::run::totals::{NOTHING, grades, halted_word, totals, usage_lines};
use crate::report::step_name::name;
use crate::report::time::short_duration;
use crate::style::{CARE, DIM, ERROR, GOOD, TITLE, paint};

/// The minimum and maximum width of a name.
const NAME: (usize, usize) = (16, 48);
/// Columns of the evidence or status.
const WORD: usize = 9;
/// Columns of attempts and time.
const NUMBERS: (usize, usize) = (5, 7);
/// Columns of tokens and cost, where something was counted.
const SPENT: (usize, usize) = (6, 8);
/// The minimum width of the reason.
const REASON: usize = 23;
/// A loop with more items than this shows only those without evidence.
const ITEMS: usize = 10;

/// A sentence in several rows is written once, below the table, if it is longer than this.
const REPEATED: usize = 40;

/// One row for each step under a heading, then the totals. `driven`: a process drives the run, and it is `now`.
pub(crate) fn table(run: &Run, driven: Option<Millis>, columns: usize) -> String {
    let mut rows = all_rows(run, driven);
    let driven = driven.is_some();
    let notes = take_repeated(&mut rows);
    let names = rows.iter().map(|row| row.indent + width(&row.name));
    let has_spent = run.token_usage().is_counted();
    let fixed = 2 + fixed_columns(has_spent);
    let widest = columns.saturating_sub(fixed + REASON).clamp(NAME.0, NAME.1);
    let layout = Layout {
        name: names.max().unwrap_or(0).clamp(4, widest),
        columns,
        has_spent,
    };
    let mut table = String::with_capacity(160 * (rows.len() + 2));
    layout.heading(&mut table);
    for row in &rows {
        layout.push_row(&mut table, row);
    }
    for (number, note) in (1..).zip(&notes) {
        let text = wrap(&format!("({number}) {note}"), columns.saturating_sub(2));
        for line in text {
            table.push_str("  ");
            push_styled(&mut table, DIM, &line);
            table.push('\n');
        }
    }
    for line in [totals(run, driven)]
        .into_iter()
        .chain(usage_lines(run.usage_sums()))
    {
        table.push_str("  ");
        push_styled(&mut table, DIM, &line);
        table.push('\n');
    }
    table
}

/// The columns between the name and the reason.
fn fixed_columns(has_spent: bool) -> usize {
    let spent = if has_spent {
        2 + SPENT.0 + 2 + SPENT.1
    } else {
        0
    };
    2 + WORD + 2 + NUMBERS.0 + 2 + NUMBERS.1 + spent + 2
}

/// Replaces long sentences that stand in several rows by their numbers, and returns them.
fn take_repeated(rows: &mut [Row]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let long = |row: &&Row| width(&row.because) > REPEATED;
    for row in rows.iter().filter(long) {
        *counts.entry(row.because.as_str()).or_default() += 1;
    }
    counts.retain(|_, count| *count > 1);
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let repeated: BTreeSet<String> = counts.into_keys().map(str::to_owned).collect();
    let mut notes = Vec::new();
    for row in rows {
        if let Some(text) = repeated.get(&row.because) {
            let next = numbers.len() + 1;
            let number = *numbers.entry(text.clone()).or_insert_with(|| {
                notes.push(text.clone());
                next
            });
            row.because = format!("({number})");
        }
    }
    notes
}

struct Row {
    indent: usize,
    name: String,
    word: &'static str,
    style: Style,
    attempts: u32,
    took: Option<u64>,
    used: TokenUsage,
    because: String,
}

/// The rows of all steps, items below their loops.
fn all_rows(run: &Run, driven: Option<Millis>) -> Vec<Row> {
    // The whole question stands below or above the table.
    let mut asked: BTreeMap<usize, &str> = BTreeMap::new();
    // Once it has ended nobody is asked.
    for item in run.items().filter(|_| run.outcome().is_none()) {
        asked.extend(
            item.steps_concerned()
                .iter()
                .map(|&at| (at, item.id.as_str())),
        );
    }
    let mut rows = Vec::new();
    let mut order = run.order().peekable();
    while let Some(at) = order.next() {
        rows.extend(step_row(run, (at, driven), asked.get(&at).copied()));
        let mut items = Vec::new();
        while let Some(item) = order.next_if(|&next| parent(run, next) == Some(at)) {
            items.push(item);
        }
        let (shown, fine) = split(run, items);
        for item in shown {
            rows.extend(step_row(run, (item, driven), asked.get(&item).copied()));
        }
        rows.extend(folded_row(run, &fine));
    }
    rows
}

fn parent(run: &Run, at: usize) -> Option<usize> {
    run.step(at).and_then(|(_, state)| state.parent())
}

/// Splits the items of a loop: those shown one by one, and those only counted.
fn split(run: &Run, items: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
    if items.len() <= ITEMS {
        return (items, Vec::new());
    }
    let fine =
        |at: &usize| (run.step(*at)).is_some_and(|(_, state)| state.outcome.evidence.is_some());
    let (fine, shown) = items.into_iter().partition(fine);
    (shown, fine)
}

fn step_row(run: &Run, (at, now): (usize, Option<Millis>), asked: Option<&str>) -> Option<Row> {
    let (step, state) = run.step(at)?;
    let driven = now.is_some();
    // Once the run has ended nobody is asked.
    let is_open = !run.is_over();
    let asked = asked.filter(|_| is_open);
    let asked = asked.map(|item| format!("asks you: `{item}`"));
    let provisional = (state.stage == Stage::Provisional && is_open)
        .then_some("no contract: asks you at the end");
    let (word, style, because) = match &state.outcome.evidence {
        Some(_) if run.is_empty_loop(at) => (NOTHING.0, DIM, NOTHING.1.to_owned()),
        Some(known) => (
            grade(known.grade),
            grade_style(known.grade),
            qualified_meaning(known.grade, &known.facts),
        ),
        None => {
            let halted = run.halt_reason(at).filter(|_| !driven);
            let location = run
                .work_location(at)
                .filter(|_| driven)
                .map(work_location_name);
            let outside = run.shared_limit_text(at, timestamp).filter(|_| driven);
            let reason = state
                .outcome
                .reason
                .as_deref()
                .or(asked.as_deref())
                .or(provisional)
                .or(halted)
                .or(outside.as_deref())
                .or(location);
            let (word, style) = status(run, at, driven);
            (word, style, with_end(reason.unwrap_or_default(), state))
        }
    };
    Some(Row {
        indent: if state.item.is_some() { 2 } else { 0 },
        name: name(step, state),
        word,
        style,
        attempts: state.attempts,
        took: final_duration(state).or_else(|| duration_so_far(state, now?)),
        used: state.usage.total,
        because: one_line(&because),
    })
}

/// A reason, and how the agent ended if it failed: a contract only says what is missing.
fn with_end(reason: &str, state: &StepState) -> String {
    let ended = state.attempt.work_failure();
    let untold = ended.filter(|end| !reason.contains(end.as_str()));
    // For a skipped or running step, the end of its agent is not the reason.
    let counts = matches!(state.status, StepStatus::Failed | StepStatus::Waiting);
    match untold.filter(|_| counts) {
        Some(end) => format!("{reason}; {end}"),
        None => reason.to_owned(),
    }
}

/// The status of a step without evidence.
fn status(run: &Run, at: usize, driven: bool) -> (&'static str, Style) {
    if run.halt_reason(at).is_some() && !driven && !run.is_over() {
        return (halted_word(run), CARE);
    }
    let status = run.displayed_status(at, driven);
    (
        signoff_api::event::step_status(status),
        status_style(status),
    )
}

fn final_duration(state: &StepState) -> Option<u64> {
    let ended = state.outcome.evidence.is_some() || state.status == StepStatus::Failed;
    state.duration().filter(|_| ended)
}

/// How long a step under way has taken.
fn duration_so_far(state: &StepState, now: Millis) -> Option<u64> {
    let is_under_way = matches!(state.status, StepStatus::Running | StepStatus::Verifying);
    let began = Some(state.history.began_at).filter(|began| is_under_way && *began > 0);
    began.map(|began| now.saturating_sub(began))
}

fn folded_row(run: &Run, fine: &[usize]) -> Option<Row> {
    if fine.is_empty() {
        return None;
    }
    let states = || fine.iter().filter_map(|&at| Some(run.step(at)?.1));
    Some(Row {
        indent: 2,
        name: format!("{} items", fine.len()),
        word: "done",
        style: GOOD,
        attempts: states().map(|state| state.attempts).sum(),
        took: None,
        used: states().fold(TokenUsage::default(), |mut sum, state| {
            sum.add(state.usage.total);
            sum
        }),
        because: grades(states()),
    })
}

fn grade_style(found: Grade) -> Style {
    match found {
        Grade::Proved => GOOD,
        Grade::Held | Grade::Observed | Grade::Accepted => CARE,
    }
}

fn status_style(status: StepStatus) -> Style {
    match status {
        StepStatus::Failed => ERROR,
        StepStatus::Waiting => CARE,
        StepStatus::Pending
        | StepStatus::Blocked
        | StepStatus::Ready
        | StepStatus::Running
        | StepStatus::Verifying
        | StepStatus::Completed
        | StepStatus::Skipped => DIM,
    }
}

struct Layout {
    name: usize,
    columns: usize,
    has_spent: bool,
}

impl Layout {
    fn heading(&self, table: &mut String) {
        let mut head = String::from("  ");
        push(&mut head, "step", self.name + 2);
        push(&mut head, "evidence", WORD + 2);
        push(&mut head, "tries", NUMBERS.0 + 2);
        head.push_str("   time  ");
        if self.has_spent {
            head.push_str("tokens      cost  ");
        }
        head.push_str("because");
        push_styled(table, DIM, &head);
        table.push('\n');
    }

    fn push_row(&self, table: &mut String, row: &Row) {
        let name = truncate(&row.name, self.name.saturating_sub(row.indent));
        spaces(table, 2 + row.indent);
        push_styled(table, TITLE, &name);
        spaces(
            table,
            self.name.saturating_sub(row.indent + width(&name)) + 2,
        );
        push_styled(table, row.style, row.word);
        spaces(table, WORD.saturating_sub(row.word.len()) + 2);
        push_right(table, &row.attempts.to_string(), NUMBERS.0);
        let took = row.took.map(short_duration).unwrap_or_default();
        push_right(table, &took, NUMBERS.1 + 2);
        if self.has_spent {
            push_spent(table, &row.used);
        }
        self.reason(table, &row.because);
        table.truncate(table.trim_end().len());
        table.push('\n');
    }

    /// The reason, in its own column for as many lines as it takes.
    fn reason(&self, table: &mut String, because: &str) {
        let before = 2 + self.name + fixed_columns(self.has_spent);
        let available = self.columns.saturating_sub(before).max(REASON / 2);
        table.push_str("  ");
        if width(because) <= available {
            table.push_str(because);
            return;
        }
        for (at, line) in wrap(because, available).iter().enumerate() {
            if at > 0 {
                table.push('\n');
                spaces(table, before);
            }
            table.push_str(line);
        }
    }
}

fn push_spent(table: &mut String, used: &TokenUsage) {
    let tokens = used.is_counted().then(|| tokens_text(used.tokens()));
    let cost = used.cost().map(|cost| cost.to_string());
    push_right(table, &tokens.unwrap_or_default(), SPENT.0 + 2);
    push_right(table, &cost.unwrap_or_default(), SPENT.1 + 2);
}

fn push_right(table: &mut String, text: &str, columns: usize) {
    spaces(table, columns.saturating_sub(width(text)));
    table.push_str(text);
}

fn push_styled(table: &mut String, style: Style, text: &str) {
    use std::fmt::Write as _;
    // A string takes everything.
    let _ = write!(table, "{}", paint(style, text));
}

#[cfg(test)]
mod tests;

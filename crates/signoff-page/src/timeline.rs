//! When each step worked, was judged and waited, as a picture.

use maud::{Markup, html};
use signoff_api::report::{Report, ReportedAttempt, ReportedStep};

use crate::moment::{lasted, millis};
use crate::words::columns::cut;

/// The most steps that are drawn: more cannot be told apart.
const MOST: usize = 60;
const WIDTH: u64 = 1000;
const LABELS: u64 = 230;
const ROW: u64 = 24;
const BAR: u64 = 12;
const HEAD: u64 = 22;
const TICKS: u64 = 5;

/// The picture; nothing before the first attempt. `now`: where what still lasts ends.
pub fn timeline(report: &Report, now: u64) -> Option<Markup> {
    let worked = |step: &&ReportedStep| !step.attempts.is_empty() || !step.waits.is_empty();
    let steps: Vec<&ReportedStep> = report.steps.iter().filter(worked).collect();
    if steps.is_empty() {
        return None;
    }
    // The newest matter while a run goes on.
    let shown = &steps[steps.len().saturating_sub(MOST)..];
    let scale = Scale::of(report, now)?;
    let height = HEAD + ROW * u64::try_from(shown.len()).ok()? + 4;
    let left = steps.len() - shown.len();
    Some(html! {
        svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label="Timeline of the steps" {
            (scale.ticks(height))
            @for (at, step) in (0_u64..).zip(shown.iter()) {
                (row(report, step, &scale, HEAD + at * ROW, now))
            }
        }
        @if left > 0 { p.tiny.muted { (left) " earlier steps are not drawn" } }
    })
}

/// From time to place.
struct Scale {
    begin: u64,
    length: u64,
}

impl Scale {
    fn of(report: &Report, now: u64) -> Option<Self> {
        let begin = millis(&report.run.started_at)?;
        let end = match report.run.outcome {
            Some(_) => millis(&report.run.updated_at)?,
            None => now,
        };
        Some(Self {
            begin,
            length: end.saturating_sub(begin).max(1000),
        })
    }

    fn x(&self, at: u64) -> u64 {
        let since = at.saturating_sub(self.begin).min(self.length);
        LABELS + since * (WIDTH - LABELS) / self.length
    }

    fn ticks(&self, height: u64) -> Markup {
        html! {
            @for tick in 0..=TICKS {
                @let x = LABELS + tick * (WIDTH - LABELS) / TICKS;
                line.grid x1=(x) x2=(x) y1="16" y2=(height) {}
                @let anchor = if tick == TICKS { "end" } else if tick == 0 { "start" } else { "middle" };
                text.tick x=(x) y="11" text-anchor=(anchor) { (lasted(self.length * tick / TICKS)) }
            }
        }
    }
}

fn row(report: &Report, step: &ReportedStep, scale: &Scale, top: u64, now: u64) -> Markup {
    let title = report.run.steps.iter().find(|one| one.id == step.id);
    let title = title.map_or(step.id.as_str(), |one| one.title.as_str());
    let y = top + (ROW - BAR) / 2;
    let end = |at: Option<&String>| at.and_then(|at| millis(at)).unwrap_or(now);
    html! {
        text x="0" y=(top + 16) { (cut(&format!("{}. {title}", step.number), 34)) }
        @for attempt in &step.attempts {
            @if let Some(from) = millis(&attempt.started_at) {
                @let done = end(attempt.ended_at.as_ref());
                @let worked = attempt.worked_until.as_ref().map_or(done, |at| end(Some(at)));
                (bar("work", scale, (from, worked), y, &format!("attempt {} worked", attempt.number)))
                @if done > worked || attempt.contract.is_some() {
                    (bar(judged(attempt), scale, (worked, done), y, &format!("attempt {} judged", attempt.number)))
                }
            }
        }
        @for wait in &step.waits {
            @if let Some(from) = millis(&wait.from) {
                (bar("wait", scale, (from, end(wait.to.as_ref())), y, "waited on a person"))
            }
        }
    }
}

fn judged(attempt: &ReportedAttempt) -> &'static str {
    match attempt.contract.as_ref().map(|run| run.verdict.as_str()) {
        Some("pass") => "attempt-done",
        Some(_) => "attempt-failed",
        None if attempt.failed.is_some() => "attempt-failed",
        None => "check",
    }
}

fn bar(class: &str, scale: &Scale, (from, to): (u64, u64), y: u64, what: &str) -> Markup {
    let x = scale.x(from);
    let width = scale.x(to).saturating_sub(x).max(3);
    html! {
        rect class=(class) x=(x) y=(y) width=(width) height=(BAR) rx="2" {
            title { (what) ": " (lasted(to.saturating_sub(from))) }
        }
    }
}

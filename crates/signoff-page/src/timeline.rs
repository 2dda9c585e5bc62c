//! When each step worked, was judged and waited, as a picture.

use std::collections::BTreeSet;

use maud::{Markup, html};
use signoff_api::report::{ReportedAttempt, ReportedStep};
use signoff_api::run::Run;

use crate::moment::{format_duration, millis};

/// The most steps that are drawn: more cannot be told apart.
pub const MOST: usize = 60;
const WIDTH: u64 = 1000;
const HEIGHT: u64 = 12;
const TICKS: u64 = 4;
const WAIT: &str = "wait";

/// Whose times are drawn.
#[derive(Debug, Clone, Copy)]
pub struct StepTimes<'a> {
    /// With the titles of these steps.
    pub run: &'a Run,
    pub steps: &'a [ReportedStep],
    /// Steps with times that are left out; they come before the last [`MOST`] of these.
    pub earlier: usize,
}

/// The picture; nothing before the first attempt. `now`: where what still lasts ends. The bars are drawn, the words are
/// text of the page, so that they are of one size on every screen.
pub fn timeline(times: &StepTimes<'_>, now: u64) -> Option<Markup> {
    let run = times.run;
    let begun = |step: &&ReportedStep| !step.attempts.is_empty() || !step.waits.is_empty();
    let steps: Vec<&ReportedStep> = times.steps.iter().filter(begun).collect();
    if steps.is_empty() {
        return None;
    }
    // The newest matter while a run goes on.
    let shown = &steps[steps.len().saturating_sub(MOST)..];
    let scale = Scale::of(run, now)?;
    let left = steps.len() - shown.len() + times.earlier;
    Some(html! {
        // Waiting is told from work without its colour.
        svg.hatch width="0" height="0" aria-hidden="true" {
            defs { pattern #hatch width="8" height="12" patternUnits="userSpaceOnUse" patternTransform="skewX(-30)" { rect width="4" height="12" {} } }
        }
        div.timeline role="group" aria-label="Timeline of the steps" {
            div.axis aria-hidden="true" {
                span { "0" }
                @for tick in 1..=TICKS { span { (format_duration(scale.length * tick / TICKS)) } }
            }
            @for step in shown { (row(run, step, &scale, now)) }
        }
        p.legend.tiny.muted {
            @for (key, word) in legend(shown, now) { span class=(key) { (word) } }
        }
        @if left > 0 { p.tiny.muted { (left) " earlier steps are not drawn" } }
    })
}

/// What the colours mean that are there.
fn legend(shown: &[&ReportedStep], now: u64) -> impl Iterator<Item = (&'static str, &'static str)> {
    const KEYS: [(&str, &str, &str); 5] = [
        ("work", "key-work", "works"),
        ("check", "key-check", "judged without a contract"),
        ("attempt-done", "key-done", "contract green"),
        ("attempt-failed", "key-failed", "contract red"),
        (WAIT, "key-wait", "waits on a person"),
    ];
    let drawn: BTreeSet<&str> = (shown.iter())
        .flat_map(|step| bars(step, now))
        .map(|bar| bar.class)
        .collect();
    let is_drawn = move |class: &str| drawn.contains(class);
    KEYS.into_iter()
        .filter(move |(class, ..)| is_drawn(class))
        .map(|(_, key, word)| (key, word))
}

/// From time to place.
struct Scale {
    begin: u64,
    length: u64,
}

impl Scale {
    fn of(run: &Run, now: u64) -> Option<Self> {
        let begin = millis(&run.started_at)?;
        let end = match run.outcome {
            Some(_) => millis(&run.updated_at)?,
            None => now,
        };
        Some(Self {
            begin,
            length: end.saturating_sub(begin).max(1000),
        })
    }

    fn x(&self, at: u64) -> u64 {
        let since = at.saturating_sub(self.begin).min(self.length);
        since * WIDTH / self.length
    }
}

/// What happened to a step from one time to another.
struct Bar {
    class: &'static str,
    from: u64,
    to: u64,
    what: String,
}

fn row(run: &Run, step: &ReportedStep, scale: &Scale, now: u64) -> Markup {
    let title = run.steps.iter().find(|one| one.id == step.id);
    let title = title.map_or(step.id.as_str(), |one| one.title.as_str());
    let bars = bars(step, now);
    let told: Vec<String> = bars.iter().map(Bar::description).collect();
    html! {
        div.of-step {
            span.label title=(title) { span.muted { (step.number) } " " (title) }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label={ (title) ": " (told.join(", ")) } {
                @for bar in &bars {
                    @let x = scale.x(bar.from);
                    @let width = scale.x(bar.to).saturating_sub(x).max(3);
                    rect class=(bar.class) fill=[(bar.class == WAIT).then_some("url(#hatch)")] x=(x) y="0" width=(width) height=(HEIGHT) { title { (bar.description()) } }
                }
            }
        }
    }
}

fn bars(step: &ReportedStep, now: u64) -> Vec<Bar> {
    let end = |at: Option<&String>| at.and_then(|at| millis(at)).unwrap_or(now);
    let mut bars = Vec::new();
    let mut add = |class, (from, to), what: String| {
        bars.push(Bar {
            class,
            from,
            to,
            what,
        });
    };
    for attempt in &step.attempts {
        let Some(from) = millis(&attempt.started_at) else {
            continue;
        };
        let done = end(attempt.ended_at.as_ref());
        let worked = attempt.worked_until.as_ref();
        let worked = worked.map_or(done, |at| end(Some(at)));
        let name = format!("attempt {}", attempt.number);
        add("work", (from, worked), format!("{name} worked"));
        if done > worked || attempt.contract.is_some() {
            add(
                verdict_class(attempt),
                (worked, done),
                format!("{name} was judged"),
            );
        }
    }
    for wait in &step.waits {
        if let Some(from) = millis(&wait.from) {
            let span = (from, end(wait.to.as_ref()));
            add(WAIT, span, "waited on a person".to_owned());
        }
    }
    bars
}

impl Bar {
    fn description(&self) -> String {
        format!(
            "{} {}",
            self.what,
            format_duration(self.to.saturating_sub(self.from))
        )
    }
}

fn verdict_class(attempt: &ReportedAttempt) -> &'static str {
    match attempt.contract.as_ref().map(|run| run.verdict.as_str()) {
        Some("pass") => "attempt-done",
        Some(_) => "attempt-failed",
        None if attempt.failed.is_some() => "attempt-failed",
        None => "check",
    }
}

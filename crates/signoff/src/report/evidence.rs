//! The table of evidence: how we know, for every step.

use signoff_engine::{Facts, Grade, Run, StepState};

use crate::report::style::{CARE, DIM, ERROR, GOOD, TITLE, harmless, paint};

/// The word for a grade.
pub(crate) fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Proved => "proved",
        Grade::Held => "held",
        Grade::Observed => "observed",
        Grade::Accepted => "accepted",
    }
}

/// What a grade means, in a few words.
fn meaning(grade: Grade) -> &'static str {
    match grade {
        Grade::Proved => "red before, green after",
        Grade::Held => "green after",
        Grade::Observed => "seen by the harness",
        Grade::Accepted => "a person said so",
    }
}

/// What qualifies a grade, where it is worth a word.
pub(crate) fn facts(facts: &Facts) -> String {
    let mut words = Vec::new();
    for (present, word) in [
        (facts.claimed, "was marked done before"),
        (facts.interrupted, "cut off and verified"),
        (facts.agent_failed, "the agent itself failed"),
    ] {
        if present {
            words.push(word.to_owned());
        }
    }
    words.extend(
        facts
            .repaired_by
            .iter()
            .map(|by| format!("repaired by {by}")),
    );
    words.extend(
        facts
            .accepted_by
            .iter()
            .map(|by| format!("accepted by {by}")),
    );
    words.join(", ")
}

/// One row for each step, under a heading.
pub(crate) fn table(run: &Run) -> Vec<String> {
    let width = run
        .steps()
        .map(|(step, _)| name(step).chars().count())
        .max()
        .unwrap_or(0)
        .clamp(4, 48);
    let head = format!(
        "  {:<width$}  {:<10}  {:>8}  {}",
        "step", "evidence", "attempts", "because"
    );
    let mut lines = vec![paint(DIM, head).to_string()];
    for (at, (step, state)) in run.order().filter_map(|at| Some((at, run.step(at)?))) {
        let status = signoff_api::event::step_status(run.status_of(at));
        let asked = run
            .items()
            .find(|item| item.about().contains(&at))
            .map(|item| item.question.as_str());
        lines.push(row(&cut(&name(step), width), width, status, state, asked));
    }
    lines.push(format!(
        "  {}",
        paint(DIM, format!("sandbox: {}", run.settings().sandbox))
    ));
    lines
}

fn row(name: &str, width: usize, status: &str, state: &StepState, asked: Option<&str>) -> String {
    let padding = " ".repeat(width.saturating_sub(name.chars().count()));
    let (word, style, because) = match &state.evidence {
        Some((Grade::Proved, known)) => ("proved", GOOD, because(Grade::Proved, known)),
        Some((other, known)) => (grade(*other), CARE, because(*other, known)),
        None => {
            let style = if status == "failed" { ERROR } else { DIM };
            let reason = state.reason.as_deref().or(asked).unwrap_or_default();
            (status, style, reason.to_owned())
        }
    };
    let gap = " ".repeat(10_usize.saturating_sub(word.chars().count()));
    format!(
        "  {}{padding}  {}{gap}  {:>8}  {}",
        paint(TITLE, name),
        paint(style, word),
        state.attempts,
        harmless(&because)
    )
}

fn because(grade: Grade, known: &Facts) -> String {
    let qualifiers = facts(known);
    if qualifiers.is_empty() {
        meaning(grade).to_owned()
    } else {
        format!("{}; {qualifiers}", meaning(grade))
    }
}

fn name(step: &signoff_plan::model::Step) -> String {
    format!("{}. {}", step.number, harmless(&step.title))
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

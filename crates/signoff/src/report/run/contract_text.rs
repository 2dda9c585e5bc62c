//! What reports say about contracts.

use signoff_engine::{Observation, Run, Verdict};

use crate::report::columns::truncate;
use crate::report::run::evidence::first_names;
use crate::report::run::short_text::{SHOWN, one_line};
use crate::style::{CARE, DIM, ERROR, GOOD, paint, sanitize};

pub(super) fn baseline(verdict: Verdict, observed: &Observation) -> String {
    let said = match verdict {
        Verdict::Fail => format!("red, as it should be{}", last_words(observed)),
        Verdict::Pass => "already green, so it cannot prove anything".to_owned(),
        Verdict::Inconclusive => format!("no answer: {}", no_answer(observed)),
    };
    format!("contract before the work: {said}")
}

/// Has an earlier run done this step, so that it is kept if its contract holds?
pub(super) fn may_be_kept(run: &Run, step: &str) -> bool {
    let earlier = run.position(step).and_then(|at| run.earlier_step(at));
    earlier.is_some_and(|earlier| earlier.again.is_none())
}

/// Why a contract gave no answer before the work.
pub(super) fn no_answer(observed: &Observation) -> String {
    match observed.inconclusive_reason() {
        Some(why) => one_line(&why),
        None => format!("{}{}", observed.ended, last_words(observed)),
    }
}

/// The last line of a contract's output, in brackets.
pub(super) fn last_words(observed: &Observation) -> String {
    let last = observed.last_words();
    last.map_or_else(String::new, |last| {
        let plain = anstream::adapter::strip_str(last).to_string();
        format!(" ({})", truncate(&sanitize(&plain), SHOWN))
    })
}

/// Why a contract runs again: something changed while it ran, so its answer does not count.
pub(super) fn rerun_reason(run: &Run, step: &str, observed: &Observation) -> Option<String> {
    let state = run.position(step).and_then(|at| run.step(at));
    let is_run_again = state.is_some_and(|(_, state)| state.is_run_again());
    let why = observed.void.as_ref().filter(|_| is_run_again)?;
    Some(format!("contract is run again: {}", one_line(why)))
}

/// The files that a passed contract ran without.
fn left_out_files(observed: &Observation) -> String {
    match &observed.left_out[..] {
        [] => String::new(),
        left_out => format!(
            " (without {}, which changed in your checkout since the run began)",
            sanitize(&first_names(left_out))
        ),
    }
}

pub(super) fn contract_finished(
    verdict: Verdict,
    unmet: &[String],
    observed: &Observation,
) -> String {
    let unmet = one_line(&unmet.join("; "));
    match verdict {
        Verdict::Pass => {
            let without = left_out_files(observed);
            format!("  {} contract holds{without}", paint(GOOD, "✓"))
        }
        Verdict::Inconclusive => {
            format!("  {} contract gave no answer: {unmet}", paint(CARE, "?"))
        }
        Verdict::Fail => {
            let mut text = format!("  {} contract does not hold: {unmet}", paint(ERROR, "✗"));
            text.push_str(&quoted_tail(complaint(observed)));
            text
        }
    }
}

/// The stream with a contract's error messages: many print them to stdout.
pub(super) fn complaint(observed: &Observation) -> &str {
    if observed.stderr.trim().is_empty() {
        &observed.stdout
    } else {
        &observed.stderr
    }
}

/// The last lines of what a contract complained about.
pub(super) fn quoted_tail(stderr: &str) -> String {
    let written = stderr.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<&str> = written.collect();
    let last = lines.iter().skip(lines.len().saturating_sub(3));
    last.fold(String::new(), |text, line| {
        format!("{text}\n    {}", paint(DIM, sanitize(line)))
    })
}

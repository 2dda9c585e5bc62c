//! Failures of runs and their steps.

use signoff_engine::Refusal;
use signoff_runtime::Error;

use super::Failure;

/// An unknown step, with a suggestion.
pub(crate) fn no_step<'a>(step: &str, known: impl IntoIterator<Item = &'a str>) -> Failure {
    /// How many names are listed.
    const LISTED: usize = 12;
    let failure = Failure::new(2, "no-step", format!("there is no step `{step}`"));
    let known: Vec<&str> = known.into_iter().collect();
    let distances = known
        .iter()
        .map(|id| (strsim::damerau_levenshtein(id, step), id));
    match distances.filter(|(distance, _)| *distance <= 2).min() {
        Some((_, id)) => failure.hint(format!("did you mean `{id}`?")),
        None if known.is_empty() => failure.hint("`signoff status` shows the steps of a run"),
        None => {
            let first = known.iter().take(LISTED).copied().collect::<Vec<_>>();
            let more = match known.len() - first.len() {
                0 => String::new(),
                more => format!(" and {more} more, which `signoff show` lists"),
            };
            failure.hint(format!("its steps are `{}`{more}", first.join("`, `")))
        }
    }
}

/// A failure; if it is about an unknown step, with the known ones.
pub(crate) fn with_known_steps<'a>(
    error: Error,
    known: impl IntoIterator<Item = &'a str>,
) -> Failure {
    match error {
        Error::Refused(Refusal::NoStep { step }) => no_step(&step, known),
        error => error.into(),
    }
}

/// What to do while another process drives the run.
pub(super) fn meanwhile_hints(run: Option<&str>) -> Vec<String> {
    let run = run.map(|run| format!(" {run}")).unwrap_or_default();
    vec![
        format!("`signoff log --follow{run}` watches it, `signoff status{run}` shows its state"),
        format!("`signoff stop{run}` stops it and its agents"),
    ]
}

pub(super) fn holder_suffix(holder: Option<&signoff_store::lock::LockHolder>) -> String {
    match holder {
        Some(holder) => match &holder.run {
            Some(run) => format!(" (run {run}, process {})", holder.pid),
            None => format!(" (process {})", holder.pid),
        },
        None => String::new(),
    }
}

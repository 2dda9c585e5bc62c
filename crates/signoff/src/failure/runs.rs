//! Failures of runs and their steps.

use signoff_engine::Refusal;
use signoff_runtime::Error;
use signoff_runtime::error::RunOverReason;
use signoff_store::lock::LockHolder;

use super::Failure;
use crate::shell_words::shell_word;

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
fn meanwhile_hints(run: Option<&str>) -> Vec<String> {
    let run = run.map(|run| format!(" {run}")).unwrap_or_default();
    vec![
        format!("`signoff log --follow{run}` watches it, `signoff status{run}` shows its state"),
        format!("`signoff stop{run}` stops it and its agents"),
    ]
}

pub(super) fn run_over(why: &RunOverReason) -> Failure {
    let failure = Failure::of(5, "run-over");
    failure.hint(match why {
        RunOverReason::Cancelled => {
            "`signoff clone PLAN` copies the plan, so that it can be signed and run again"
        }
        RunOverReason::Replaced { .. } => "`signoff status PLAN` shows the newer run",
        RunOverReason::Retried => "`signoff run PLAN` starts from scratch",
    })
}

pub(super) fn waiting_run(plan: &str, run: &str) -> Failure {
    let name = shell_word(plan);
    Failure::of(5, "state")
        .hint(format!(
            "to continue that run under it: `signoff approve {name}`, then `signoff resume {run}`"
        ))
        .hint(format!("to run it by itself: `signoff abort {run}` first"))
}

pub(super) fn workspace_taken(holder: Option<&LockHolder>) -> Failure {
    Failure::of(5, "workspace-taken").hints(meanwhile_hints(
        holder.and_then(|holder| holder.run.as_deref()),
    ))
}

pub(super) fn run_taken(run: &str) -> Failure {
    Failure::of(5, "run-taken").hints(meanwhile_hints(Some(run)))
}

pub(super) fn no_run() -> Failure {
    Failure::of(2, "no-run").hint("`signoff run PLAN` starts a run")
}

pub(super) fn unknown_run(run: &str, known: &[String]) -> Failure {
    let failure = Failure::of(2, "no-run");
    let near = known
        .iter()
        .find(|id| strsim::damerau_levenshtein(id, run) <= 4);
    match near.or(known.last()) {
        Some(id) if near.is_some() => failure.hint(format!("did you mean `{id}`?")),
        Some(newest) => failure.hint(format!("the newest run is `{newest}`")),
        None => failure.hint("nothing has run here yet"),
    }
}

/// What was typed stands for several runs, questions or steps.
pub(crate) fn ambiguous_name<T: AsRef<str>>(name: &str, candidates: &[T]) -> Failure {
    /// How many are listed.
    const LISTED: usize = 6;
    let message = format!("`{name}` stands for {} of them", candidates.len());
    // The newest are the likeliest.
    let last = candidates
        .iter()
        .skip(candidates.len().saturating_sub(LISTED));
    let last: Vec<&str> = last.map(AsRef::as_ref).collect();
    Failure::new(2, "ambiguous", message).hint(format!("type more of it: `{}`", last.join("`, `")))
}

pub(super) fn no_question() -> Failure {
    Failure::of(2, "no-item").hint("`signoff inbox` shows what waits on you, and what to type")
}

pub(super) fn not_launched(said: Option<Box<signoff_api::error::Error>>) -> Failure {
    let Some(said) = said else {
        return Failure::of(6, "not-started").hint("`signoff run PLAN` shows more");
    };
    let failure = Failure::of(6, "not-started");
    let failure = said.details.into_iter().fold(failure, Failure::detail);
    failure.hints(said.hints)
}

pub(super) fn already_finished(run: &str, outcome: &str, to_land: bool) -> Failure {
    let failure = Failure::of(5, "already-finished");
    let landing = format!("`signoff land {run}` brings its changes into your checkout");
    let hints = to_land.then_some(landing).into_iter();
    let failure = hints.fold(failure, Failure::hint);
    failure.hint(if outcome == "failed" {
        format!("`signoff resume {run}` continues it")
    } else {
        "`signoff run PLAN --again` runs the plan again, and keeps what is unchanged and holds"
            .to_owned()
    })
}

pub(super) fn never_begun() -> Failure {
    Failure::of(2, "no-run")
}

pub(super) fn lost_run(plan: &str, run: &str) -> Failure {
    let plan = shell_word(plan);
    Failure::of(5, "lost-run")
        .hint(format!("put the directory back, then type `signoff resume {run}`"))
        .hint(format!(
            "`signoff retry {plan}` lets the plan run from the start, whatever that run did; `signoff cancel {plan}` gives it up"
        ))
        .hint(format!("what it had merged is on the branch `signoff/{run}`, if it had one"))
}

pub(super) fn older_run(run: &str, branch: &str) -> Failure {
    Failure::of(5, "older-run")
        .hint(format!(
            "finish it with that version, or type `signoff abort {run}`"
        ))
        .hint(format!(
            "the steps that passed are on the branch `{}`",
            branch.trim_start_matches("refs/heads/")
        ))
}

pub(super) fn branch_gone(run: &str, head: &str) -> Failure {
    Failure::of(5, "branch-gone").hint(format!(
        "`git branch signoff/{run} {head}` restores it; `signoff abort {run}` ends the run"
    ))
}

pub(super) fn repository_gone(run: &str) -> Failure {
    Failure::of(5, "repository-gone").hint(format!(
        "put it back where it was, or type `signoff abort {run}` to end the run"
    ))
}

pub(super) fn already_undone() -> Failure {
    Failure::of(5, "undone")
    .hint("`signoff retry PLAN` lets a plan that failed start from scratch")
    .hint("`signoff clone PLAN` copies one that completed, so that it can be signed and run again")
}

pub(super) fn refused_there() -> Failure {
    Failure::of(5, "refused").hint("`signoff status` and `signoff inbox` show its state")
}

pub(super) fn no_reply() -> Failure {
    Failure::of(6, "no-reply")
        .hint("`signoff status` shows who drives it; end that process, then `signoff resume`")
}

pub(super) fn agent_gone(run: &str) -> Failure {
    let hint =
        format!("`signoff resume {run}` starts its attempt over; it asks again if it has to");
    Failure::of(5, "agent-gone").hint(hint)
}

pub(super) fn not_reached(step: &str) -> Failure {
    Failure::of(5, "not-reached").hint(format!("`--until {step}` runs those steps as well"))
}

pub(super) fn harness_trouble(run: &str) -> Failure {
    Failure::of(6, "harness-trouble")
        .hint("this is not the step's failure: no attempt was used, and nothing is done twice")
        .hint(format!(
            "`signoff resume {run}` continues it once the cause is gone; `signoff abort {run}` ends it"
        ))
}

pub(super) fn survivors() -> Failure {
    Failure::of(6, "survivors")
        .hint("nothing is judged while they run; end them, then type `signoff resume`")
}

/// The run's state does not allow this.
pub(super) fn action_refused(refusal: &Refusal) -> Failure {
    match refusal {
        Refusal::NoStep { step } => no_step(step, []),
        Refusal::NotNow { .. } => {
            Failure::of(5, "not-now").hint("`signoff status` shows the state of each step")
        }
        _ => Failure::of(5, "refused").hint("`signoff inbox` shows what waits, and the choices"),
    }
}

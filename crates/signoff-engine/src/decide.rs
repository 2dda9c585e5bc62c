//! Turns inputs into events. Only the plan's policy decides; the harness never improvises.

mod acceptance;
mod attempt;
mod call;
mod confirmation;
mod control;
mod ending;
mod evaluation;
mod evidence;
mod gate;
mod loops;
mod merge;
mod person;
mod policy;
mod proof;
mod protection;
mod recovery;
mod replan;
mod verdict;

use signoff_plan::model::Step;

use self::acceptance::ask_for_acceptance;
use self::attempt::{FinishedWork, baseline_ended, work_begins, work_ended};
use self::call::{call_begins, call_ended, call_impossible, call_needs_approval};
use self::control::{abort, retry_step, skip_step};
use self::ending::outcome;
use self::evaluation::{evaluation_begins, evaluation_ended};
use self::gate::gate;
use self::loops::gather;
use self::merge::{Conflict, candidate_begins, candidate_built, conflicted, merge_begins, merged};
use self::person::{answer, over_budget};
use self::recovery::{resume, stop};
use self::replan::replan;
use crate::Millis;
use crate::event::{Event, Outcome};
use crate::input::Input;
use crate::state::{Run, Stage, StepState};

/// An input that does not fit the state. Nothing is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The run is not in a state where this can happen.
    OutOfPlace {
        what: &'static str,
    },
    UnknownItem {
        item: String,
    },
    /// The item is not about this step.
    UnknownStep {
        item: String,
        step: String,
        known: Vec<String>,
    },
    UnknownChoice {
        item: String,
        words: Vec<String>,
    },
    /// A person's arguments for a call are not valid JSON.
    BadArguments {
        why: String,
    },
    /// No such step in this run.
    NoStep {
        step: String,
    },
    /// The step is not in a state where a person can do this to it.
    NotNow {
        step: String,
        why: &'static str,
    },
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OutOfPlace { what } => write!(f, "{what} does not fit the state of the run"),
            Self::UnknownItem { item } => write!(f, "no open item is named `{item}`"),
            Self::UnknownStep { item, step, known } => {
                let known = known.join("`, `");
                write!(f, "`{item}` is not about `{step}`, but about `{known}`")
            }
            Self::BadArguments { why } => {
                write!(
                    f,
                    "the note looks like arguments and is not a JSON object: {why}"
                )
            }
            Self::NoStep { step } => write!(f, "the run has no step `{step}`"),
            Self::NotNow { step, why } => write!(f, "step `{step}` {why}"),
            Self::UnknownChoice { item, words } => {
                write!(f, "`{item}` can be answered with {}", words.join(", "))
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// The events that follow from an input.
pub fn decide(run: &Run, now: Millis, input: Input) -> Result<Vec<Event>, Refusal> {
    let out_of_place = |what| Err(Refusal::OutOfPlace { what });
    match input {
        Input::Start {
            run: id,
            plan,
            path,
            digest,
            terms,
            settings,
        } if !run.started => Ok(vec![Event::RunStarted {
            run: id,
            plan,
            path,
            digest,
            terms,
            settings,
        }]),
        Input::Start { .. } => out_of_place("a second start"),
        Input::Resume { by } if run.started && run.outcome.is_none() => Ok(resume(run, now, by)),
        Input::Reopen { by } if run.outcome == Some(Outcome::Failed) => {
            Ok(vec![Event::RunResumed { reopened: true, by }])
        }
        Input::Resume { .. } | Input::Reopen { .. } => out_of_place("going on"),
        Input::Replan { snapshot, settings } => replan(run, snapshot, settings),
        Input::TreePrepared { tree } if run.tree.is_none() => {
            Ok(vec![Event::TreePrepared { tree }])
        }
        Input::TreePrepared { .. } => out_of_place("a second tree"),
        Input::CheckoutJoined {
            commit,
            tree,
            files,
            conflicts,
            deleted,
        } => Ok(vec![Event::CheckoutJoined {
            commit,
            tree,
            files,
            conflicts,
            deleted,
        }]),
        Input::FilesLanded {
            commit,
            files,
            held,
        } => Ok(vec![Event::FilesLanded {
            commit,
            files,
            held,
        }]),
        Input::BaselineBegins { step } => begin(run, step, |id| {
            let candidate = run
                .steps
                .get(step)
                .and_then(|step| step.attempt.candidate.as_ref());
            let onto = candidate.map(|candidate| candidate.onto.clone());
            let base = onto.or_else(|| base(run, step));
            vec![Event::BaselineStarted { step: id, base }]
        }),
        Input::BaselineEnded { step, observed } => baseline_ended(run, step, observed),
        Input::WorkBegins {
            step,
            attempt,
            item,
            base,
        } => work_begins(run, now, (step, attempt), item, base),
        Input::ProcessHeld {
            step,
            attempt,
            process,
        } => with_step(run, step, |definition, _| {
            vec![Event::ProcessStarted {
                step: definition.id.clone(),
                attempt,
                process,
            }]
        }),
        Input::WorkEnded {
            step,
            attempt,
            ended,
            text,
            changes,
        } => work_ended(
            run,
            now,
            step,
            attempt,
            FinishedWork {
                ended,
                text,
                changes,
            },
        ),
        Input::CallImpossible { step, problems } => call_impossible(run, step, &problems),
        Input::CallNeedsApproval { step, args, why } => call_needs_approval(run, step, &args, &why),
        Input::CallBegins {
            step,
            attempt,
            call,
        } => call_begins(run, step, attempt, call),
        Input::CallEnded { step, attempt, end } => call_ended(run, now, step, attempt, end),
        Input::EvaluationBegins { step, attempt } => evaluation_begins(run, step, attempt),
        Input::EvaluationEnded {
            step,
            attempt,
            observed,
        } => evaluation_ended(run, now, step, attempt, observed),
        Input::CandidateBegins { step, attempt } => candidate_begins(run, step, attempt),
        Input::CandidateBuilt {
            step,
            attempt,
            candidate,
        } => candidate_built(run, now, step, attempt, candidate),
        Input::Conflicted {
            step,
            attempt,
            onto,
            files,
            text,
        } => {
            let conflict = Conflict { onto, files, text };
            conflicted(run, now, step, attempt, conflict)
        }
        Input::MergeBegins { step, attempt } => merge_begins(run, step, attempt),
        Input::Merged {
            step,
            attempt,
            commit,
            tree,
        } => merged(run, now, step, attempt, (commit, tree)),
        Input::Answer {
            item,
            steps,
            choice,
            note,
            by,
        } => answer(run, &item, steps, choice, (note, by)),
        Input::SkipStep { step, by } => skip_step(run, &step, &by),
        Input::RetryStep { step, hint, by } => retry_step(run, step, hint, by),
        Input::AskForAcceptance => ask_for_acceptance(run),
        Input::Gate { step } => gate(run, step),
        Input::Gather { step } => gather(run, step),
        Input::OverBudget { step } => over_budget(run, now, step),
        Input::Pause { reason, by } => Ok(vec![Event::PauseRequested { reason, by }]),
        Input::Park { reason } => Ok(vec![Event::RunPaused { reason }]),
        Input::Stop => Ok(stop(run)),
        Input::Abort { by } => Ok(abort(run, &by)),
        Input::Finish => Ok(vec![Event::RunFinished {
            outcome: outcome(run),
        }]),
        Input::LandingBegins { commit, by } => Ok(vec![Event::LandingStarted { commit, by }]),
        Input::Landed { commit, by } => Ok(vec![Event::RunLanded { commit, by }]),
        Input::Undo { by } => Ok(vec![Event::RunUndone { by }]),
    }
}

/// The commit that the step's own worktree starts from: that of the earlier attempts, otherwise the head.
/// A baseline alone does not tie the step to an older head.
fn base(run: &Run, at: usize) -> Option<String> {
    let state = run.steps.get(at).filter(|_| run.has_own_tree(at))?;
    let base = state.activation.base.clone().filter(|_| state.attempts > 0);
    base.or_else(|| run.head.clone())
}

fn with_step(
    run: &Run,
    at: usize,
    events: impl FnOnce(&Step, &StepState) -> Vec<Event>,
) -> Result<Vec<Event>, Refusal> {
    match run.step(at) {
        Some((definition, state)) => Ok(events(definition, state)),
        None => Err(Refusal::OutOfPlace {
            what: "an unknown step",
        }),
    }
}

/// Puts `step_started` before the first event of a step.
fn begin(
    run: &Run,
    at: usize,
    events: impl FnOnce(String) -> Vec<Event>,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let mut all = Vec::new();
        if state.stage == Stage::Idle {
            all.push(Event::StepStarted {
                step: definition.id.clone(),
            });
        }
        all.extend(events(definition.id.clone()));
        all
    })
}

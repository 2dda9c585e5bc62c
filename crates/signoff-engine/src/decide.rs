//! Turns inputs into events. Only the plan's policy decides; the harness never improvises.

mod acceptance;
mod agent_call;
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
mod model;
mod permission;
mod person;
mod policy;
mod proof;
mod protection;
mod recheck;
mod recovery;
mod refusal;
mod replan;
mod run;
mod shared_limits;
mod verdict;

use signoff_plan::model::Step;

use self::acceptance::ask_for_acceptance;
use self::agent_call::{agent_call_begins, agent_call_ended};
use self::attempt::{baseline_begins, baseline_ended, process_held, work_begins, work_ended};
use self::call::{call_begins, call_ended, call_impossible, call_needs_approval, call_not_made};
use self::control::{abort, retry_step, skip_step};
use self::ending::finish;
use self::evaluation::{evaluation_begins, evaluation_ended};
use self::gate::pass_gate;
use self::loops::end_loop;
use self::merge::{
    candidate_begins, candidate_built, complete_merge, fail_on_conflict, merge_begins,
    merge_refused,
};
use self::model::{TaskAnswer, model_begins, model_ended};
use self::permission::permission_asked;
use self::person::{Answer, answer, over_budget};
pub use self::protection::is_asked_for;
use self::recovery::{resume, stop_run};
pub use self::refusal::Refusal;
use self::replan::{draft_offered, hand_in_version, replan, request_replan};
use self::run::{
    checkout_joined, earlier_events, files_landed, planning_spent, reopen, start_run, tree_prepared,
};
use self::shared_limits::{day_limit, lock_free, lock_taken};
use crate::Millis;
use crate::event::Event;
use crate::input::{AgentReports, Input};
use crate::state::{Run, Stage, StepState};

/// The events that follow from an input.
pub fn decide(run: &Run, now: Millis, input: Input) -> Result<Vec<Event>, Refusal> {
    match input {
        Input::Start(start) => start_run(run, start),
        Input::Resume { by, reports } => resume(run, now, by, reports, Vec::new()),
        Input::TakeOver { by, elsewhere } => resume(run, now, by, AgentReports::new(), elsewhere),
        Input::Reopen { by } => reopen(run, by),
        Input::Replan {
            snapshot,
            settings,
            plan,
            planning,
        } => {
            let mut events = replan(run, snapshot, settings, plan)?;
            events.extend(planning_spent(planning));
            Ok(events)
        }
        Input::HandInVersion { draft, because, by } => hand_in_version(run, draft, because, by),
        Input::RequestReplan {
            because,
            discoveries,
            by,
            expands,
        } => request_replan(run, because, discoveries, by, expands),
        Input::ModelBegins { step, task } => model_begins(run, step, task),
        Input::ModelEnded {
            step,
            task,
            answer,
            by,
            usage,
        } => model_ended(
            run,
            step,
            TaskAnswer {
                task,
                answer,
                by,
                usage,
            },
        ),
        Input::DraftOffered { is_signed } => draft_offered(run, is_signed),
        Input::TreePrepared { tree } => tree_prepared(run, tree),
        Input::CheckoutJoined(changes) => Ok(checkout_joined(changes)),
        Input::FilesLanded {
            commit,
            files,
            held,
        } => Ok(files_landed(commit, files, held)),
        Input::BaselineBegins { step } => baseline_begins(run, step),
        Input::BaselineEnded { step, observed } => baseline_ended(run, step, observed),
        Input::WorkBegins {
            step,
            attempt,
            item,
            base,
        } => work_begins(run, now, step, attempt, item, base),
        Input::ProcessHeld {
            step,
            attempt,
            process,
        } => process_held(run, step, attempt, process),
        Input::WorkEnded {
            step,
            attempt,
            work,
        } => work_ended(run, now, step, attempt, work),
        Input::PermissionAsked {
            step,
            attempt,
            what,
        } => permission_asked(run, step, attempt, &what),
        Input::AgentCallBegins {
            step,
            attempt,
            number,
            call,
        } => agent_call_begins(run, step, attempt, number, call),
        Input::AgentCallEnded {
            step,
            attempt,
            number,
            end,
        } => agent_call_ended(run, step, attempt, number, end),
        Input::CallImpossible { step, problems } => call_impossible(run, step, &problems),
        Input::CallNeedsApproval { step, args, why } => call_needs_approval(run, step, &args, &why),
        Input::CallBegins {
            step,
            attempt,
            call,
        } => call_begins(run, step, attempt, call),
        Input::CallEnded { step, attempt, end } => call_ended(run, now, step, attempt, end),
        Input::CallNotMade { step, attempt } => call_not_made(run, step, attempt),
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
            conflict,
        } => fail_on_conflict(run, now, step, attempt, conflict),
        Input::MergeRefused {
            step,
            attempt,
            onto,
            why,
        } => merge_refused(run, step, attempt, onto, why),
        Input::MergeBegins { step, attempt } => merge_begins(run, step, attempt),
        Input::Merged {
            step,
            attempt,
            commit,
            tree,
        } => complete_merge(run, now, step, attempt, commit, tree),
        Input::Answer {
            item,
            steps,
            choice,
            note,
            by,
        } => answer(
            run,
            &item,
            &steps,
            Answer::new(choice, note.as_deref(), &by),
        ),
        Input::SkipStep { step, by } => skip_step(run, &step, &by),
        Input::RetryStep { step, hint, by } => retry_step(run, step, hint, by),
        Input::AskForAcceptance => ask_for_acceptance(run),
        Input::Gate { step } => pass_gate(run, step),
        Input::Gather { step } => end_loop(run, step),
        Input::OverBudget { step } => over_budget(run, now, step),
        Input::LockTaken { step, lock, by } => lock_taken(run, step, lock, by),
        Input::LockFree { lock } => Ok(lock_free(run, lock)),
        Input::DayLimit(day) => Ok(day_limit(run, day)),
        Input::Pause { reason, by } => Ok(vec![Event::PauseRequested { reason, by }]),
        Input::Park { reason } => Ok(vec![Event::RunPaused {
            reason,
            trouble: None,
        }]),
        Input::Stop { trouble, reports } => Ok(stop_run(run, trouble, reports)),
        Input::Abort { by, reports } => Ok(abort(run, &by, reports)),
        Input::Finish => Ok(finish(run)),
        Input::LandingBegins { commit, by } => Ok(vec![Event::LandingStarted { commit, by }]),
        Input::Landed { commit, by } => Ok(vec![Event::RunLanded { commit, by }]),
        Input::LostCalls(calls) => Ok(earlier_events(calls)),
        Input::Undo { by } => Ok(vec![Event::RunUndone { by }]),
    }
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

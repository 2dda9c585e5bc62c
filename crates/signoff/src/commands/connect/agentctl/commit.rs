//! `agentctl plan commit`: commits the plans of all threads, or reports every problem.

use signoff_api::diagnostics::{Diagnostic, Diagnostics};
use signoff_engine::{Actor, PlanState};
use signoff_plan::diagnostic;
use signoff_plan::source::Source;
use signoff_runtime::error::ThreadError;
use signoff_runtime::plans::ActorContext;
use signoff_runtime::threads::{Commit, CommittedThread};
use signoff_runtime::{Error, SystemClock};

use super::{messages, planning};
use crate::failure::Failure;
use crate::report::problems::text::render;
use crate::session::Session;
use crate::style::{CARE, ERROR, GOOD, paint};

pub(super) fn commit(session: &mut Session) -> Result<u8, Failure> {
    let mut planning = planning(&session.process)?;
    let project = session.project()?;
    let context = ActorContext {
        project: &project,
        actor: Actor::Planner,
        clock: &SystemClock::new(),
    };
    let commit = match planning.commit(context) {
        Ok(commit) => commit,
        Err(Error::Thread(error)) => match *error {
            ThreadError::Problems { plans, unreadable } => {
                return Ok(say_problems(session, &plans, unreadable));
            }
            other => return Err(Error::from(other).into()),
        },
        Err(error) => return Err(error.into()),
    };
    if let Some(withdrawn) = &commit.withdrawn {
        messages::say_withdrawn(session, withdrawn);
    }
    for plan in &commit.plans {
        warn(session, plan);
    }
    if session.is_json() {
        session.json(&commit.payload());
    } else {
        print_commit(session, &commit);
    }
    Ok(0)
}

/// Prints every problem; returns the exit code.
fn say_problems(
    session: &mut Session,
    plans: &[(Source, Vec<diagnostic::Diagnostic>)],
    unreadable: Vec<Error>,
) -> u8 {
    let all = || {
        let each = |(source, found)| std::iter::repeat(source).zip(found);
        plans
            .iter()
            .map(|(source, found)| (source, found))
            .flat_map(each)
    };
    let mut exit = 0;
    if !plans.is_empty() {
        exit = 1;
        if session.is_json() {
            let shapes = all().map(|(source, one)| Diagnostic::new(one, source));
            let shape = Diagnostics::new(shapes.collect());
            session.json_error(&shape);
        } else {
            for (source, one) in all() {
                session.out.say(render(one, source));
                session.out.say("");
            }
        }
    }
    let unread = unreadable.len();
    for error in unreadable {
        let mut failure = Failure::from(error);
        // The person did not type this path, so it is not a usage error.
        if failure.exit == 2 {
            failure.exit = 6;
        }
        let code = session.report_failure(&failure);
        exit = if exit == 0 { code } else { exit };
    }
    if !session.is_json() {
        let why = problem_counts(all().count(), plans.len(), unread);
        let word = paint(ERROR, "invalid");
        session
            .out
            .say(format!("{word}: nothing was committed: {why}"));
    }
    exit
}

fn problem_counts(errors: usize, plans: usize, unread: usize) -> String {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let mut parts = Vec::new();
    if plans > 0 {
        let (many, of) = (plural(errors), plural(plans));
        parts.push(format!("{errors} error{many} in {plans} plan{of}"));
    }
    if unread > 0 {
        let many = plural(unread);
        parts.push(format!("{unread} unreadable plan{many}"));
    }
    parts.join(", ")
}

/// Prints the errors that a plan was committed with, and that keep it from being signed.
fn warn(session: &mut Session, plan: &CommittedThread) {
    for problem in plan.errors().chain(plan.strays()) {
        session.out.say(render(problem, &plan.plan.source));
        session.out.say("");
    }
    let errors = plan.errors().count();
    if errors > 0 {
        let plural = if errors == 1 { "" } else { "s" };
        session.out.say(format!(
            "{} {} is committed, but cannot be signed: it has {errors} error{plural}",
            paint(CARE, "note:"),
            plan.thread.thread_id,
        ));
    }
}

fn print_commit(session: &mut Session, commit: &Commit) {
    let word = paint(GOOD, "committed");
    for plan in &commit.plans {
        let title = plan.plan.checked.plan.title.clone().unwrap_or_default();
        let tasks = plan.plan.checked.plan.steps.len();
        let plural = if tasks == 1 { "" } else { "s" };
        let same = if plan.changed { "" } else { ", unchanged" };
        session.out.answer(format!(
            "{word} {}: {} ({tasks} task{plural}): {}{same}",
            plan.thread.thread_id,
            messages::one_line(&title),
            plan.state,
        ));
    }
    if commit.plans.is_empty() {
        session.out.answer(format!("{word} no plans"));
    }
    for line in next_commands(&commit.plans) {
        session.out.answer(format!("next: {line}"));
    }
}

/// The next commands, for the plans of each state that needs one.
fn next_commands(plans: &[CommittedThread]) -> Vec<String> {
    // One command for each plan, so that it can be copied.
    let commands = |verb: &str, states: &[PlanState]| {
        let plans = plans.iter().filter(|plan| states.contains(&plan.state));
        let typed = plans.map(|plan| format!("`signoff {verb} {}`", plan.thread.thread_id));
        typed.collect::<Vec<_>>().join(", ")
    };
    let waiting = [PlanState::Verified, PlanState::NeedsReview];
    let (show, approve) = (commands("show", &waiting), commands("approve", &waiting));
    let run = commands("run", &[PlanState::Approved]);
    let refused = commands("show", &[PlanState::Rejected, PlanState::Cancelled]);
    let mut lines = Vec::new();
    if !show.is_empty() {
        lines.push(format!(
            "a person reads them ({show}) and signs them ({approve})"
        ));
    }
    if !run.is_empty() {
        lines.push(format!("signed plans can run ({run})"));
    }
    if !refused.is_empty() {
        lines.push(format!(
            "a rejected or cancelled plan stays so until you change and commit it ({refused})"
        ));
    }
    lines
}

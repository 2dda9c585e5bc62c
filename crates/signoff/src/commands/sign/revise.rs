//! `revise`: submits a new version of a plan.

use std::cell::RefCell;

use signoff_llm::{DraftEnd, DraftReport, PlanningContext, Round};
use signoff_runtime::advice::run_of_plan;
use signoff_runtime::plan_file::{PlanFile, read_source, read_stream};
use signoff_runtime::planning::{
    DraftObserver, RevisionOptions, reasons_to_replan, revise_by_planner, revision_context,
};
use signoff_runtime::plans::{ActorContext, EditOptions, Revision};

use super::{locate_plan, print_report};
use crate::agent_check::actor;
use crate::args::{Replan, Revise, RunArg};
use crate::commands::running::control::replan;
use crate::commands::write::plan::{begin, criticize_draft, round_lines};
use crate::failure::Failure;
use crate::plan_paths::is_stdin;
use crate::session::Session;

pub(crate) fn revise(session: &mut Session, args: &Revise) -> Result<u8, Failure> {
    let project = session.project()?;
    let clock = signoff_runtime::SystemClock::new();
    let context = ActorContext {
        project: &project,
        actor: actor(&session.process.variables),
        clock: &clock,
    };
    let (path, name) = locate_plan(&project, &args.plan.plan)?;
    if args.by_planner {
        let plan = PlanFile::read(&path, &name, &project.workspace())?;
        if let Some(run) = run_of_plan(context, &plan)? {
            return in_its_run(session, args, context, &plan, run);
        }
        return by_planner(session, args, context, &plan);
    }
    let revision = revision(session, args)?;
    let expected = EditOptions {
        expect_version: args.expect_version,
        expect_digest: args.expect_digest.clone(),
    };
    let done = signoff_runtime::advice::revise(context, &path, &name, &revision, &expected);
    let done = done.map_err(|error| super::approve::show_problems(session, error))?;
    let next = super::then_approve(&done);
    print_report(session, &done, "revised", Some(next));
    Ok(0)
}

/// The plan is carried out: what the planner writes is a new version of it, once nothing is under way.
fn in_its_run(
    session: &mut Session,
    args: &Revise,
    context: ActorContext<'_>,
    plan: &PlanFile,
    run: String,
) -> Result<u8, Failure> {
    let option = match (&args.step, &args.agent) {
        (Some(_), _) => Some("--step"),
        (None, Some(_)) => Some("--agent"),
        (None, None) => None,
    };
    if let Some(option) = option {
        let message =
            format!("`{option}` is not for a plan that is carried out, as run {run} does");
        return Err(Failure::new(2, "usage", message)
            .hint("leave it out: the run's planner writes a whole new version"));
    }
    let reasons = reasons_to_replan(context, plan, args.feedback.as_deref())?;
    let (mut reasons, mut because) = (reasons.into_iter(), String::new());
    because.extend(reasons.next());
    let wanted = Replan {
        run: RunArg {
            run: Some(run),
            format: args.plan.format,
        },
        because,
        discoveries: reasons.collect(),
        resume: false,
    };
    replan(session, &wanted)
}

/// The planner writes the new text.
fn by_planner(
    session: &mut Session,
    args: &Revise,
    context: ActorContext<'_>,
    plan: &PlanFile,
) -> Result<u8, Failure> {
    let options = RevisionOptions {
        step: args.step.clone(),
        feedback: args.feedback.clone(),
    };
    let told = revision_context(context, plan, &options)?;
    write_anew(session, context, plan, &told, args.agent.as_deref())
}

/// Has the planner write the plan anew as it is told, and hands that in.
pub(crate) fn write_anew(
    session: &mut Session,
    context: ActorContext<'_>,
    plan: &PlanFile,
    told: &PlanningContext,
    agent: Option<&str>,
) -> Result<u8, Failure> {
    let (mut model, rounds) = begin(session, context.project, agent)?;
    let out = RefCell::new(&mut *session);
    let observer = DraftObserver {
        // Whoever reads the answer as JSON may follow what is said meanwhile: it takes minutes.
        round: &mut |round: &Round| {
            for line in round_lines(round, rounds) {
                out.borrow_mut().out.say(line);
            }
        },
        review: &mut |_| Vec::new(),
    };
    let report = revise_by_planner(context, &mut model, plan, told, observer);
    let report = report.map_err(|error| super::approve::show_problems(session, error))?;
    let Some(done) = report.done else {
        return Err(no_draft(&report.draft));
    };
    criticize_draft(session, context, &done.plan, &told.task)?;
    let next = super::then_approve(&done);
    print_report(session, &done, "revised", Some(next));
    Ok(0)
}

/// Nothing was written.
fn no_draft(report: &DraftReport) -> Failure {
    match &report.end {
        DraftEnd::ModelFailed(why) => Failure::new(6, "no-answer", why.message.clone()),
        DraftEnd::Clean | DraftEnd::BoundReached => Failure::new(
            1,
            "not-mended",
            "the planner wrote no text that has nothing to mend; the plan is as it was",
        )
        .hint("give the command again, or edit the plan yourself"),
    }
}

fn revision(session: &Session, args: &Revise) -> Result<Revision, Failure> {
    let Some(path) = &args.with else {
        return Ok(Revision::InPlace);
    };
    if is_stdin(path) {
        let read = read_stream(std::io::stdin().lock());
        let bytes =
            read.map_err(|error| Failure::new(6, "unreadable", format!("stdin: {error}")))?;
        return Ok(Revision::Text(bytes));
    }
    let full = session.process.directory.join(path);
    let source = read_source(&full, &path.display().to_string())?;
    Ok(Revision::Text(source.bytes().to_vec()))
}

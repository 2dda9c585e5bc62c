//! `revise`: submits a new version of a plan.

use std::cell::RefCell;

use signoff_llm::{DraftEnd, DraftReport, Round};
use signoff_runtime::plan_file::{PlanFile, read_source, read_stream};
use signoff_runtime::planning::{
    DraftObserver, RevisionOptions, revise_by_planner, revision_context,
};
use signoff_runtime::plans::{ActorContext, Revision};

use super::{locate, tell};
use crate::agent_check::actor;
use crate::args::Revise;
use crate::commands::write::plan::{begin, criticize_draft, round_lines, say_all};
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
    let (path, name) = locate(&project, &args.plan.plan)?;
    if args.by_planner {
        let plan = PlanFile::read(&path, &name, &project.workspace())?;
        return by_planner(session, args, context, &plan);
    }
    let revision = revision(session, args)?;
    let done =
        signoff_runtime::plans::revise(context, &path, &name, &revision, args.expect_version);
    let done = done.map_err(|error| super::approve::show_problems(session, error))?;
    let next = super::then_approve(&done);
    tell(session, &done, "revised", Some(next));
    Ok(0)
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
    let (mut model, rounds) = begin(session, context.project, args.agent.as_deref())?;
    let out = RefCell::new(&mut *session);
    let observer = DraftObserver {
        round: &mut |round: &Round| say_all(&out, &round_lines(round, rounds)),
        review: &mut |_| Vec::new(),
    };
    let report = revise_by_planner(context, &mut model, plan, &told, observer);
    let report = report.map_err(|error| super::approve::show_problems(session, error))?;
    let Some(done) = report.done else {
        return Err(unfinished(&report.draft));
    };
    criticize_draft(session, context, &done.plan, &told.task)?;
    let next = super::then_approve(&done);
    tell(session, &done, "revised", Some(next));
    Ok(0)
}

/// Nothing was written.
fn unfinished(report: &DraftReport) -> Failure {
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

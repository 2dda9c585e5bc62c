//! `plan --expand`: steps that stand for others are written out, in a plan that nobody runs or as the next version of one
//! under way.

use signoff_api::request::RequestKind;
use signoff_runtime::advice::next_expansion_prompt;
use signoff_runtime::live::RunOptions;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::planning::{expansion_context, first_prompt};
use signoff_runtime::project::Project;
use signoff_runtime::runs::control::{RequestOutcome, ask};
use signoff_runtime::runs::view::RunView;
use signoff_runtime::{Error, SystemClock};

use super::actor_context;
use crate::commands::running::resume::resume;
use crate::commands::sign::{locate_plan, write_anew};
use crate::failure::Failure;
use crate::session::Session;
use crate::style::{GOOD, paint};

/// Why, as the run's journal says it.
const BECAUSE: &str = "the steps that the plan left open can be written now";

pub(super) fn expand(session: &mut Session, name: &str, is_dry: bool) -> Result<u8, Failure> {
    let project = session.project()?;
    if let Some(view) = run_under_way(&project, name)? {
        return in_run(session, &project, &view, is_dry);
    }
    let clock = SystemClock::new();
    let context = actor_context(session, &project, &clock);
    let (path, name) = locate_plan(&project, name)?;
    let plan = PlanFile::read(&path, &name, &project.workspace())?;
    let told = expansion_context(context, &plan)?;
    if is_dry {
        let prompt = first_prompt(&project, &told, false)?;
        session.out.write_unredacted(prompt.as_bytes());
        return Ok(0);
    }
    write_anew(session, context, &plan, &told, None)
}

/// The run of this name, or of the plan of this name, that is not over.
fn run_under_way(project: &Project, name: &str) -> Result<Option<RunView>, Failure> {
    let view = match RunView::find(project, Some(name)) {
        Ok(view) => view,
        Err(Error::NoSuchRun { .. } | Error::NeverBegun { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let is_open = view.run.outcome().is_none() || view.run.open_steps().next().is_some();
    Ok((is_open && !view.is_closed).then_some(view))
}

/// The run has the next version of its plan drafted, like a replan.
fn in_run(
    session: &mut Session,
    project: &Project,
    view: &RunView,
    is_dry: bool,
) -> Result<u8, Failure> {
    if is_dry {
        let prompt = next_expansion_prompt(project, view)?;
        session.out.write_unredacted(prompt.as_bytes());
        return Ok(0);
    }
    session.require_person("have the steps of a run written out")?;
    let id = view.run.id();
    let what = RequestKind::Replan {
        because: BECAUSE.to_owned(),
        discoveries: Vec::new(),
        expands: true,
    };
    if ask(project, id, what, &SystemClock::new())? == RequestOutcome::There {
        session.out.answer(format!(
            "{}: run {id} has its open steps written out once the current work has been judged",
            paint(GOOD, "recorded")
        ));
        return Ok(0);
    }
    resume(session, Some(id), &RunOptions::default())
}

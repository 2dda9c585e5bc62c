//! `clone`: copies a plan as a new plan.

use signoff_runtime::plans::ActorContext;

use super::{locate_plan, print_report};
use crate::agent_check::actor;
use crate::args::PlanName;
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn clone(session: &mut Session, args: &PlanName) -> Result<u8, Failure> {
    let project = session.project()?;
    let clock = signoff_runtime::SystemClock::new();
    let context = ActorContext {
        project: &project,
        actor: actor(&session.process.variables),
        clock: &clock,
    };
    let (path, name) = locate_plan(&project, &args.plan)?;
    let done = signoff_runtime::plans::clone(context, &path, &name);
    let done = done.map_err(|error| super::approve::show_problems(session, error))?;
    let next = super::then_approve(&done);
    print_report(session, &done, "cloned as", Some(next));
    Ok(0)
}

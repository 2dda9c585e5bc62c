//! `cancel`: a person cancels a plan.

use super::{by_person, locate_plan, print_report};
use crate::args::Cancel;
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn cancel(session: &mut Session, args: &Cancel) -> Result<u8, Failure> {
    session.require_person("cancel a plan")?;
    let project = session.project()?;
    let clock = signoff_runtime::SystemClock::new();
    let (path, name) = locate_plan(&project, &args.plan.plan)?;
    let context = by_person(&project, &clock);
    let done = signoff_runtime::plans::cancel(context, &path, &name, args.reason.as_deref())?;
    print_report(session, &done, "cancelled", None);
    Ok(0)
}

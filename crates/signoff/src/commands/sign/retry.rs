//! `retry`: lets a failed or stalled plan run again from scratch.

use super::{by_person, locate_plan, print_report};
use crate::args::PlanName;
use crate::failure::Failure;
use crate::session::Session;
use crate::shell_words::shell_word;

pub(crate) fn retry(session: &mut Session, args: &PlanName) -> Result<u8, Failure> {
    session.require_person("retry a plan")?;
    let project = session.project()?;
    let clock = signoff_runtime::SystemClock::new();
    let (path, name) = locate_plan(&project, &args.plan)?;
    let done = signoff_runtime::plans::retry(by_person(&project, &clock), &path, &name)?;
    let next = format!("`signoff run {}`", shell_word(&done.key));
    print_report(session, &done, "ready to run again:", Some(next));
    Ok(0)
}

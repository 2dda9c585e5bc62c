//! `reject`: a person rejects a plan.

use signoff_engine::PlanState;
use signoff_runtime::plans::EditOptions;

use super::{by_person, locate_plan, print_report};
use crate::args::Reject;
use crate::failure::Failure;
use crate::session::Session;
use crate::shell_words::shell_word;

pub(crate) fn reject(session: &mut Session, args: &Reject) -> Result<u8, Failure> {
    session.require_person("reject a plan")?;
    let project = session.project()?;
    let clock = signoff_runtime::SystemClock::new();
    let (path, name) = locate_plan(&project, &args.plan.plan)?;
    let context = by_person(&project, &clock);
    let feedback = args.feedback.as_deref();
    let expected = EditOptions {
        expect_version: args.expect_version,
        expect_digest: args.expect_digest.clone(),
    };
    let done = signoff_runtime::plans::reject(context, &path, &name, feedback, &expected)?;
    let next = match done.state {
        PlanState::NeedsReview => format!(
            "it was rejected too often; a person decides: `signoff approve {0}`, `signoff revise {0}` or `signoff cancel {0}`",
            shell_word(&done.key)
        ),
        _ => format!("revise it, then `signoff revise {}`", shell_word(&done.key)),
    };
    print_report(session, &done, "rejected", Some(next));
    Ok(0)
}

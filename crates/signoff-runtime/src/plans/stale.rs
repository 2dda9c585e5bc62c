//! Plans that nothing happens to for too long are cancelled. Announced, never silent.

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Act, Actor, Millis, after};

use crate::project::Project;
use crate::state::Standing;

pub(crate) const DAY: Millis = 24 * 60 * 60 * 1000;

/// After how many days without a change a plan of this definition has expired, if it has. One that
/// was never handed in like this is somebody's file and does not.
pub(crate) fn expired(
    standing: &Standing,
    digest: &str,
    now: Millis,
    project: &Project,
) -> Option<u64> {
    let days = project.rules.stale_after_days;
    let last = standing.history.last_activity(digest)?;
    let old = now.saturating_sub(last) > days.saturating_mul(DAY);
    let may = after(standing.state, Act::Expire, Actor::Harness).is_ok();
    (old && may).then_some(days)
}

/// What the log says about it.
pub(crate) fn event(digest: String, days: u64) -> PlanEvent {
    PlanEvent::PlanCancelled {
        digest,
        by: Actor::Harness.name().to_owned(),
        actor: Actor::Harness.name().to_owned(),
        reason: format!("nothing happened to it for {days} days"),
        run: None,
    }
}

/// What a person gets to see.
pub(crate) fn notice(plan: &str, days: u64) -> String {
    format!("{plan} has expired: nothing happened to it for {days} days, so it is cancelled")
}

//! Going on under another version of the plan.

use super::Refusal;
use crate::apply::replan_run;
use crate::event::{Event, Settings};
use crate::state::Run;

/// What stays finished and what starts over, if the run stands still and a plan was offered.
pub(super) fn replan(
    run: &Run,
    snapshot: String,
    settings: Settings,
) -> Result<Vec<Event>, Refusal> {
    let stands_still = run.started && run.outcome.is_none() && !run.in_flight();
    let Some(next) = run.next.as_ref().filter(|_| stands_still) else {
        return Err(Refusal::OutOfPlace {
            what: "another version of the plan",
        });
    };
    let (digest, terms) = (next.digest().to_string(), next.terms().to_string());
    let after = replan_run(run, next.clone(), &settings);
    Ok(vec![Event::PlanReplanned {
        digest,
        terms,
        snapshot,
        settings,
        kept: after.kept,
        reset: after.reset,
    }])
}

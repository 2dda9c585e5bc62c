//! Plans that cannot go on by themselves, and what a person can do about each.

use std::fmt::Write as _;

use signoff_engine::PlanState;

use crate::plans::ListedPlan;
use crate::project::Project;
use crate::runs::view::RunView;

/// How many plans are listed one by one.
const SHOWN: usize = 5;

/// One line for each stalled plan.
pub(super) fn lines(project: &Project, plans: &[ListedPlan]) -> String {
    let stuck = |plan: &&ListedPlan| plan.state == PlanState::Stalled;
    let mut text = String::new();
    for plan in plans.iter().filter(stuck).take(SHOWN) {
        let name = plan.name.as_deref().unwrap_or(&plan.key);
        writeln!(
            text,
            "Plan {name} is stuck in executing ({}). A person can type: `signoff resume {name}` (resume), `signoff abort {name}` (mark failed) or `signoff cancel {name}` (cancel).",
            progress(project, name, &plan.updated_at)
        )
        .expect("a string grows");
    }
    let more = plans.iter().filter(stuck).count().saturating_sub(SHOWN);
    if more > 0 {
        writeln!(
            text,
            "{more} more plans are stuck: `signoff list --status stalled`."
        )
        .expect("a string grows");
    }
    text
}

fn progress(project: &Project, name: &str, updated_at: &str) -> String {
    let Ok(view) = RunView::find(project, Some(name)) else {
        return format!("last changed {updated_at}");
    };
    let run = view.to_api();
    let done = run.steps.iter().filter(|step| step.status == "completed");
    format!(
        "started {}, steps {}/{} completed",
        run.started_at,
        done.count(),
        run.steps.len()
    )
}

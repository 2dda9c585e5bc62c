//! What this version reads and checks but cannot run. Such a plan is refused before its first step: ignoring
//! a field would claim something that is not enforced.

use signoff_plan::expression::Scope;
use signoff_plan::model::{BriefingStyle, Plan, Step};

use crate::template::render_step;

/// A field the engine would have to ignore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// The step, or the plan itself.
    pub step: Option<String>,
    pub what: String,
}

/// Everything in this plan that this version cannot carry out. Fields that are only passed on to agents are
/// supported if the plan's briefing passes them on.
pub fn unsupported(plan: &Plan) -> Vec<Unsupported> {
    let mut found: Vec<Unsupported> = Vec::new();
    for step in &plan.steps {
        let present = of_step(step, plan.briefing()).into_iter();
        let what = present.filter(|(present, _)| *present);
        found.extend(what.map(|(_, what)| Unsupported {
            step: Some(step.id.clone()),
            what: what.to_owned(),
        }));
    }
    found.extend(unrenderable(plan));
    found
}

fn of_step(step: &Step, briefing: BriefingStyle) -> [(bool, &'static str); 2] {
    [
        (
            step.instructions.is_some() && briefing != BriefingStyle::Record,
            "`instructions`",
        ),
        (
            step.hint.is_some() && briefing != BriefingStyle::Proposal,
            "`tool_hint`",
        ),
    ]
}

/// Steps whose parameters cannot be put into their texts: such a plan does not start.
fn unrenderable(plan: &Plan) -> impl Iterator<Item = Unsupported> + '_ {
    let scope = Scope {
        params: plan.params.clone(),
        ..Scope::default()
    };
    let without_loop = plan.steps.iter().filter(|step| step.for_each.is_none());
    without_loop.filter_map(move |step| {
        render_step(step, &scope).err().map(|why| Unsupported {
            step: Some(step.id.clone()),
            what: format!("a template without a value ({why})"),
        })
    })
}

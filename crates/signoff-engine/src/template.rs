//! Steps with values in the place of `{{ params.x }}`, `{{ item }}` and `{{ index }}`.

use signoff_plan::expression::{
    EvaluationFailed, Scope, places, render, render_args, render_shell,
};
use signoff_plan::model::{Plan, Step, Work};

use crate::unsupported::Unsupported;

/// The step with values in its title, its work and its contract; `None` = nothing in it to replace.
pub(crate) fn rendered(step: &Step, scope: &Scope) -> Result<Option<Step>, EvaluationFailed> {
    if !has_templates(step) {
        return Ok(None);
    }
    let mut step = step.clone();
    step.title = render(&step.title, scope)?;
    match &mut step.work {
        Work::Agent { task, .. } => *task = render(task, scope)?,
        Work::Tool { args, .. } => *args = render_args(args, scope)?,
        Work::Ask { question, choices } => {
            *question = render(question, scope)?;
            for choice in choices {
                *choice = render(choice, scope)?;
            }
        }
        Work::Check => {}
    }
    if let Some(contract) = &mut step.contract {
        contract.command = render_shell(&contract.command, scope)?;
    }
    Ok(Some(step))
}

fn has_templates(step: &Step) -> bool {
    let is = |text: &String| !places(text).is_empty();
    let work = match &step.work {
        Work::Agent { task, .. } => is(task),
        Work::Tool { args, .. } => is(&args.to_string()),
        Work::Ask { question, choices } => is(question) || choices.iter().any(is),
        Work::Check => false,
    };
    let contract = step.contract.as_ref();
    work || is(&step.title) || contract.is_some_and(|contract| is(&contract.command))
}

/// Steps whose parameters cannot be put into their texts: such a plan does not start.
pub(crate) fn unrenderable(plan: &Plan) -> impl Iterator<Item = Unsupported> + '_ {
    let scope = Scope {
        params: plan.params.clone(),
        ..Scope::default()
    };
    let single = plan.steps.iter().filter(|step| step.for_each.is_none());
    single.filter_map(move |step| {
        rendered(step, &scope).err().map(|why| Unsupported {
            step: Some(step.id.clone()),
            what: format!("a template without a value ({why})"),
        })
    })
}

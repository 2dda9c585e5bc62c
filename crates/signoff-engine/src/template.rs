//! Steps with values in the place of `{{ params.x }}`, `{{ item }}` and `{{ index }}`.

use signoff_plan::expression::{
    EvaluationFailed, Scope, placeholders, render, render_args, render_shell,
};
use signoff_plan::model::{Step, Work};

/// The step with values in its title, its work and its contract; `None` = nothing in it to replace.
pub(crate) fn render_step(step: &Step, scope: &Scope) -> Result<Option<Step>, EvaluationFailed> {
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
    let is = |text: &String| !placeholders(text).is_empty();
    let work = match &step.work {
        Work::Agent { task, .. } => is(task),
        Work::Tool { args, .. } => is(&args.to_string()),
        Work::Ask { question, choices } => is(question) || choices.iter().any(is),
        Work::Check => false,
    };
    let contract = step.contract.as_ref();
    work || is(&step.title) || contract.is_some_and(|contract| is(&contract.command))
}

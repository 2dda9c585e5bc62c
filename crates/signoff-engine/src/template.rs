//! Steps with values in the place of `{{ params.x }}`, `{{ item }}` and `{{ index }}`.

use std::collections::BTreeMap;

use serde_json::Value;
use signoff_plan::expression::{
    EvaluationFailed, Scope, placeholders, read, render, render_args, render_shell,
};
use signoff_plan::model::{Depends, Step, Work};

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

/// The step for one item. What cannot be rendered stays as written: the checks refuse templates that
/// have no value for any item.
pub(crate) fn item_step(
    params: &BTreeMap<String, Value>,
    definition: &Step,
    item: &Value,
    key: u64,
) -> Step {
    let scope = Scope {
        params: params.clone(),
        item: Some(item.clone()),
        index: Some(key),
        ..Scope::default()
    };
    let mut step = match render_step(definition, &scope) {
        Ok(Some(step)) => step,
        Ok(None) | Err(_) => definition.clone(),
    };
    step.id = format!("{}[{key}]", definition.id);
    step.depends_on = Depends::On(Vec::new());
    step.for_each = None;
    step.max_items = None;
    // A condition that does not read the item was decided for the whole loop.
    step.when = step.when.take().filter(|when| reads_item(when));
    step
}

/// Does a condition read the item, so that it must be decided for each one?
pub(crate) fn reads_item(when: &str) -> bool {
    read(when).is_ok_and(|reads| !reads.loop_variables.is_empty())
}

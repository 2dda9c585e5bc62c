//! Steps that stand for others are written out by the planner, from what earlier steps produced. Nothing else of the plan may
//! change: a person signs the difference.

use signoff_llm::{ExpansionContext, Memory, Objection, PlanningContext, PromptName};
use signoff_plan::diff::{pairs, text_hash};
use signoff_plan::model::{Plan, Step, Subscription};
use signoff_work::attachment::{Attachment, SubscriptionRoots, read_all};

use super::revision::require_revisable;
use super::{DraftOptions, planning_context, request_of};
use crate::error::{Error, PlanningError};
use crate::plan_file::PlanFile;
use crate::plans::ActorContext;

/// Bytes of all files together that a planner is shown: what is more is cut off.
const FILES_BYTES: usize = 128 * 1024;

/// What the planner is told to write out the steps of a plan that no run carries out.
pub fn expansion_context(
    context: ActorContext<'_>,
    plan: &PlanFile,
) -> Result<PlanningContext, Error> {
    let project = context.project;
    let dialect = plan.checked.dialect;
    let known = &plan.checked.plan;
    if open_steps(known).next().is_none() {
        return Err(PlanningError::NothingToExpand.into());
    }
    if PromptName::of_dialect(dialect).is_none() {
        return Err(PlanningError::NoPlannerFor { dialect }.into());
    }
    require_revisable(project, plan)?;
    let roots = SubscriptionRoots {
        workspace: project.store.workspace(),
        topics: project.store.workspace(),
    };
    let mut read = |file: &Subscription| read_all(std::slice::from_ref(file), roots).remove(0);
    let steps: Vec<usize> = open_steps(known).collect();
    let (steps, files) = match steps_with_files(known, &steps, &mut read) {
        (steps, _, missing) if steps.is_empty() => {
            return Err(PlanningError::NotProduced { files: missing }.into());
        }
        (steps, files, _) => (steps, files),
    };
    let options = DraftOptions {
        task: request_of(known),
        dialect,
        memories: Vec::new(),
        existing_code: Vec::new(),
        constraints: known.constraints.clone(),
    };
    let told = planning_context(project, &options, context.clock)?;
    Ok(PlanningContext {
        expansion: Some(expansion(known, plan.source.text(), &steps, files)),
        ..told
    })
}

/// Positions of the steps that are not written yet.
fn open_steps(plan: &Plan) -> impl Iterator<Item = usize> {
    let steps = plan.steps.iter().enumerate();
    steps.filter_map(|(at, step)| step.unexpanded.is_some().then_some(at))
}

/// The steps up to the first whose files are not there, with the files, and the names of files that are missing.
fn steps_with_files(
    plan: &Plan,
    steps: &[usize],
    read: &mut dyn FnMut(&Subscription) -> Attachment,
) -> (Vec<usize>, Vec<Memory>, Vec<String>) {
    let (mut can_be, mut files) = (Vec::new(), Vec::new());
    for &at in steps {
        let read = subscribed_files(plan, &[at], read);
        let missing: Vec<String> = read.iter().filter_map(read_failure).collect();
        if !missing.is_empty() {
            return (can_be, memories(files), missing);
        }
        can_be.push(at);
        files.extend(read);
    }
    (can_be, memories(files), Vec::new())
}

fn read_failure(attachment: &Attachment) -> Option<String> {
    let why = attachment.content.as_ref().err()?;
    Some(format!("{}: {why}", attachment.name))
}

/// The files that these steps subscribe to.
fn subscribed_files(
    plan: &Plan,
    steps: &[usize],
    read: &mut dyn FnMut(&Subscription) -> Attachment,
) -> Vec<Attachment> {
    let steps = steps.iter().filter_map(|&at| plan.steps.get(at));
    let files = steps.flat_map(|step| &step.subscriptions);
    let files = files.filter(|one| matches!(one, Subscription::File { .. }));
    files.map(read).collect()
}

/// The files that these steps of a run subscribe to, as far as they can be read.
pub(crate) fn expansion_files(
    plan: &Plan,
    steps: &[usize],
    read: &mut dyn FnMut(&Subscription) -> Attachment,
) -> Vec<Memory> {
    memories(subscribed_files(plan, steps, read))
}

/// The contents of files for the prompt: each file once, all together within a limit.
fn memories(attached: Vec<Attachment>) -> Vec<Memory> {
    let mut left = FILES_BYTES;
    let mut files: Vec<Memory> = Vec::new();
    for Attachment { name, content } in attached {
        if files.iter().any(|file| file.name == name) {
            continue;
        }
        let text = content.unwrap_or_else(|why| format!("(it cannot be read: {why})"));
        let end = text.floor_char_boundary(left);
        let mut shown = text.get(..end).unwrap_or_default().to_owned();
        left -= end;
        if end < text.len() {
            shown.push_str("\n[… the rest is left out …]\n");
        }
        files.push(Memory { name, text: shown });
    }
    files
}

/// What the planner is told of the steps to write out.
pub(crate) fn expansion(
    plan: &Plan,
    text: &str,
    steps: &[usize],
    files: Vec<Memory>,
) -> ExpansionContext {
    let steps = steps.iter().filter_map(|&at| plan.steps.get(at));
    ExpansionContext {
        plan: text.to_owned(),
        templates: steps.map(heading).collect(),
        files,
        most: Step::MAX_ITEMS,
    }
}

fn heading(step: &Step) -> String {
    let number = step.unexpanded.as_deref().unwrap_or_default();
    format!("{number}. {}", step.title)
}

/// Changes of a draft other than writing out these steps.
pub(crate) fn expansion_objections(
    before: &Plan,
    templates: &[String],
    after: &Plan,
) -> Vec<Objection> {
    let pairs = pairs(before, after);
    let mut objections = Vec::new();
    for (at, was) in before.steps.iter().enumerate() {
        let now = pairs.iter().position(|from| *from == Some(at));
        let now = now.and_then(|at| after.steps.get(at));
        objections.extend(step_objection(was, now, templates));
    }
    let new = pairs.iter().filter(|from| from.is_none()).count() as u64;
    if new > Step::MAX_ITEMS {
        let most = Step::MAX_ITEMS;
        objections.push(Objection::new(format!(
            "{new} new steps are more than {most}: take larger batches"
        )));
    }
    objections.extend(open_objections(after, before, templates));
    objections.extend(plan_objection(before, after));
    objections
}

/// The fate of a step that was there before.
fn step_objection(was: &Step, now: Option<&Step>, templates: &[String]) -> Option<Objection> {
    let is_template = was.is_template();
    let is_asked_for = was.unexpanded.is_some() && templates.contains(&heading(was));
    match now {
        // Any steps may take its place; what remains of it is looked at below.
        _ if is_template && is_asked_for => None,
        None => Some(Objection::new(format!(
            "step `{}` (`{}`) is missing; repeat it as it was",
            was.id, was.title
        ))),
        Some(now) if without_number(was) != without_number(now) || was.title != now.title => {
            Some(Objection::new(format!(
                "step `{}` (`{}`) was changed; repeat it word for word",
                was.id, was.title
            )))
        }
        Some(_) => None,
    }
}

fn without_number(step: &Step) -> signoff_plan::digest::Digest {
    text_hash(&Step {
        unexpanded: None,
        ..step.clone()
    })
}

/// Steps that are still open: only those that nobody asked for may be, and what follows them.
fn open_objections(after: &Plan, before: &Plan, templates: &[String]) -> Vec<Objection> {
    let old = before.steps.iter();
    let may_stay: Vec<String> = (old.filter(|step| step.is_template()))
        .map(heading)
        .filter(|heading| !templates.contains(heading))
        .collect();
    let mut follows_open = false;
    let mut objections = Vec::new();
    for step in after.steps.iter().filter(|step| step.unexpanded.is_some()) {
        let heading = heading(step);
        if step.is_template() && may_stay.contains(&heading) {
            follows_open = true;
        } else if step.is_template() || !follows_open {
            objections.push(Objection::new(format!(
                "`{heading}` is still open: give each step its number, and write it out"
            )));
        }
    }
    objections
}

/// What the plan allows its steps stays as it was signed.
fn plan_objection(before: &Plan, after: &Plan) -> Option<Objection> {
    let same = (&before.tools, &before.budget, &before.params)
        == (&after.tools, &after.budget, &after.params)
        && before.briefing() == after.briefing()
        && before.executor_model == after.executor_model;
    (!same).then(|| {
        Objection::new(
            "the plan's own fields were changed (tools, budget, parameters, briefing or model); repeat them as they were",
        )
    })
}

#[cfg(test)]
mod tests;

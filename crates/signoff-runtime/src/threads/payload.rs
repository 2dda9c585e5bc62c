//! A committed plan as the command that commits threads prints it.

use signoff_api::threads::{CommittedPlan, Narrative, Task, ThreadDir};
use signoff_plan::dialect::{Dialect, parse_as};
use signoff_plan::draft::{DraftStep, Spanned};
use signoff_plan::source::Source;

/// What the files of a thread say, as written. The rules hold, so that every file of `tasks/` is a
/// task, and they stand in the order of their numbers.
pub(super) fn payload(thread: &ThreadDir, source: &Source) -> CommittedPlan {
    let draft = parse_as(source, Dialect::Thread);
    let names = source
        .parts()
        .iter()
        .filter_map(|part| part.name.strip_prefix("tasks/"));
    let tasks = names.zip(&draft.steps).map(|(name, step)| task(name, step));
    CommittedPlan {
        thread_id: thread.thread_id.clone(),
        plan_dir: thread.plan_dir.clone(),
        plan: Narrative {
            title: text(draft.title.as_ref()).unwrap_or_default(),
            body: text(draft.context.as_ref()).unwrap_or_default(),
        },
        tasks: tasks.collect(),
    }
}

fn task(filename: &str, step: &DraftStep) -> Task {
    Task {
        filename: filename.to_owned(),
        id: text(step.id.as_ref()).unwrap_or_default(),
        depends_on: texts(step.depends_on.as_deref().unwrap_or_default()),
        agent: text(step.target.as_ref()),
        subtasks: texts(&step.subtasks),
        description: text(step.task.as_ref()).unwrap_or_default(),
    }
}

fn text(written: Option<&Spanned<String>>) -> Option<String> {
    written.map(|text| text.value.clone())
}

fn texts(written: &[Spanned<String>]) -> Vec<String> {
    written.iter().map(|text| text.value.clone()).collect()
}

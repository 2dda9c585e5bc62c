//! Finds a run, or a question of one, by what a person types.

use signoff_engine::{Event, Outcome, PauseReason, Run, is_due_when_resumed};
use signoff_store::runs::{RunEntry, is_run_id, list};

use super::replay::unknown_run;
use super::stream_event::task as task_of;
use super::view::RunView;
use crate::clock::{Clock, SystemClock};
use crate::drive::journal::first_event;
use crate::error::Error;
use crate::project::Project;

/// The fewest characters of a run's name that stand for it.
const SHORTEST: usize = 3;

/// The full name of a run: its name, the beginning or the end of it, or its plan's name, which stands for the plan's newest run.
pub fn run_named(project: &Project, text: &str) -> Result<String, Error> {
    let runs = list(&project.store)?;
    if is_run_id(text) {
        let known = runs.into_iter().find(|run| run.id == text);
        return known
            .map(|run| run.id)
            .ok_or_else(|| unknown_run(project, Some(text)));
    }
    let is_part = |run: &&RunEntry| run.id.starts_with(text) || run.id.ends_with(text);
    let alike: Vec<&RunEntry> = match text.len() {
        0..SHORTEST => Vec::new(),
        _ => runs.iter().filter(is_part).collect(),
    };
    match alike[..] {
        [] => newest_of_plan(project, &runs, text).ok_or_else(|| unknown_run(project, Some(text))),
        [one] => Ok(one.id.clone()),
        [..] => Err(Error::AmbiguousName {
            name: text.to_owned(),
            candidates: alike.iter().map(|run| run.id.clone()).collect(),
        }),
    }
}

/// The newest run of the plan that has this name or path.
fn newest_of_plan(project: &Project, runs: &[RunEntry], text: &str) -> Option<String> {
    let named = project.process.directory.join(text).canonicalize().ok();
    let is_of_plan = |run: &&RunEntry| {
        let first = first_event(&run.dir.journal()).ok().flatten();
        let Some(Event::RunStarted { plan, path, .. }) = first.map(|first| first.event) else {
            return false;
        };
        let path = project.store.workspace().join(path).canonicalize();
        plan == text || (named.is_some() && named == path.ok())
    };
    let newest = runs.iter().rev().find(is_of_plan);
    newest.map(|run| run.id.clone())
}

/// The newest run of a task: of the plan that names it, or has its name.
pub fn run_of_task(project: &Project, task: &str) -> Result<Option<String>, Error> {
    let views = RunView::load_all(project)?.into_iter().rev();
    let mut views = views.filter_map(|(_, view)| view.ok());
    let is_meant =
        |view: &RunView| view.run.id() == task || view.key == task || task_of(&view.run) == task;
    let found = views.find(is_meant);
    Ok(found.map(|view| view.run.id().to_owned()))
}

/// The named run; without a name the newest that can go on, or else the newest that waits on a person, or else the newest, which
/// says why it cannot go on.
pub fn run_to_resume(project: &Project, text: Option<&str>) -> Result<String, Error> {
    let now = SystemClock::new().now();
    let can_be_resumed = |view: &RunView| {
        let is_open = matches!(view.run.outcome(), None | Some(Outcome::Failed));
        is_open && !view.is_closed && !view.driven && !view.run.is_undone()
    };
    let only_waits = |view: &RunView| {
        let waits = view.run.pause_reason() == Some(PauseReason::Waiting);
        waits && !is_due_when_resumed(&view.run, now)
    };
    if let Some(text) = text {
        return run_named(project, text);
    }
    match newest(project, |view| can_be_resumed(view) && !only_waits(view))? {
        Some(run) => Ok(run),
        None => named_or_newest(project, None, can_be_resumed),
    }
}

/// The named run; without a name the newest whose changes are not in the checkout yet, or else the newest.
pub fn run_to_land(project: &Project, text: Option<&str>) -> Result<String, Error> {
    named_or_newest(project, text, |view| {
        view.run.has_not_landed() || view.files_to_settle().is_some()
    })
}

/// The named run, or the newest.
pub fn run_or_newest(project: &Project, text: Option<&str>) -> Result<String, Error> {
    match text {
        Some(text) => run_named(project, text),
        None => RunView::newest_id(project),
    }
}

fn named_or_newest(
    project: &Project,
    text: Option<&str>,
    fits: impl Fn(&RunView) -> bool,
) -> Result<String, Error> {
    if let Some(text) = text {
        return run_named(project, text);
    }
    match newest(project, fits)? {
        Some(run) => Ok(run),
        None => RunView::newest_id(project),
    }
}

/// The newest run that fits. One that cannot be read hides no other.
fn newest(project: &Project, fits: impl Fn(&RunView) -> bool) -> Result<Option<String>, Error> {
    let newest_first = list(&project.store)?.into_iter().rev();
    let mut views = newest_first.filter_map(|run| RunView::load(project, &run.id).ok());
    Ok(views.find(fits).map(|view| view.run.id().to_owned()))
}

/// A question that a person named.
#[derive(Debug, Clone)]
pub struct NamedQuestion {
    /// Its run.
    pub run: String,
    /// Its name in the run.
    pub item: String,
    /// The step that was named, where the question is about others too: only that one is meant.
    pub step: Option<String>,
}

/// The run of a question and its name there. A question is named by `RUN/NAME`, or by any part that fits only one open
/// question: its name, its step, its run or its run's plan.
pub fn question_named(project: &Project, text: &str) -> Result<NamedQuestion, Error> {
    if let Some((run, name)) = text.split_once('/')
        && let Ok(run) = run_named(project, run)
    {
        let view = RunView::load(project, &run)?;
        // The name of a question that is not open is refused with the reason.
        return Ok(open_question(&view, name).unwrap_or_else(|| NamedQuestion {
            run,
            item: name.to_owned(),
            step: None,
        }));
    }
    let mut found = Vec::new();
    for (_, view) in RunView::load_all(project)? {
        let view = view.ok().filter(|view| !view.inbox_items().is_empty());
        found.extend(view.and_then(|view| open_question(&view, text)));
    }
    if found.is_empty() {
        found.extend(only_question(project, text));
    }
    match &found[..] {
        [one] => Ok(one.clone()),
        [] => Err(Error::NoSuchQuestion {
            name: text.to_owned(),
        }),
        [..] => Err(Error::AmbiguousName {
            name: text.to_owned(),
            candidates: (found.iter())
                .map(|one| format!("{}/{}", one.run, one.item))
                .collect(),
        }),
    }
}

/// Is this the name with a number, as in `acceptance-2`?
fn is_numbered(item: &str, name: &str) -> bool {
    let number = item
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix('-'));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The open question of this name, or the only one that has it before its number, or about a step of this name.
fn open_question(view: &RunView, name: &str) -> Option<NamedQuestion> {
    let named = |item: &str, step: Option<&str>| NamedQuestion {
        run: view.run.id().to_owned(),
        item: item.to_owned(),
        step: step.map(str::to_owned),
    };
    if view.run.items().any(|item| item.id == name) {
        return Some(named(name, None));
    }
    if view.run.position(name).is_none()
        && let [only] = view
            .run
            .items()
            .filter(|item| is_numbered(&item.id, name))
            .collect::<Vec<_>>()[..]
    {
        return Some(named(&only.id, None));
    }
    let at = view
        .run
        .position(name)
        .or_else(|| asked_step(&view.run, name))?;
    let mut about = view
        .run
        .items()
        .filter(|item| item.steps_concerned().contains(&at));
    let first = about.next()?;
    let id = view.run.definition(at).map(|step| step.id.as_str());
    let step = id.filter(|_| first.steps_concerned().len() > 1);
    about.next().is_none().then(|| named(&first.id, step))
}

/// The ids of steps that contain this text.
pub fn steps_containing<'r>(run: &'r Run, text: &str) -> Vec<&'r str> {
    let steps = run.steps().map(|(step, _)| step.id.as_str());
    steps
        .filter(|id| text.len() >= SHORTEST && id.contains(text))
        .collect()
}

/// The only step with an open question whose id contains this text.
fn asked_step(run: &Run, text: &str) -> Option<usize> {
    let mut asked: Vec<usize> = run
        .items()
        .flat_map(|item| item.steps_concerned().to_vec())
        .collect();
    asked.sort_unstable();
    asked.dedup();
    let is_part = |at: &usize| {
        run.definition(*at)
            .is_some_and(|step| step.id.contains(text))
    };
    let mut alike = asked.into_iter().filter(is_part);
    let first = alike.next().filter(|_| text.len() >= SHORTEST)?;
    alike.next().is_none().then_some(first)
}

/// The only question of a run, by the run's name.
fn only_question(project: &Project, text: &str) -> Option<NamedQuestion> {
    let run = run_named(project, text).ok()?;
    let view = RunView::load(project, &run).ok()?;
    let mut items = view.run.items();
    let first = items.next()?;
    let only = items.next().is_none();
    only.then(|| NamedQuestion {
        run,
        item: first.id.clone(),
        step: None,
    })
}

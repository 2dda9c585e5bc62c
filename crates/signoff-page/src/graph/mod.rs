//! A plan's graph: what every drawing of it shows for a step, where the boxes stand, and the picture.

pub mod layout;
pub mod progress;
pub mod svg;

use signoff_plan::model::{Step, Work};

pub use self::progress::RunProgress;
use crate::words::sanitize::sanitize;

/// `3. Title`
pub fn heading(step: &Step) -> String {
    format!("{}. {}", step.number, title(step))
}

/// The title, or what stands in for it where there is none.
pub fn title(step: &Step) -> String {
    let title = sanitize(step.title.trim());
    if title.is_empty() {
        step.id.clone()
    } else {
        title
    }
}

/// Who does the step and what is special about it; for a run, also its state, and where it works.
pub fn remark(step: &Step, progress: Option<&RunProgress<'_>>) -> String {
    let of_run = progress.map(|progress| progress.words(step));
    joined(step, of_run.unwrap_or_default())
}

/// The same without where it works: for a box, which has little room.
pub fn brief_remark(step: &Step, progress: Option<&RunProgress<'_>>) -> String {
    let state = progress.and_then(|progress| progress.state_word(step));
    joined(step, state.map(str::to_owned).into_iter().collect())
}

fn joined(step: &Step, of_run: Vec<String>) -> String {
    let mut words = vec![match &step.work {
        Work::Agent { role, .. } => role.clone().unwrap_or_else(|| "default".to_owned()),
        Work::Tool { tool, .. } => tool.clone(),
        Work::Ask { .. } => "a person answers".to_owned(),
        Work::Check => "check".to_owned(),
    }];
    if step.approval {
        words.push("needs approval".to_owned());
    }
    if step.when.is_some() {
        words.push("conditional".to_owned());
    }
    if step.for_each.is_some() {
        words.push("for each".to_owned());
    }
    if matches!(step.work, Work::Agent { .. }) && step.contract.is_none() {
        words.push("no contract".to_owned());
    }
    words.extend(of_run);
    sanitize(&words.join(" · "))
}

//! Everything that waits on a person: what runs ask, what agents ask, and files that are held.

use signoff_api::inbox::{HeldFiles, Item};

use crate::error::Error;
use crate::project::Project;
use crate::questions;
use crate::remote_runs::bring_version;
use crate::runs::listed_run::ListedRun;
use crate::runs::view::RunView;

/// Everything that waits on a person.
#[derive(Debug, Default)]
pub struct WaitingItems {
    /// Questions: of runs, oldest first, then those that no run asks.
    pub items: Vec<Item>,
    /// Files of runs that have ended.
    pub held: Vec<HeldFiles>,
    /// Runs that cannot be read, with the reason.
    pub unreadable: Vec<(String, Error)>,
}

/// Open items of all runs that have not ended, held files of those that have, and open questions of agents.
pub fn waiting_items(project: &Project) -> Result<WaitingItems, Error> {
    waiting(project, |view| view.items_with_patches(project))
}

/// The same without the differences that git has of the steps' work: nothing is started for them.
pub fn waiting_questions(project: &Project) -> Result<Vec<Item>, Error> {
    Ok(waiting(project, RunView::inbox_items)?.items)
}

/// How many questions and runs with held files wait on a person: as many as [`waiting_items`] has.
pub fn waiting_count(project: &Project) -> Result<usize, Error> {
    let runs = ListedRun::load_all(project)?.into_iter();
    let of_runs: usize = runs
        .filter_map(|(_, run)| Some(run.ok()?.waiting_count()))
        .sum();
    Ok(of_runs + questions::open(project)?.len())
}

fn waiting(
    project: &Project,
    items: impl Fn(&RunView) -> Vec<Item>,
) -> Result<WaitingItems, Error> {
    let mut waiting = WaitingItems::default();
    for (id, run) in ListedRun::load_all(project)? {
        let run = match run {
            Ok(run) => run,
            Err(error) => {
                waiting.unreadable.push((id, error));
                continue;
            }
        };
        waiting.held.extend(run.held());
        if let ListedRun::Open(view) = &run {
            if let Err(error) = bring_version(project, view) {
                waiting.unreadable.push((id, error));
            }
            waiting.items.extend(items(view));
        }
    }
    let asked = questions::open(project)?;
    waiting
        .items
        .extend(asked.iter().map(signoff_api::question::Question::to_item));
    Ok(waiting)
}

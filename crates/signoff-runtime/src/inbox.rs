//! Everything that waits on a person: what runs ask, what agents ask, and files that are held.

use signoff_api::inbox::{HeldFiles, Item};

use crate::error::Error;
use crate::project::Project;
use crate::questions;
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
    let mut waiting = WaitingItems::default();
    for (run, view) in RunView::load_all(project)? {
        let view = match view {
            Ok(view) => view,
            Err(error) => {
                waiting.unreadable.push((run, error));
                continue;
            }
        };
        waiting.held.extend(view.files_to_settle());
        if view.run.outcome().is_none() && !view.over {
            waiting.items.extend(view.items_with_patches(project));
        }
    }
    let asked = questions::open(project)?;
    waiting
        .items
        .extend(asked.iter().map(signoff_api::question::Question::to_item));
    Ok(waiting)
}

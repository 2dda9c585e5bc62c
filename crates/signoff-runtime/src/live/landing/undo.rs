//! Takes a run back: its worktrees and its branch go, or what its steps changed in the checkout becomes what it was.

use signoff_engine::Input;
use signoff_store::failpoint;
use signoff_work::git::PutBack;

use super::{is_known_plan, is_over, named, parsed, record};
use crate::clock::Clock;
use crate::error::Error;
use crate::journal::Append as _;
use crate::live::Live;
use crate::locks::take_workspace;
use crate::project::Project;
use crate::trees::Trees;

/// What came of taking a run back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undone {
    /// The run.
    pub run: String,
    /// Files of the checkout that have their content of before.
    pub restored: Vec<String>,
    /// Files of the checkout that the run had made, and that are gone.
    pub deleted: Vec<String>,
    /// The reference that what was there in their places can be found by.
    pub kept: Option<String>,
    /// Worktrees and branches that are gone.
    pub removed: Vec<String>,
    /// Why it was not taken back, each a sentence; empty = it was.
    pub refused: Vec<String>,
    /// Trying it once more will not help.
    pub for_good: bool,
}

/// Takes a run back that has ended: removes its worktrees and its branch, or what its steps changed in the checkout.
pub fn undo(project: &Project, run: Option<&str>, clock: &dyn Clock) -> Result<Undone, Error> {
    let name = named(project, run)?;
    let mut live = Live::open(project, &name, clock)?;
    live.end_leftovers()?;
    let refused = |why: String| {
        Ok(Undone {
            run: name.clone(),
            ..refused(&why)
        })
    };
    let for_good = |why: String| {
        refused(why).map(|undone| Undone {
            for_good: true,
            ..undone
        })
    };
    if let Some(commit) = live.run.landed() {
        return for_good(format!(
            "it landed as {commit}: `git revert` takes that back"
        ));
    }
    if live.run.landing().is_some() && !live.run.undone() {
        return for_good(format!(
            "its landing was begun and cut off: `signoff land {name}` brings it to its end"
        ));
    }
    if live.run.outcome().is_none() && !is_over(project, &live)? {
        return refused(format!(
            "it has not ended: `signoff abort {name}` gives it up"
        ));
    }
    let (Some(trees), true) = (live.trees(None)?, live.run.ground().is_some()) else {
        return for_good("git did not know what the checkout was before it".to_owned());
    };
    if let Some(place) = trees.checked_out()? {
        let place = place.display();
        return refused(format!(
            "its branch `signoff/{name}` is checked out in {place}: `git switch` to another one there"
        ));
    }
    let done = if live.run.in_worktrees() {
        remove(&mut live, &trees)?
    } else {
        restore(&mut live, &trees)?
    };
    live.journal.close()?;
    Ok(Undone { run: name, ..done })
}

fn remove(live: &mut Live<'_>, trees: &Trees) -> Result<Undone, Error> {
    if !live.run.undone() {
        let by = live.project.around.person.clone();
        let parts = (&mut live.run, &mut live.journal);
        record(parts, Input::Undo { by }, live.clock)?;
    }
    failpoint::reached("undo.recorded");
    Ok(Undone {
        removed: trees.remove_all()?,
        ..Undone::default()
    })
}

/// Makes what steps of the run changed in the checkout what it was before, if nobody else changed it since.
fn restore(live: &mut Live<'_>, trees: &Trees) -> Result<Undone, Error> {
    let _checkout = take_workspace(live.project)?;
    // Of steps that were killed.
    trees.note_work()?;
    let Some(work) = trees.work()? else {
        let why = "an older signoff ran it, which did not note what its steps changed: `git diff` shows what is changed now";
        return Ok(Undone {
            for_good: true,
            ..refused(why)
        });
    };
    let mut paths = trees.touched(&work)?;
    paths.retain(|path| !is_known_plan(live.project, path));
    let again = live.run.undone();
    let differ = trees.own().in_the_way(&work.to, &work.left, &paths)?;
    if !differ.is_empty() {
        return Ok(refused(&format!(
            "these were changed after the run, and nothing is taken back unless all of it can be: {}",
            differ.join(", ")
        )));
    }
    if !again {
        // Nothing is lost by it: what was there can be found again.
        let start = live.run.ground().map(|ground| ground.start.clone());
        let start = parsed(&live.run, start.as_deref().unwrap_or_default())?;
        trees.keep_undone(&trees.own().snapshot()?, &start)?;
        let by = live.project.around.person.clone();
        let parts = (&mut live.run, &mut live.journal);
        record(parts, Input::Undo { by }, live.clock)?;
    }
    failpoint::reached("undo.recorded");
    let back = match trees.own().restore(&work.to, &work.left, &paths)? {
        Ok(back) => back,
        Err(differ) => {
            let why = format!("these change just now: {}", differ.join(", "));
            return Ok(refused(&why));
        }
    };
    // From here on whatever is there is somebody else's.
    trees.forget_work(&work)?;
    let PutBack { restored, deleted } = back;
    let changed = !(restored.is_empty() && deleted.is_empty());
    Ok(Undone {
        kept: changed.then(|| trees.undone_ref()),
        restored,
        deleted,
        ..Undone::default()
    })
}

fn refused(why: &str) -> Undone {
    Undone {
        refused: vec![why.to_owned()],
        ..Undone::default()
    }
}

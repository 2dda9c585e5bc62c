//! How what a run did comes into the checkout, and how it is taken back.

use crate::clock::Clock;
use crate::error::Error;
use crate::project::Project;
use crate::view::View;

/// What became of landing a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Landing {
    /// The run.
    pub run: String,
    /// How many commits came in.
    pub commits: usize,
    /// The last of them.
    pub commit: Option<String>,
    /// The branch that has them now.
    pub branch: Option<String>,
    /// Why not, each a sentence; empty = landed.
    pub refused: Vec<String>,
    /// It had landed before.
    pub already: bool,
    /// What to type where it is refused.
    pub by_hand: Vec<String>,
}

/// What became of taking a run back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Undone {
    /// The run.
    pub run: String,
    /// Files put back in place.
    pub restored: Vec<String>,
    /// Worktrees and branches.
    pub removed: Vec<String>,
    /// What stays, each a sentence with the reason.
    pub refused: Vec<String>,
}

/// Brings the commits of a run into the checkout.
pub fn land(project: &Project, run: Option<&str>, clock: &dyn Clock) -> Result<Landing, Error> {
    not_yet(project, run, clock)
}

/// Removes the worktrees and the branch of a run, or puts back what it found in the checkout.
pub fn undo(project: &Project, run: Option<&str>, clock: &dyn Clock) -> Result<Undone, Error> {
    not_yet(project, run, clock)
}

fn not_yet<T>(project: &Project, run: Option<&str>, _: &dyn Clock) -> Result<T, Error> {
    let view = View::find(project, run)?;
    let why = "this version works in the checkout only, and cannot take back what it did there";
    Err(Error::RunOver {
        run: view.run.id().to_owned(),
        why: why.to_owned(),
    })
}

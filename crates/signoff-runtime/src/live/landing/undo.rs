//! Undoes a run: removes its worktrees and its branch, or restores what its steps changed in the checkout.

use std::path::PathBuf;

use signoff_engine::Input;
use signoff_store::failpoint;
use signoff_work::git::Id;

use super::is_over;
use crate::clock::Clock;
use crate::error::Error;
use crate::project::Project;
use crate::project::locks::take_workspace;
use crate::runs::OpenedRun;
use crate::runs::names::run_or_newest;
use crate::trees::{Trees, parse_id};

/// The result of undoing a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UndoReport {
    /// The run.
    pub run: String,
    /// Files of the checkout that have their earlier content again.
    pub restored: Vec<String>,
    /// Files of the checkout that the run had made, and that are gone.
    pub deleted: Vec<String>,
    /// Files that somebody changed since, and that stay as they are, each with the reason.
    pub left: Vec<String>,
    /// The reference under which the replaced files can be found.
    pub kept: Option<String>,
    /// The repository that has it, where that is not the project's own.
    pub kept_in: Option<PathBuf>,
    /// It was undone before: nothing was done now.
    pub already: bool,
    /// Worktrees and branches that are gone.
    pub removed: Vec<String>,
    /// Why it was not undone, each a sentence; empty = it was.
    pub refused: Vec<String>,
    /// Trying again will not help.
    pub for_good: bool,
}

/// Undoes a run that has ended: removes its worktrees and its branch, or its steps' changes in the checkout.
pub fn undo(project: &Project, run: Option<&str>, clock: &dyn Clock) -> Result<UndoReport, Error> {
    let name = run_or_newest(project, run)?;
    let mut opened = OpenedRun::open(project, &name, clock)?;
    opened.end_leftovers()?;
    let refused = |why: String| {
        Ok(UndoReport {
            run: name.clone(),
            ..refused_undo(&why)
        })
    };
    let for_good = |why: String| {
        refused(why).map(|undone| UndoReport {
            for_good: true,
            ..undone
        })
    };
    let commit = opened
        .state()
        .landed_commit()
        .filter(|_| !opened.state().lands_files());
    if let Some(commit) = commit {
        let Some(revert) = revert(&opened, commit)? else {
            return for_good("it changed no files: there is nothing to take back".to_owned());
        };
        return for_good(format!("it landed as {commit}: `{revert}` takes it back"));
    }
    if opened.state().landing_commit().is_some() && !opened.state().is_undone() {
        return for_good(format!(
            "its landing was begun and cut off: `signoff land {name}` brings it to its end"
        ));
    }
    if opened.state().outcome().is_none() && !is_over(project, &opened)? {
        return refused(format!(
            "it has not ended: `signoff abort {name}` gives it up"
        ));
    }
    let Some(trees) = opened.trees()? else {
        let why = "it worked in the checkout itself, and nothing recorded what that was before";
        return for_good(why.to_owned());
    };
    if let Some(directory) = trees.checked_out()? {
        let directory = directory.display();
        return refused(format!(
            "its branch `signoff/{name}` is checked out in {directory}: `git switch` to another one there"
        ));
    }
    let done = if opened.state().lands_files() {
        take_back(&mut opened, &trees)?
    } else {
        remove(&mut opened, &trees)?
    };
    opened.run.close()?;
    Ok(UndoReport { run: name, ..done })
}

fn remove(opened: &mut OpenedRun<'_>, trees: &Trees) -> Result<UndoReport, Error> {
    if !opened.state().is_undone() {
        let by = opened.project.process.person.clone();
        opened.run.record(Input::Undo { by })?;
    }
    failpoint::reach("undo.recorded");
    Ok(UndoReport {
        removed: trees.remove_all()?,
        ..UndoReport::default()
    })
}

/// The command that reverts all commits that a run landed as, and none of a person; `None` if there are none.
fn revert(opened: &OpenedRun<'_>, landed: &str) -> Result<Option<String>, Error> {
    let state = opened.state();
    if state.head() == state.run_tree().map(|tree| tree.start.as_str()) {
        return Ok(None);
    }
    let Some(trees) = opened.trees()? else {
        return Ok(Some(format!("git revert --no-edit {landed}")));
    };
    let last = parse_id(state, landed)?;
    let commits = trees.git().commits_of_run(state.id(), &last)?;
    let (Some(newest), Some(oldest)) = (commits.first(), commits.last()) else {
        return Ok(None);
    };
    let before = trees.git().parents(oldest)?.into_iter().next();
    if commits.len() > 1
        && let Some(before) = before
        && trees.git().commits(&before, newest)?.len() == commits.len()
    {
        return Ok(Some(format!("git revert --no-edit {before}..{newest}")));
    }
    // Commits of a person lie between them, or nothing lies before them.
    let names: Vec<&str> = commits.iter().map(Id::as_str).collect();
    Ok(Some(format!("git revert --no-edit {}", names.join(" "))))
}

/// Undoes a landing file by file. Files that changed since stay, and are reported.
fn take_back(opened: &mut OpenedRun<'_>, trees: &Trees) -> Result<UndoReport, Error> {
    let _checkout = take_workspace(opened.project)?;
    if opened.state().is_undone() && !trees.has_landings()? {
        trees.forget_work();
        return Ok(UndoReport {
            already: true,
            ..UndoReport::default()
        });
    }
    if !opened.state().is_undone() {
        let by = opened.project.process.person.clone();
        opened.run.record(Input::Undo { by })?;
    }
    failpoint::reach("undo.recorded");
    let report = trees.unland_files()?;
    let mut restored = report.restored;
    restored.extend(report.merged);
    restored.sort();
    let left = report.held.iter();
    let left = left.map(|held| format!("`{}`: {}", held.path, held.reason));
    trees.forget_work();
    let changed = !(restored.is_empty() && report.deleted.is_empty());
    Ok(UndoReport {
        restored,
        deleted: report.deleted,
        left: left.collect(),
        kept: changed.then(|| trees.work_ref()),
        kept_in: trees.private_repository().filter(|_| changed),
        ..UndoReport::default()
    })
}

fn refused_undo(why: &str) -> UndoReport {
    UndoReport {
        refused: vec![why.to_owned()],
        ..UndoReport::default()
    }
}
